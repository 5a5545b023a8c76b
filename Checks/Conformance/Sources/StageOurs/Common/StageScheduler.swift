#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// A scheduler that runs on the clock of a stage.
protocol StageScheduler: Scheduler
where
  SchedulerTimeType == VirtualScheduler.SchedulerTimeType, SchedulerOptions == VirtualScheduler.SchedulerOptions
{}

extension VirtualScheduler: StageScheduler {}

/// A scheduler that runs actions late, only at multiples of ten, so that many become due at the same time.
struct CoarseScheduler: StageScheduler {

  let base: VirtualScheduler

  init(_ base: VirtualScheduler) { self.base = base }

  var now: VirtualScheduler.SchedulerTimeType { base.now }
  var minimumTolerance: VirtualScheduler.SchedulerTimeType.Stride { base.minimumTolerance }

  func schedule(options: VirtualScheduler.SchedulerOptions?, _ action: @escaping () -> Void) {
    base.schedule(options: options, action)
  }

  func schedule(
    after date: VirtualScheduler.SchedulerTimeType,
    tolerance: VirtualScheduler.SchedulerTimeType.Stride,
    options: VirtualScheduler.SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    base.schedule(after: coarse(date), tolerance: tolerance, options: options, action)
  }

  func schedule(
    after date: VirtualScheduler.SchedulerTimeType,
    interval: VirtualScheduler.SchedulerTimeType.Stride,
    tolerance: VirtualScheduler.SchedulerTimeType.Stride,
    options: VirtualScheduler.SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    base.schedule(after: coarse(date), interval: interval, tolerance: tolerance, options: options, action)
  }

  private func coarse(_ date: VirtualScheduler.SchedulerTimeType) -> VirtualScheduler.SchedulerTimeType {
    .init((date.milliseconds + 9) / 10 * 10)
  }
}

/// A scheduler that runs actions of the same time in reverse order, as a concurrent queue may. Repetitions are
/// unchanged.
final class ReversedScheduler: StageScheduler {

  private let base: VirtualScheduler

  /// The actions that wait for the same time. The actions in the base scheduler keep it alive.
  private final class Moment {
    var actions: [() -> Void] = []
  }

  private struct WeakMoment {
    weak var moment: Moment?
  }

  private var moments: [VirtualScheduler.SchedulerTimeType: WeakMoment] = [:]

  init(_ base: VirtualScheduler) { self.base = base }

  var now: VirtualScheduler.SchedulerTimeType { base.now }
  var minimumTolerance: VirtualScheduler.SchedulerTimeType.Stride { base.minimumTolerance }

  func schedule(options: VirtualScheduler.SchedulerOptions?, _ action: @escaping () -> Void) {
    base.schedule(options: options, last(of: base.time, action))
  }

  func schedule(
    after date: VirtualScheduler.SchedulerTimeType,
    tolerance: VirtualScheduler.SchedulerTimeType.Stride,
    options: VirtualScheduler.SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    base.schedule(after: date, tolerance: tolerance, options: options, last(of: date, action))
  }

  func schedule(
    after date: VirtualScheduler.SchedulerTimeType,
    interval: VirtualScheduler.SchedulerTimeType.Stride,
    tolerance: VirtualScheduler.SchedulerTimeType.Stride,
    options: VirtualScheduler.SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    base.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
  }

  /// Returns an action that runs the newest action that waits for the same time.
  private func last(of time: VirtualScheduler.SchedulerTimeType, _ action: @escaping () -> Void) -> () -> Void {
    let moment = moments[time]?.moment ?? Moment()
    moments[time] = WeakMoment(moment: moment)
    moment.actions.append(action)
    return { moment.actions.popLast()?() }
  }
}
