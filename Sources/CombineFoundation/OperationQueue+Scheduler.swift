import CombineCore
import CombineDispatch
import Dispatch
import Foundation
import Synchronization

extension OperationQueue: Scheduler {

  /// An operation queue takes no options: pass `nil`.
  public struct SchedulerOptions: Sendable {}

  /// The present date.
  public var now: SchedulerTimeType {
    SchedulerTimeType(Date())
  }

  /// Zero: an operation queue takes any tolerance.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Adds an operation that runs an action.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// queue.schedule { print("on the queue") }
  /// ```
  ///
  /// - Parameters:
  ///   - options: This scheduler ignores them.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let action = UncheckedSendable(action)
    addOperation(BlockOperation { action.value() })
  }

  /// Adds an operation that becomes ready at a date and runs an action.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// queue.schedule(after: queue.now.advanced(by: .milliseconds(10))) { print("a little later") }
  /// queue.waitUntilAllOperationsAreFinished()  // waits for the date and the action
  /// ```
  ///
  /// - Parameters:
  ///   - date: When the operation becomes ready; as soon as possible if it has passed.
  ///   - tolerance: This scheduler ignores it.
  ///   - options: This scheduler ignores them.
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

  /// Adds an operation that becomes ready at a date and runs an action, and each time it has run another one that
  /// becomes ready an interval later.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// let ticks = queue.schedule(after: queue.now, interval: .seconds(1)) { print("tick") }
  /// ticks.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - date: When to run the action first; as soon as possible if it has passed.
  ///   - interval: The time from the end of one run to the beginning of the next.
  ///   - tolerance: This scheduler ignores it.
  ///   - options: This scheduler ignores them.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: An `AnyCancellable`, which stops the repetition and releases the action when cancelled or released.
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

/// An operation that is not ready until its time has come, and then runs an action once.
private final class DelayedOperation: Operation, Cancellable {

  /// Announces readiness, one operation after the other.
  private static let announcer = DispatchQueue(label: "DelayReadyOperation")

  private let action: RevocableAction
  private let isDue = Atomic<Bool>(false)

  init(_ action: @escaping () -> Void) {
    self.action = RevocableAction(action)
  }

  override var isReady: Bool {
    super.isReady && isDue.load(ordering: .acquiring)
  }

  /// Becomes ready when a time has passed; call it when the operation is in its queue.
  func becomeReady(after delay: TimeInterval) {
    Self.announcer.asyncAfter(deadline: .now() + max(0, delay)) { [weak self] in self?.announceReadiness() }
  }

  override func main() {
    action.runLast()
  }

  /// Drops the action, and becomes ready: only then can the queue be done with the operation.
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

// `Operation` may be used from any thread, and what is added to it is atomic or constant.
extension DelayedOperation: @unchecked Sendable {}

/// An action that runs in one delayed operation after another.
private final class RepeatedOperation: Cancellable {

  private let queue: OperationQueue
  private let interval: TimeInterval
  private let action: RevocableAction
  private let lock = Lock()

  /// The operation that waits for its time, or runs.
  @exclusivity(unchecked)  // Only with the lock held.
  private var operation: DelayedOperation?

  init(on queue: OperationQueue, interval: TimeInterval, _ action: @escaping () -> Void) {
    self.queue = queue
    self.interval = interval
    self.action = RevocableAction(action)
  }

  /// Adds an operation that becomes ready when a time has passed; nothing once cancelled.
  func addOperation(delay: TimeInterval) {
    let next = DelayedOperation {
      self.action.run()
      self.addOperation(delay: self.interval)
    }
    let (isLive, last) = lock.withLock {
      // `cancel` drops the action first, so whichever comes second sees what the other did.
      action.isPresent ? (true, exchange(&operation, with: next)) : (false, nil)
    }
    _ = last  // Released with the lock free.
    guard isLive else { return }
    queue.addOperation(next)
    next.becomeReady(after: delay)
  }

  func cancel() {
    action.cancel()
    lock.withLock { exchange(&operation, with: nil) }?.cancel()
  }
}
