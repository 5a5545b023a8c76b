extension Publisher {

  /// Delivers elements and the completion on a scheduler.
  ///
  /// The subscription, requests and cancellations pass immediately, on the calling thread. Each element and the
  /// completion is delivered by its own action on the scheduler.
  ///
  /// A cancellation drops elements that are not delivered yet. Once the upstream has completed, all pending elements
  /// are delivered, and a cancellation has no effect.
  ///
  /// Elements keep their order on any scheduler, and the completion comes last. On a concurrent queue, such as
  /// `DispatchQueue.global()`, the calls do not overlap either.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   $0[0].receive(on: $0.scheduler)  // At the same time here, but in actions of the scheduler.
  ///   "a--b--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let finished = DispatchSemaphore(value: 0)
  /// let cancellable = [1, 2].publisher
  ///   .receive(on: DispatchQueue(label: "views"))
  ///   .sink { @Sendable in print($0); finished.signal() } receiveValue: { @Sendable in print($0) }
  /// finished.wait()
  /// // prints 1
  /// // prints 2
  /// // prints finished
  /// ```
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler on which the downstream is called.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A publisher of the same elements. It passes demand to the upstream unchanged.
  @inlinable
  public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil)
    -> Publishers.ReceiveOn<Self, S>
  {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
  }
}

extension Publishers {

  /// A publisher that delivers elements and the completion on a scheduler.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are delivered.
    public let upstream: Upstream

    /// The scheduler on which the downstream is called.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that delivers another publisher's elements on a scheduler.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are delivered.
    ///   - scheduler: The scheduler on which the downstream is called.
    ///   - options: The options that the scheduler is called with.
    @inlinable
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
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
          schedule: PromptSchedule(scheduler: scheduler, options: options)
        )
      )
    }
  }
}

extension Publishers.ReceiveOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

/// A schedule that delivers events as soon as the scheduler can.
@usableFromInline
struct PromptSchedule<Context: Scheduler>: DeliverySchedule {

  @usableFromInline
  let scheduler: Context

  @usableFromInline
  let options: Context.SchedulerOptions?

  @inlinable
  init(scheduler: Context, options: Context.SchedulerOptions?) {
    self.scheduler = scheduler
    self.options = options
  }

  @inlinable
  func schedule(_ action: @escaping () -> Void) {
    scheduler.schedule(options: options, action)
  }

  @usableFromInline
  var name: String { "ReceiveOn" }
}

/// A schedule whose conduit has a description. The conduit of `delay` has none.
@usableFromInline
protocol DescribedSchedule: DeliverySchedule {

  /// The description of the conduit.
  var name: String { get }
}

extension PromptSchedule: DescribedSchedule {}

extension Conduits.ScheduledDelivery: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible,
  DescribedByName
where Schedule: DescribedSchedule {

  @usableFromInline
  var description: String { schedule.name }
}
