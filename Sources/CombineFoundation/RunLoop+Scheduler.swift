#if canImport(Foundation) && canImport(Dispatch) && !os(WASI)
  import CombineCore
  import Foundation

  extension RunLoop: Scheduler {

    /// The options of a run loop. There are none, so pass `nil`.
    public struct SchedulerOptions: Sendable {}

    /// The current date.
    public var now: SchedulerTimeType {
      SchedulerTimeType(Date())
    }

    /// The smallest tolerance, which is zero because a run loop accepts any tolerance.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs an action on the run loop's thread, the next time the loop runs in the default mode.
    ///
    /// If the main run loop is not running, its actions run on the main queue instead. This is so in a program with an
    /// asynchronous `main`, or after `dispatchMain()`. The main queue may then run on a thread other than the main one.
    ///
    /// ```swift
    /// RunLoop.main.schedule { print("on the main thread") }
    /// ```
    ///
    /// - Parameters:
    ///   - options: Ignored.
    ///   - action: A closure that the scheduler runs.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
      RunLoopAgenda.of(self).add(action)
    }

    /// Runs an action on the run loop's thread after a date, when the loop runs in the default mode.
    ///
    /// ```swift
    /// let loop = RunLoop.main
    /// loop.schedule(after: loop.now.advanced(by: .milliseconds(10))) { print("a little later") }
    /// ```
    ///
    /// - Parameters:
    ///   - date: The time at which the action runs. If it has passed, the action runs as soon as possible.
    ///   - tolerance: Ignored. On this package's platforms, Foundation's timers have no tolerance.
    ///   - options: Ignored.
    ///   - action: A closure that the scheduler runs.
    public func schedule(
      after date: SchedulerTimeType,
      tolerance: SchedulerTimeType.Stride,
      options: SchedulerOptions?,
      _ action: @escaping () -> Void
    ) {
      RunLoopAgenda.of(self).add(action, at: date.date)
    }

    /// Runs an action repeatedly on the run loop's thread, for the first time after a date.
    ///
    /// The action runs when the loop runs in the default mode. If the thread is busy, a late run replaces the missed
    /// ones.
    ///
    /// ```swift
    /// let loop = RunLoop.main
    /// let ticks = loop.schedule(after: loop.now, interval: .seconds(1)) { print("tick") }
    /// ticks.cancel()
    /// ```
    ///
    /// - Parameters:
    ///   - date: The time at which the action runs first. If it has passed, the action runs as soon as possible.
    ///   - interval: The interval between two runs. A shorter interval than 0.1 ms counts as 0.1 ms.
    ///   - tolerance: Ignored. On this package's platforms, Foundation's timers have no tolerance.
    ///   - options: Ignored.
    ///   - action: A closure that the scheduler runs.
    /// - Returns: An `AnyCancellable` that stops the repetition and releases the action when it is cancelled or released.
    public func schedule(
      after date: SchedulerTimeType,
      interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride,
      options: SchedulerOptions?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      RunLoopAgenda.of(self).add(action, at: date.date, interval: interval.timeInterval)
    }
  }

  extension RunLoop {

    /// The shortest interval of a repetition in seconds, as on Apple's platforms.
    static let shortestInterval: TimeInterval = 0.0001
  }
#endif
