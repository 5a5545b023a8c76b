import CombineCore
import Dispatch

extension DispatchQueue: Scheduler {

  /// Options for the actions that a dispatch queue runs.
  // Unchecked because `DispatchWorkItemFlags` is not marked, though it is a plain integer; the rest is Sendable.
  public struct SchedulerOptions: @unchecked Sendable {

    /// The quality of service of the action.
    public var qos: DispatchQoS

    /// The flags that the action is enqueued with.
    public var flags: DispatchWorkItemFlags

    /// The group that an action for "now" joins; actions for later dates ignore it.
    public var group: DispatchGroup?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - qos: The quality of service of the action.
    ///   - flags: The flags that the action is enqueued with.
    ///   - group: The group that an action for "now" joins.
    public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
      self.qos = qos
      self.flags = flags
      self.group = group
    }
  }

  /// The present instant on the clock of all dispatch queues.
  public var now: SchedulerTimeType {
    SchedulerTimeType(.now())
  }

  /// Zero: a dispatch queue takes any tolerance.
  public var minimumTolerance: SchedulerTimeType.Stride {
    .nanoseconds(0)
  }

  /// Enqueues an action, which never runs before this call returns.
  ///
  /// ```swift
  /// DispatchQueue.global().schedule { print("on the queue") }
  /// ```
  ///
  /// - Parameters:
  ///   - options: The quality of service, flags and group; the defaults of ``SchedulerOptions`` if `nil`.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    async(
      group: options?.group,
      qos: options?.qos ?? .unspecified,
      flags: options?.flags ?? [],
      execute: uncheckedSendable(action)
    )
  }

  /// Enqueues an action when a date is reached.
  ///
  /// ```swift
  /// let queue = DispatchQueue.global()
  /// queue.schedule(after: queue.now.advanced(by: .milliseconds(10))) { print("a little later") }
  /// ```
  ///
  /// - Parameters:
  ///   - date: When to enqueue the action; at once if it has passed.
  ///   - tolerance: This scheduler ignores it.
  ///   - options: The quality of service and flags; the group is ignored.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    asyncAfter(
      deadline: date.dispatchTime,
      qos: options?.qos ?? .unspecified,
      flags: options?.flags ?? [],
      execute: uncheckedSendable(action)
    )
  }

  /// Enqueues an action when a date is reached, and then once in every interval.
  ///
  /// ```swift
  /// let queue = DispatchQueue(label: "ticks")
  /// let ticks = queue.schedule(after: queue.now, interval: .seconds(1)) { print("tick") }
  /// ticks.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - date: When to run the action first; at once if it has passed.
  ///   - interval: The time between two runs; one below zero counts as zero, which is as fast as the queue can.
  ///   - tolerance: How late a run may be; one below zero counts as zero.
  ///   - options: The quality of service and flags; the group is ignored.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: An `AnyCancellable` that stops the repetition and releases the action when it is cancelled or released.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let action = RevocableAction(action)
    let source = DispatchSource.makeTimerSource(queue: self)
    // Dispatch traps on a negative interval or leeway.
    source.schedule(
      deadline: date.dispatchTime,
      repeating: max(interval, .zero).timeInterval,
      leeway: max(tolerance, .zero).timeInterval
    )
    source.setEventHandler(qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { action.run() }
    source.activate()
    return AnyCancellable {
      source.cancel()
      action.cancel()
    }
  }
}
