import CombineCore
import TestSupport
import Testing

@Suite struct ReplaceErrorTests {

  @Test func hasItsOwnSubscription() {
    expectLenient(
      name: "ReplaceError",
      rules: LenientRules(
        deliversValuesBeforeSubscription: false,
        deliversValuesAfterEnd: false,
        deliversCompletionBeforeSubscription: false,
        deliversCompletionsAfterEnd: false,
        forwardsEmptyRequests: false
      )
    ) { $0.replaceError(with: 0) }
  }

  private func attach(
    requesting initial: Subscribers.Demand? = nil,
    returning: Subscribers.Demand = .none
  ) -> (TestUpstream, RecordingSubscriber<Int, Never>) {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, Never>(
      onSubscription: { subscription in initial.map { subscription.request($0) } },
      onValue: { _ in returning }
    )
    upstream.replaceError(with: 42).subscribe(subscriber)
    subscriber.clear()
    return (upstream, subscriber)
  }

  @Test func withoutDemandAFailureIsReplacedAtTheNextRequest() {
    let (upstream, subscriber) = attach(requesting: .max(1))

    upstream.send(9)
    upstream.send(completion: .failure("upstream"))
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("again"))
    #expect(subscriber.events == [.value(9)])

    subscriber.request(.max(1))
    #expect(subscriber.events == [.value(9), .value(42), .finished])
    subscriber.request(.max(1))
    #expect(subscriber.events.count == 3)
    #expect(upstream.history == [.requested(.max(1))])
  }

  @Test func demandReturnedForAValueCounts() {
    let (upstream, subscriber) = attach(requesting: .max(1), returning: .max(1))

    upstream.send(41)
    upstream.send(completion: .failure("upstream"))
    #expect(subscriber.events == [.value(41), .value(42), .finished])
  }

  @Test func aFailureDuringTheLastValueIsReplacedIfThatReturnsDemand() {
    for more in [Subscribers.Demand.none, .max(1)] {
      let (upstream, subscriber) = attach(requesting: .max(1))
      subscriber.onValue = { value in
        if value == 42 { return .none }
        upstream.send(completion: .failure("upstream"))
        #expect(subscriber.events == [.value(1)], "nothing is requested yet")
        return more
      }

      #expect(upstream.send(1) == more)
      #expect(subscriber.events == (more == .none ? [.value(1)] : [.value(1), .value(42), .finished]))
    }
  }

  @Test func demandBeforeTheSubscriptionCountsButIsNotForwarded() {
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, Never>()
    upstream.replaceError(with: 42).subscribe(subscriber)
    (upstream.subscriber as! any Subscription).request(.max(2))
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)

    upstream.send(1)
    upstream.send(completion: .failure("upstream"))

    #expect(subscriber.events == [.subscription("ReplaceError"), .value(1), .value(42), .finished])
    #expect(subscription.history == [])
  }

  @Test func keepsTheUpstreamWhileTheReplacementIsPending() {
    var isReleased = false
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, Never>()
    upstream.replaceError(with: 42).subscribe(subscriber)
    upstream.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))

    upstream.send(completion: .failure("upstream"))
    #expect(!isReleased)
    subscriber.request(.max(1))
    #expect(isReleased)
    subscriber.dropSubscription()
  }

  /// A misuse that traps.
  enum Misuse: String, CaseIterable, Codable, Sendable {

    case valueWithoutDemand, valueAfterDemandIsUsedUp, valueWhileAFailureWaits
    case emptyRequestFirst, emptyRequestWhileConnected, emptyRequestAfterCompletion

    var mistake: CombineCore.Misuse {
      switch self {
      case .valueWithoutDemand, .valueAfterDemandIsUsedUp, .valueWhileAFailureWaits: .valueBeyondDemand
      case .emptyRequestFirst, .emptyRequestWhileConnected, .emptyRequestAfterCompletion: .zeroDemand
      }
    }

    func prepare() -> () -> Void {
      let upstream = TestUpstream(subscription: nil)
      upstream.replaceError(with: 42).subscribe(RecordingSubscriber())
      let conduit = upstream.subscriber as! any Subscription
      if self == .emptyRequestFirst { return { conduit.request(.none) } }
      upstream.send(subscription: ManualSubscription())
      switch self {
      case .valueAfterDemandIsUsedUp:
        conduit.request(.max(1))
        upstream.send(1)
      case .valueWhileAFailureWaits: upstream.send(completion: .failure("upstream"))
      case .emptyRequestAfterCompletion: upstream.send(completion: .finished)
      default: break
      }
      switch self {
      case .emptyRequestWhileConnected, .emptyRequestAfterCompletion: return { conduit.request(.none) }
      default: return { upstream.send(2) }
      }
    }
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: Misuse.allCases) func traps(on misuse: Misuse) async {
      _ = misuse.prepare()  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.prepare()()
      }.expectMisuse("ReplaceError", misuse.mistake)
    }
  #endif

  @Test func isEqualWithAnEqualUpstreamAndReplacement() {
    let publisher = Publishers.SetFailureType<Just<Int>, TestError>(upstream: Just(1))
    let other = Publishers.SetFailureType<Just<Int>, TestError>(upstream: Just(2))
    #expect(publisher.replaceError(with: 3) == publisher.replaceError(with: 3))
    #expect(publisher.replaceError(with: 3) != publisher.replaceError(with: 4))
    #expect(publisher.replaceError(with: 3) != other.replaceError(with: 3))
    #expect(publisher.replaceError(with: 3).output == 3)
    #expect(publisher.replaceError(with: 3).upstream == publisher)
    #expect(!(TestUpstream().replaceError(with: 3) is any Equatable))
  }

  @Test func reflectsItself() {
    let upstream = TestUpstream()
    upstream.replaceError(with: 1).subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "ReplaceError")
  }

  @Test func aRequestRacingWithTheFailureGivesOneReplacement() {
    for _ in 0..<500 {
      let upstream = TestUpstream()
      let subscriber = CountingSubscriber<Int, Never>()
      upstream.replaceError(with: 42).subscribe(subscriber)
      // Each thread uses one of the two, and they share no state. The test is of the conduit.
      nonisolated(unsafe) let source = upstream
      nonisolated(unsafe) let subscription = subscriber.subscription!
      onThreads(2) { thread in
        if thread == 0 { source.send(completion: .failure("upstream")) } else { subscription.request(.max(1)) }
      }
      #expect(subscriber.values == 1)
      #expect(subscriber.completions == 1)
      subscriber.subscription = nil
    }
  }
}
