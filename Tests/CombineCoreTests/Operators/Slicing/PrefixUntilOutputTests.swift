import CombineCore
import TestSupport
import Testing

@Suite struct PrefixUntilOutputTests {

  private typealias Fixture = UntilOutputFixture

  /// The description of the subscription: the name of its type.
  private let name: String

  private var subscribed: Event<Int> { .subscription(name) }

  init() {
    name = String(describing: Fixture { $0.prefix(untilOutputFrom: $1) }.subscriber.subscription!)
  }

  private func fixture(
    hasUpstream: Bool = true,
    hasOther: Bool = true,
    requesting requests: Subscribers.Demand...,
    returning returned: Subscribers.Demand = .none
  ) -> Fixture {
    Fixture(hasUpstream: hasUpstream, hasOther: hasOther, requesting: requests, returning: returned) {
      $0.prefix(untilOutputFrom: $1)
    }
  }

  // MARK: Subscribing

  @Test func hasItsOwnSubscription() {
    expectOwnSubscription(name: name) { $0.prefix(untilOutputFrom: Fixture.Other()) }
  }

  @Test func subscribesToTheOtherPublisherFirst() {
    let fixture = fixture(hasUpstream: false)
    #expect(fixture.takeLog() == ["subscribe other", "subscribe upstream"])
    #expect(fixture.other.history == [.requested(.max(1))])
    #expect(fixture.subscriber.events == [], "no subscription is sent before the upstream's")
    fixture.upstream.send(subscription: ManualSubscription())
    #expect(fixture.subscriber.events == [subscribed])
  }

  @Test func forwardsRequestsIncludingZeroRequests() {
    let fixture = fixture(hasUpstream: false)
    let conduit = fixture.upstream.subscriber as! any Subscription
    conduit.request(.max(9))
    let subscription = ManualSubscription()
    fixture.upstream.send(subscription: subscription)
    conduit.request(.none)
    conduit.request(.max(3))
    #expect(subscription.history == [.requested(.none), .requested(.max(3))], "an early one is dropped")
  }

  // MARK: The end

  @Test func finishesWhenTheOtherPublisherSends() {
    let fixture = fixture(requesting: .max(3), returning: .max(2))
    #expect([1, 2].map { fixture.upstream.send($0) } == [.max(2), .max(2)])
    _ = fixture.takeLog()
    #expect(fixture.other.send("stop") == .none)
    #expect(fixture.takeLog() == ["cancel upstream", "finished"])
    let expected: [Event<Int>] = [subscribed, .value(1), .value(2), .finished]
    #expect(fixture.subscriber.events == expected)

    #expect(fixture.upstream.send(3) == .none)
    #expect(fixture.other.send("late") == .none)
    fixture.upstream.send(completion: .finished)
    fixture.upstream.send(completion: .failure("late"))
    fixture.other.send(completion: .failure("late"))
    fixture.subscriber.request(.max(1))
    fixture.subscriber.cancel()
    let late = [ManualSubscription(), ManualSubscription()]
    fixture.upstream.send(subscription: late[0])
    fixture.other.send(subscription: late[1])
    #expect(late.map(\.history) == [[.cancelled], [.cancelled]])
    #expect(fixture.subscriber.events == expected)
    #expect(fixture.upstream.history == [.requested(.max(3)), .cancelled])
    #expect(fixture.other.history == [.requested(.max(1))], "released, not cancelled")
  }

  @Test func aCancelBeforeTheSubscriptionsIsRemembered() {
    let fixture = fixture(hasUpstream: false, hasOther: false)
    (fixture.upstream.subscriber as! any Subscription).cancel()
    let late = [ManualSubscription(), ManualSubscription()]
    fixture.upstream.send(subscription: late[0])
    fixture.other.send(subscription: late[1])
    #expect(late.map(\.history) == [[.cancelled], [.cancelled]])
    #expect(fixture.subscriber.events == [])
  }

  @Test func theOtherPublisherMayHaveAnotherFailureType() {
    struct OtherError: Error {}
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    let failing = Fail<Void, OtherError>(error: OtherError())
    let publisher: Publishers.PrefixUntilOutput<TestUpstream, Fail<Void, OtherError>> =
      upstream.prefix(untilOutputFrom: failing)
    publisher.subscribe(subscriber)
    upstream.send(1)
    #expect(subscriber.values == [1])
    #expect(publisher.upstream === upstream)
  }

  // MARK: Parts

  @Test func exposesItsParts() {
    let (upstream, other) = (TestUpstream(), Fixture.Other())
    let publisher = upstream.prefix(untilOutputFrom: other)
    #expect(publisher.upstream === upstream)
    #expect(publisher.other === other)
    #expect(upstream.subscribeCount == 0 && other.subscribeCount == 0)
  }

