import CombineTesting
import Dispatch
import Foundation

extension AnyScheduler
where SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == DispatchQueue.SchedulerOptions {

  /// A scheduler that runs every action immediately, with the times of a dispatch queue.
  public static var immediate: Self { DispatchQueue.immediate.eraseToAnyScheduler() }

  /// A scheduler with the times of a dispatch queue that fails the test when it is used.
  public static var unimplemented: Self { DispatchQueue.unimplemented.eraseToAnyScheduler() }

  /// Returns a scheduler with the times of a dispatch queue that fails the test when it is used.
  ///
  /// - Parameter prefix: The text at the beginning of each failure's message.
  /// - Returns: A scheduler that fails the test when it is used.
  public static func unimplemented(_ prefix: String) -> Self {
    DispatchQueue.unimplemented(prefix).eraseToAnyScheduler()
  }

  /// The former name of `unimplemented`.
  public static var failing: Self { unimplemented }

  /// The former name of `unimplemented(_:)`.
  public static func failing(_ prefix: String) -> Self { unimplemented(prefix) }
}

extension AnyScheduler
where SchedulerTimeType == OperationQueue.SchedulerTimeType, SchedulerOptions == OperationQueue.SchedulerOptions {

  /// A scheduler that runs every action immediately, with the times of a operation queue.
  public static var immediate: Self { OperationQueue.immediate.eraseToAnyScheduler() }

  /// A scheduler with the times of a operation queue that fails the test when it is used.
  public static var unimplemented: Self { OperationQueue.unimplemented.eraseToAnyScheduler() }

  /// Returns a scheduler with the times of a operation queue that fails the test when it is used.
  ///
  /// - Parameter prefix: The text at the beginning of each failure's message.
  /// - Returns: A scheduler that fails the test when it is used.
  public static func unimplemented(_ prefix: String) -> Self {
    OperationQueue.unimplemented(prefix).eraseToAnyScheduler()
  }

  /// The former name of `unimplemented`.
  public static var failing: Self { unimplemented }

  /// The former name of `unimplemented(_:)`.
  public static func failing(_ prefix: String) -> Self { unimplemented(prefix) }
}

extension AnyScheduler
where SchedulerTimeType == RunLoop.SchedulerTimeType, SchedulerOptions == RunLoop.SchedulerOptions {

  /// A scheduler that runs every action immediately, with the times of a run loop.
  public static var immediate: Self { RunLoop.immediate.eraseToAnyScheduler() }

  /// A scheduler with the times of a run loop that fails the test when it is used.
  public static var unimplemented: Self { RunLoop.unimplemented.eraseToAnyScheduler() }

  /// Returns a scheduler with the times of a run loop that fails the test when it is used.
  ///
  /// - Parameter prefix: The text at the beginning of each failure's message.
  /// - Returns: A scheduler that fails the test when it is used.
  public static func unimplemented(_ prefix: String) -> Self {
    RunLoop.unimplemented(prefix).eraseToAnyScheduler()
  }

  /// The former name of `unimplemented`.
  public static var failing: Self { unimplemented }

  /// The former name of `unimplemented(_:)`.
  public static func failing(_ prefix: String) -> Self { unimplemented(prefix) }
}
