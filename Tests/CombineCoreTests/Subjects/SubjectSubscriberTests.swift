import Dispatch
import TestSupport
import Testing

@testable import CombineCore

@Suite struct SubjectSubscriberTests {

  private typealias Upstream = ManualPublisher<Int, TestError>
  private typealias Downstream = ManualSubject<Int, TestError>

  // MARK: Publisher.subscribe(_:) with a subject

  @Test func theSubjectSeesWhatThePublisherSendsUntilItIsCancelled() {
    let upstream = Upstream()
    let subject = Downstream()

    let cancellable = upstream.subscribe(subject)
    #expect(upstream.history == [])
    #expect(subject.events == [.subscription("Subject")])

    #expect(upstream.send(0) == .none)
    #expect(upstream.send(1) == .none)
    #expect(subject.events == [.subscription("Subject"), .value(0), .value(1)])

    cancellable.cancel()
    #expect(upstream.history == [.cancelled])
    #expect(upstream.send(2) == .none)
    #expect(subject.events == [.subscription("Subject"), .value(0), .value(1)])
    #expect(upstream.history == [.cancelled])
  }

  @Test func theSubscriptionThatTheSubjectGetsIsTheSubscriberItself() {
    let upstream = Upstream()
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    #expect(subject.upstreams.first as AnyObject === upstream.subscriber as AnyObject)
    cancellable.cancel()
  }

  @Test func droppingTheCancellableCancels() {
    let upstream = Upstream()
    let subject = Downstream()
    _ = upstream.subscribe(subject)
    #expect(upstream.history == [.cancelled])
    #expect(subject.events == [.subscription("Subject")])
  }

  @Test func onlyTheSubjectDecidesWhatIsRequested() {
    let upstream = Upstream()
    let subject = PassthroughSubject<Int, TestError>()
    let cancellable = upstream.subscribe(subject)
    #expect(upstream.history == [])
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .max(1))
    subject.subscribe(subscriber)
    #expect(upstream.history == [.requested(.unlimited)])
    #expect(upstream.send(1) == .none)
    #expect(upstream.send(2) == .none)
    #expect(subscriber.values == [1])
    cancellable.cancel()

