import TestSupport
import Testing

@testable import CombineCore

@Suite struct DropTests {

  private let subscribed = Event<Int>.subscription("Drop")

  private func attached(
    _ count: Int,
    requesting demand: Subscribers.Demand? = nil,
    returning returned: Subscribers.Demand = .none,
    hasSubscription: Bool = true
  ) -> (upstream: TestUpstream, subscriber: RecordingSubscriber<Int, TestError>) {
    let upstream = TestUpstream(subscription: hasSubscription ? ManualSubscription() : nil)
    let subscriber = RecordingSubscriber<Int, TestError>(
      onSubscription: { subscription in
        if let demand { subscription.request(demand) }
      },
      onValue: { _ in returned }
    )
    upstream.dropFirst(count).subscribe(subscriber)
    return (upstream, subscriber)
  }

  @Test func dropsTheFirstValuesAndRequestsThemAtTheStart() {
    let (upstream, subscriber) = attached(2, requesting: .max(42), returning: .max(4))
    #expect(upstream.history == [.requested(.max(44))])
    #expect((1...4).map { upstream.send($0) } == [.none, .none, .max(4), .max(4)])
    subscriber.request(.max(95))
    upstream.send(completion: .finished)
    #expect(subscriber.events == [subscribed, .value(3), .value(4), .finished])
    #expect(upstream.history == [.requested(.max(44)), .requested(.max(95))])
  }

  @Test func dropsOneValueByDefault() {
    #expect(TestUpstream().dropFirst().count == 1)
  }

  @Test func requestsTheDroppedValuesEvenWithoutDemand() {
    #expect(attached(2).upstream.history == [.requested(.max(2))])
    #expect(attached(0).upstream.history == [])
    #expect(attached(0, requesting: .max(3)).upstream.history == [.requested(.max(3))])
    #expect(attached(1, requesting: .unlimited).upstream.history == [.requested(.unlimited)])
    #expect(attached(.max, requesting: .max(1)).upstream.history == [.requested(.unlimited)])
  }

