import CombineTesting
import Dispatch
import Foundation

extension CombineCore.Scheduler
where SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == DispatchQueue.SchedulerOptions {

  /// A scheduler that runs every action immediately, with the times of a dispatch queue.
  @available(*, deprecated, message: "use 'immediate'")
  public static var immediateScheduler: ImmediateSchedulerOf<Self> { DispatchQueue.immediate }

  /// A new scheduler with the times of a dispatch queue, whose clock moves only when the test moves it.
  @available(*, deprecated, message: "use 'test'")
  public static var testScheduler: TestSchedulerOf<Self> { DispatchQueue.test }
}

extension CombineCore.Scheduler
where SchedulerTimeType == OperationQueue.SchedulerTimeType, SchedulerOptions == OperationQueue.SchedulerOptions {

  /// A scheduler that runs every action immediately, with the times of a operation queue.
  @available(*, deprecated, message: "use 'immediate'")
  public static var immediateScheduler: ImmediateSchedulerOf<Self> { OperationQueue.immediate }

  /// A new scheduler with the times of a operation queue, whose clock moves only when the test moves it.
  @available(*, deprecated, message: "use 'test'")
  public static var testScheduler: TestSchedulerOf<Self> { OperationQueue.test }
}

extension CombineCore.Scheduler
where SchedulerTimeType == RunLoop.SchedulerTimeType, SchedulerOptions == RunLoop.SchedulerOptions {

  /// A scheduler that runs every action immediately, with the times of a run loop.
  @available(*, deprecated, message: "use 'immediate'")
  public static var immediateScheduler: ImmediateSchedulerOf<Self> { RunLoop.immediate }

  /// A new scheduler with the times of a run loop, whose clock moves only when the test moves it.
  @available(*, deprecated, message: "use 'test'")
  public static var testScheduler: TestSchedulerOf<Self> { RunLoop.test }
}