    let other = Upstream()
    let valueSubject = CurrentValueSubject<Int, TestError>(0)
    let second = other.subscribe(valueSubject)
    #expect(other.history == [.requested(.unlimited)])
    #expect(other.send(3) == .none)
    #expect(valueSubject.value == 3)
    second.cancel()
  }

  // MARK: The table of events

  @Test func passesOnOneSubscriptionItsValuesAndOneCompletion() {
    let upstream = Upstream(subscription: nil)
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    let subscriptions = (0..<3).map { _ in ManualSubscription() }

    for subscription in subscriptions { upstream.send(subscription: subscription) }
    for value in 1...4 { #expect(upstream.send(value) == .none) }
    upstream.send(completion: .finished)
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    #expect(upstream.send(5) == .none)
    upstream.send(subscription: ManualSubscription())

    #expect(
      subject.events == [.subscription("Subject"), .value(1), .value(2), .value(3), .value(4), .finished]
    )
    #expect(subscriptions.map(\.history) == [[], [], []])
    cancellable.cancel()
    #expect(subscriptions.map(\.history) == [[], [], []])
  }

  @Test func aSecondSubscriptionIsNeitherStoredNorCancelled() {
    let upstream = Upstream()
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    let second = ManualSubscription()
    upstream.send(subscription: second)
    subject.upstreams[0].request(.max(3))
    cancellable.cancel()
    #expect(upstream.history == [.requested(.max(3)), .cancelled])
    #expect(second.history == [])
    #expect(subject.events.count == 1)
  }

  @Test func ignoresEverythingBeforeTheSubscription() throws {
    let upstream = Upstream(subscription: nil)
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    let bridge = try #require(upstream.subscriber as? any Subscription)

    #expect(upstream.send(1) == .none)
    upstream.send(completion: .finished)
    bridge.request(.max(1))
    bridge.cancel()
    #expect(subject.events == [])

    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    upstream.send(2)
    #expect(subject.events == [.subscription("Subject"), .value(2)])
    #expect(subscription.history == [])
    cancellable.cancel()
    #expect(subscription.history == [.cancelled])
  }

  @Test func requestsAreForwardedUntilTheOneCancel() {
    let upstream = Upstream()
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    let bridge = subject.upstreams[0]
    bridge.request(.max(42))
    bridge.cancel()
    bridge.cancel()
    bridge.request(.max(37))
    upstream.send(completion: .finished)
    upstream.send(subscription: ManualSubscription())
    #expect(upstream.history == [.requested(.max(42)), .cancelled])
    #expect(subject.events == [.subscription("Subject")])
    cancellable.cancel()
    #expect(upstream.history.count == 2)
  }

  @Test func forwardsZeroDemandUnchanged() {
    let upstream = Upstream()
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    subject.upstreams[0].request(.none)
    #expect(upstream.history == [.requested(.none)])
    cancellable.cancel()
  }

  @Test func afterTheCompletionRequestsAreForwardedAndACancelIsIgnored() {
    let upstream = Upstream()
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    upstream.send(completion: .failure("end"))
    subject.upstreams[0].request(.max(2))
    subject.upstreams[0].cancel()
    cancellable.cancel()
    #expect(upstream.history == [.requested(.max(2))])
    #expect(subject.events == [.subscription("Subject"), .failure("end")])
  }

  @Test func whileItPassesTheCompletionOnNoMoreIsPassedOnButACancelCounts() {
    let upstream = Upstream()
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    subject.onCompletion = { _ in
      upstream.send(1)
      upstream.send(completion: .failure("nested"))
      cancellable.cancel()
    }
    upstream.send(completion: .finished)
    #expect(subject.events == [.subscription("Subject"), .finished])
    #expect(upstream.history == [.cancelled])
  }

  // MARK: Retention

  @Test func doesNotKeepTheSubjectAlive() {
    var isReleased = false
    let upstream = Upstream()
    var cancellable: AnyCancellable?
    do {
      let subject = Downstream(onDeinit: { isReleased = true })
      cancellable = upstream.subscribe(subject)
      upstream.send(1)
    }
    #expect(isReleased)
    #expect(upstream.send(2) == .none)
    upstream.send(completion: .finished)
    (upstream.subscriber as? any Subscription)?.request(.max(1))
    #expect(upstream.history == [])
    cancellable?.cancel()
    #expect(upstream.history == [.cancelled], "nobody else would cancel upstream")
  }

  @Test func anUpstreamThatSendsItsSubscriptionAfterTheSubjectIsGoneIsIgnored() {
    let upstream = Upstream(subscription: nil)
    var cancellable: AnyCancellable?
    do { cancellable = upstream.subscribe(Downstream()) }
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    #expect(upstream.send(1) == .none)
    cancellable?.cancel()
    #expect(subscription.history == [])
  }

  private func expectNoRetention<S: Subject>(
    of makeSubject: () -> S
  ) where S.Output == Int, S.Failure == TestError {
    weak var released: S?
    let upstream = Upstream()
    var cancellable: AnyCancellable?
    do {
      let subject = makeSubject()
      released = subject
      cancellable = upstream.subscribe(subject)
      upstream.send(1)
      #expect(released != nil)
    }
    #expect(released == nil)
    #expect(upstream.history.last == .cancelled, "a subject cancels its upstreams when its life ends")
    #expect(upstream.send(2) == .none)
    upstream.send(completion: .finished)
    cancellable?.cancel()
    #expect(upstream.history.filter { $0 == .cancelled }.count == 1)
  }

  @Test func doesNotKeepABuiltInSubjectAlive() {
    expectNoRetention { PassthroughSubject() }
    expectNoRetention { CurrentValueSubject(0) }
  }

  @Test func nothingKeepsTheBridgeAliveOnceTheSubjectIsGone() {
    weak var bridge: AnyObject?
    let upstream = Upstream()
    var isUpstreamReleased = false
    do {
      let subject = PassthroughSubject<Int, TestError>()
      let cancellable = upstream.subscribe(subject)
      bridge = upstream.subscriber as AnyObject
      upstream.send(subscription: ManualSubscription(onDeinit: { isUpstreamReleased = true }))
      cancellable.cancel()
    }
    upstream.dropSubscriber()
    #expect(bridge == nil)
    #expect(isUpstreamReleased)
  }

  @Test func anUpstreamThatKeepsTheBridgeGoesWithTheSubjectThoughItHasCompleted() {
    var isReleased = false
    do {
      let subject = PassthroughSubject<Int, TestError>()
      let upstream = Upstream(subscription: nil)
      let cancellable = upstream.subscribe(subject)
      let bridge = upstream.subscriber
      // As the conduit of a stateful operator, which is both.
      let subscription = ManualSubscription(onDeinit: { isReleased = true })
      subscription.onRequest = { _ in withExtendedLifetime(bridge) {} }
      upstream.send(subscription: subscription)
      upstream.send(completion: .finished)
      #expect(!isReleased)
      withExtendedLifetime((subject, cancellable)) {}
    }
    #expect(isReleased)
  }

  @Test func aCancelLetsTheUpstreamSubscriptionGo() {
    var isReleased = false
    let upstream = Upstream(subscription: nil)
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    upstream.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
    #expect(!isReleased)
    cancellable.cancel()
    #expect(isReleased)
    #expect(subject.upstreams.count == 1)
  }

  // MARK: Reflection

  private func isNil(_ label: String, of bridge: Any) -> Bool? {
    reflectedChild(label, of: bridge).map { String(describing: $0) == "nil" }
  }

  @Test func reflectsItself() throws {
    let upstream = Upstream(subscription: nil)
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    let bridge = try #require(upstream.subscriber)
    expectReflection(
      of: bridge,
      description: "Subject",
      children: ["downstreamSubject", "upstreamSubscription", "subject"]
    )
    #expect(String(describing: type(of: bridge)) == "SubjectSubscriber<ManualSubject<Int, TestError>>")
    #expect(reflectedChild("subject", of: bridge) as? Downstream === subject)
    #expect(reflectedChild("downstreamSubject", of: bridge) as? Downstream === subject)
    #expect(isNil("upstreamSubscription", of: bridge) == true)

    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    #expect(reflectedChild("upstreamSubscription", of: bridge) as? ManualSubscription === subscription)

    subject.onCompletion = { _ in
      #expect(reflectedChild("subject", of: bridge) as? Downstream === subject)
    }
    upstream.send(completion: .finished)
    #expect(isNil("subject", of: bridge) == true, "the subject is released after the completion")
    #expect(isNil("downstreamSubject", of: bridge) == true)
    cancellable.cancel()
  }

  @Test func aCancelEmptiesTheMirror() throws {
    let upstream = Upstream()
    let subject = Downstream()
    let cancellable = upstream.subscribe(subject)
    let bridge = try #require(upstream.subscriber)
    cancellable.cancel()
    for label in ["downstreamSubject", "upstreamSubscription", "subject"] {
      #expect(isNil(label, of: bridge) == true)
    }
  }

  // MARK: Threads

  @Test func sendingWhileOthersCancelAndTheSubjectGoesIsSafe() {
    for round in 0..<50 {
      let upstream = ConcurrentPublisher<Int, Never>()
      let count = Guarded(0)
      let subject = Guarded<PassthroughSubject<Int, Never>?>(PassthroughSubject())
      let bridge = upstream.subscribe(subject.withLock { $0! })
      let sink = subject.withLock { $0! }.sink { _ in count.withLock { $0 += 1 } }
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        switch index {
        case 0, 1:
          for value in 0..<200 { upstream.send(value) }
        case 2:
          if round.isMultiple(of: 2) { bridge.cancel() } else { sink.cancel() }
        default:
          subject.withLock { $0.take() }.map { _ in () }
        }
      }
      let before = count.withLock { $0 }
      bridge.cancel()
      upstream.send(0)
      #expect(count.withLock { $0 } == before)
      sink.cancel()
    }
  }

  // A subject keeps what it is given for life. A bridge that was cancelled is of no use to it: a shared publisher that
  // lives long would gather one for each time that it was connected.
  @Test func aSubjectForgetsTheBridgesThatWereCancelled() throws {
    let subject = PassthroughSubject<Int, TestError>()
    let kept = Upstream()
    let keptCancellable = kept.subscribe(subject)
    for _ in 0..<1_000 { Upstream().subscribe(subject).cancel() }

    let upstreams = try #require(
      Mirror(reflecting: subject.core).superclassMirror?.descendant("upstreams") as? [any Subscription]
    )
    #expect(upstreams.count < 20)

    subject.send(subscription: ManualSubscription())
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .max(1))
    subject.subscribe(subscriber)
    #expect(kept.history == [.requested(.unlimited)])
    keptCancellable.cancel()
  }

  @Test func aSubjectKeepsAllOtherSubscriptionsForLife() {
    let subscriptions = (0..<100).map { _ in ManualSubscription() }
    var subject: PassthroughSubject<Int, TestError>? = PassthroughSubject()
    for subscription in subscriptions { subject?.send(subscription: subscription) }
    #expect(subscriptions.allSatisfy { $0.history == [] })
    subject = nil
    #expect(subscriptions.allSatisfy { $0.history == [.cancelled] })
  }
}
