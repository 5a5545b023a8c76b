@_exported import CombineExtras
// Not all of `CombineTesting`, which has names of its own for other things, such as `TestScheduler`.
@_exported import class CombineTesting.ControlledScheduler
@_exported import typealias CombineTesting.TestSchedulerOf
@_exported import struct CombineTesting.UnimplementedScheduler
@_exported import typealias CombineTesting.UnimplementedSchedulerOf
