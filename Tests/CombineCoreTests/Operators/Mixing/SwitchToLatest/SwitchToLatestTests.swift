import TestSupport
import Testing

@testable import CombineCore

@Suite struct SwitchToLatestTests {

  fileprivate typealias Inner = ManualPublisher<Int, TestError>

  /// An upstream of manual inner publishers and a subscriber. One log records the events of all.
  private final class Fixture {

    let upstream: ManualPublisher<Inner, TestError>
    let subscriber = RecordingSubscriber<Int, TestError>()
    private(set) var children: [Inner] = []
    private(set) var log: [String] = []
    var onValue: (Int) -> Subscribers.Demand = { _ in .none }

    init(
      hasSubscription: Bool = true,
      children count: Int = 3,
      silentInners: Bool = false,
      requesting demand: Subscribers.Demand? = nil
    ) {
      upstream = ManualPublisher(subscription: hasSubscription ? ManualSubscription() : nil)
      if let subscription = upstream.subscription { watch(subscription, "upstream") }
      for index in 0..<count {
        let child = Inner(subscription: silentInners ? nil : ManualSubscription())
        if let subscription = child.subscription { watch(subscription, "c\(index)") }
        child.onSubscribe = { [unowned self] in note("c\(index) subscribe") }
        children.append(child)
      }
      subscriber.onSubscription = { [unowned self] in
        note("subscription \($0)")
        if let demand { $0.request(demand) }
      }
      subscriber.onValue = { [unowned self] in
        note("value \($0)")
        return onValue($0)
      }
      subscriber.onCompletion = { [unowned self] in
        switch $0 {
        case .finished: note("finished")
        case .failure(let error): note("failure \(error)")
        }
      }
      upstream.switchToLatest().subscribe(subscriber)
    }

    func note(_ entry: String) { log.append(entry) }

    func watch(_ subscription: ManualSubscription, _ name: String) {
      subscription.onRequest = { [unowned self] in note("\(name) request \($0)") }
      subscription.onCancel = { [unowned self] in note("\(name) cancel") }
    }

    func subscription(_ name: String) -> ManualSubscription {
      let subscription = ManualSubscription()
      watch(subscription, name)
      return subscription
    }

    func take() -> [String] {
      defer { log = [] }
      return log
    }

    func switchTo(_ index: Int) { upstream.send(children[index]) }
    func request(_ demand: Subscribers.Demand) { subscriber.request(demand) }
  }

  // MARK: Upstream

  @Test func requestsUnlimitedDemandAfterTheDownstreamHasItsSubscription() {
    #expect(Fixture().take() == ["subscription SwitchToLatest", "upstream request unlimited"])
  }

  @Test func cancelsAnotherSubscriptionOfTheUpstream() {
    let fixture = Fixture()
    _ = fixture.take()
    fixture.upstream.send(subscription: fixture.subscription("late"))
    #expect(fixture.take() == ["late cancel"])
    fixture.subscriber.cancel()
    _ = fixture.take()
    fixture.upstream.send(subscription: fixture.subscription("late"))
    #expect(fixture.take() == ["late cancel"])
  }

  @Test func cancelsTheSameSubscriptionsWhenTheyArriveAgainAndKeepsThem() {
    let fixture = Fixture(requesting: .unlimited)
    fixture.switchTo(0)
    _ = fixture.take()
    fixture.upstream.send(subscription: fixture.upstream.subscription!)
    fixture.children[0].send(subscription: fixture.children[0].subscription!)
    #expect(fixture.take() == ["upstream cancel", "c0 cancel"])
    fixture.subscriber.cancel()
    #expect(fixture.take() == ["c0 cancel", "upstream cancel"])
  }