  @Test func theOtherPublisherKeepsTheDownstreamUntilItHasSent() {
    for end in ["finish", "cancel", "stop"] {
      var isReleased = false
      let upstream = TestUpstream()
      let other = Fixture.Other()
      do {
        let subscriber = RecordingSubscriber<Int, TestError>(onDeinit: { isReleased = true })
        upstream.prefix(untilOutputFrom: other).subscribe(subscriber)
        switch end {
        case "finish": upstream.send(completion: .finished)
        case "cancel": subscriber.cancel()
        default: other.send("stop")
        }
        subscriber.dropSubscription()
        upstream.dropSubscriber()
      }
      #expect(isReleased == (end == "stop"))
      other.dropSubscriber()
      #expect(isReleased)
    }
  }

  @Test func releasesTheOtherSubscription() {
    for isCompletion in [true, false] {
      var isReleased = false
      let fixture = fixture(hasOther: false)
      fixture.other.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
      #expect(!isReleased)
      if isCompletion { fixture.other.send(completion: .finished) } else { fixture.other.send("stop") }
      #expect(isReleased)
    }
  }

  @Test func isSendable() {
    func check<T: Sendable>(_ value: T) {}
    check(Publishers.PrefixUntilOutput(upstream: Just(1), other: Just("a")))
  }

  @Test func reflectsItsTypeOnly() {
    #expect(name.contains("PrefixUntilOutput"))
    let fixture = fixture()
    let subscribers: [Any] = [fixture.upstream.subscriber!, fixture.other.subscriber!]
    for subscriber in subscribers {
      #expect(!(subscriber is any CustomStringConvertible))
      #expect(!(subscriber is any CustomDebugStringConvertible))
      #expect(!(subscriber is any CustomReflectable))
      #expect(!(subscriber is any CustomPlaygroundDisplayConvertible))
      // The default mirror reads every field.
      #expect(Mirror(reflecting: subscriber).displayStyle != nil)
      #expect(String(reflecting: subscriber).contains("PrefixUntilOutput"))
    }
    #expect(fixture.other.subscriber!.combineIdentifier == fixture.upstream.subscriber!.combineIdentifier)
  }

  // MARK: Threads

  @Test func endsAtAValueFromAnotherThread() {
    for _ in 0..<200 {
      let fixture = SharedUntilOutputFixture { $0.prefix(untilOutputFrom: $1) }
      let (upstream, other, downstream) = (fixture.upstream, fixture.other, fixture.downstream)
      onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<100 { upstream.send(value) }
          upstream.finish()
        } else {
          other.send(0)
        }
      }
      #expect(downstream.overlapCount == 0)
      #expect(downstream.lateCount == 0)
      #expect(downstream.completionCount == 1)
      #expect(downstream.values == Array(0..<downstream.values.count))
      #expect(upstream.cancelCount + other.cancelCount == 1, "the one that has not ended it is cancelled")
      downstream.cancel()
    }
  }

  /// A publisher that does what a closure does.
  private struct Subscribed: Publisher {
    typealias Output = Int
    typealias Failure = TestError

    let body: (any Subscriber<Int, TestError>) -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError { body(subscriber) }
  }

  /// A timer may tick before the upstream is subscribed to. The completion still follows the subscription.
  @Test func aTriggerDuringTheSubscribingEndsAfterTheSubscription() {
    let other = Fixture.Other()
    // Only one thread at a time uses it.
    nonisolated(unsafe) let side = other
    let subscription = ManualSubscription()
    let upstream = Subscribed { subscriber in
      onThreads(1) { _ in side.send("stop") }
      subscriber.receive(subscription: subscription)
    }
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.prefix(untilOutputFrom: other).subscribe(subscriber)
    #expect(subscriber.events == [subscribed, .finished])
    #expect(subscription.history == [.cancelled])
  }

  /// An upstream without a subscription changes nothing: the completion comes alone.
  @Test func aTriggerDuringTheSubscribingEndsWithoutASubscription() {
    let other = Fixture.Other()
    // Only one thread at a time uses it.
    nonisolated(unsafe) let side = other
    let upstream = Subscribed { _ in
      onThreads(1) { _ in side.send("stop") }
    }
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.prefix(untilOutputFrom: other).subscribe(subscriber)
    #expect(subscriber.events == [.finished])
  }

  @Test func theEndFollowsTheSubscriptionOnAnyThread() {
    for _ in 0..<200 {
      let fixture = fixture(hasUpstream: false)
      // Only one thread uses each of them.
      nonisolated(unsafe) let conduit = fixture.upstream.subscriber!
      nonisolated(unsafe) let side = fixture.other.subscriber!
      nonisolated(unsafe) let subscription = ManualSubscription()
      onThreads(2) { thread in
        if thread == 0 { conduit.receive(subscription: subscription) } else { _ = side.receive("stop") }
      }
      #expect(fixture.subscriber.events == [.finished] || fixture.subscriber.events == [subscribed, .finished])
      #expect(subscription.history == [.cancelled])
    }
  }
}
