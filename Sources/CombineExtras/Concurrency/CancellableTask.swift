import CombineThreads
import CombineCore

/// A task that may be cancelled before it has been started, and that its own work may refer to.
///
/// The work may begin, and end, before the thread that starts the task has its handle. So others refer to this object.
@usableFromInline
final class CancellableTask: @unchecked Sendable {  // The lock guards what may change.

  @usableFromInline
  let lock = Lock()

  @exclusivity(unchecked)  // These two: only with the lock held.
  @usableFromInline
  var task: Task<Void, Never>?

  @exclusivity(unchecked)
  @usableFromInline
  var isCancelled = false

  @inlinable
  init() {}

  /// Starts the task. It is cancelled if ``cancel()`` was called before.
  @inlinable
  func start(_ work: TaskWork, priority: TaskPriority? = nil) {
    let task = work.start(priority: priority)
    let isLate = lock.withLock {
      if !isCancelled { self.task = task }
      return isCancelled
    }
    if isLate { task.cancel() }
  }

  /// Cancels the task, now or when it is started.
  @inlinable
  func cancel() {
    let started = lock.withLock {
      isCancelled = true
      return exchange(&task, with: nil)
    }
    started?.cancel()
  }
}
