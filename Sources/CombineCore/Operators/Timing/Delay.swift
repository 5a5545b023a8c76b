extension Publisher {

  /// Delivers each value, and the completion, a time after it was sent.
  ///
  /// The subscription is passed on, and requests and cancels go upstream, at once and undelayed. A cancel drops values
  /// that are on their way. Once the upstream has completed, everything that is on its way is delivered, and a cancel
  /// has no effect.
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
  /// let cancellable = Just("late")
  ///   .delay(for: .seconds(3), scheduler: ImmediateScheduler.shared)  // A scheduler without a clock waits for nothing.
  ///   .sink { print($0) }  // prints late
  /// ```
  ///
  /// - Parameters:
  ///   - interval: How much later the downstream gets an event.
  ///   - tolerance: How much later than that it may get it; nil for the scheduler's minimum, which is read once, now.
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

  /// A publisher that delivers each value, and the completion, a time after its upstream has sent it.
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are delayed.
    public let upstream: Upstream

    /// How much later the downstream gets an event.
    public let interval: Context.SchedulerTimeType.Stride

    /// How much later than that it may get it.
    public let tolerance: Context.SchedulerTimeType.Stride

    /// The scheduler on which the downstream is called.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that delivers another one's values a time later.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are delayed.
    ///   - interval: How much later the downstream gets an event.
    ///   - tolerance: How much later than that it may get it.
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
      upstream.attach(
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

/// Deliveries an interval after they were scheduled.
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

  // A dispatch queue, for one, runs an action whose date has passed by the time it is scheduled before one that waits.
  @inlinable
  static var mayReorder: Bool { true }

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
