import CombineCore
import CombineExtras
import Foundation
import TestSupport
import Testing

/// How threads that send at the same time share the work.
@Suite struct QueuedConduitTests {

  /// A source that several threads may send to, in front of the queue of an operator or subject.
  struct Source: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let make: @Sendable () -> (publisher: AnyPublisher<Int, Never>, send: @Sendable (Int) -> Void)
  }

  static let sources = [
    Source(testDescription: "ReplaySubject") {
      let subject = ReplaySubject<Int, Never>(replaying: 1)
      return (subject.eraseToAnyPublisher(), { subject.send($0) })
    },
    Source(testDescription: "create") {
      nonisolated(unsafe) var subscriber: ExtraPublishers.Create<Int, Never>.Subscriber?
      let publisher = ExtraPublishers.Create<Int, Never>(factory: {
        subscriber = $0
        return AnyCancellable {}
      })
      return (publisher.eraseToAnyPublisher(), { subscriber?.send($0) })
    },
  ]

  /// Values that two threads share.
  private final class Counters: @unchecked Sendable {
    // Sendable: a lock guards the properties.

    private let lock = NSLock()
    private var deliveries = 0
    private var sends = 0

    var delivered: Int { lock.withLock { deliveries } }
    func countDelivery() -> Int {
      lock.withLock {
        deliveries += 1
        return deliveries
      }
    }
    var sent: Int { lock.withLock { sends } }
    func countSend() { lock.withLock { sends += 1 } }
  }

  /// The first delivery lets another thread send without a pause. The send that delivers must not go on with all of it.
  @Test(arguments: sources)
  func aSendReturnsHoweverMuchAnotherThreadSends(_ source: Source) {
    let (publisher, send) = source.make()
    let counters = Counters()
    let (isDelivering, hasSent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let deliveringThread = Thread.current
    nonisolated(unsafe) var (own, last) = (0, 0)
    let cancellable = publisher.sink { value in
      if counters.countDelivery() == 1 {
        isDelivering.signal()
        hasSent.wait()
        // Until the other thread waits, or could have sent very much.
        let start = Date()
        while counters.sent < 1000, start.timeIntervalSinceNow > -0.1 {}
      }
      if Thread.current == deliveringThread { own += 1 }
      last = value
    }
    let other = DispatchGroup()
    other.enter()
    Thread.detachNewThread {
      isDelivering.wait()
      hasSent.signal()
      for value in 1...1000 {
        send(value)
        counters.countSend()
      }
      other.leave()
    }
    send(0)
    #expect(own <= 3)
    other.wait()
    #expect(counters.delivered == 1001)
    #expect(last == 1000)
    cancellable.cancel()
  }

  // A sender of a subject waits for its turn, also when a subscriber has cancelled.
  @Test(arguments: sources.filter { $0.testDescription != "ReplaySubject" })
  func aThreadThatWaitsReturnsWhenTheSubscriptionIsCancelled(_ source: Source) {
    let (publisher, send) = source.make()
    let (isDelivering, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let cancellable = publisher.sink { _ in
      isDelivering.signal()
      mayEnd.wait()
    }
    let threads = DispatchGroup()
    threads.enter()
    Thread.detachNewThread {
      send(1)
      threads.leave()
    }
    isDelivering.wait()
    let waiting = DispatchGroup()
    for value in 2...4 {
      waiting.enter()
      Thread.detachNewThread {
        send(value)
        waiting.leave()
      }
    }
    #expect(waiting.wait(timeout: .now() + 0.05) == .timedOut)
    cancellable.cancel()
    // The delivery is still running.
    #expect(waiting.wait(timeout: .now() + 60) == .success)
    mayEnd.signal()
    threads.wait()
  }

  /// A request leaves its work to the delivering thread. A completion waits for its turn.
  @Test func aRequestDoesNotWait() {
    let subject = ReplaySubject<Int, Never>(replaying: 1)
    let (isDelivering, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    nonisolated(unsafe) var received: (any Subscription)?
    nonisolated(unsafe) var (values, isFinished) = ([Int](), false)
    subject.subscribe(
      AnySubscriber<Int, Never>(
        receiveSubscription: {
          received = $0
          $0.request(.max(1))
        },
        receiveValue: {
          values.append($0)
          if $0 == 1 {
            isDelivering.signal()
            mayEnd.wait()
          }
          return .none
        },
        receiveCompletion: { _ in isFinished = true }
      )
    )
    let thread = DispatchGroup()
    thread.enter()
    Thread.detachNewThread {
      subject.send(1)
      thread.leave()
    }
    isDelivering.wait()
    received?.request(.max(1))
    let completing = DispatchGroup()
    completing.enter()
    Thread.detachNewThread {
      subject.send(completion: .finished)
      completing.leave()
    }
    #expect(completing.wait(timeout: .now() + 0.05) == .timedOut)
    #expect(!isFinished)
    mayEnd.signal()
    thread.wait()
    completing.wait()
    #expect(values == [1])
    #expect(isFinished)
  }

  /// An operator whose upstream sends on two threads, and publishes each element or something for it.
  struct Queued: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let apply: @Sendable (ConcurrentPublisher<Int, Never>) -> AnyPublisher<Void, Never>

    init<P: Publisher & SendableMetatype>(
      _ name: String,
      _ apply: @escaping @Sendable (ConcurrentPublisher<Int, Never>) -> P
    )
    where P.Failure == Never {
      testDescription = name
      self.apply = { source in apply(source).map { _ in }.eraseToAnyPublisher() }
    }
  }

  static let queued = [
    Queued("dropLast") { $0.dropLast(1) },
    Queued("prefix(while:behavior:)") { $0.prefix(while: { _ in true }, behavior: .inclusive) },
    Queued("finally") { $0.finally {} },
    Queued("rateLimit") { $0.rateLimit(100_000, per: 1, scheduler: VirtualScheduler()) },
    Queued("amb") { $0.amb(Empty(completeImmediately: false)) },
    Queued("collect(_:every:)") { $0.collect(1, every: 1) },
    Queued("window(_:every:)") { $0.window(1, every: 1) },
    Queued("window(_:every:), the elements") { $0.window(1, every: 1).flatMap { $0 } },
    Queued("groupBy") { $0.groupBy { $0 } },
    Queued("withLatest") { $0.withLatest(of: Just(1)) { ($0, $1) } },
    Queued("repeat") { $0.repeat(1) },
    Queued("retry") {
      var policy = RetryPolicy.constant(.zero, maxRetries: 1)
      policy.resetsAfterElement = true
      return $0.setFailureType(to: TestError.self).retry(policy, scheduler: VirtualScheduler()).ignoreFailure()
    },
  ]

  /// The values of a thread must not pile up in front of a downstream that is slower, so it waits for each.
  @Test(arguments: queued) func aSenderWaitsForTheThreadThatDelivers(_ queued: Queued) {
    let source = ConcurrentPublisher<Int, Never>()
    let (isDelivering, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let counters = Counters()
    let cancellable = queued.apply(source).sink {
      if counters.countDelivery() > 1 { return }
      isDelivering.signal()
      mayEnd.wait()
    }
    let threads = DispatchGroup()
    threads.enter()
    Thread.detachNewThread {
      // The second one, because an operator may keep the first.
      for value in 0..<2 where counters.delivered == 0 { source.send(value) }
      threads.leave()
    }
    isDelivering.wait()
    threads.enter()
    Thread.detachNewThread {
      for value in 2..<100 {
        source.send(value)
        counters.countSend()
      }
      threads.leave()
    }
    #expect(threads.wait(timeout: .now() + 0.05) == .timedOut)
    #expect(counters.sent == 0)
    mayEnd.signal()
    threads.wait()
    #expect(counters.sent == 98)
    cancellable.cancel()
  }
}
