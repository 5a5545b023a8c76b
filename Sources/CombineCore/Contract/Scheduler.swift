/// A protocol for objects that run actions: as soon as possible, later, or repeatedly.
public protocol Scheduler<SchedulerTimeType> {

  /// A point in time on this scheduler's clock.
  associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

  /// The type of the options that an action can be scheduled with.
  associatedtype SchedulerOptions

  /// The current time.
  var now: SchedulerTimeType { get }

  /// The smallest tolerance that the scheduler allows.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Runs an action as soon as possible.
  ///
  /// - Parameters:
  ///   - options: The options that the scheduler is called with.
  ///   - action: A closure that the scheduler runs.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

  /// Runs an action at some time after a date.
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs.
  ///   - tolerance: The maximum time that the action may run late.
  ///   - options: The options that the scheduler is called with.
  ///   - action: A closure that the scheduler runs.
  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  )

  /// Runs an action repeatedly, for the first time at some time after a date.
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs first.
  ///   - interval: The interval between two runs.
  ///   - tolerance: The maximum time that a run may be late.
  ///   - options: The options that the scheduler is called with.
  ///   - action: A closure that the scheduler runs.
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
  /// - Parameter action: A closure that the scheduler runs.
  @inlinable
  public func schedule(_ action: @escaping () -> Void) {
    schedule(options: nil, action)
  }

  /// Runs an action at some time after a date, with the scheduler's minimum tolerance and no options.
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs.
  ///   - action: A closure that the scheduler runs.
  @inlinable
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs an action at some time after a date, without options.
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs.
  ///   - tolerance: The maximum time that the action may run late.
  ///   - action: A closure that the scheduler runs.
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
  ///   - date: The time at which the action runs first.
  ///   - interval: The interval between two runs.
  ///   - action: A closure that the scheduler runs.
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
  ///   - date: The time at which the action runs first.
  ///   - interval: The interval between two runs.
  ///   - tolerance: The maximum time that a run may be late.
  ///   - action: A closure that the scheduler runs.
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

/// A protocol for intervals that can be made from common units of time.
public protocol SchedulerTimeIntervalConvertible {

  /// Returns an interval of `s` seconds.
  static func seconds(_ s: Int) -> Self

  /// Returns an interval of `s` seconds.
  static func seconds(_ s: Double) -> Self

  /// Returns an interval of `ms` milliseconds.
  static func milliseconds(_ ms: Int) -> Self

  /// Returns an interval of `us` microseconds.
  static func microseconds(_ us: Int) -> Self

  /// Returns an interval of `ns` nanoseconds.
  static func nanoseconds(_ ns: Int) -> Self
}
