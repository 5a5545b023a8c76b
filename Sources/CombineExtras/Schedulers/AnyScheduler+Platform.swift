#if canImport(Dispatch)
  import Dispatch

  extension AnyScheduler
  where
    SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == DispatchQueue.SchedulerOptions
  {

    /// A scheduler that runs actions on the main queue.
    ///
    /// ```swift
    /// func observe(_ names: some Publisher<String, Never>, on scheduler: AnySchedulerOf<DispatchQueue> = .main) {}
    /// ```
    public static var main: Self { Self(DispatchQueue.main) }

    /// Returns a scheduler that runs actions on a global queue.
    ///
    /// ```swift
    /// let scheduler: AnySchedulerOf<DispatchQueue> = .global(qos: .utility)
    /// scheduler.schedule { print("in the background") }
    /// ```
    ///
    /// - Parameter qos: The quality of service of the queue.
    /// - Returns: A scheduler that runs actions on that queue.
    public static func global(qos: DispatchQoS.QoSClass = .default) -> Self {
      Self(DispatchQueue.global(qos: qos))
    }
  }
#endif

#if canImport(Foundation) && canImport(Dispatch) && !os(WASI)
  import Foundation

  extension AnyScheduler
  where SchedulerTimeType == RunLoop.SchedulerTimeType, SchedulerOptions == RunLoop.SchedulerOptions {

    /// A scheduler that runs actions on the main run loop.
    ///
    /// ```swift
    /// func observe(_ names: some Publisher<String, Never>, on scheduler: AnySchedulerOf<RunLoop> = .main) {}
    /// ```
    public static var main: Self { Self(RunLoop.main) }

    /// Creates a scheduler that erases the type of a run loop.
    ///
    /// ```swift
    /// let scheduler: AnySchedulerOf<RunLoop> = AnyScheduler(RunLoop.main)
    /// scheduler.schedule { print("on the main thread") }
    /// ```
    ///
    /// - Parameter runLoop: The run loop that runs the actions.
    public init(_ runLoop: RunLoop) {
      self.init(SendableRunLoop(runLoop: runLoop))
    }
  }

  extension RunLoop {

    /// Erases the type of this run loop.
    ///
    /// ```swift
    /// let scheduler = RunLoop.main.eraseToAnyScheduler()
    /// scheduler.schedule { print("on the main thread") }
    /// ```
    ///
    /// - Returns: A scheduler that calls this run loop.
    public func eraseToAnyScheduler() -> AnySchedulerOf<RunLoop> {
      AnyScheduler(self)
    }
  }

  /// A run loop that is used only as a scheduler.
  private struct SendableRunLoop: Scheduler {

    let runLoop: RunLoop

    var now: RunLoop.SchedulerTimeType { runLoop.now }

    var minimumTolerance: RunLoop.SchedulerTimeType.Stride { runLoop.minimumTolerance }

    func schedule(options: RunLoop.SchedulerOptions?, _ action: @escaping () -> Void) {
      runLoop.schedule(options: options, action)
    }

    func schedule(
      after date: RunLoop.SchedulerTimeType,
      tolerance: RunLoop.SchedulerTimeType.Stride,
      options: RunLoop.SchedulerOptions?,
      _ action: @escaping () -> Void
    ) {
      runLoop.schedule(after: date, tolerance: tolerance, options: options, action)
    }

    func schedule(
      after date: RunLoop.SchedulerTimeType,
      interval: RunLoop.SchedulerTimeType.Stride,
      tolerance: RunLoop.SchedulerTimeType.Stride,
      options: RunLoop.SchedulerOptions?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      runLoop.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
    }
  }

  // All calls made here are safe from any thread. They pass an action to the loop or read the clock.
  extension SendableRunLoop: @unchecked Sendable {}

  extension AnyScheduler
  where
    SchedulerTimeType == OperationQueue.SchedulerTimeType, SchedulerOptions == OperationQueue.SchedulerOptions
  {

    /// A scheduler that runs actions on the main operation queue.
    ///
    /// ```swift
    /// func observe(_ names: some Publisher<String, Never>, on scheduler: AnySchedulerOf<OperationQueue> = .main) {}
    /// ```
    public static var main: Self { Self(OperationQueue.main) }
  }
#endif
