import CombineCore

extension Scheduler where SchedulerTimeType: StandInTime {

  /// A stand-in that runs every action immediately, before the call returns.
  ///
  /// Use it for tests and previews in which time does not matter. `ImmediateStandIn` says more.
  ///
  /// ```swift
  /// func show(_ names: some Publisher<String, Never>, on scheduler: AnySchedulerOf<DispatchQueue>) -> AnyCancellable {
  ///   names.delay(for: .seconds(1), scheduler: scheduler).sink { print($0) }
  /// }
  /// let cancellable = show(Just("Ada"), on: .immediate)  // prints Ada
  /// cancellable.cancel()
  /// ```
  public static var immediate: AnySchedulerOf<Self> {
    AnyScheduler(ImmediateStandIn(now: SchedulerTimeType.startOfStandIn))
  }
}

/// A stand-in for a scheduler, which runs every action immediately, before the call returns.
///
/// Its clock never moves. Dates, intervals, tolerances and options are ignored. A repeating action runs once.
/// `ImmediateScheduler` does the same, but has other instants and options.
///
/// ```swift
/// let scheduler = ImmediateSchedulerOf<DispatchQueue>(now: .startOfStandIn)
/// scheduler.schedule { print("at once") }  // prints at once
/// ```
public struct ImmediateStandIn<SchedulerTimeType, SchedulerOptions>: Scheduler
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {

  /// The time that this scheduler always shows.
  public let now: SchedulerTimeType

  /// Creates a scheduler.
  ///
  /// ```swift
  /// let scheduler = ImmediateStandIn<DispatchQueue.SchedulerTimeType, Never>(now: DispatchQueue.main.now)
  /// scheduler.schedule { print("at once") }  // prints at once
  /// ```
  ///
  /// - Parameter now: The time that the scheduler always shows.
  public init(now: SchedulerTimeType) {
    self.now = now
  }

  /// The smallest tolerance, which is zero.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs an action before the call returns.
  ///
  /// - Parameters:
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    action()
  }

  /// Runs an action before the call returns.
  ///
  /// - Parameters:
  ///   - date: Ignored.
  ///   - tolerance: Ignored.
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Runs an action once, before the call returns.
  ///
  /// - Parameters:
  ///   - date: Ignored.
  ///   - interval: Ignored.
  ///   - tolerance: Ignored.
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: A cancellable that does nothing.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return Subscriptions.empty
  }
}

extension ImmediateStandIn: Sendable where SchedulerTimeType: Sendable, SchedulerTimeType.Stride: Sendable {}

/// A stand-in that runs every action immediately, with the instants and options of the scheduler `S`.
///
/// ```swift
/// let scheduler = ImmediateSchedulerOf<RunLoop>(now: .startOfStandIn)
/// scheduler.schedule { print("at once") }  // prints at once
/// ```
public typealias ImmediateSchedulerOf<S: Scheduler> = ImmediateStandIn<S.SchedulerTimeType, S.SchedulerOptions>
