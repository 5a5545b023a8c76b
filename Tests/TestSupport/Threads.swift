import CombineCore
import Foundation
import Synchronization

/// Runs `body` on some threads at once, with the number of each, and waits for all.
public func onThreads(_ count: Int, _ body: @escaping (Int) -> Void) {
  // That it may run on several threads at once is what the caller asks for.
  nonisolated(unsafe) let body = body
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    Thread.detachNewThread {
      body(number)
      group.leave()
    }
  }
  group.wait()
}

/// A scheduler with threads of its own and no clock: whatever is scheduled runs as soon as a thread is free, whatever
/// its date, and what repeats does so until it is cancelled.
public final class ThreadScheduler: Scheduler, @unchecked Sendable {
  // Sendable: everything mutable is touched only with the condition's lock held.

  public typealias SchedulerTimeType = VirtualScheduler.SchedulerTimeType
  public typealias SchedulerOptions = VirtualScheduler.SchedulerOptions

  private let condition = NSCondition()
  private var actions: [() -> Void] = []
  private var running = 0
  private var isFinished = false
  private let workers = DispatchGroup()

  public init(workers count: Int) {
    for _ in 0..<count {
      workers.enter()
      Thread.detachNewThread { [self] in
        work()
        workers.leave()
      }
    }
  }

  /// Waits until nothing is left to run, and ends the threads.
  public func finish() {
    condition.lock()
    isFinished = true
    condition.broadcast()
    condition.unlock()
    workers.wait()
  }

  /// Waits until nothing is left to run.
  public func drain() {
    condition.lock()
    while !actions.isEmpty || running > 0 { condition.wait() }
    condition.unlock()
  }

  private func work() {
    condition.lock()
    while true {
      if !actions.isEmpty {
        let action = actions.removeFirst()
        running += 1
        condition.unlock()
        action()
        condition.lock()
        running -= 1
        condition.broadcast()
      } else if isFinished && running == 0 {
        break
      } else {
        condition.wait()
      }
    }
    condition.unlock()
  }

  public var now: SchedulerTimeType { 0 }
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    condition.lock()
    actions.append(action)
    condition.broadcast()
    condition.unlock()
  }

  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    schedule(options: options, action)
  }

  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let token = Token()
    repeatUntilCancelled(token, action)
    return token
  }

  private func repeatUntilCancelled(_ token: Token, _ action: @escaping () -> Void) {
    schedule(options: nil) { [self] in
      guard !token.isCancelled.load(ordering: .acquiring) else { return }
      action()
      repeatUntilCancelled(token, action)
    }
  }

  private final class Token: Cancellable {
    let isCancelled = Atomic<Bool>(false)
    func cancel() { isCancelled.store(true, ordering: .releasing) }
  }
}

/// A publisher that many threads may send through at once, with no serialisation of its own. For one subscriber.
public final class SharedUpstream<Output>: Publisher, @unchecked Sendable {
  // Sendable: `subscriber` is set before the threads start, and the rest is atomic.

  public typealias Failure = TestError

  private var subscriber: (any Subscriber<Output, TestError>)?
  private let subscription = CountingSubscription()

  public init() {}

  /// How many times the subscription was cancelled.
  public var cancelCount: Int { subscription.cancelCount.load(ordering: .acquiring) }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == TestError {
    self.subscriber = subscriber
    subscriber.receive(subscription: subscription)
  }

  public func send(_ value: Output) {
    _ = subscriber!.receive(value)
  }

  public func finish() {
    subscriber!.receive(completion: .finished)
  }

  private final class CountingSubscription: Subscription {
    let cancelCount = Atomic<Int>(0)
    func request(_ demand: Subscribers.Demand) {}
    func cancel() { cancelCount.add(1, ordering: .acquiringAndReleasing) }
  }
}

/// A subscriber that notices when two threads call it at once, and what comes after the completion.
public final class ExclusiveSubscriber<Input>: Subscriber, @unchecked Sendable {
  // Sendable only if those who call it serialise their calls, which is what it is there to find out: what it records
  // is not guarded, so that the thread sanitizer sees it too.

  public typealias Failure = TestError

  public private(set) var values: [Input] = []
  public private(set) var completionCount = 0

  /// How many calls came while another was running.
  public private(set) var overlapCount = 0

  /// How many values came after the completion.
  public private(set) var lateCount = 0

  private var subscription: (any Subscription)?
  private let callers = Atomic<Int>(0)

  public init() {}

  public func cancel() {
    subscription?.cancel()
  }

  private func exclusively(_ body: () -> Void) {
    if callers.add(1, ordering: .relaxed).oldValue != 0 { overlapCount += 1 }
    body()
    callers.subtract(1, ordering: .relaxed)
  }

  public func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }

  public func receive(_ input: Input) -> Subscribers.Demand {
    exclusively {
      values.append(input)
      if completionCount > 0 { lateCount += 1 }
    }
    return .none
  }

  public func receive(completion: Subscribers.Completion<TestError>) {
    exclusively { completionCount += 1 }
  }
}
