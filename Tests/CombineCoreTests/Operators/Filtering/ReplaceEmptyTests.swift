import TestSupport
import Testing

@testable import CombineCore

@Suite struct ReplaceEmptyTests {

  @Test func hasItsOwnSubscription() {
    expectLenient(
      name: "ReplaceEmpty",
      rules: LenientRules(
        deliversValuesBeforeSubscription: false,
        deliversValuesAfterEnd: false,
        deliversCompletionBeforeSubscription: false,
        deliversCompletionsAfterEnd: false,
        forwardsEmptyRequests: false,
        requestsAll: true
      )
    ) { $0.replaceEmpty(with: 0) }
  }

  private func attach(
    requesting initial: Subscribers.Demand? = nil,
    returning: Subscribers.Demand = .none
  ) -> (TestUpstream, RecordingSubscriber<Int, TestError>) {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>(
      onSubscription: { subscription in initial.map { subscription.request($0) } },
      onValue: { _ in returning }
    )
    upstream.replaceEmpty(with: 42).subscribe(subscriber)
    subscriber.clear()
    return (upstream, subscriber)
  }

  // MARK: Demand

  @Test func requestsUnlimitedDemandOnceTheDownstreamHasItsSubscription() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: { subscription in
      #expect(upstream.history == [])
      subscription.request(.max(42))
    })
    upstream.replaceEmpty(with: 42).subscribe(subscriber)
    #expect(upstream.history == [.requested(.max(42)), .requested(.unlimited)])
    subscriber.request(.max(3))
    #expect(upstream.history == [.requested(.max(42)), .requested(.unlimited), .requested(.max(3))])
  }

  @Test func requestsNothingWhenTheDownstreamCancelsAtOnce() {
    let upstream = TestUpstream()
    upstream.replaceEmpty(with: 42).subscribe(RecordingSubscriber(onSubscription: { $0.cancel() }))
    #expect(upstream.history == [.cancelled])
  }

  // MARK: Completion

  @Test func aFinishWithoutAValueIsReplacedAtTheNextRequest() {
    let (upstream, subscriber) = attach()
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    upstream.subscription?.request(.max(5))  // Directly: it has no effect on the pending replacement.
    #expect(upstream.send(1) == .none)
    #expect(subscriber.events == [])

    subscriber.request(.max(2))
    #expect(subscriber.events == [.value(42), .finished])
    subscriber.request(.max(1))
    #expect(subscriber.events.count == 2)
    #expect(upstream.history == [.requested(.unlimited), .requested(.max(5))])
  }

  @Test func aRequestBeforeTheSubscriptionCountsButIsNotForwarded() {
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.replaceEmpty(with: 42).subscribe(subscriber)
    (upstream.subscriber as! any Subscription).request(.max(2))
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    upstream.send(completion: .finished)
    #expect(subscriber.events == [.subscription("ReplaceEmpty"), .value(42), .finished])
    #expect(subscription.history == [.requested(.unlimited)])
  }

  // MARK: Retention

  @Test func releasesTheUpstreamWhileTheReplacementIsPending() {
    var isReleased = false
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.replaceEmpty(with: 42).subscribe(subscriber)
    upstream.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
    upstream.send(completion: .finished)
    #expect(isReleased)
    subscriber.dropSubscription()
  }

  @Test func aDownstreamThatNeverRequestsIsNotReleasedByAnEmptyUpstream() {
    var isReleased = false
    weak var leaked: RecordingSubscriber<Int, TestError>?
    do {
      let upstream = TestUpstream()
      let subscriber = RecordingSubscriber<Int, TestError>(onDeinit: { isReleased = true })
      subscriber.dropsSubscriptionOnCompletion = true
      leaked = subscriber
      upstream.replaceEmpty(with: 42).subscribe(subscriber)
      upstream.send(completion: .finished)
    }
    #expect(!isReleased)
    leaked?.request(.max(1))
    #expect(isReleased)
  }

  // MARK: Traps

  enum Misuse: String, CaseIterable, Codable, Sendable {

    case emptyRequestFirst, emptyRequestWhileConnected, emptyRequestWhileWaiting, emptyRequestAfterCompletion

    func prepare() -> () -> Void {
      let upstream = TestUpstream(subscription: nil)
      upstream.replaceEmpty(with: 42).subscribe(RecordingSubscriber())
      let conduit = upstream.subscriber as! any Subscription
      if self != .emptyRequestFirst { upstream.send(subscription: ManualSubscription()) }
      switch self {
      case .emptyRequestWhileWaiting: upstream.send(completion: .finished)
      case .emptyRequestAfterCompletion: upstream.send(completion: .failure("x"))
      default: break
      }
      return { conduit.request(.none) }
    }
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: Misuse.allCases) func traps(on misuse: Misuse) async {
      _ = misuse.prepare()  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.prepare()()
      }.expectMisuse("ReplaceEmpty", .zeroDemand)
    }
  #endif

  // MARK: Surface

  @Test func isEqualWithAnEqualUpstreamAndReplacement() {
    let fail = Fail<Int, TestError>(error: "x")
    let other = Fail<Int, TestError>(error: "y")
    #expect(fail.replaceEmpty(with: 3) == fail.replaceEmpty(with: 3))
    #expect(fail.replaceEmpty(with: 3) != fail.replaceEmpty(with: 4))
    #expect(fail.replaceEmpty(with: 3) != other.replaceEmpty(with: 3))
    #expect(fail.replaceEmpty(with: 3).output == 3)
    #expect(fail.replaceEmpty(with: 3).upstream == fail)
    #expect(Publishers.ReplaceEmpty(upstream: fail, output: 3) == fail.replaceEmpty(with: 3))
    #expect(!(TestUpstream().replaceEmpty(with: 3) is any Equatable))
  }

  @Test func reflectsItself() {
    let upstream = TestUpstream()
    upstream.replaceEmpty(with: 1).subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "ReplaceEmpty")
  }

  // MARK: Threads

  @Test func aRequestRacingWithTheFinishGivesOneReplacement() {
    for _ in 0..<500 {
      let upstream = TestUpstream()
      let subscriber = CountingSubscriber<Int, TestError>()
      upstream.replaceEmpty(with: 42).subscribe(subscriber)
      // Each thread uses one of the two, and they share no state. The test is of the conduit.
      nonisolated(unsafe) let source = upstream
      nonisolated(unsafe) let subscription = subscriber.subscription!
      onThreads(2) { thread in
        if thread == 0 { source.send(completion: .finished) } else { subscription.request(.max(1)) }
      }
      #expect(subscriber.values == 1)
      #expect(subscriber.completions == 1)
      subscriber.subscription = nil
    }
  }
}
