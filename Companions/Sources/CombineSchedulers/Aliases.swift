import CombineTesting

/// The protocol of schedulers, for a file in which `Scheduler` means something else.
public typealias _CombineScheduler = CombineCore.Scheduler

/// A scheduler whose clock moves only when the test moves it.
public typealias TestScheduler = ControlledScheduler

/// A scheduler that runs every action immediately. Combine has another type of this name, so use
/// `ImmediateSchedulerOf`.
public typealias ImmediateScheduler = ImmediateStandIn

/// The former name of `UnimplementedScheduler`.
public typealias FailingScheduler = UnimplementedScheduler

/// The former name of `UnimplementedSchedulerOf`.
public typealias FailingSchedulerOf<S: CombineCore.Scheduler> = UnimplementedSchedulerOf<S>

extension Publishers {

  /// A connectable publisher that sends the current time of a scheduler in intervals.
  public typealias Timer = ExtraPublishers.Timer
}
