import CombineCore

/// A timer of a scheduler that fires once or regularly, until it is cancelled.
///
/// A scheduler's single action cannot be cancelled, so a delayed one would keep its conduit alive. This timer is a
/// repeating action, which is cancelled after its first run if the timer fires once. A cancellation releases the closure
/// at once, however long the scheduler keeps its action.
///
/// The operator stores the timer before it starts it. A timer that fires while it is being started therefore replaces
/// nothing newer.
@usableFromInline
final class ReleasableTimer: Cancellable {

  private let lock = Lock()

  @exclusivity(unchecked)  // These two: only with the lock held.
  private var action: (() -> Void)?

  @exclusivity(unchecked)
  private var token: (any Cancellable)?

  /// Creates a timer.
  ///
  /// - Parameter action: A closure that runs on the scheduler.
  @usableFromInline
  init(_ action: @escaping () -> Void) {
    self.action = action
  }

  /// Starts the timer to fire once, unless it was cancelled. It may fire before this call returns.
  @usableFromInline
  func start<S: Scheduler>(after interval: S.SchedulerTimeType.Stride, on scheduler: S, options: S.SchedulerOptions?) {
    // The repetition is never reached: the first run cancels it.
    start(after: interval, repeatingEvery: .seconds(3600), on: scheduler, options: options) { self.fire() }
  }

  /// Starts the timer to fire regularly, unless it was cancelled. It fires first after one interval.
  @usableFromInline
  func start<S: Scheduler>(every interval: S.SchedulerTimeType.Stride, on scheduler: S, options: S.SchedulerOptions?) {
    start(after: interval, repeatingEvery: interval, on: scheduler, options: options) {
      self.lock.withLock { self.action }?()
    }
  }

  private func start<S: Scheduler>(
    after delay: S.SchedulerTimeType.Stride,
    repeatingEvery interval: S.SchedulerTimeType.Stride,
    on scheduler: S,
    options: S.SchedulerOptions?,
    _ run: @escaping () -> Void
  ) {
    guard lock.withLock({ action != nil }) else { return }
    let token = scheduler.schedule(
      after: scheduler.now.advanced(by: delay),
      interval: interval,
      tolerance: scheduler.minimumTolerance,
      options: options,
      run
    )
    let isWaiting = lock.withLock {
      if action != nil { self.token = token }
      return action != nil
    }
    if !isWaiting { token.cancel() }
  }

  private func fire() {
    let (action, token) = take()
    token?.cancel()
    action?()
  }

  @usableFromInline
  func cancel() {
    let (action, token) = take()
    token?.cancel()
    withExtendedLifetime(action) {}  // Released with the lock free.
  }

  private func take() -> ((() -> Void)?, (any Cancellable)?) {
    lock.withLock { (exchange(&action, with: nil), exchange(&token, with: nil)) }
  }
}
