import CombineTesting
import Dispatch
import Foundation

// `CombineTesting` offers the same for every scheduler with the times of a stand-in. These members of one type are
// preferred to those, so that code which imports both modules is not ambiguous.

extension DispatchQueue {

  /// A scheduler that runs every action immediately, with the times of a dispatch queue.
  public static var immediate: ImmediateSchedulerOf<DispatchQueue> {
    ImmediateSchedulerOf<DispatchQueue>(now: .startOfStandIn)
  }

  /// A new scheduler with the times of a dispatch queue, whose clock moves only when the test moves it.
  public static var test: TestSchedulerOf<DispatchQueue> { TestSchedulerOf<DispatchQueue>() }

  /// A scheduler with the times of a dispatch queue that fails the test when it is used.
  public static var unimplemented: UnimplementedSchedulerOf<DispatchQueue> { unimplemented("DispatchQueue") }

  /// Returns a scheduler with the times of a dispatch queue that fails the test when it is used.
  ///
  /// - Parameter prefix: The text at the beginning of each failure's message.
  /// - Returns: A scheduler that fails the test when it is used.
  public static func unimplemented(_ prefix: String) -> UnimplementedSchedulerOf<DispatchQueue> {
    UnimplementedSchedulerOf<DispatchQueue>(prefix, now: .startOfStandIn)
  }

  /// The former name of `unimplemented`.
  public static var failing: UnimplementedSchedulerOf<DispatchQueue> { unimplemented }

  /// The former name of `unimplemented(_:)`.
  public static func failing(_ prefix: String) -> UnimplementedSchedulerOf<DispatchQueue> { unimplemented(prefix) }
}

extension OperationQueue {

  /// A scheduler that runs every action immediately, with the times of a operation queue.
  public static var immediate: ImmediateSchedulerOf<OperationQueue> {
    ImmediateSchedulerOf<OperationQueue>(now: .startOfStandIn)
  }

  /// A new scheduler with the times of a operation queue, whose clock moves only when the test moves it.
  public static var test: TestSchedulerOf<OperationQueue> { TestSchedulerOf<OperationQueue>() }

  /// A scheduler with the times of a operation queue that fails the test when it is used.
  public static var unimplemented: UnimplementedSchedulerOf<OperationQueue> { unimplemented("OperationQueue") }

  /// Returns a scheduler with the times of a operation queue that fails the test when it is used.
  ///
  /// - Parameter prefix: The text at the beginning of each failure's message.
  /// - Returns: A scheduler that fails the test when it is used.
  public static func unimplemented(_ prefix: String) -> UnimplementedSchedulerOf<OperationQueue> {
    UnimplementedSchedulerOf<OperationQueue>(prefix, now: .startOfStandIn)
  }

  /// The former name of `unimplemented`.
  public static var failing: UnimplementedSchedulerOf<OperationQueue> { unimplemented }

  /// The former name of `unimplemented(_:)`.
  public static func failing(_ prefix: String) -> UnimplementedSchedulerOf<OperationQueue> { unimplemented(prefix) }
}

extension RunLoop {

  /// A scheduler that runs every action immediately, with the times of a run loop.
  public static var immediate: ImmediateSchedulerOf<RunLoop> { ImmediateSchedulerOf<RunLoop>(now: .startOfStandIn) }

  /// A new scheduler with the times of a run loop, whose clock moves only when the test moves it.
  public static var test: TestSchedulerOf<RunLoop> { TestSchedulerOf<RunLoop>() }

  /// A scheduler with the times of a run loop that fails the test when it is used.
  public static var unimplemented: UnimplementedSchedulerOf<RunLoop> { unimplemented("RunLoop") }

  /// Returns a scheduler with the times of a run loop that fails the test when it is used.
  ///
  /// - Parameter prefix: The text at the beginning of each failure's message.
  /// - Returns: A scheduler that fails the test when it is used.
  public static func unimplemented(_ prefix: String) -> UnimplementedSchedulerOf<RunLoop> {
    UnimplementedSchedulerOf<RunLoop>(prefix, now: .startOfStandIn)
  }

  /// The former name of `unimplemented`.
  public static var failing: UnimplementedSchedulerOf<RunLoop> { unimplemented }

  /// The former name of `unimplemented(_:)`.
  public static func failing(_ prefix: String) -> UnimplementedSchedulerOf<RunLoop> { unimplemented(prefix) }
}

extension UIScheduler {

  /// A scheduler that runs every action immediately, with the times of the main queue.
  public static var immediate: ImmediateSchedulerOf<UIScheduler> {
    ImmediateSchedulerOf<UIScheduler>(now: .startOfStandIn)
  }

  /// A new scheduler with the times of the main queue, whose clock moves only when the test moves it.
  public static var test: TestSchedulerOf<UIScheduler> { TestSchedulerOf<UIScheduler>() }
}
