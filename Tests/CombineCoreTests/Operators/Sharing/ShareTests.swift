import Dispatch
import TestSupport
import Testing

@testable import CombineCore

@Suite struct ShareTests {

  private typealias Upstream = ManualPublisher<Int, TestError>
  private typealias Recorder = RecordingSubscriber<Int, TestError>

  @Test func subscribesUpstreamAfterTheFirstSubscriberHasItsSubscription() {
    let upstream = Upstream()
    let subscriber = Recorder(requesting: .max(1))
    upstream.onSubscribe = { #expect(subscriber.events == [.subscription("Multicast")]) }
    let share = upstream.share()
    #expect(upstream.subscribeCount == 0)
    share.subscribe(subscriber)
    #expect(upstream.subscribeCount == 1)
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func requestsNothingBeforeASubscriberRequests() {
    let upstream = Upstream()
    let share = upstream.share()
    let subscriber = Recorder()
    share.subscribe(subscriber)
    #expect(upstream.subscribeCount == 1)
    #expect(upstream.history == [])
    subscriber.request(.max(1))
    subscriber.request(.max(1))
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func theFirstSubscriberReceivesAllOfASynchronousUpstreamAndLaterOnesTheCompletion() {
    let share = [1, 2, 3].publisher.share()
    let first = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    let second = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    share.subscribe(first)
    share.subscribe(second)
    #expect(first.events == [.subscription("Multicast"), .value(1), .value(2), .value(3), .finished])
    #expect(second.events == [.subscription("Multicast"), .finished])
  }

  @Test func aSubscriberThatLeavesWhileItIsConnectedDoesNotUndoACompletedConnection() {
    var subscriptionCount = 0
    let share = Deferred { () -> Just<Int> in
      subscriptionCount += 1
      return Just(1)
    }.share()
    let first = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    let second = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    share.prefix(1).subscribe(first)
    share.subscribe(second)
    #expect(first.values == [1])
    #expect(second.events == [.subscription("Multicast"), .finished])
    #expect(subscriptionCount == 1)
  }

  @Test func aSubscriberThatLeavesWhileItIsConnectedUndoesAConnectionThatGoesOn() {
    let upstream = Upstream()
    upstream.subscription!.onRequest = { [unowned upstream] _ in upstream.send(1) }
    let share = upstream.share()
    let subscriber = Recorder(requesting: .unlimited)
    share.prefix(1).subscribe(subscriber)
    #expect(subscriber.values == [1])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func aSubscriptionThatArrivesAfterTheLastSubscriberHasLeftIsCancelled() {
    let upstream = Upstream(subscription: nil)
    let share = upstream.share()
    let (first, second) = (Recorder(requesting: .unlimited), Recorder(requesting: .unlimited))
    share.subscribe(first)
    first.cancel()
    let late = ManualSubscription()
    upstream.send(subscription: late)
    #expect(late.history == [.cancelled])
    share.subscribe(second)
    let next = ManualSubscription()
    upstream.send(subscription: next)
    #expect(next.history == [.requested(.unlimited)])
    upstream.send(1)
    #expect(second.values == [1])
  }

  @Test func subscribesOnceForAllAndHonoursTheDemandOfEach() {
    let upstream = Upstream()
    let share = upstream.share()
    let all = Recorder(requesting: .unlimited)
    let some = Recorder(requesting: .max(1), returning: [.max(1)])
    share.subscribe(all)
    share.subscribe(some)
    #expect(upstream.subscribeCount == 1)
    for value in 1...3 { #expect(upstream.send(value) == .none) }
    #expect(all.values == [1, 2, 3])
    #expect(some.values == [1, 2])
    some.request(.max(1))
    upstream.send(4)
    #expect(some.values == [1, 2, 4])
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func ignoresEventsBeforeTheUpstreamsSubscription() {
    let upstream = Upstream(subscription: nil)
    let subscriber = Recorder(requesting: .unlimited)
    upstream.share().subscribe(subscriber)
    #expect(upstream.send(1) == .none)
    upstream.send(completion: .finished)
    #expect(subscriber.events == [.subscription("Multicast")])
  }

  @Test func theCompletionReachesAllSubscribersAndLaterOnes() {
    let upstream = Upstream()
    let share = upstream.share()
    let subscribers = [Recorder(requesting: .unlimited), Recorder()]
    for subscriber in subscribers { share.subscribe(subscriber) }
    upstream.send(completion: .failure("end"))
    for subscriber in subscribers { #expect(subscriber.events == [.subscription("Multicast"), .failure("end")]) }
    let late = Recorder()
    share.subscribe(late)
    #expect(late.events == [.subscription("Multicast"), .failure("end")])
    #expect(upstream.subscribeCount == 1)
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func theLastCancelCancelsTheUpstreamAndTheNextSubscriberConnectsAgain() {
    let upstream = Upstream()
    let share = upstream.share()
    let first = Recorder(requesting: .unlimited)
    let second = Recorder(requesting: .unlimited)
    share.subscribe(first)
    share.subscribe(second)
    first.cancel()
    #expect(upstream.history == [.requested(.unlimited)])
    upstream.send(1)
    second.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(second.values == [1])

    let third = Recorder(requesting: .unlimited)
    share.subscribe(third)
    #expect(upstream.subscribeCount == 2)
    upstream.send(2)
    #expect(third.values == [2])
    #expect(first.values == [])
    #expect(second.values == [1])
    #expect(upstream.history == [.requested(.unlimited), .cancelled, .requested(.unlimited)])
  }

  @Test func afterTheCompletionANewSubscriberReceivesItAndTheUpstreamIsSubscribedToAgain() {
    let upstream = Upstream()
    let share = upstream.share()
    let first = Recorder(requesting: .unlimited)
    share.subscribe(first)
    upstream.send(completion: .finished)
    first.cancel()
    let second = Recorder(requesting: .unlimited)
    share.subscribe(second)
    #expect(second.events == [.subscription("Multicast"), .finished])
    #expect(upstream.subscribeCount == 2)
  }

  @Test func aNewSinkSubscribesAgainAfterTheLastWasCancelled() {
    let source = PassthroughSubject<Int, Never>()
    let share = source.map { $0 * 10 }.share()
    var seen: [String] = []
    let first = share.sink { seen.append("first \($0)") }
    source.send(1)
    let second = share.sink { seen.append("second \($0)") }
    first.cancel()
    source.send(2)
    second.cancel()
    source.send(3)
    #expect(seen == ["first 10", "second 20"])
  }

  @Test func isEqualToItselfOnly() {
    let upstream = Upstream()
    let share: Publishers.Share<Upstream> = upstream.share()
    let other = upstream.share()
    #expect(share == share)
    #expect(share != other)
    #expect(share.upstream === upstream)
    #expect(Publishers.Share(upstream: upstream).upstream === upstream)
  }

  @Test func reflectsItself() throws {
    let subscriber = Recorder()
    Upstream().share().subscribe(subscriber)
    let subscription = try #require(subscriber.subscription)
    #expect(String(describing: subscription) == "Multicast")
    let playground = (subscription as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription
    #expect(playground as? String == "Multicast")
  }

  @Test func releasesEverythingWhenTheLastSubscriberCancels() {
    var isReleased = false
    weak var weakShare: AnyObject?
    var cancel: () -> Void = {}
    do {
      let share = Upstream().share()
      let subscriber = Recorder(onSubscription: { $0.request(.unlimited) }, onDeinit: { isReleased = true })
      share.subscribe(subscriber)
      weakShare = share.shared
      cancel = { [weak subscriber] in subscriber?.cancel() }
    }
    #expect(!isReleased)
    #expect(weakShare != nil, "each subscription keeps its connection")
    cancel()
    // The subscriber keeps its subscription, which keeps the publisher. But nothing keeps the subscriber.
    #expect(isReleased)
    #expect(weakShare == nil)
  }

  // MARK: Threads

  @Test func manySubscribersAtOnceMakeOneSubscription() {
    for _ in 0..<100 {
      let upstream = ConcurrentPublisher<Int, Never>()
      let share = upstream.share()
      let sinks = Guarded<[AnyCancellable]>([])
      let count = Guarded(0)
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let sink = share.sink { _ in count.withLock { $0 += 1 } }
        sinks.withLock { $0.append(sink) }
      }
      #expect(upstream.subscriptions == 1)
      upstream.send(1)
      #expect(count.withLock { $0 } == 4)
      let all = sinks.withLock { $0 }
      DispatchQueue.concurrentPerform(iterations: 4) { all[$0].cancel() }
      #expect(upstream.cancellations == 1)
    }
  }

  @Test func subscribersThatComeAndGoDuringSendsLeaveNoConnection() {
    let source = PassthroughSubject<Int, Never>()
    let share = source.share()
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      if index == 0 {
        for value in 0..<2000 { source.send(value) }
      } else {
        for _ in 0..<300 { share.sink { _ in }.cancel() }
      }
    }
    #expect(source.core.lock.withLock { source.core.list.count } == 0)
  }
}
