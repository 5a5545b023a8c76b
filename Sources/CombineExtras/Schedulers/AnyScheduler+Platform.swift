import Dispatch
import Foundation

extension AnyScheduler
where
  SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == DispatchQueue.SchedulerOptions
{

  /// The main queue.
  ///
  /// ```swift
  /// func observe(_ names: some Publisher<String, Never>, on scheduler: AnySchedulerOf<DispatchQueue> = .main) {}
  /// ```
  public static var main: Self { Self(DispatchQueue.main) }

  /// A global queue.
  ///
  /// ```swift
  /// let scheduler: AnySchedulerOf<DispatchQueue> = .global(qos: .utility)
  /// scheduler.schedule { print("in the background") }
  /// ```
  ///
  /// - Parameter qos: Its quality of service.
  /// - Returns: The queue.
  public static func global(qos: DispatchQoS.QoSClass = .default) -> Self {
    Self(DispatchQueue.global(qos: qos))
  }
}

extension AnyScheduler
where SchedulerTimeType == RunLoop.SchedulerTimeType, SchedulerOptions == RunLoop.SchedulerOptions {

  /// The run loop of the main thread.
  ///
  /// ```swift
  /// func observe(_ names: some Publisher<String, Never>, on scheduler: AnySchedulerOf<RunLoop> = .main) {}
  /// ```
  public static var main: Self { Self(RunLoop.main) }

  /// Hides the type of a run loop.
  ///
  /// ```swift
  /// let scheduler: AnySchedulerOf<RunLoop> = AnyScheduler(RunLoop.main)
  /// scheduler.schedule { print("on the main thread") }
  /// ```
  ///
  /// - Parameter runLoop: The run loop.
  public init(_ runLoop: RunLoop) {
    self.init(SendableRunLoop(runLoop: runLoop))
  }
}

extension RunLoop {

  /// Hides the type of this run loop.
  ///
  /// ```swift
  /// let scheduler = RunLoop.main.eraseToAnyScheduler()
  /// scheduler.schedule { print("on the main thread") }
  /// ```
  ///
  /// - Returns: A scheduler that does what this one does.
  public func eraseToAnyScheduler() -> AnySchedulerOf<RunLoop> {
    AnyScheduler(self)
  }
}

/// A run loop as a scheduler only.
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

// All that is called here may be called from any thread: it hands an action to the loop, or reads the clock.
extension SendableRunLoop: @unchecked Sendable {}

extension AnyScheduler
where
  SchedulerTimeType == OperationQueue.SchedulerTimeType, SchedulerOptions == OperationQueue.SchedulerOptions
{

  /// The operation queue of the main thread.
  ///
  /// ```swift
  /// func observe(_ names: some Publisher<String, Never>, on scheduler: AnySchedulerOf<OperationQueue> = .main) {}
  /// ```
  public static var main: Self { Self(OperationQueue.main) }
}
