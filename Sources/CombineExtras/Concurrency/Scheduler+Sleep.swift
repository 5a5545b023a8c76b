import CombineThreads
import CombineCore

extension Scheduler {

  /// Waits until an interval has passed on this scheduler.
  ///
  /// If the interval is not positive, the task waits until the scheduler runs an action without a date.
  ///
  /// ```swift
  /// func remind(after seconds: Int, on scheduler: AnySchedulerOf<DispatchQueue>) async throws {
  ///   try await scheduler.sleep(for: .seconds(seconds))
  ///   print("now")
  /// }
  /// ```
  ///
  /// It calls the scheduler on the actor of its caller. A wait that ends in any way leaves no action with a date on the
  /// scheduler. If the scheduler drops the action, the wait ends as if the task was cancelled.
  ///
  /// - Parameters:
  ///   - duration: The interval to wait.
  ///   - tolerance: The maximum time that the wait may last longer.
  ///   - options: The options that the scheduler is called with.
  /// - Throws: `CancellationError` if the task is cancelled before or during the wait, or if the scheduler drops the action.
  nonisolated(nonsending) public func sleep(
    for duration: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) async throws {
    try await sleep(for: duration, tolerance: tolerance, options: options, isolation: #isolation)
  }

  /// Waits until the clock of this scheduler reaches a time.
  ///
  /// It waits for the interval from now to that time, like `sleep(for:tolerance:options:)`.
  ///
  /// ```swift
  /// func remind(at time: DispatchQueue.SchedulerTimeType, on scheduler: AnySchedulerOf<DispatchQueue>) async throws {
  ///   try await scheduler.sleep(until: time)
  ///   print("now")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - date: The time at which the wait ends.
  ///   - tolerance: The maximum time that the wait may last longer.
  ///   - options: The options that the scheduler is called with.
  /// - Throws: `CancellationError` if the task is cancelled before or during the wait, or if the scheduler drops the action.
  nonisolated(nonsending) public func sleep(
    until date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) async throws {
    try await sleep(for: now.distance(to: date), tolerance: tolerance, options: options)
  }

  /// Waits on an actor. A closure runs there only if it captures the actor.
  private func sleep(
    for duration: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    isolation: isolated (any Actor)?
  ) async throws {
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      _ = isolation
      try await withCheckedThrowingContinuation { continuation in
        guard sleeper.sleep(continuation) else { return }
        // The scheduler alone holds the alarm.
        let alarm = Alarm(sleeper)
        guard duration > .zero else { return schedule(options: options) { alarm.ring() } }
        // Only a repeating action can be cancelled. This one cancels itself when it runs.
        let token = schedule(
          after: now.advanced(by: duration),
          interval: duration,
          tolerance: tolerance,
          options: options
        ) {
          alarm.ring()
        }
        sleeper.keep(token)
      }
    } onCancel: {
      sleeper.wake(throwing: CancellationError())
    }
  }
}

/// The action of a wait. If the scheduler drops it, nothing else would end the wait.
private final class Alarm {

  private let sleeper: Sleeper

  init(_ sleeper: Sleeper) {
    self.sleeper = sleeper
  }

  func ring() { sleeper.wake() }

  deinit { sleeper.wake(throwing: CancellationError()) }
}

/// A wait that a scheduler or a cancellation ends.
private final class Sleeper: @unchecked Sendable {

  private enum State {
    case awake
    case asleep(CheckedContinuation<Void, any Error>, token: (any Cancellable)?)
    case ended(cancellation: CancellationError?)
  }

  private let lock = Lock()

  // Sendable: accessed only with the lock held. The token is only cancelled, which any thread may do.
  @exclusivity(unchecked)
  private var state = State.awake

  /// - Returns: Whether the wait begins. It does not if the task was cancelled before.
  func sleep(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
    let cancellation: CancellationError? = lock.withLock {
      if case .ended(let cancellation) = state { return cancellation }
      state = .asleep(continuation, token: nil)
      return nil
    }
    if let cancellation { continuation.resume(throwing: cancellation) }
    return cancellation == nil
  }

  /// Keeps what removes the action from the scheduler, or uses it if the wait has ended.
  func keep(_ token: any Cancellable) {
    let isKept = lock.withLock {
      guard case .asleep(let continuation, token: _) = state else { return false }
      state = .asleep(continuation, token: token)
      return true
    }
    if !isKept { token.cancel() }
  }

  /// Ends the wait. Later calls have no effect.
  func wake(throwing cancellation: CancellationError? = nil) {
    let old = lock.withLock { exchange(&state, with: .ended(cancellation: cancellation)) }
    guard case .asleep(let continuation, let token) = old else { return }
    token?.cancel()
    if let cancellation { continuation.resume(throwing: cancellation) } else { continuation.resume() }
  }
}
