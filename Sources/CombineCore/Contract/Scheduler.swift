/// A protocol for what can run an action now, later, or repeatedly.
public protocol Scheduler<SchedulerTimeType> {

  /// An instant on this scheduler's clock.
  associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

  /// Options that the scheduler takes with an action.
  associatedtype SchedulerOptions

  /// The present instant.
  var now: SchedulerTimeType { get }

  /// The smallest tolerance that the scheduler allows.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Runs an action as soon as possible.
  ///
  /// - Parameters:
  ///   - options: Options for the scheduler.
  ///   - action: What to run.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

  /// Runs an action at some time after a date.
  ///
  /// - Parameters:
  ///   - date: When to run the action.
  ///   - tolerance: How much later the action may run.
  ///   - options: Options for the scheduler.
  ///   - action: What to run.
  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  )

  /// Runs an action at some time after a date, and then again and again.
  ///
  /// - Parameters:
  ///   - date: When to run the action first.
  ///   - interval: The time between two runs.
  ///   - tolerance: How much later a run may happen.
  ///   - options: Options for the scheduler.
  ///   - action: What to run.
  /// - Returns: A cancellable that stops the repetition.
  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable
}

extension Scheduler {

  /// Runs an action as soon as possible, without options.
  ///
  /// - Parameter action: What to run.
  @inlinable
  public func schedule(_ action: @escaping () -> Void) {
    schedule(options: nil, action)
  }

  /// Runs an action at some time after a date, with the scheduler's minimum tolerance and no options.
  ///
  /// - Parameters:
  ///   - date: When to run the action.
  ///   - action: What to run.
  @inlinable
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs an action at some time after a date, without options.
  ///
  /// - Parameters:
  ///   - date: When to run the action.
  ///   - tolerance: How much later the action may run.
  ///   - action: What to run.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) {
    schedule(after: date, tolerance: tolerance, options: nil, action)
  }

  /// Runs an action repeatedly, with the scheduler's minimum tolerance and no options.
  ///
  /// - Parameters:
  ///   - date: When to run the action first.
  ///   - interval: The time between two runs.
  ///   - action: What to run.
  /// - Returns: A cancellable that stops the repetition.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs an action repeatedly, without options.
  ///
  /// - Parameters:
  ///   - date: When to run the action first.
  ///   - interval: The time between two runs.
  ///   - tolerance: How much later a run may happen.
  ///   - action: What to run.
  /// - Returns: A cancellable that stops the repetition.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
  }
}

/// A protocol for durations that can be made from common units of time.
public protocol SchedulerTimeIntervalConvertible {

  /// A number of whole seconds.
  static func seconds(_ s: Int) -> Self

  /// A number of seconds.
  static func seconds(_ s: Double) -> Self

  /// A number of milliseconds.
  static func milliseconds(_ ms: Int) -> Self

  /// A number of microseconds.
  static func microseconds(_ us: Int) -> Self

  /// A number of nanoseconds.
  static func nanoseconds(_ ns: Int) -> Self
}
