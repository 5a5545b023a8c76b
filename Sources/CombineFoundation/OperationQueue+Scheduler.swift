#if canImport(Foundation) && canImport(Dispatch) && !os(WASI)
  import CombineThreads
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
      addOperation(QueuedActions.of(self).operation(action))
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
      let deadline = DispatchTime.now() + max(0, date.date.timeIntervalSinceNow)
      let operation = DelayedOperation(action)
      addOperation(operation)
      operation.becomeReady(at: deadline)
    }

    /// Adds an operation that becomes ready at a date and then runs an action.
    ///
    /// After each run, it adds another operation, for the next date. The dates are an interval apart, however long the action
    /// takes. If several have passed, the action runs once for them.
    ///
    /// ```swift
    /// let queue = OperationQueue()
    /// let ticks = queue.schedule(after: queue.now, interval: .seconds(1)) { print("tick") }
    /// ticks.cancel()
    /// ```
    ///
    /// - Parameters:
    ///   - date: The time at which the action runs first. If it has passed, the action runs as soon as possible.
    ///   - interval: The interval between two dates.
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
      let first = DispatchTime.now() + max(0, date.date.timeIntervalSinceNow)
      let repetition = RepeatedOperation(on: self, interval: interval.timeInterval, action)
      repetition.addOperation(at: first)
      return AnyCancellable(repetition)
    }
  }

  /// An operation that becomes ready at its time, and then runs an action once.
  private class DelayedOperation: Operation, Cancellable, @unchecked Sendable {

    /// The queue that announces readiness, for one operation at a time.
    private static let announcer = DispatchQueue(label: "DelayReadyOperation")

    // Sendable: `Operation` is thread-safe, and these are constant or atomic.
    private let action: RevocableAction
    private let isDue = Atomic<Bool>(false)

    init(_ action: @escaping () -> Void) {
      self.action = RevocableAction(action)
    }

    override final var isReady: Bool {
      super.isReady && isDue.load(ordering: .acquiring)
    }

    /// Makes the operation ready at a time. Call it after the operation was added to its queue.
    func becomeReady(at deadline: DispatchTime) {
      Self.announcer.asyncAfter(deadline: deadline) { [weak self] in self?.announceReadiness() }
    }

    override final func main() {
      action.runLast()
    }

    /// Releases the action and makes the operation ready. A queue removes an operation only after it was ready.
    override final func cancel() {
      super.cancel()
      if action.revoke() { didDrop() }
      Self.announcer.async { self.announceReadiness() }
    }

    /// Called when a cancel has released the action before it ran.
    func didDrop() {}

    private func announceReadiness() {
      guard !isDue.load(ordering: .relaxed) else { return }
      willChangeValue(for: \.isReady)
      isDue.store(true, ordering: .releasing)
      didChangeValue(for: \.isReady)
    }
  }

  /// A repetition that runs an action in one delayed operation after another. It ends if the queue cancels the one that waits.
  private final class RepeatedOperation: Cancellable {

    private final class Step: DelayedOperation, @unchecked Sendable {

      // Sendable: written before the operation is shared, and thread-safe.
      weak var repetition: RepeatedOperation?

      override func didDrop() {
        repetition?.action.cancel()
      }
    }

    private let queue: OperationQueue
    private let interval: TimeInterval
    private let action: RevocableAction
    private let lock = Lock()

    /// The operation that waits for its time or runs.
    @exclusivity(unchecked)  // Only with the lock held.
    private var operation: Step?

    init(on queue: OperationQueue, interval: TimeInterval, _ action: @escaping () -> Void) {
      self.queue = queue
      self.interval = interval
      self.action = RevocableAction(action)
    }

    /// Adds an operation that becomes ready at a time. After a cancel it adds none.
    func addOperation(at deadline: DispatchTime) {
      let next = Step {
        self.action.run()
        self.addOperation(at: self.deadline(after: deadline))
      }
      next.repetition = self
      let (isLive, last) = lock.withLock {
        // `cancel` revokes the action before it takes the lock. So either this check sees the revocation, or `cancel`
        // finds the new operation.
        action.isPresent ? (true, exchange(&operation, with: next)) : (false, nil)
      }
      _ = last  // Released with no lock held.
      guard isLive else { return }
      queue.addOperation(next)
      next.becomeReady(at: deadline)
    }

    /// The next time after the last one, so that the repetition does not drift. Times that have passed count as one.
    private func deadline(after last: DispatchTime) -> DispatchTime {
      let late = Double(DispatchTime.now().uptimeNanoseconds) - Double(last.uptimeNanoseconds)
      let missed = interval > 0 ? (late / 1e9 / interval).rounded(.down) : 0
      return last + interval * max(1, missed)
    }

    func cancel() {
      action.cancel()
      lock.withLock { exchange(&operation, with: nil) }?.cancel()
    }
  }
#endif