  @Test func sendsTheDownstreamItsSubscriptionBeforeItSubscribes() {
    let upstream = TestUpstream()
    var log: [String] = []
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: { _ in
      log.append("subscription")
      #expect(upstream.subscribeCount == 0)
    })
    upstream.onSubscribe = { log.append("subscribe") }
    upstream.dropFirst(2).subscribe(subscriber)
    #expect(log == ["subscription", "subscribe"])
    #expect(subscriber.subscription as AnyObject === upstream.subscriber as AnyObject)
  }

  @Test func keepsDemandForALateSubscription() {
    let (upstream, subscriber) = attached(4, requesting: .max(10), hasSubscription: false)
    #expect(subscriber.events == [subscribed])
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    #expect(subscription.history == [.requested(.max(14))])
    #expect(subscriber.events == [subscribed])
  }

  @Test func losesNoDemandRequestedDuringTheSubscription() {
    expectPendingDemandRequestedOnce(extra: 3) { $0.dropFirst(3) }
  }

  @Test func cancelsASecondSubscriptionWhileThereIsOne() {
    let (upstream, subscriber) = attached(1)
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(second.history == [.cancelled])
    upstream.send(subscription: upstream.subscription!)
    subscriber.cancel()
    #expect(upstream.history == [.requested(.max(1)), .cancelled, .cancelled])
    #expect(subscriber.events == [subscribed])
  }

  @Test func cancelsItsUpstreamOnce() {
    let (upstream, subscriber) = attached(1)
    subscriber.cancel()
    subscriber.request(.max(2))
    subscriber.cancel()
    #expect(upstream.history == [.requested(.max(1)), .cancelled])
  }

  @Test func countsAndDeliversWithoutASubscription() {
    let (upstream, subscriber) = attached(2, returning: .max(7), hasSubscription: false)
    #expect((1...3).map { upstream.send($0) } == [.none, .none, .max(7)])
    #expect(subscriber.events == [subscribed, .value(3)])

    let (other, cancelling) = attached(1, returning: .max(7))
    cancelling.cancel()
    #expect((1...2).map { other.send($0) } == [.none, .max(7)])
    #expect(cancelling.events == [subscribed, .value(2)])
  }

  @Test func forwardsEveryCompletion() {
    for hasSubscription in [true, false] {
      let (upstream, subscriber) = attached(1, hasSubscription: hasSubscription)
      upstream.send(completion: .finished)
      upstream.send(completion: .finished)
      upstream.send(completion: .failure("a"))
      upstream.send(completion: .failure("b"))
      #expect(subscriber.events == [subscribed, .finished, .finished, .failure("a"), .failure("b")])
      #expect(!upstream.history.contains(.cancelled))
    }
  }

  @Test func canBeUsedAgainAfterACompletion() {
    let (upstream, subscriber) = attached(3)
    upstream.send(completion: .finished)
    #expect(subscriber.events == [subscribed, .finished])
    subscriber.cancel()
    subscriber.request(.max(312))
    subscriber.request(.max(100))
    #expect((1...2).map { upstream.send($0) } == [.none, .none])
    #expect(upstream.history == [.requested(.max(3))])

    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(second.history == [.requested(.max(413))])
    #expect((3...4).map { upstream.send($0) } == [.none, .none])
    #expect(subscriber.events == [subscribed, .finished, .value(4)])
  }

  @Test func acceptsASubscriptionAfterACancel() {
    let (upstream, subscriber) = attached(1, hasSubscription: false)
    subscriber.cancel()
    let first = ManualSubscription()
    upstream.send(subscription: first)
    #expect(first.history == [.requested(.max(1))], "a cancel before the subscription has no effect")
    subscriber.cancel()
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(first.history == [.requested(.max(1)), .cancelled])
    #expect(second.history == [.requested(.max(1))])
  }

  @Test func keepsEarlyDemandForALaterSubscription() {
    let (upstream, _) = attached(1, requesting: .max(5))
    #expect(upstream.send(1) == .none)
    upstream.send(completion: .finished)
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(second.history == [.requested(.max(5))])
  }

  @Test func countsAnewForEachSubscription() {
    let upstream = TestUpstream()
    let publisher = upstream.dropFirst(1)
    for _ in 0..<2 {
      let subscriber = RecordingSubscriber<Int, TestError>()
      publisher.subscribe(subscriber)
      upstream.send(1)
      upstream.send(2)
      #expect(subscriber.values == [2])
    }
  }

  @Test func countsAValueBeforeANestedOneArrives() {
    let (upstream, subscriber) = attached(1)
    subscriber.onValue = { value in
      if value < 4 { upstream.send(value + 1) }
      return .none
    }
    upstream.send(1)
    upstream.send(2)
    #expect(subscriber.values == [2, 3, 4])
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: EmptyRequest.allCases) func traps(on request: EmptyRequest) async {
      _ = request.prepare { $0.dropFirst() }  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [request] in
        request.prepare { $0.dropFirst() }()
      }.expectMisuse("Drop", .zeroDemand)
    }
  #endif

  @Test func trapsOnANegativeCountWhenTheUpstreamSendsItsSubscription() async {
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .max(5))
    upstream.dropFirst(-1).subscribe(subscriber)
    #expect(subscriber.events == [subscribed], "not before")
    await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      TestUpstream().dropFirst(-1).subscribe(RecordingSubscriber(requesting: .max(5)))
    }.expectMisuse("Drop", .negativeCount)
  }

  @Test func keepsTheDownstreamUntilReleased() {
    expectRetention { $0.dropFirst(0) }
  }

  @Test func isEqualWhenItsPartsAre() {
    let upstream = [1, 2].publisher
    let publisher = Publishers.Drop(upstream: upstream, count: 1)
    #expect(publisher.upstream == upstream)
    #expect(publisher == Publishers.Drop(upstream: upstream, count: 1))
    #expect(publisher != Publishers.Drop(upstream: upstream, count: 2))
    #expect(publisher != Publishers.Drop(upstream: [1].publisher, count: 1))
  }

  @Test func isSendable() {
    func check<T: Sendable>(_ value: T) {}
    check(Publishers.Drop(upstream: Just(1), count: 1))
  }

  @Test func reflectsItself() {
    expectReflection(of: attached(1).upstream.subscriber!, description: "Drop")
  }
}
