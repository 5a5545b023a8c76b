import CombineCore
import TestSupport

/// A scheduler whose actions and timers run on the threads of a program, one for each call.
final class StepScheduler: Scheduler {

  typealias SchedulerTimeType = VirtualScheduler.SchedulerTimeType
  typealias SchedulerOptions = VirtualScheduler.SchedulerOptions

  private final class Timer: Cancellable {
    var isCancelled = false
    let action: () -> Void

    init(_ action: @escaping () -> Void) {
      self.action = action
    }

    func cancel() {
      Interleavings.point("a timer is cancelled")
      isCancelled = true
    }
  }

  private var actions: [() -> Void] = []
  private var timers: [Timer] = []
  private(set) var now: SchedulerTimeType = 0

  var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs the oldest action, if there is one.
  func run() {
    Interleavings.point("the scheduler is free")
    if !actions.isEmpty { actions.removeFirst()() }
  }

  /// Fires the oldest timers once, by default all.
  func fire(_ count: Int = .max) {
    Interleavings.point("the time has come")
    now = now.advanced(by: 10)
    for timer in timers.prefix(count) where !timer.isCancelled { timer.action() }
    // Released afterwards: what an action holds may reach a point at which the threads are switched.
    let cancelled = timers.filter(\.isCancelled)
    timers.removeAll { $0.isCancelled }
    withExtendedLifetime(cancelled) {}
  }

  /// Runs the remaining actions.
  func runAll() {
    while !actions.isEmpty { run() }
  }

  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    Interleavings.point("the scheduler gets an action")
    actions.append(action)
  }

  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    schedule(options: options, action)
  }

  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    Interleavings.point("the scheduler gets a timer")
    let timer = Timer(action)
    timers.append(timer)
    Interleavings.point("the scheduler has a timer")
    return timer
  }
}
