import CombineExtras
import CombineTesting
import Dispatch
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
    #expect(upstream.history.last == .cancelled)
    #expect(upstream.history.filter { $0 == .cancelled }.count == 1)
    upstream.send(1)
    #expect(downstream.values == [])
  }

  @Test func aSubscriberInsideTheClosureThatCreatesTheSubjectShares() {
    let upstream = Upstream()
    let (inner, outer) = (Downstream(requesting: .unlimited), Downstream(requesting: .unlimited))
    var subscribe: (() -> Void)?
    let shared = upstream.multicast { () -> PassthroughSubject<Int, TestError> in
      exchange(&subscribe, with: nil)?()
      return PassthroughSubject()
    }.referenceCounted()
    subscribe = { shared.subscribe(inner) }
    shared.subscribe(outer)
    #expect(upstream.subscribeCount == 1)
    upstream.send(1)
    #expect(inner.values == [1])
    #expect(outer.values == [1])
    inner.cancel()
    outer.cancel()
    #expect(upstream.history.last == .cancelled)
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

  // MARK: A connection that is being closed

  /// A shared publisher, and its upstream, which logs when each connection begins, and when it begins and ends to close.
  private final class Closing: @unchecked Sendable {

    // Sendable: the test's threads take turns.
    let log = SharedLog<String>()
    let source = PassthroughSubject<Int, TestError>()
    let shared: AnyPublisher<Int, TestError>

    /// Called while the first connection closes.
    var whileClosing: (() -> Void)?

    /// Called while the first connection is being made.
    var whileConnecting: (() -> Void)?

    init(_ share: (AnyPublisher<Int, TestError>) -> AnyPublisher<Int, TestError>) {
      weak var closing: Closing?
      let (log, source) = (log, source)
      let upstream = source.handleEvents(
        receiveSubscription: { _ in
          log.append("connects")
          exchange(&closing!.whileConnecting, with: nil)?()
        },
        receiveCancel: {
          log.append("closes")
          exchange(&closing!.whileClosing, with: nil)?()
          log.append("closed")
        }
      )
      shared = share(upstream.eraseToAnyPublisher())
      closing = self
    }

    static let ways: [@Sendable (AnyPublisher<Int, TestError>) -> AnyPublisher<Int, TestError>] = [
      { $0.multicast { PassthroughSubject() }.referenceCounted().eraseToAnyPublisher() },
      { $0.share(replay: 1, scope: .whileSubscribed) },
      { $0.share(replay: 1, scope: .forever) },
      { $0.share().eraseToAnyPublisher() },
    ]
  }

  @Test(arguments: 0...3)
  func aConnectionBeginsAfterTheOneBeforeHasClosedOnAnotherThread(way: Int) {
    let closing = Closing(Closing.ways[way])
    let (isClosing, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (first, second) = (Downstream(requesting: .unlimited), Downstream(requesting: .unlimited))
    closing.shared.subscribe(first)
    closing.whileClosing = {
      isClosing.signal()
      mayGoOn.wait()
    }
    nonisolated(unsafe) let old = first
    nonisolated(unsafe) let new = second
    onThreads(2) { thread in
      if thread == 0 { return old.cancel() }
      isClosing.wait()
      closing.shared.subscribe(new)
      #expect(closing.log.values == ["connects", "closes"])
      mayGoOn.signal()
    }
    #expect(closing.log.values == ["connects", "closes", "closed", "connects"])
    closing.source.send(1)
    #expect(second.values == [1])
    second.cancel()
    #expect(closing.log.values.suffix(2) == ["closes", "closed"])
  }

  @Test(arguments: 0...3)
  func nothingConnectsForASubscriberThatLeavesWhileTheConnectionCloses(way: Int) {
    let closing = Closing(Closing.ways[way])
    let (isClosing, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (first, second) = (Downstream(requesting: .unlimited), Downstream(requesting: .unlimited))
    closing.shared.subscribe(first)
    closing.whileClosing = {
      isClosing.signal()
      mayGoOn.wait()
    }
    nonisolated(unsafe) let old = first
    nonisolated(unsafe) let new = second
    onThreads(2) { thread in
      if thread == 0 { return old.cancel() }
      isClosing.wait()
      closing.shared.subscribe(new)
      new.cancel()
      mayGoOn.signal()
    }
    #expect(closing.log.values == ["connects", "closes", "closed"])
    // The next one finds everything closed.
    let third = Downstream(requesting: .unlimited)
    closing.shared.subscribe(third)
    closing.source.send(1)
    #expect(third.values == [1])
  }

  @Test(arguments: 0...1)
  func aSubscriberInsideTheCancelIsConnectedAfterIt(way: Int) {
    let closing = Closing(Closing.ways[way])
    let (first, second) = (Downstream(requesting: .unlimited), Downstream(requesting: .unlimited))
    closing.shared.subscribe(first)
    closing.whileClosing = { closing.shared.subscribe(second) }
    first.cancel()
    #expect(closing.log.values == ["connects", "closes", "closed", "connects"])
    closing.source.send(1)
    #expect(second.values == [1])
  }

  @Test(arguments: 0...1)
  func aSubscriberThatComesAfterTheFirstHasLeftInTheConnectionIsConnectedAfterIt(way: Int) {
    let closing = Closing(Closing.ways[way])
    let (first, second) = (Downstream(requesting: .unlimited), Downstream(requesting: .unlimited))
    closing.whileConnecting = {
      first.cancel()
      closing.shared.subscribe(second)
      #expect(closing.log.values == ["connects"])
    }
    closing.shared.subscribe(first)
    #expect(closing.log.values == ["connects", "closes", "closed", "connects"])
    closing.source.send(1)
    #expect(first.values == [])
    #expect(second.values == [1])
  }

  @Test func anUpstreamThatCompletesAtOnceAnswersASubscriberInsideTheCancel() {
    var count = 0
    var second: [Int] = []
    var whileClosing: (() -> Void)?
    let shared = Deferred { () -> AnyPublisher<Int, Never> in
      count += 1
      if count > 1 { return Just(count).eraseToAnyPublisher() }
      return Empty(completeImmediately: false).handleEvents(receiveCancel: { whileClosing?() }).eraseToAnyPublisher()
    }
    .share(replay: 1, scope: .whileSubscribed)
    let first = shared.sink { _ in }
    var cancellable: AnyCancellable?
    whileClosing = { cancellable = shared.sink { second.append($0) } }
    first.cancel()
    #expect(second == [2])
    cancellable?.cancel()
  }
}
