import CombineThreads
import CombineCore

/// A timer of a scheduler that fires once or regularly, until it is cancelled.
///
/// A scheduler's single action cannot be cancelled, so a delayed one would keep its conduit alive. This timer is a
/// repeating action, which is cancelled after its first run if the timer fires once. A cancellation releases the closure
/// at once, however long the scheduler keeps its action.
///
/// The operator stores the timer before it starts it. A timer that fires while it is being started therefore replaces
/// nothing newer.
///
/// If the scheduler drops the action, the closure is released, too.
@usableFromInline
final class ReleasableTimer: Cancellable {

  /// What is released when the timer has fired for the last time, was cancelled or was dropped.
  private struct Pending {
    let action: () -> Void
    let whenDropped: (() -> Void)?
    var token: (any Cancellable)?
  }

  private let lock = Lock()

  @exclusivity(unchecked)  // These two: only with the lock held.
  private var pending: Pending?

  /// A closure that returns whether the date of the first run has passed. The scheduler has dropped the action.
  @exclusivity(unchecked)
  private var isDateOver: (() -> Bool)?

  /// What the scheduler holds. It is released when the scheduler drops the action.
  private final class Run {
    let timer: ReleasableTimer
    let isDateOver: () -> Bool

    init(_ timer: ReleasableTimer, isDateOver: @escaping () -> Bool) {
      self.timer = timer
      self.isDateOver = isDateOver
    }

    deinit { timer.drop(isDateOver) }
  }

  /// Creates a timer.
  ///
  /// - Parameters:
  ///   - action: A closure that runs on the scheduler.
  ///   - whenDropped: A closure that is called if the scheduler drops the action.
  @usableFromInline
  init(_ action: @escaping () -> Void, whenDropped: (() -> Void)? = nil) {
    pending = Pending(action: action, whenDropped: whenDropped)
  }

  /// Starts the timer to fire once, unless it was cancelled. It may fire before this call returns.
  @usableFromInline
  func start<S: Scheduler>(after interval: S.SchedulerTimeType.Stride, on scheduler: S, options: S.SchedulerOptions?) {
    // The repetition is never reached: the first run cancels it.
    start(after: interval, repeatingEvery: .seconds(3600), on: scheduler, options: options) { $0.fire() }
  }

  /// Starts the timer to fire regularly, unless it was cancelled. It fires first after one interval.
  @usableFromInline
  func start<S: Scheduler>(every interval: S.SchedulerTimeType.Stride, on scheduler: S, options: S.SchedulerOptions?) {
    start(after: interval, repeatingEvery: interval, on: scheduler, options: options) { timer in
      timer.lock.withLock { timer.pending?.action }?()
    }
  }

  private func start<S: Scheduler>(
    after delay: S.SchedulerTimeType.Stride,
    repeatingEvery interval: S.SchedulerTimeType.Stride,
    on scheduler: S,
    options: S.SchedulerOptions?,
    _ fire: @escaping (ReleasableTimer) -> Void
  ) {
    guard lock.withLock({ pending != nil }) else { return }
    let date = scheduler.now.advanced(by: delay)
    let run = Run(self) { scheduler.now > date }
    let token = scheduler.schedule(
      after: date,
      interval: interval,
      tolerance: scheduler.minimumTolerance,
      options: options
    ) {
      fire(run.timer)
    }
    let isWaiting = lock.withLock {
      pending?.token = token
      return pending != nil
    }
    if !isWaiting { token.cancel() }
  }

  /// Whether the scheduler has dropped the timer, and its date has passed. With a scheduler that has no clock none passes.
  @usableFromInline
  var isLost: Bool { lock.withLock { isDateOver }?() ?? false }

  private func drop(_ isDateOver: @escaping () -> Bool) {
    guard let dropped = take() else { return }
    lock.withLock { self.isDateOver = isDateOver }
    dropped.whenDropped?()
  }

  private func fire() {
    let last = take()
    last?.token?.cancel()
    last?.action()
  }

  @usableFromInline
  func cancel() {
    take()?.token?.cancel()
  }

  /// Takes everything, which is then released with the lock free.
  private func take() -> Pending? {
    lock.withLock { exchange(&pending, with: nil) }
  }
}
