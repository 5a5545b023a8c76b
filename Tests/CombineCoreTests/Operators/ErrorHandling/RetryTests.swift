import Dispatch
import TestSupport
import Testing

@testable import CombineCore

@Suite struct RetryTests {

  private typealias Upstream = ManualPublisher<Int, TestError>
  private typealias Recorder = RecordingSubscriber<Int, TestError>

  /// A publisher that runs the test's script for each subscriber, with the subscriber's number.
  private final class ScriptedPublisher: Publisher {
    typealias Output = Int
    typealias Failure = TestError

    private(set) var subscribeCount = 0
    private let script: (Int, any Subscriber<Int, TestError>) -> Void
    private let onDeinit: () -> Void

    init(onDeinit: @escaping () -> Void = {}, script: @escaping (Int, any Subscriber<Int, TestError>) -> Void) {
      self.script = script
      self.onDeinit = onDeinit
    }

    deinit { onDeinit() }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      subscribeCount += 1
      script(subscribeCount, subscriber)
    }
  }

  private func requests(_ counts: Int...) -> [ManualSubscription.Call] {
    counts.map { .requested(.max($0)) }
  }

  // MARK: Scenarios

  @Test func carriesOutstandingDemandOverToEachNewSubscription() {
    let upstream = Upstream()
    let subscriber = Recorder(requesting: .max(5))
    upstream.retry(3).subscribe(subscriber)

    for attempt in 1...4 {
      #expect(upstream.subscribeCount == attempt)
      #expect(upstream.send(attempt) == .none)
      upstream.send(completion: .failure(TestError("\(attempt)")))
    }
    #expect(upstream.subscribeCount == 4)
    #expect(upstream.history == requests(5, 4, 3, 2))
    let expected: [Event<Int>] = [
      .subscription("Retry"), .value(1), .value(2), .value(3), .value(4), .failure("4"),
    ]
    #expect(subscriber.events == expected)

    #expect(upstream.send(5) == .none)
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    subscriber.request(.max(1))
    subscriber.cancel()
    #expect(subscriber.events == expected)
    #expect(upstream.history == requests(5, 4, 3, 2))
    #expect(upstream.subscribeCount == 4)
  }

  @Test func answersFailuresThatArriveWhileSubscribing() {
    let subscription = ManualSubscription()
    let upstream = ScriptedPublisher { attempt, subscriber in
      subscriber.receive(subscription: subscription)
      if attempt > 1 { subscriber.receive(completion: .failure(TestError("\(attempt)"))) }
    }
    let relay = Relay(upstream)
    let subscriber = Recorder(requesting: .max(1))
    relay.retry(5).subscribe(subscriber)
    #expect(upstream.subscribeCount == 1)
    relay.subscriber!.receive(completion: .failure("1"))

    #expect(upstream.subscribeCount == 6)
    #expect(subscription.history == requests(1, 1, 1, 1, 1, 1))
    #expect(subscriber.events == [.subscription("Retry"), .failure("6")])
  }

  @Test func finishesWhileSubscribing() {
    let subscription = ManualSubscription()
    let upstream = ScriptedPublisher { attempt, subscriber in
      subscriber.receive(subscription: subscription)
      if attempt == 6 {
        subscriber.receive(completion: .finished)
      } else if attempt > 1 {
        subscriber.receive(completion: .failure("again"))
      }
    }
    let relay = Relay(upstream)
    let subscriber = Recorder(requesting: .max(1))
    relay.retry(5).subscribe(subscriber)
    relay.subscriber!.receive(completion: .failure("1"))

    #expect(upstream.subscribeCount == 6)
    #expect(subscription.history == requests(1, 1, 1, 1, 1, 1))
    #expect(subscriber.events == [.subscription("Retry"), .finished])
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure("2")])
  func aCompletionWhileResubscribingIsDeliveredAtOnceAndIsFinal(_ completion: Subscribers.Completion<TestError>) {
    let subscriber = Recorder()
    let upstream = ScriptedPublisher { attempt, inner in
      inner.receive(subscription: ManualSubscription())
      guard attempt == 2 else { return }
      inner.receive(completion: completion)
      #expect(subscriber.events.last == Event(completion))
      inner.receive(completion: .failure("late"))
    }
    let relay = Relay(upstream)
    relay.retry(1).subscribe(subscriber)
    relay.subscriber!.receive(completion: .failure("1"))
    #expect(upstream.subscribeCount == 2)
    #expect(subscriber.events == [.subscription("Retry"), Event(completion)])
  }

  @Test func aValueBeforeTheNewSubscriptionReducesTheDemandRequestedFromIt() {
    let subscription = ManualSubscription()
    let upstream = ScriptedPublisher { attempt, subscriber in
      if attempt == 2 { #expect(subscriber.receive(7) == .none) }
      subscriber.receive(subscription: subscription)
    }
    let relay = Relay(upstream)
    let subscriber = Recorder(requesting: .max(3), returning: [.max(2)])
    relay.retry(1).subscribe(subscriber)
    relay.subscriber!.receive(completion: .failure("1"))

    #expect(subscription.history == requests(3, 4))
    #expect(subscriber.events == [.subscription("Retry"), .value(7)])
  }

  @Test(arguments: [nil, -1] as [Int?])
  func retriesForeverWithoutStackGrowth(retries: Int?) {
    let subscription = ManualSubscription()
    let upstream = ScriptedPublisher { attempt, subscriber in
      subscriber.receive(subscription: subscription)
      if attempt <= 10_000 { subscriber.receive(completion: .failure("again")) }
    }
    let subscriber = Recorder(requesting: .max(1))
    Publishers.Retry(upstream: upstream, retries: retries).subscribe(subscriber)
    #expect(upstream.subscribeCount == 10_001)
    #expect(subscriber.events == [.subscription("Retry")])
    #expect(subscription.history.count == 10_001)
    subscriber.cancel()
    #expect(subscription.history.last == .cancelled)
  }

  // MARK: Events in each state

  @Test func requestsNothingWithoutDemand() {
    let upstream = Upstream()
    upstream.retry(1).subscribe(Recorder())
    upstream.send(completion: .failure("1"))
    #expect(upstream.subscribeCount == 2)
    #expect(upstream.history == [])
  }

  @Test func forwardsAZeroRequest() {
    let upstream = Upstream()
    let subscriber = Recorder()
    upstream.retry(1).subscribe(subscriber)
    subscriber.request(.none)
    #expect(upstream.history == [.requested(.none)])
  }

  @Test func demandBeforeTheFirstSubscriptionIsRequestedOnceTheDownstreamHasItsSubscription() throws {
    let upstream = Upstream(subscription: nil)
    let subscriber = Recorder(onSubscription: { $0.request(.max(10)) })
    upstream.retry(1).subscribe(subscriber)
    let inner = try #require(upstream.subscriber as? any Subscription)
    inner.request(.max(1))
    inner.request(.max(2))
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    #expect(subscription.history == requests(10, 3))
  }

  @Test func demandRequestedWithoutAnUpstreamIsRequestedFromTheNextOne() {
    var requestLater: () -> Void = {}
    let subscription = ManualSubscription()
    let upstream = ScriptedPublisher { _, subscriber in
      requestLater()
      subscriber.receive(subscription: subscription)
    }
    let relay = Relay(upstream)
    let subscriber = Recorder(requesting: .max(1))
    relay.retry(1).subscribe(subscriber)
    requestLater = { subscriber.request(.max(2)) }
    relay.subscriber!.receive(completion: .failure("1"))
    #expect(subscription.history == requests(1, 3))
  }

  @Test func aFailedUpstreamIsDroppedAndNotCancelled() {
    var isReleased = false
    var first: ManualSubscription? = ManualSubscription(onDeinit: { isReleased = true })
    weak let weakFirst = first
    let upstream = ScriptedPublisher { attempt, subscriber in
      if attempt == 1 { subscriber.receive(subscription: first!) }
    }
    let relay = Relay(upstream)
    relay.retry(1).subscribe(Recorder(requesting: .max(1)))
    first = nil
    #expect(weakFirst?.history == requests(1))
    weakFirst?.onCancel = { Issue.record("cancelled") }
    relay.subscriber!.receive(completion: .failure("1"))
    #expect(isReleased)
    #expect(upstream.subscribeCount == 2)
  }

  @Test func subscribesAgainWithTheSameObject() {
    var subscribers: [ObjectIdentifier] = []
    let upstream = ScriptedPublisher { _, subscriber in
      subscribers.append(ObjectIdentifier(subscriber as AnyObject))
      subscriber.receive(subscription: ManualSubscription())
    }
    let relay = Relay(upstream)
    let subscriber = Recorder()
    relay.retry(1).subscribe(subscriber)
    relay.subscriber!.receive(completion: .failure("1"))
    #expect(subscribers.count == 2)
    #expect(subscribers[0] == subscribers[1])
    #expect(subscribers[0] == ObjectIdentifier(subscriber.subscription as AnyObject))
  }

  @Test func completionsBeforeASubscriptionCountToo() {
    let finishing = Upstream(subscription: nil)
    let first = Recorder()
    finishing.retry(1).subscribe(first)
    finishing.send(completion: .finished)
    #expect(first.events == [.finished])
    let late = ManualSubscription()
    finishing.send(subscription: late)
    #expect(late.history == [.cancelled])

    let failing = Upstream(subscription: nil)
    let second = Recorder()
    failing.retry(1).subscribe(second)
    failing.send(completion: .failure("1"))
    #expect(failing.subscribeCount == 2)
    failing.send(completion: .failure("2"))
    #expect(second.events == [.failure("2")])
  }

  /// An upstream that answers each request before the request returns, with a failure too.
  @Test func resubscribesToASynchronousUpstreamWithTheOutstandingDemand() {
    let numbers = [1, 2, 3].publisher
    let failing = numbers.tryMap { number in
      if number == 3 { throw TestError("3") }
      return number
    }
    let subscriber = RecordingSubscriber<Int, any Error>(requesting: .max(5))
    failing.retry(2).subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 1, 2, 1])
    subscriber.request(.max(9))
    #expect(subscriber.values == [1, 2, 1, 2, 1, 2])
    #expect(subscriber.events.last == .failure("3"))
  }

  @Test func cancelBeforeTheSubscriptionCancelsItOnArrival() throws {
    let upstream = Upstream(subscription: nil)
    let subscriber = Recorder()
    upstream.retry(1).subscribe(subscriber)
    try #require(upstream.subscriber as? any Subscription).cancel()
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    #expect(subscription.history == [.cancelled])
    #expect(subscriber.events == [])
  }

  @Test func cancelWhileResubscribingEndsTheLoop() {
    var cancel: () -> Void = {}
    let subscription = ManualSubscription()
    let upstream = ScriptedPublisher { attempt, subscriber in
      if attempt == 3 { cancel() }
      subscriber.receive(subscription: subscription)
      if attempt > 1 { subscriber.receive(completion: .failure("again")) }
    }
    let relay = Relay(upstream)
    let subscriber = Recorder(requesting: .max(1))
    relay.retry(100).subscribe(subscriber)
    cancel = { subscriber.cancel() }
    relay.subscriber!.receive(completion: .failure("1"))
    #expect(upstream.subscribeCount == 3)
    #expect(subscription.history == [.requested(.max(1)), .requested(.max(1)), .cancelled])
    #expect(subscriber.events == [.subscription("Retry")])
  }

  // MARK: Retention

  private enum Ending: CaseIterable { case finish, fail, cancel }

  @Test func releasesTheDownstreamAndThePublisherAtTheEnd() {
    for ending in Ending.allCases {
      var isDownstreamReleased = false
      var isPublisherReleased = false
      var subscriber: (any Subscriber<Int, TestError>)?
      do {
        let upstream = ScriptedPublisher(onDeinit: { isPublisherReleased = true }) {
          subscriber = $1
          $1.receive(subscription: ManualSubscription())
        }
        // The downstream keeps its subscription. Only the conduit can break this cycle.
        let downstream = Recorder(onDeinit: { isDownstreamReleased = true })
        upstream.retry(0).subscribe(downstream)
      }
      #expect(!isDownstreamReleased)
      #expect(!isPublisherReleased)
      switch ending {
      case .finish: subscriber?.receive(completion: .finished)
      case .fail: subscriber?.receive(completion: .failure("end"))
      case .cancel: (subscriber as? any Subscription)?.cancel()
      }
      #expect(isDownstreamReleased, "\(ending)")
      #expect(isPublisherReleased, "\(ending)")
      #expect(subscriber != nil)
    }
  }

  @Test func cancelDuringAValueReleasesTheDownstreamAfterIt() {
    var isReleased = false
    let upstream = Upstream()
    do {
      let downstream = Recorder(requesting: .unlimited)
      downstream.onValue = { [token = DeinitToken { isReleased = true }, unowned downstream] _ in
        downstream.cancel()
        #expect(!isReleased)
        withExtendedLifetime(token) {}
        return .none
      }
      upstream.retry(1).subscribe(downstream)
    }
    upstream.send(1)
    #expect(isReleased)
  }

  private final class DeinitToken {
    let onDeinit: () -> Void
    init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
    deinit { onDeinit() }
  }

  // MARK: Surface

  @Test func reflectsItself() {
    let upstream = Upstream()
    let subscriber = Recorder()
    upstream.retry(1).subscribe(subscriber)
    expectReflection(of: upstream.subscriber!, description: "Retry")
    expectReflection(of: subscriber.subscription!, description: "Retry")
    #expect(subscriber.subscription!.combineIdentifier == upstream.subscriber!.combineIdentifier)
  }

  @Test func isEquatableByUpstreamAndRetries() {
    let publisher: Publishers.Retry<Just<Int>> = Publishers.Retry(upstream: Just(1), retries: 2)
    #expect(publisher.upstream == Just(1))
    #expect(publisher.retries == 2)
    #expect(publisher == Publishers.Retry(upstream: Just(1), retries: 2))
    #expect(publisher != Publishers.Retry(upstream: Just(2), retries: 2))
    #expect(publisher != Publishers.Retry(upstream: Just(1), retries: nil))
    let operated: Publishers.Retry<Upstream> = Upstream().retry(3)
    #expect(operated.retries == 3)
  }

  // MARK: Threads

  @Test func callsOfTwoThreadsDoNotOverlap() {
    expectSerializedCalls { $0.retry(1) }
  }

  @Test func cancellingWhileOthersSendReleasesTheDownstreamOnce() {
    for _ in 0..<100 {
      let upstream = ConcurrentPublisher<Int, TestError>()
      let token = Guarded(0)
      nonisolated(unsafe) var subscription: (any Subscription)?  // Set before the threads start. They only read it.
      do {
        let marker = DeinitToken { token.withLock { $0 += 1 } }
        upstream.retry(1).subscribe(
          AnySubscriber<Int, TestError>(
            receiveSubscription: {
              subscription = $0
              $0.request(.unlimited)
            },
            receiveValue: { _ in
              withExtendedLifetime(marker) { .max(1) }
            }
          )
        )
      }
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        if index == 0 {
          subscription?.cancel()
        } else {
          for value in 0..<100 { upstream.send(value) }
        }
      }
      #expect(token.withLock { $0 } == 1)
      #expect(upstream.cancellations == 1)
    }
  }
}

/// A publisher that keeps a reference to the subscriber that it passes to its upstream.
private final class Relay<Base: Publisher>: Publisher {
  typealias Output = Base.Output
  typealias Failure = Base.Failure

  private let base: Base
  private(set) var subscriber: (any Subscriber<Output, Failure>)?

  init(_ base: Base) {
    self.base = base
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    self.subscriber = subscriber
    base.subscribe(subscriber)
  }
}
