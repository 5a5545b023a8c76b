extension Publisher {

  /// Delays each element and the completion by an interval.
  ///
  /// The subscription, requests and cancellations pass immediately, without delay. A cancellation drops elements that
  /// are not delivered yet. Once the upstream has completed, all pending elements are delivered, and a cancellation has
  /// no effect.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b----c--|"
  ///   $0[0].delay(for: 2, scheduler: $0.scheduler)
  ///   "--a--b----c--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let arrived = DispatchSemaphore(value: 0)
  /// let cancellable = Just("late")
  ///   .delay(for: .milliseconds(300), scheduler: DispatchQueue(label: "later"))
  ///   .sink { @Sendable text in print(text); arrived.signal() }
  /// print("subscribed")  // prints subscribed
  /// arrived.wait()       // prints late
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The interval by which the downstream receives an event later.
  ///   - tolerance: The maximum time that an event may be late beyond that. `nil` means the scheduler's minimum
  ///     tolerance, which this method reads once.
  ///   - scheduler: The scheduler on which the downstream is called.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A publisher of the same elements. It passes demand to the upstream unchanged.
  @inlinable
  public func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride,
    tolerance: S.SchedulerTimeType.Stride? = nil,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Delay<Self, S> {
    Publishers.Delay(
      upstream: self,
      interval: interval,
      tolerance: tolerance ?? scheduler.minimumTolerance,
      scheduler: scheduler,
      options: options
    )
  }
}

extension Publishers {

  /// A publisher that delays each element and the completion of its upstream by an interval.
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are delayed.
    public let upstream: Upstream

    /// The interval by which the downstream receives an event later.
    public let interval: Context.SchedulerTimeType.Stride

    /// The maximum time that an event may be late beyond the interval.
    public let tolerance: Context.SchedulerTimeType.Stride

    /// The scheduler on which the downstream is called.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that delays another publisher's elements by an interval.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are delayed.
    ///   - interval: The interval by which the downstream receives an event later.
    ///   - tolerance: The maximum time that an event may be late beyond that.
    ///   - scheduler: The scheduler on which the downstream is called.
    ///   - options: The options that the scheduler is called with.
    @inlinable
    public init(
      upstream: Upstream,
      interval: Context.SchedulerTimeType.Stride,
      tolerance: Context.SchedulerTimeType.Stride,
      scheduler: Context,
      options: Context.SchedulerOptions? = nil
    ) {
      self.upstream = upstream
      self.interval = interval
      self.tolerance = tolerance
      self.scheduler = scheduler
      self.options = options
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        Conduits.ScheduledDelivery(
          downstream: subscriber,
          schedule: DelayedSchedule(
            interval: interval,
            tolerance: tolerance,
            scheduler: scheduler,
            options: options
          )
        )
      )
    }
  }
}

extension Publishers.Delay: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}

/// A schedule that delivers events an interval after they were scheduled.
@usableFromInline
struct DelayedSchedule<Context: Scheduler>: DeliverySchedule {

  @usableFromInline
  let interval: Context.SchedulerTimeType.Stride

  @usableFromInline
  let tolerance: Context.SchedulerTimeType.Stride

  @usableFromInline
  let scheduler: Context

  @usableFromInline
  let options: Context.SchedulerOptions?

  @inlinable
  init(
    interval: Context.SchedulerTimeType.Stride,
    tolerance: Context.SchedulerTimeType.Stride,
    scheduler: Context,
    options: Context.SchedulerOptions?
  ) {
    self.interval = interval
    self.tolerance = tolerance
    self.scheduler = scheduler
    self.options = options
  }

  @inlinable
  func schedule(_ action: @escaping () -> Void) {
    scheduler.schedule(
      after: scheduler.now.advanced(by: interval),
      tolerance: tolerance,
      options: options,
      action
    )
  }
}
