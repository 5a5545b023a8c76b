import CombineCore
import Foundation

extension RunLoop: Scheduler {

  /// A run loop takes no options: pass `nil`.
  public struct SchedulerOptions: Sendable {}

  /// The present date.
  public var now: SchedulerTimeType {
    SchedulerTimeType(Date())
  }

  /// Zero: a run loop takes any tolerance.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs an action on the run loop's thread, the next time that the loop runs in the default mode.
  ///
  /// The main run loop's actions run on the main queue instead where nobody runs that loop: in a program with an
  /// asynchronous `main`, or after `dispatchMain()`. That queue need not run on the main thread then.
  ///
  /// ```swift
  /// RunLoop.main.schedule { print("on the main thread") }
  /// ```
  ///
  /// - Parameters:
  ///   - options: This scheduler ignores them.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    RunLoopAgenda.of(self).add(action)
  }

  /// Runs an action on the run loop's thread when a date is reached and the loop runs in the default mode.
  ///
  /// ```swift
  /// let loop = RunLoop.main
  /// loop.schedule(after: loop.now.advanced(by: .milliseconds(10))) { print("a little later") }
  /// ```
  ///
  /// - Parameters:
  ///   - date: When to run the action; as soon as possible if it has passed.
  ///   - tolerance: Ignored: Foundation's timers have none where this package is used.
  ///   - options: This scheduler ignores them.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    RunLoopAgenda.of(self).add(action, at: date.date)
  }

  /// Runs an action on the run loop's thread when a date is reached, and then once in every interval, while the loop
  /// runs in the default mode.
  ///
  /// A run that comes too late, because the thread was busy, takes the place of those missed.
  ///
  /// ```swift
  /// let loop = RunLoop.main
  /// let ticks = loop.schedule(after: loop.now, interval: .seconds(1)) { print("tick") }
  /// ticks.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - date: When to run the action first; as soon as possible if it has passed.
  ///   - interval: The time between two runs; at least 0.1 ms, whatever is passed.
  ///   - tolerance: Ignored: Foundation's timers have none where this package is used.
  ///   - options: This scheduler ignores them.
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

  /// The shortest interval of a repetition, as on Apple's platforms.
  static let shortestInterval: TimeInterval = 0.0001
}
