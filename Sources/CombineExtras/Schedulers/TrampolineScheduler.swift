import CCombinePlatform
import CombineCore

/// A scheduler that runs an action inside the call, or after the action that is running on this thread.
///
/// With `ImmediateScheduler`, an action that schedules another one is interrupted by it. With this scheduler the second
/// action runs when the first one has returned. Each thread has its own queue. Time does not pass, and an action cannot be
/// delayed: that traps.
///
/// ```swift
/// TrampolineScheduler.shared.schedule {
///   TrampolineScheduler.shared.schedule { print("second") }
///   print("first")
/// }
/// // prints first, second
/// ```
public final class TrampolineScheduler: Scheduler, Sendable {

  /// The instants of this scheduler.
  public typealias SchedulerTimeType = ImmediateScheduler.SchedulerTimeType

  /// This scheduler has no options.
  public typealias SchedulerOptions = ImmediateScheduler.SchedulerOptions

  /// The scheduler.
  public static let shared = TrampolineScheduler()

  private init() {}

  /// The only instant.
  public var now: SchedulerTimeType { ImmediateScheduler.shared.now }

  /// Zero.
  public var minimumTolerance: SchedulerTimeType.Stride { ImmediateScheduler.shared.minimumTolerance }

  /// Runs an action now, or after the action that is running on this thread and those that wait for it.
  ///
  /// - Parameters:
  ///   - options: Not used.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    if let address = combine_waiting_actions() {
      let waiting = Unmanaged<WaitingActions>.fromOpaque(address).takeUnretainedValue()
      waiting.actions.append(WaitingAction(run: action))
      return
    }
    let waiting = WaitingActions()
    combine_set_waiting_actions(Unmanaged.passUnretained(waiting).toOpaque())
    withExtendedLifetime(waiting) {
      action()
      while let next = waiting.actions.popFirst() { next.run() }
    }
    combine_set_waiting_actions(nil)
  }

  /// Traps, because this scheduler cannot delay an action.
  ///
  /// - Parameters:
  ///   - date: Not used.
  ///   - tolerance: Not used.
  ///   - options: Not used.
  ///   - action: Not used.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    fatalError("TrampolineScheduler: an action cannot be delayed. Use another scheduler.")
  }

  /// Traps, because this scheduler cannot delay an action.
  ///
  /// - Parameters:
  ///   - date: Not used.
  ///   - interval: Not used.
  ///   - tolerance: Not used.
  ///   - options: Not used.
  ///   - action: Not used.
  /// - Returns: Nothing.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    fatalError("TrampolineScheduler: an action cannot be delayed. Use another scheduler.")
  }
}

/// The actions that wait on one thread.
private final class WaitingActions {
  var actions = Deque<WaitingAction>()
}

// A structure, although it holds only a closure: in a release build the specializer of Swift 6.2 fails an assertion for a
// container of functions, such as `Deque<() -> Void>`.
struct WaitingAction {
  let run: () -> Void
}
