extension Publisher {

  /// Publishes, for each element, the time since the previous element.
  ///
  /// The first element is measured from the subscription.
  ///
  /// The operator publishes the times as the elements arrive, on the same thread. It schedules nothing. Demand and
  /// completion pass through unchanged.
  ///
  /// ```swift
  /// marbles {
  ///   "--a---b-c--|"
  ///   $0[0].measureInterval(using: $0.scheduler)
  ///   "--2---4-2--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let taps = PassthroughSubject<Void, Never>()
  /// let cancellable = taps
  ///   .measureInterval(using: DispatchQueue.main)
  ///   .sink { print($0 >= .milliseconds(100) ? "a pause" : "a double tap") }
  /// Thread.sleep(forTimeInterval: 0.1)
  /// taps.send()  // prints a pause
  /// ```
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler whose clock is read.
  ///   - options: The options have no effect, because nothing is scheduled.
  /// - Returns: A publisher of the times between elements, in the scheduler's own unit. A time is negative if the clock
  ///   went back.
  @inlinable
  public func measureInterval<S: Scheduler>(using scheduler: S, options: S.SchedulerOptions? = nil)
    -> Publishers.MeasureInterval<Self, S>
  {
    Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
  }
}

extension Publishers {

  /// A publisher of the times between its upstream's elements.
  public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes: intervals on the scheduler's clock.
    public typealias Output = Context.SchedulerTimeType.Stride

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are measured.
    public let upstream: Upstream

    /// The scheduler whose clock is read.
    public let scheduler: Context

    /// Creates a publisher of the times between another publisher's elements.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are measured.
    ///   - scheduler: The scheduler whose clock is read.
    @inlinable
    public init(upstream: Upstream, scheduler: Context) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// The first interval starts here.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        Conduits.MeasureInterval<Upstream.Output, S, Context>(downstream: subscriber, scheduler: scheduler)
      )
    }
  }
}

extension Publishers.MeasureInterval: Sendable where Upstream: Sendable, Context: Sendable {}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class MeasureInterval<Input, Downstream: Subscriber, Context: Scheduler>: Conduit, Subscriber, DescribedByName
  where Downstream.Input == Context.SchedulerTimeType.Stride {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let scheduler: Context

    // An upstream sends one event at a time. No access is in progress while the scheduler or the downstream runs.
    @exclusivity(unchecked)
    @usableFromInline
    var previous: Context.SchedulerTimeType?

    @inlinable
    init(downstream: Downstream, scheduler: Context) {
      self.downstream = downstream
      self.scheduler = scheduler
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      previous = scheduler.now
      downstream.receive(subscription: self)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard phase == .subscribed else { return .none }
      let now = scheduler.now
      guard let previous = exchange(&previous, with: now) else { return .none }
      let more = downstream.receive(previous.distance(to: now))
      if more != .none { request(more) }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if disconnect() != nil { downstream.receive(completion: completion) }
    }

    @usableFromInline
    var description: String { "MeasureInterval" }
  }
}
