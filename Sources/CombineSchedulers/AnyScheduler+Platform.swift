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
}

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
