extension Publisher {

  /// Sends on at most one value in each interval: the first or the latest.
  ///
  /// The upstream is asked for unlimited values; what the downstream has not asked for is dropped. The first value, and
  /// the first one after a pause, is sent on without waiting. A completion takes the value that is waiting along, or is
  /// delivered at once; it needs no demand.
  ///
  /// ```swift
  /// marbles {
  ///   "a-b-c------de|"
  ///   $0[0].throttle(for: 5, scheduler: $0.scheduler, latest: true)
  ///   "a----c-----d----(e|)"
  /// }
  /// marbles {
  ///   "a-b-c------de|"
  ///   $0[0].throttle(for: 5, scheduler: $0.scheduler, latest: false)
  ///   "a----b-----d----(e|)"
  /// }
  /// ```
  ///
  /// ```swift
  /// let positions = PassthroughSubject<Int, Never>()
  /// let cancellable = positions
  ///   .throttle(for: .milliseconds(16), scheduler: ImmediateScheduler.shared, latest: true)  // Use one with a clock.
  ///   .sink { print("draw at \($0)") }
  /// positions.send(1)
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The least time between two values.
  ///   - scheduler: The scheduler that measures time and on which the downstream is called.
  ///   - latest: Whether the last value that arrived is sent at the end of an interval; if not, the first one.
  /// - Returns: A publisher of one value for each interval.
  @inlinable
  public func throttle<S: Scheduler>(for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool)
    -> Publishers.Throttle<Self, S>
  {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}

extension Publishers {

  /// A publisher that sends on at most one value of its upstream in each interval.
  public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are published.
    public let upstream: Upstream

    /// The least time between two values.
    public let interval: Context.SchedulerTimeType.Stride

    /// The scheduler that measures time and on which the downstream is called.
    public let scheduler: Context

    /// Whether the last value that arrived is sent at the end of an interval; if not, the first one.
    public let latest: Bool

    /// Creates a publisher that sends on at most one value of another one in each interval.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are published.
    ///   - interval: The least time between two values.
    ///   - scheduler: The scheduler that measures time and on which the downstream is called.
    ///   - latest: Whether the last value that arrived is sent at the end of an interval; if not, the first one.
    @inlinable
    public init(upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.latest = latest
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.attach(
        Conduits.Throttle(downstream: subscriber, interval: interval, scheduler: scheduler, latest: latest)
      )
    }
  }
}

extension Publishers.Throttle: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}

// MARK: State

/// What `throttle` knows: when it last sent a value, the value and the completion that wait to be sent, the demand.
@usableFromInline
struct ThrottleState<Value, Failure: Error, Instant: Strideable> {

  @usableFromInline
  let interval: Instant.Stride

  @usableFromInline
  let latest: Bool

  @usableFromInline
  var lastEmission: Instant?

  @usableFromInline
  var value: Value?

  @usableFromInline
  var completion: Subscribers.Completion<Failure>?

  /// The downstream's demand, less what the waiting value has taken.
  @usableFromInline
  var demand = Subscribers.Demand.none

  /// When to schedule an emission.
  @usableFromInline
  enum Emission: Equatable {
    case immediate
    case at(Instant)
  }

  @inlinable
  init(interval: Instant.Stride, latest: Bool) {
    self.interval = interval
    self.latest = latest
  }

  /// Takes a value. It uses demand when its emission is scheduled, not when it is sent.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - now: The present time.
  /// - Returns: The emission to schedule, if any, and the value that was replaced, to be released.
  @inlinable
  mutating func receive(_ value: Value, at now: Instant) -> (emission: Emission?, replaced: Value?) {
    guard completion == nil, demand > .none else { return (nil, nil) }
    guard self.value == nil else { return (nil, latest ? exchange(&self.value, with: value) : nil) }
    demand -= 1
    self.value = value
    let earliest = lastEmission.map { max(now, $0.advanced(by: interval)) } ?? now
    return (earliest == now ? .immediate : .at(earliest), nil)
  }

  /// Takes the completion.
  ///
  /// - Returns: Whether to schedule an emission at once: if not, the one of the waiting value takes it along.
  @inlinable
  mutating func finish(_ completion: Subscribers.Completion<Failure>) -> Bool {
    self.completion = completion
    return value == nil
  }

  /// Whether the emission due is a value that begins a new interval, so that the time is needed.
  @inlinable
  var emissionNeedsTime: Bool {
    value != nil && completion == nil
  }

  /// Takes what waits to be sent.
  ///
  /// - Parameter now: The present time, if it was needed.
  /// - Returns: The value and the completion to send.
  @inlinable
  mutating func emit(at now: Instant?) -> (value: Value?, completion: Subscribers.Completion<Failure>?) {
    if let now { lastEmission = now }
    return (exchange(&value, with: nil), exchange(&completion, with: nil))
  }

