import Dispatch

extension DispatchQueue {

  /// OpenCombine's name for what Combine adds to a dispatch queue.
  ///
  /// The scheduler `DispatchQueue.main` and `DispatchQueue.main.ocombine` run the same actions at the same times.
  ///
  /// ```swift
  /// let cancellable = Just("hello")
  ///   .receive(on: DispatchQueue.main.ocombine)
  ///   .sink { print($0) }
  /// ```
  @inlinable
  public var ocombine: OCombine { OCombine(self) }

  /// A scheduler that passes each call to a dispatch queue.
  public struct OCombine: Scheduler {

    /// The library's type of instants, under its name in OpenCombine.
    public typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType

    /// The library's type of options, under its name in OpenCombine.
    public typealias SchedulerOptions = DispatchQueue.SchedulerOptions

    /// The scheduler that runs the actions.
    public let queue: DispatchQueue

    /// Creates a wrapper.
    ///
    /// - Parameter queue: The scheduler that runs the actions.
    @inlinable
    public init(_ queue: DispatchQueue) {
      self.queue = queue
    }

    /// The current time.
    @inlinable
    public var now: SchedulerTimeType { queue.now }

    /// The smallest tolerance, which is zero.
    @inlinable
    public var minimumTolerance: SchedulerTimeType.Stride { queue.minimumTolerance }

    /// Runs an action as soon as possible, but never before this call returns.
    ///
    /// - Parameters:
    ///   - options: The options that the wrapped scheduler is called with.
    ///   - action: A closure that the scheduler runs.
    @inlinable
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
      queue.schedule(options: options, action)
    }

    /// Runs an action at a time.
    ///
    /// - Parameters:
    ///   - date: The time at which the action runs. If it has passed, the action runs as soon as possible.
    ///   - tolerance: The maximum time that the action may be late.
    ///   - options: The options that the wrapped scheduler is called with.
    ///   - action: A closure that the scheduler runs.
    @inlinable
    public func schedule(
      after date: SchedulerTimeType,
      tolerance: SchedulerTimeType.Stride,
      options: SchedulerOptions?,
      _ action: @escaping () -> Void
    ) {
      queue.schedule(after: date, tolerance: tolerance, options: options, action)
    }

    /// Runs an action at a time, and then repeatedly in intervals.
    ///
    /// - Parameters:
    ///   - date: The time at which the action runs first. If it has passed, the action runs as soon as possible.
    ///   - interval: The interval between two runs.
    ///   - tolerance: The maximum time that a run may be late.
    ///   - options: The options that the wrapped scheduler is called with.
    ///   - action: A closure that the scheduler runs.
    /// - Returns: An `AnyCancellable` that stops the repetition when it is cancelled or released.
    @inlinable
    public func schedule(
      after date: SchedulerTimeType,
      interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride,
      options: SchedulerOptions?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      queue.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
    }
  }
}