  @Test func cancelsTheInnerPublisherBeforeItSubscribesToTheNext() {
    let fixture = Fixture(requesting: .unlimited)
    _ = fixture.take()
    #expect(fixture.upstream.send(fixture.children[0]) == .none)
    #expect(fixture.upstream.send(fixture.children[1]) == .none)
    #expect(
      fixture.take() == [
        "c0 subscribe", "c0 request unlimited", "c0 cancel", "c1 subscribe", "c1 request unlimited",
      ]
    )
  }

  @Test func acceptsAnInnerPublisherBeforeTheUpstreamsSubscription() {
    let fixture = Fixture(hasSubscription: false, requesting: .max(1))
    fixture.switchTo(0)
    #expect(fixture.take() == ["subscription SwitchToLatest", "c0 subscribe", "c0 request max(1)"])
  }

  @Test func ignoresInnerPublishersAfterTheEnd() {
    for end in 0..<3 {
      let fixture = Fixture()
      switch end {
      case 0: fixture.subscriber.cancel()
      case 1: fixture.upstream.send(completion: .finished)
      default: fixture.upstream.send(completion: .failure("x"))
      }
      #expect(fixture.upstream.send(fixture.children[0]) == .none)
      #expect(fixture.children[0].subscribeCount == 0)
    }
  }

  @Test func keepsAnInnerPublisherSentDuringTheCancelOfThePreviousOne() {
    let fixture = Fixture(requesting: .unlimited)
    fixture.switchTo(0)
    fixture.children[0].subscription!.onCancel = { [unowned fixture] in fixture.switchTo(2) }
    fixture.switchTo(1)
    fixture.children[1].send(1)
    fixture.children[2].send(2)
    #expect(fixture.subscriber.values == [2])
    #expect(fixture.children[1].history == [.cancelled])
    #expect(fixture.children[2].history == [.requested(.unlimited)])
  }

  // MARK: Inner subscriptions

  @Test func cancelsSecondSubscriptionsAndThoseOfReplacedInnerPublishers() {
    let fixture = Fixture(silentInners: true)
    fixture.switchTo(0)
    fixture.switchTo(1)
    _ = fixture.take()
    fixture.children[0].send(subscription: fixture.subscription("stale"))
    fixture.children[1].send(subscription: fixture.subscription("c1"))
    fixture.children[1].send(subscription: fixture.subscription("second"))
    fixture.request(.max(2))
    #expect(fixture.take() == ["stale cancel", "second cancel", "c1 request max(2)"])
    fixture.subscriber.cancel()
    _ = fixture.take()
    fixture.children[1].send(subscription: fixture.subscription("late"))
    #expect(fixture.take() == ["late cancel"])
  }

  @Test func anInnerPublisherThatHasFinishedMaySendAnotherSubscription() {
    let fixture = Fixture(requesting: .max(4))
    fixture.switchTo(0)
    fixture.children[0].send(completion: .finished)
    _ = fixture.take()
    fixture.children[0].send(subscription: fixture.subscription("again"))
    fixture.children[0].send(1)
    #expect(fixture.take() == ["again request max(4)", "value 1"])
  }

  // MARK: Demand

  @Test func forwardsRequestsUnchangedToTheLatestInnerPublisher() {
    let fixture = Fixture()
    fixture.request(.max(1))
    fixture.switchTo(0)
    _ = fixture.take()
    fixture.request(.max(2))
    fixture.upstream.send(completion: .finished)
    fixture.request(.unlimited)
    #expect(fixture.take() == ["c0 request max(2)", "c0 request unlimited"])
  }

  @Test func demandCarriesOverToTheNextInnerPublisher() {
    let fixture = Fixture(requesting: .max(1))
    _ = fixture.take()
    fixture.switchTo(0)
    fixture.children[0].send(completion: .finished)
    fixture.request(.max(41))
    fixture.request(.max(1))
    #expect(fixture.take() == ["c0 subscribe", "c0 request max(1)"])

    fixture.onValue = { _ in .max(5) }
    fixture.switchTo(1)
    #expect(fixture.children[1].send(1) == .max(5))
    #expect(fixture.children[1].send(2) == .max(5))
    #expect(fixture.take() == ["c1 subscribe", "c1 request max(43)", "value 1", "value 2"])

    fixture.switchTo(2)
    fixture.upstream.send(completion: .finished)
    fixture.request(.max(9))
    #expect(fixture.take() == ["c1 cancel", "c2 subscribe", "c2 request max(51)", "c2 request max(9)"])
  }

  @Test func requestsNothingOfAnInnerPublisherWithoutDemand() {
    let fixture = Fixture()
    fixture.switchTo(0)
    #expect(fixture.children[0].history == [])
  }

  @Test func demandReturnedForAReplacedInnerPublishersValueGoesToTheNewOne() {
    let fixture = Fixture(requesting: .max(1))
    fixture.switchTo(0)
    fixture.onValue = { [unowned fixture] in
      if $0 == 1 { fixture.switchTo(1) }
      return .max(2)
    }
    _ = fixture.take()
    fixture.children[0].send(1)
    #expect(fixture.take() == ["value 1", "c0 cancel", "c1 subscribe", "c1 request max(2)"])
    #expect(fixture.children[1].send(2) == .max(2))
  }

  // MARK: Values

  @Test func publishesValuesOfTheLatestInnerPublisherOnly() {
    let fixture = Fixture(requesting: .unlimited)
    fixture.switchTo(0)
    fixture.switchTo(1)
    _ = fixture.take()
    fixture.onValue = { _ in .max(3) }
    #expect(fixture.children[0].send(666) == .none)
    #expect(fixture.children[1].send(777) == .max(3))
    #expect(fixture.children[0].send(888) == .none)
    #expect(fixture.children[1].send(999) == .max(3))
    #expect(fixture.take() == ["value 777", "value 999"])
  }

  @Test func aValueOfAReplacedInnerPublisherUsesNoDemand() {
    let fixture = Fixture(requesting: .max(1))
    fixture.switchTo(0)
    fixture.switchTo(1)
    #expect(fixture.children[0].send(1) == .none)
    #expect(fixture.children[1].send(2) == .none)
    #expect(fixture.subscriber.values == [2])
  }

  @Test(arguments: [Subscribers.Demand.unlimited, .max(5)])
  func aSwitchDuringAValueReplacesTheInnerPublisherThatSentIt(_ demand: Subscribers.Demand) {
    let fixture = Fixture(requesting: demand)
    fixture.switchTo(0)
    fixture.onValue = { [unowned fixture] in
      guard $0 == 1 else { return .none }
      fixture.switchTo(1)
      fixture.children[1].send(2)
      fixture.children[0].send(3)
      return .none
    }
    fixture.children[0].send(1)
    fixture.children[0].send(4)
    fixture.children[1].send(5)
    #expect(fixture.subscriber.values == [1, 2, 5])
  }

  @Test(arguments: [Subscribers.Demand.unlimited, .max(5)])
  func cancelDuringAValueCancelsTheInnerPublisherAndTheUpstream(_ demand: Subscribers.Demand) {
    let fixture = Fixture(requesting: demand)
    fixture.switchTo(0)
    _ = fixture.take()
    fixture.onValue = { [unowned fixture] _ in
      fixture.subscriber.cancel()
      return .none
    }
    fixture.children[0].send(1)
    #expect(fixture.children[0].send(2) == .none)
    fixture.children[0].send(completion: .finished)
    fixture.switchTo(1)
    #expect(fixture.take() == ["value 1", "c0 cancel", "upstream cancel"])
  }

  @Test func aValueNeedsNoInnerSubscription() {
    let fixture = Fixture(silentInners: true, requesting: .max(1))
    fixture.switchTo(0)
    fixture.children[0].send(1)
    #expect(fixture.subscriber.values == [1])
  }

  // MARK: Completions

  @Test func finishesWhenTheUpstreamAndTheInnerPublisherHave() {
    for outerFirst in [true, false] {
      let fixture = Fixture(requesting: .unlimited)
      fixture.switchTo(0)
      _ = fixture.take()
      if outerFirst {
        fixture.upstream.send(completion: .finished)
        fixture.children[0].send(1)
        #expect(fixture.take() == ["value 1"])
        fixture.children[0].send(completion: .finished)
      } else {
        fixture.children[0].send(completion: .finished)
        #expect(fixture.take() == [])
        fixture.upstream.send(completion: .finished)
      }
      #expect(fixture.take() == ["finished"])
      fixture.children[0].send(completion: .failure("x"))
      fixture.children[0].send(completion: .finished)
      #expect(fixture.take() == [])
    }
  }

  @Test func anUpstreamFailureCancelsTheInnerPublisherFirst() {
    let fixture = Fixture(requesting: .unlimited)
    fixture.switchTo(0)
    fixture.onValue = { _ in .max(2) }
    _ = fixture.take()
    fixture.upstream.send(completion: .failure("x"))
    #expect(fixture.take() == ["c0 cancel", "failure x"])
    #expect(fixture.children[0].send(1) == .max(2))
    fixture.children[0].send(completion: .finished)
    fixture.children[0].send(completion: .failure("y"))
    #expect(fixture.take() == ["value 1"])
  }

  @Test func forwardsRepeatedCompletionsOfTheUpstream() {
    let fixture = Fixture()
    _ = fixture.take()
    fixture.upstream.send(completion: .finished)
    fixture.upstream.send(completion: .failure("x"))
    fixture.upstream.send(completion: .finished)
    fixture.upstream.send(completion: .failure("y"))
    #expect(fixture.take() == ["finished", "failure x", "finished", "failure y"])
  }

  @Test func anInnerPublisherThatFailsAfterTheEndIsNotCancelledAgain() {
    let fixture = Fixture(silentInners: true, requesting: .unlimited)
    fixture.switchTo(0)
    fixture.upstream.send(completion: .failure("x"))
    fixture.children[0].send(subscription: fixture.subscription("late"))
    _ = fixture.take()
    fixture.children[0].send(completion: .failure("y"))
    fixture.subscriber.cancel()
    #expect(fixture.take() == [])
  }

  @Test func anInnerFailureCancelsTheUpstreamFirst() {
    let fixture = Fixture(requesting: .unlimited)
    fixture.switchTo(0)
    _ = fixture.take()
    fixture.children[0].send(completion: .failure("x"))
    #expect(fixture.take() == ["upstream cancel", "failure x"])
    fixture.children[0].send(completion: .failure("y"))
    fixture.children[0].send(completion: .finished)
    #expect(fixture.children[0].send(1) == .none)
    fixture.upstream.send(completion: .failure("z"))
    fixture.subscriber.cancel()
    #expect(fixture.take() == [])
  }

  @Test func ignoresNestedCallsDuringTheCompletion() {
    func check(_ expected: [String], _ end: (Fixture) -> Void) {
      let fixture = Fixture(requesting: .unlimited)
      fixture.switchTo(0)
      _ = fixture.take()
      let onCompletion = fixture.subscriber.onCompletion
      fixture.subscriber.onCompletion = { [unowned fixture] in
        onCompletion($0)
        fixture.subscriber.cancel()
        fixture.request(.max(1))
        fixture.switchTo(1)
      }
      end(fixture)
      #expect(fixture.take() == expected)
    }
    check(["finished"]) {
      $0.children[0].send(completion: .finished)
      $0.upstream.send(completion: .finished)
    }
    check(["finished"]) {
      $0.upstream.send(completion: .finished)
      $0.children[0].send(completion: .finished)
    }
    check(["c0 cancel", "failure x"]) { $0.upstream.send(completion: .failure("x")) }
    check(["upstream cancel", "failure x"]) { $0.children[0].send(completion: .failure("x")) }
  }

  @Test func theUpstreamsCompletionBeforeTheInnerSubscription() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure("x")] {
      let fixture = Fixture(silentInners: true, requesting: .max(3))
      fixture.switchTo(0)
      _ = fixture.take()
      fixture.upstream.send(completion: completion)
      #expect(fixture.take() == (completion == .finished ? [] : ["failure x"]))
      fixture.children[0].send(subscription: fixture.subscription("c0"))
      #expect(fixture.take() == ["c0 request max(3)"])
      fixture.children[0].send(completion: .finished)
      #expect(fixture.take() == (completion == .finished ? ["finished"] : []))
    }
  }

  @Test func ignoresCompletionsOfReplacedInnerPublishers() {
    let fixture = Fixture(silentInners: true)
    fixture.switchTo(0)
    fixture.switchTo(1)
    _ = fixture.take()
    fixture.children[0].send(completion: .failure("x"))
    fixture.children[0].send(completion: .finished)
    #expect(fixture.take() == [])
  }

  @Test func cancelsTheInnerPublisherAndThenTheUpstreamOnce() {
    let fixture = Fixture(requesting: .unlimited)
    fixture.switchTo(0)
    _ = fixture.take()
    fixture.subscriber.cancel()
    fixture.subscriber.cancel()
    #expect(fixture.take() == ["c0 cancel", "upstream cancel"])
    #expect(fixture.children[0].send(1) == .none)
    fixture.children[0].send(completion: .failure("x"))
    fixture.upstream.send(completion: .finished)
    fixture.request(.max(1))
    #expect(fixture.take() == [])
  }

  // MARK: Overloads

  @Test func overloadsFollowTheFailureTypes() {
    typealias Safe = ManualPublisher<Int, Never>
    let safeOfSafe = ManualPublisher<Safe, Never>()
    let safeOfFailing = ManualPublisher<Inner, Never>()
    let failingOfSafe = ManualPublisher<Safe, TestError>()
    let failingOfFailing = ManualPublisher<Inner, TestError>()

    #expect(type(of: safeOfSafe.switchToLatest()) == Publishers.SwitchToLatest<Safe, ManualPublisher<Safe, Never>>.self)
    #expect(
      type(of: failingOfFailing.switchToLatest())
        == Publishers.SwitchToLatest<Inner, ManualPublisher<Inner, TestError>>.self
    )
    let second = safeOfFailing.switchToLatest()
    #expect(
      type(of: second)
        == Publishers.SwitchToLatest<Inner, Publishers.SetFailureType<ManualPublisher<Inner, Never>, TestError>>.self
    )
    #expect(second.upstream.upstream === safeOfFailing)

    typealias Wrapped = Publishers.SetFailureType<Safe, TestError>
    let fourth = failingOfSafe.switchToLatest()
    #expect(
      type(of: fourth)
        == Publishers.SwitchToLatest<Wrapped, Publishers.Map<ManualPublisher<Safe, TestError>, Wrapped>>.self
    )
    #expect(fourth.upstream.upstream === failingOfSafe)
    let child = Safe()
    #expect(fourth.upstream.transform(child).upstream === child)
  }

  @Test func isNotEquatable() {
    #expect(!(Just(Just(1)).switchToLatest() as Any is any Equatable))
  }

  // MARK: Lifetime and reflection

  @Test func keepsTheSubscriberUntilItDropsItsSubscription() {
    expectRetention { a, b in a.map { _ in b }.switchToLatest() }
  }

  @Test func releasesAnInnerPublisherThatHasFinished() {
    let fixture = Fixture(silentInners: true)
    var isReleased = false
    fixture.switchTo(0)
    fixture.children[0].send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
    #expect(!isReleased)
    fixture.children[0].send(completion: .finished)
    #expect(isReleased)
  }

  @Test func reflectsItself() {
    let fixture = Fixture()
    fixture.switchTo(0)
    let outer = fixture.upstream.subscriber!
    expectReflection(of: outer, description: "SwitchToLatest")
    #expect((outer as? any Subscription)?.combineIdentifier == fixture.subscriber.subscription!.combineIdentifier)
    let side = fixture.children[0].subscriber!
    expectReflection(of: side, description: "SwitchToLatest", children: ["parentSubscription"])
    #expect(reflectedChild("parentSubscription", of: side) as? CombineIdentifier == outer.combineIdentifier)
    #expect(!(side is any Subscription))
    fixture.switchTo(1)
    #expect(side.combineIdentifier != fixture.children[1].subscriber!.combineIdentifier)
  }

  // MARK: Threads

  @Test func noValueOfAReplacedInnerPublisherFollowsOneOfTheNext() {
    for demand in [Subscribers.Demand.unlimited, .max(1_000_000)] {
      for _ in 0..<50 {
        let probe = OverlapProbe()
        let order = OrderProbe()
        let children = (0..<20).map { _ in PassthroughSubject<Int, TestError>() }
        let upstream = PassthroughSubject<PassthroughSubject<Int, TestError>, TestError>()
        upstream.switchToLatest().map { order.pass($0) }.subscribe(ProbeSubscriber(probe: probe, demand: demand))
        onThreads(3) { thread in
          for (index, child) in children.enumerated() {
            if thread == 0 {
              upstream.send(child)
              child.send(index)
            } else {
              for _ in 0..<10 { child.send(index) }
            }
          }
          if thread == 0 { upstream.send(completion: .finished) }
        }
        children.last!.send(completion: .finished)
        #expect(order.isAscending)
        #expect(probe.count >= 20)
        #expect(probe.completions == 1)
        #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
      }
    }
  }
}

/// Checks that the numbers never decrease. One thread at a time calls it, inside the operator's gate.
private final class OrderProbe: @unchecked Sendable {
  private var last = 0
  private(set) var isAscending = true

  func pass(_ number: Int) -> Int {
    isAscending = isAscending && number >= last
    last = number
    return number
  }
}
