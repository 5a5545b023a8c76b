import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct ReferenceCountedTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  @Test func subscribersShareOneSubscription() {
    let upstream = Upstream()
    let shared = upstream.multicast { PassthroughSubject() }.referenceCounted()
    let (first, second) = (Downstream(requesting: .unlimited), Downstream(requesting: .unlimited))
    shared.subscribe(first)
    shared.subscribe(second)
    #expect(upstream.subscribeCount == 1)
    upstream.send(1)
    #expect(first.values == [1])
    #expect(second.values == [1])
  }

  @Test func startsAnewAfterTheLastCancel() {
    let upstream = Upstream()
    let shared = upstream.share(replay: 2, scope: .whileSubscribed)
    let first = Downstream(requesting: .unlimited)
    shared.subscribe(first)
    upstream.send(-1)
    upstream.send(1)
    first.cancel()
    #expect(upstream.history.last == .cancelled)
    let second = Downstream(requesting: .unlimited)
    shared.subscribe(second)
    #expect(upstream.subscribeCount == 2)
    #expect(second.values == [])
    upstream.send(-1)
    #expect(second.values == [-1])
  }

  @Test func aSubscriptionThatComesAfterTheLastSubscriberHasLeftIsCancelled() {
    let upstream = Upstream(subscription: nil)
    let shared = upstream.multicast { PassthroughSubject() }.referenceCounted()
    let subscriber = Downstream(requesting: .unlimited)
    shared.subscribe(subscriber)
    subscriber.cancel()
    let late = ManualSubscription()
    upstream.send(subscription: late)
    #expect(late.history == [.cancelled])
  }

  @Test func aSubscriptionThatComesLateIsCancelledWithTheLastSubscriber() {
    let upstream = Upstream(subscription: nil)
    let shared = upstream.multicast { PassthroughSubject() }.referenceCounted()
    let subscriber = Downstream(requesting: .unlimited)
    shared.subscribe(subscriber)
    let late = ManualSubscription()
    upstream.send(subscription: late)
    subscriber.cancel()
    #expect(late.history == [.requested(.unlimited), .cancelled])
  }

  @Test func afterTheEndNewcomersReceiveTheLastValuesWhileASubscriptionIsHeld() {
    let upstream = Upstream()
    let shared = upstream.share(replay: 1, scope: .whileSubscribed)
    let holder = Downstream(requesting: .unlimited)
    shared.subscribe(holder)
    upstream.send(1)
    upstream.send(completion: .finished)
    let newcomer = Downstream(requesting: .unlimited)
    newcomer.dropsSubscriptionOnCompletion = true
    shared.subscribe(newcomer)
    #expect(newcomer.events.dropFirst() == [.value(1), .finished])
    #expect(upstream.subscribeCount == 1)
    holder.dropSubscription()
    let last = Downstream(requesting: .unlimited)
    shared.subscribe(last)
    #expect(upstream.subscribeCount == 2)
    #expect(last.values == [])
  }

  @Test func keepsTheValuesForeverIfSoConfigured() {
    let upstream = Upstream()
    let shared = upstream.share(replay: 1, scope: .forever)
    let first = Downstream(requesting: .unlimited)
    shared.subscribe(first)
    upstream.send(1)
    first.cancel()
    #expect(upstream.history.last == .cancelled)
    let second = Downstream(requesting: .unlimited)
    shared.subscribe(second)
    #expect(second.values == [1])
    #expect(upstream.subscribeCount == 2)
    upstream.send(completion: .finished)
    let third = Downstream(requesting: .unlimited)
    shared.subscribe(third)
    #expect(third.events.dropFirst() == [.value(1), .finished])
    #expect(upstream.subscribeCount == 2)
  }

  @Test func aSharedValueMeetsItself() {
    for scope in [ReplayScope.whileSubscribed, .forever] {
      let shared = Just(1).share(replay: 1, scope: scope)
      var pairs: [[Int]] = []
      let sink = shared.zip(shared).sink { pairs.append([$0, $1]) }
      #expect(pairs == [[1, 1]])
      sink.cancel()
    }
  }

  @Test func staysConnectedForTheGracePeriod() {
    let scheduler = TestScheduler()
    let upstream = Upstream()
    let shared = upstream.multicast { ReplaySubject(replaying: 1) }
      .referenceCounted(disconnectingAfter: 10, scheduler: scheduler)
    let first = Downstream(requesting: .unlimited)
    shared.subscribe(first)
    upstream.send(1)
    first.cancel()
    scheduler.advance(by: 9)
    let second = Downstream(requesting: .unlimited)
    shared.subscribe(second)
    #expect(second.values == [1])
    scheduler.advance(by: 20)
    #expect(!upstream.history.contains(.cancelled))
    second.cancel()
    scheduler.advance(by: 10)
    #expect(upstream.history.last == .cancelled)
    let third = Downstream(requesting: .unlimited)
    shared.subscribe(third)
    #expect(third.values == [])
    #expect(upstream.subscribeCount == 2)
  }

  @Test func aCancelDuringTheConnectionCancelsTheUpstream() {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    upstream.onSubscribe = { downstream.cancel() }
    upstream.multicast { PassthroughSubject() }.referenceCounted().subscribe(downstream)
    upstream.send(1)
    #expect(downstream.values == [])
  }

  @Test func twoFirstSubscribersOnTwoThreadsShare() {
    for _ in 1...50 {
      let count = SharedLog<Void>()
      let shared = Deferred { () -> PassthroughSubject<Int, Never> in
        count.signal()
        return PassthroughSubject<Int, Never>()
      }
      .multicast { PassthroughSubject() }
      .referenceCounted()
      let sinks = SharedLog<AnyCancellable>()
      nonisolated(unsafe) let publisher = shared  // It is thread-safe; its upstream's type is not known to be.
      onThreads(2) { _ in sinks.append(publisher.sink { _ in }) }
      #expect(count.values.count == 1)
    }
  }
}
