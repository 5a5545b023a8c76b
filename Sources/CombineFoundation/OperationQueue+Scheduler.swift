import CombineCore
import CombineDispatch
import Dispatch
import Foundation
import Synchronization

extension OperationQueue: Scheduler {

  /// The options of an operation queue. There are none, so pass `nil`.
  public struct SchedulerOptions: Sendable {}

  /// The current date.
  public var now: SchedulerTimeType {
    SchedulerTimeType(Date())
  }

  /// The smallest tolerance, which is zero because an operation queue accepts any tolerance.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Adds an operation that runs an action.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// queue.schedule { print("on the queue") }
  /// ```
  ///
  /// - Parameters:
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let action = UncheckedSendable(action)
    addOperation(BlockOperation { action.value() })
  }

  /// Adds an operation that becomes ready at a date and then runs an action.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// queue.schedule(after: queue.now.advanced(by: .milliseconds(10))) { print("a little later") }
  /// queue.waitUntilAllOperationsAreFinished()  // waits for the date and the action
  /// ```
  ///
  /// - Parameters:
  ///   - date: The time at which the operation becomes ready. If it has passed, the operation becomes ready as soon as
  ///     possible.
  ///   - tolerance: Ignored.
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let delay = date.date.timeIntervalSinceNow
    let operation = DelayedOperation(action)
    addOperation(operation)
    operation.becomeReady(after: delay)
  }

  /// Adds an operation that becomes ready at a date and then runs an action.
  ///
  /// After each run, it adds another operation that becomes ready after the interval.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// let ticks = queue.schedule(after: queue.now, interval: .seconds(1)) { print("tick") }
  /// ticks.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs first. If it has passed, the action runs as soon as possible.
  ///   - interval: The interval between the end of one run and the start of the next.
  ///   - tolerance: Ignored.
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: An `AnyCancellable` that stops the repetition and releases the action when it is cancelled or released.
  ///   It keeps the queue alive.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let delay = date.date.timeIntervalSinceNow
    let repetition = RepeatedOperation(on: self, interval: interval.timeInterval, action)
    repetition.addOperation(delay: delay)
    return AnyCancellable(repetition)
  }
}

/// An operation that becomes ready at its time, and then runs an action once.
private final class DelayedOperation: Operation, Cancellable {

  /// The queue that announces readiness, for one operation at a time.
  private static let announcer = DispatchQueue(label: "DelayReadyOperation")

  private let action: RevocableAction
  private let isDue = Atomic<Bool>(false)

  init(_ action: @escaping () -> Void) {
    self.action = RevocableAction(action)
  }

  override var isReady: Bool {
    super.isReady && isDue.load(ordering: .acquiring)
  }

  /// Makes the operation ready after a delay in seconds. Call it after the operation was added to its queue.
  func becomeReady(after delay: TimeInterval) {
    Self.announcer.asyncAfter(deadline: .now() + max(0, delay)) { [weak self] in self?.announceReadiness() }
  }

  override func main() {
    action.runLast()
  }

  /// Releases the action and makes the operation ready. A queue removes an operation only after it was ready.
  override func cancel() {
    super.cancel()
    action.cancel()
    Self.announcer.async { self.announceReadiness() }
  }

  private func announceReadiness() {
    guard !isDue.load(ordering: .relaxed) else { return }
    willChangeValue(for: \.isReady)
    isDue.store(true, ordering: .releasing)
    didChangeValue(for: \.isReady)
  }
}

// `Operation` is thread-safe, and the properties added here are atomic or constant.
extension DelayedOperation: @unchecked Sendable {}

/// A repetition that runs an action in one delayed operation after another.
private final class RepeatedOperation: Cancellable {

  private let queue: OperationQueue
  private let interval: TimeInterval
  private let action: RevocableAction
  private let lock = Lock()

  /// The operation that waits for its time or runs.
  @exclusivity(unchecked)  // Only with the lock held.
  private var operation: DelayedOperation?

  init(on queue: OperationQueue, interval: TimeInterval, _ action: @escaping () -> Void) {
    self.queue = queue
    self.interval = interval
    self.action = RevocableAction(action)
  }

  /// Adds an operation that becomes ready after a delay in seconds. After a cancel it adds none.
  func addOperation(delay: TimeInterval) {
    let next = DelayedOperation {
      self.action.run()
      self.addOperation(delay: self.interval)
    }
    let (isLive, last) = lock.withLock {
      // `cancel` revokes the action before it takes the lock. So either this check sees the revocation, or `cancel`
      // finds the new operation.
      action.isPresent ? (true, exchange(&operation, with: next)) : (false, nil)
    }
    _ = last  // Released with no lock held.
    guard isLive else { return }
    queue.addOperation(next)
    next.becomeReady(after: delay)
  }

  func cancel() {
    action.cancel()
    lock.withLock { exchange(&operation, with: nil) }?.cancel()
  }
}
