extension Publisher {

  /// Publishes at most one element in each interval: the first or the latest.
  ///
  /// The operator requests unlimited demand from the upstream, and drops elements that exceed the downstream's demand.
  /// It publishes the first element, and the first one after a pause, without waiting for the interval to end.
  ///
  /// The completion needs no demand. It is delivered together with a pending element, or immediately if there is none.
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
  /// let drawn = DispatchSemaphore(value: 0)
  /// let cancellable = positions
  ///   .throttle(for: .milliseconds(300), scheduler: DispatchQueue(label: "drawing"), latest: true)
  ///   .sink { @Sendable position in print("draw at \(position)"); drawn.signal() }
  /// positions.send(1)
  /// drawn.wait()  // prints draw at 1
  /// for position in 2...5 { positions.send(position) }
  /// drawn.wait()  // prints draw at 5
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The minimum interval between two elements.
  ///   - scheduler: The scheduler that measures time and on which the downstream is called.
  ///   - latest: Whether to publish the latest element at the end of an interval. If not, the first one is published.
  /// - Returns: A publisher of one element for each interval.
  @inlinable
  public func throttle<S: Scheduler>(for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool)
    -> Publishers.Throttle<Self, S>
  {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}

extension Publishers {

  /// A publisher that publishes at most one element of its upstream in each interval.
  public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are published.
    public let upstream: Upstream

    /// The minimum interval between two elements.
    public let interval: Context.SchedulerTimeType.Stride

    /// The scheduler that measures time and on which the downstream is called.
    public let scheduler: Context

    /// Whether to publish the latest element at the end of an interval.
    ///
    /// If not, the first one is published.
    public let latest: Bool

    /// Creates a publisher that publishes at most one element of another publisher in each interval.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are published.
    ///   - interval: The minimum interval between two elements.
    ///   - scheduler: The scheduler that measures time and on which the downstream is called.
    ///   - latest: Whether to publish the latest element at the end of an interval. If not, the first one is published.
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
      upstream.subscribeConduit(
        Conduits.Throttle(downstream: subscriber, interval: interval, scheduler: scheduler, latest: latest)
      )
    }
  }
}

extension Publishers.Throttle: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}

// MARK: Machine

/// The pure state of `throttle`: the time of the last emission, the pending element and completion, and the demand.
@usableFromInline
struct ThrottleMachine<Value, Failure: Error, Instant: Strideable> {

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

  /// The downstream's demand, less the demand that the pending element has used.
  @usableFromInline
  var demand = Subscribers.Demand.none

  /// The time at which an emission must be scheduled.
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

  /// Handles an element. It uses demand when its emission is scheduled, not when it is delivered.
  ///
  /// - Parameters:
  ///   - value: The element.
  ///   - now: The current time.
  /// - Returns: The emission to schedule, if any, and the replaced element, which the caller must release.
  @inlinable
  mutating func receive(_ value: Value, at now: Instant) -> (emission: Emission?, replaced: Value?) {
    guard completion == nil, demand > .none else { return (nil, nil) }
    guard self.value == nil else { return (nil, latest ? exchange(&self.value, with: value) : nil) }
    demand -= 1
    self.value = value
    let earliest = lastEmission.map { max(now, $0.advanced(by: interval)) } ?? now
    return (earliest == now ? .immediate : .at(earliest), nil)
  }

  /// Handles the completion.
  ///
  /// - Returns: Whether to schedule an emission immediately. If not, the pending element's emission delivers the
  ///   completion.
  @inlinable
  mutating func finish(_ completion: Subscribers.Completion<Failure>) -> Bool {
    self.completion = completion
    return value == nil
  }

  /// Whether the next emission is an element that begins a new interval, so that the current time is needed.
  @inlinable
  var emissionNeedsTime: Bool {
    value != nil && completion == nil
  }

  /// Removes and returns the pending element and completion.
  ///
  /// - Parameter now: The current time, if it is needed.
  /// - Returns: The element and the completion to deliver.
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

  /// Drops the pending element and completion.
  ///
  /// - Returns: The dropped element, which the caller must release.
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
    var _gate: UnsafeRawPointer? { gate.address }

    @usableFromInline
    let scheduler: Context

    @exclusivity(unchecked)  // These three: only with the lock held.
    @usableFromInline
    var downstream: Downstream?

    @exclusivity(unchecked)
    @usableFromInline
    var announcement = EventAnnouncement<Subscribers.Completion<Failure>>()

    @exclusivity(unchecked)
    @usableFromInline
    var state: ThrottleMachine<Input, Failure, Context.SchedulerTimeType>

    /// The closure that the scheduler runs. It serves all emissions, and does not keep the conduit alive.
    @exclusivity(unchecked)  // Written only by `init`.
    @usableFromInline
    var action: () -> Void = {}

    @inlinable
    init(downstream: Downstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool) {
      self.downstream = downstream
      self.scheduler = scheduler
      state = ThrottleMachine(interval: interval, latest: latest)
      super.init()
      action = { [weak self] in self?.emit() }
      _ = scheduler.now  // As Combine does, which a recording scheduler shows.
    }

    @inlinable
    func receive(subscription: any Subscription) {
      let (isFirst, downstream) = lock.withLock {
        (acceptLocked(subscription) && announcement.begin(), self.downstream)
      }
      guard isFirst else { return subscription.cancel() }
      _ = scheduler.now  // As Combine does, which a recording scheduler shows.
      downstream?.receive(subscription: self)
      if let held = lock.withLock({ announcement.end() }) { receive(completion: held) }
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
        guard isOpen, !announcement.holds(completion), beginEndingLocked() else { return nil }
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
      // Taken inside the gate, so that the completion cannot overtake an element on a scheduler with many threads.
      // Released outside.
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

    /// Takes the pending element and completion, unless cancelled.
    ///
    /// With a completion, this disconnects from the upstream.
    ///
    /// An element may have arrived after the time was found not to be needed. It is left to the action that was
    /// scheduled for it.
    @inlinable
    func takeEmissionLocked(at now: Context.SchedulerTimeType?) -> Emission? {
      guard phase == .subscribed, let downstream, now != nil || !state.emissionNeedsTime else { return nil }
      let (value, completion) = state.emit(at: now)
      guard completion != nil else { return (downstream, value, nil, nil) }
      self.downstream = nil
      return (downstream, value, completion, disconnectLocked())
    }

    // Demand is ignored while ending, because demand returned for the last element has no effect.
    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      lock.withLock { if isOpen { state.request(demand) } }
    }

    // A cancellation counts at any time before the completion is delivered, even before the subscription.
    @usableFromInline
    override func cancel() {
      let subscription = end()
      gate.releaseWaiting()
      subscription?.cancel()
    }

    /// Releases all references, and returns the upstream's subscription, which the caller must cancel.
    private func end() -> (any Subscription)? {
      lock.withLock { (terminateLocked().subscription, exchange(&downstream, with: nil), state.drop()) }.0
    }

    @usableFromInline
    var description: String { "Throttle" }
  }
}
