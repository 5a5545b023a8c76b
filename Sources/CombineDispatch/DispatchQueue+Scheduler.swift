#if canImport(Dispatch)
  import CombineCore
  import Dispatch

  extension DispatchQueue: Scheduler {

    /// The options for actions that a dispatch queue runs.
    // Unchecked, because `DispatchWorkItemFlags` is not marked as Sendable, although it is a plain integer. All other
    // properties are Sendable.
    public struct SchedulerOptions: @unchecked Sendable {

      /// The quality of service with which the action runs.
      public var qos: DispatchQoS

      /// The flags with which the action is enqueued.
      public var flags: DispatchWorkItemFlags

      /// The group that an immediate action joins. Actions for a later date ignore it.
      public var group: DispatchGroup?

      /// Creates options.
      ///
      /// - Parameters:
      ///   - qos: The quality of service with which the action runs.
      ///   - flags: The flags with which the action is enqueued.
      ///   - group: The group that an immediate action joins.
      public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
        self.qos = qos
        self.flags = flags
        self.group = group
      }
    }

    /// The current time on the clock that all dispatch queues share.
    public var now: SchedulerTimeType {
      SchedulerTimeType(.now())
    }

    /// The smallest tolerance, which is zero because a dispatch queue accepts any tolerance.
    public var minimumTolerance: SchedulerTimeType.Stride {
      .nanoseconds(0)
    }

    /// Enqueues an action. The action never runs before this call returns.
    ///
    /// ```swift
    /// DispatchQueue.global().schedule { print("on the queue") }
    /// ```
    ///
    /// - Parameters:
    ///   - options: The quality of service, flags and group. `nil` means the defaults of ``SchedulerOptions``.
    ///   - action: A closure that the scheduler runs.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
      async(
        group: options?.group,
        qos: options?.qos ?? .unspecified,
        flags: options?.flags ?? noFlags,
        execute: uncheckedSendable(action)
      )
    }

    /// Enqueues an action at a date.
    ///
    /// ```swift
    /// let queue = DispatchQueue.global()
    /// queue.schedule(after: queue.now.advanced(by: .milliseconds(10))) { print("a little later") }
    /// ```
    ///
    /// - Parameters:
    ///   - date: The time at which the action is enqueued. If it has passed, the action is enqueued immediately.
    ///   - tolerance: Ignored.
    ///   - options: The quality of service and flags. The group is ignored.
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
        flags: options?.flags ?? noFlags,
        execute: uncheckedSendable(action)
      )
    }

    /// Enqueues an action at a date, and then repeatedly in intervals.
    ///
    /// ```swift
    /// let queue = DispatchQueue(label: "ticks")
    /// let ticks = queue.schedule(after: queue.now, interval: .seconds(1)) { print("tick") }
    /// ticks.cancel()
    /// ```
    ///
    /// - Parameters:
    ///   - date: The time at which the action runs first. If it has passed, the action runs as soon as possible.
    ///   - interval: The interval between two runs. A negative interval counts as zero, with which the action repeats as
    ///     fast as the queue allows.
    ///   - tolerance: The maximum time that a run may be late. A negative tolerance counts as zero.
    ///   - options: The quality of service and flags. The group is ignored.
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
      source.setEventHandler(qos: options?.qos ?? .unspecified, flags: options?.flags ?? noFlags) { action.run() }
      source.activate()
      return AnyCancellable {
        source.cancel()
        action.cancel()
      }
    }
  }

  /// An empty literal of a set of options is made by generic code, which a debug build does not optimize.
  private var noFlags: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0) }
#endif