  /// Adds to the demand.
  @inlinable
  mutating func request(_ more: Subscribers.Demand) {
    demand += more
  }

  /// Drops what waits to be sent.
  ///
  /// - Returns: The value dropped, to be released.
  @inlinable
  mutating func drop() -> (value: Value?, completion: Subscribers.Completion<Failure>?) {
    (exchange(&value, with: nil), exchange(&completion, with: nil))
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Throttle<Downstream: Subscriber, Context: Scheduler>: EndingConduit, Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let gate = Gate()

    @usableFromInline
    let scheduler: Context

    @exclusivity(unchecked)  // These three: only with the lock held.
    @usableFromInline
    var downstream: Downstream?

    @exclusivity(unchecked)
    @usableFromInline
    var handover = SubscriptionHandover<Subscribers.Completion<Failure>>()

    @exclusivity(unchecked)
    @usableFromInline
    var state: ThrottleState<Input, Failure, Context.SchedulerTimeType>

    /// What the scheduler runs: one closure for all emissions, which does not keep the conduit alive.
    @exclusivity(unchecked)  // Written only by `init`.
    @usableFromInline
    var action: () -> Void = {}

    @inlinable
    init(downstream: Downstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool) {
      self.downstream = downstream
      self.scheduler = scheduler
      state = ThrottleState(interval: interval, latest: latest)
      super.init()
      action = { [weak self] in self?.emit() }
      _ = scheduler.now  // As Combine does, which a recording scheduler shows.
    }

    @inlinable
    func receive(subscription: any Subscription) {
      let (isFirst, downstream) = lock.withLock {
        handover.begin()
        return (acceptLocked(subscription), self.downstream)
      }
      guard isFirst else { return subscription.cancel() }
      _ = scheduler.now  // As Combine does, which a recording scheduler shows.
      downstream?.receive(subscription: self)
      if let held = lock.withLock({ handover.end() }) { receive(completion: held) }
      self.subscription?.request(.unlimited)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard isOpen else { return .none }
      let now = scheduler.now
      let step = lock.withLock { isOpen ? state.receive(input, at: now) : nil }
      switch step?.emission {
      case .immediate: scheduler.schedule(options: nil, action)
      case .at(let date):
        scheduler.schedule(after: date, tolerance: scheduler.minimumTolerance, options: nil, action)
      case nil: break
      }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let isDue = lock.withLock { () -> Bool? in
        guard isOpen, !handover.holds(completion), beginEndingLocked() else { return nil }
        return state.finish(completion)
      }
      guard let isDue else { return }
      _ = scheduler.now  // As Combine does, which a recording scheduler shows.
      if isDue { scheduler.schedule(options: nil, action) }
    }

    @inlinable
    func emit() {
      let needsTime = lock.withLock { phase == .subscribed && state.emissionNeedsTime }
      let now = needsTime ? scheduler.now : nil
      var emission: Emission?
      // Taken inside the gate: on a scheduler with many threads, the completion cannot overtake a value. Released
      // outside.
      var more = Subscribers.Demand.none
      gate.pass(unless: { phase != .subscribed }) {
        emission = lock.withLock { takeEmissionLocked(at: now) }
        guard let emission else { return }
        if emission.completion != nil { gate.releaseWaiting() }
        if let value = emission.value { more = emission.downstream.receive(value) }
        if let completion = emission.completion { emission.downstream.receive(completion: completion) }
      }
      if more != .none { request(more) }
      withExtendedLifetime(emission) {}
    }

    @usableFromInline
    typealias Emission = (
      downstream: Downstream, value: Input?, completion: Subscribers.Completion<Failure>?,
      subscription: (any Subscription)?
    )

    /// Takes what waits to be sent, unless cancelled. With a completion, that is the end of the connection.
    ///
    /// A value that came when the time had not been needed is left to the action that was scheduled for it.
    @inlinable
    func takeEmissionLocked(at now: Context.SchedulerTimeType?) -> Emission? {
      guard phase == .subscribed, let downstream, now != nil || !state.emissionNeedsTime else { return nil }
      let (value, completion) = state.emit(at: now)
      guard completion != nil else { return (downstream, value, nil, nil) }
      self.downstream = nil
      return (downstream, value, completion, disconnectLocked())
    }

    // Not while ending: demand returned by the last value is of no use.
    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      lock.withLock { if isOpen { state.request(demand) } }
    }

    // Counts at any time before the completion is delivered, even before the subscription.
    @usableFromInline
    override func cancel() {
      let subscription = end()
      gate.releaseWaiting()
      subscription?.cancel()
    }

    /// Lets everything go, and returns the upstream's subscription, to be cancelled.
    private func end() -> (any Subscription)? {
      lock.withLock { (terminateLocked().subscription, exchange(&downstream, with: nil), state.drop()) }.0
    }

    @usableFromInline
    var description: String { "Throttle" }
  }
}
