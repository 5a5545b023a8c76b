import CombineThreads

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

/// The pure state of `throttle`: the beginning of the next interval, the pending element and completion, and the demand.
///
/// It compares no dates: their operators are the scheduler's, and run with no lock held.
@usableFromInline
struct ThrottleMachine<Value, Failure: Error, Instant>: ~Copyable {

  @usableFromInline
  let latest: Bool

  /// The end of the interval that the last emission has begun.
  @usableFromInline
  var intervalEnd: Instant?

  @usableFromInline
  var value: Value?

  @usableFromInline
  var completion: Subscribers.Completion<Failure>?

  /// The downstream's demand, less the demand that the pending element has used.
  @usableFromInline
  var demand = Subscribers.Demand.none

  /// The number of the last action that was scheduled, and that of the last one for what was emitted or dropped. The actions
  /// in between, of which there is rarely more than one, are for the pending element or completion.
  @usableFromInline
  var action: UInt64 = 0

  @usableFromInline
  var lastAction: UInt64 = 0

  /// The time after which the pending element's action is taken for lost.
  @usableFromInline
  var patience: Instant?

  @inlinable
  init(latest: Bool) {
    self.latest = latest
  }

  /// A number that changes with each emission. A decision that was made with no lock held counts if it is still the same.
  @inlinable
  var version: UInt64 { action &+ lastAction }

  /// Handles an element. It uses demand when its emission is scheduled, not when it is delivered.
  ///
  /// - Parameters:
  ///   - value: The element.
  ///   - isLost: Whether the action of the pending element is taken for lost.
  ///   - patience: The time after which the element's own action is taken for lost, or that of the pending element again.
  /// - Returns: The number of the action to schedule, if any, and an element that the caller must release.
  @inlinable
  mutating func receive(_ value: Value, isLost: Bool, patience: Instant?) -> (action: UInt64?, replaced: Value?) {
    guard completion == nil else { return (nil, nil) }
    let isPending = self.value != nil
    guard demand > .none || isLost else { return (nil, nil) }
    if !isPending { demand -= 1 }
    let replaced = isPending && !latest ? value : exchange(&self.value, with: value)
    guard !isPending || isLost else { return (nil, replaced) }
    self.patience = patience
    return (nextAction(), replaced)
  }

  @inlinable
  mutating func nextAction() -> UInt64 {
    action += 1
    return action
  }

  /// Handles the completion.
  ///
  /// - Returns: The number of the action to schedule immediately. If there is none, the pending element's emission delivers
  ///   the completion.
  @inlinable
  mutating func finish(_ completion: Subscribers.Completion<Failure>, isLost: Bool) -> UInt64? {
    self.completion = completion
    return value == nil || isLost ? nextAction() : nil
  }

  /// Whether an action is for what is pending. A second run of an action is not.
  @inlinable
  func counts(_ action: UInt64) -> Bool { action > lastAction }

  /// Whether the next emission is an element that begins a new interval, so that the current time is needed.
  @inlinable
  var emissionNeedsTime: Bool {
    value != nil && completion == nil
  }

  /// Removes and returns the pending element and completion.
  ///
  /// - Parameter intervalEnd: The end of the interval that the emission begins, if it begins one.
  /// - Returns: The element and the completion to deliver, and dates that the caller must release.
  @inlinable
  mutating func emit(until intervalEnd: Instant?) -> Removed {
    var removed = drop()
    if let intervalEnd { removed.intervalEnd = exchange(&self.intervalEnd, with: intervalEnd) }
    return removed
  }

  /// What was pending.
  @usableFromInline
  typealias Removed = (
    value: Value?, completion: Subscribers.Completion<Failure>?, patience: Instant?, intervalEnd: Instant?
  )

  /// Handles an action that the scheduler has dropped, and with it what it was for. The demand remains.
  ///
  /// - Returns: What was dropped, which the caller must release.
  @inlinable
  mutating func drop(_ action: UInt64) -> Removed? {
    guard counts(action), action == self.action else { return nil }
    if value != nil { demand += 1 }
    return drop()
  }

  /// Adds to the demand.
  @inlinable
  mutating func request(_ more: Subscribers.Demand) {
    demand += more
  }

  /// Drops the pending element and completion.
  ///
  /// - Returns: What was dropped, which the caller must release.
  @inlinable
  mutating func drop() -> Removed {
    lastAction = action
    return (exchange(&value, with: nil), exchange(&completion, with: nil), exchange(&patience, with: nil), nil)
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
    let interval: Context.SchedulerTimeType.Stride

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

    /// The connection from the actions. It does not keep the conduit alive.
    @usableFromInline
    let relay: WeakActionRelay

    @inlinable
    init(downstream: Downstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool) {
      self.downstream = downstream
      self.interval = interval
      self.scheduler = scheduler
      state = ThrottleMachine(latest: latest)
      relay = WeakActionRelay { conduit, number, outcome in
        let conduit = _unsafeUncheckedDowncast(conduit, to: Throttle.self)
        switch outcome {
        case .ran: conduit.emit(for: number)
        case .dropped: conduit.drop(number)
        }
      }
      super.init()
      relay.refer(to: self)
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
      while true {
        lock.lock()
        let (intervalEnd, patience, version) = (state.intervalEnd, state.patience, state.version)
        lock.unlock()
        let isLost = isLost(patience, at: now)
        var date = now
        var nextPatience = patience
        if patience == nil || isLost {
          if let intervalEnd { date = max(now, intervalEnd) }
          nextPatience = date.advanced(by: interval)
        }
        lock.lock()
        guard isOpen else {
          lock.unlock()
          return .none
        }
        guard state.version == version else {
          lock.unlock()
          continue
        }
        let (action, replaced) = state.receive(input, isLost: isLost, patience: nextPatience)
        lock.unlock()
        if let action { schedule(action, at: date == now ? nil : date) }
        withExtendedLifetime((intervalEnd, patience, replaced)) {}
        return .none
      }
    }

    /// Whether an action that has not run is taken for lost, as a whole interval has passed since its date.
    @inlinable
    func isLost(_ patience: Context.SchedulerTimeType?, at now: Context.SchedulerTimeType) -> Bool {
      guard let patience, interval > .zero else { return false }
      return patience < now
    }

    @inlinable
    func schedule(_ action: UInt64, at date: Context.SchedulerTimeType?) {
      if let date {
        scheduler.schedule(
          after: date,
          tolerance: scheduler.minimumTolerance,
          options: nil,
          relay.action(action)
        )
      } else {
        scheduler.schedule(options: nil, relay.action(action))
      }
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let isFirst = lock.withLock { isOpen && !announcement.holds(completion) && beginEndingLocked() }
      guard isFirst else { return }
      let now = scheduler.now  // As Combine does, which a recording scheduler shows.
      let isLost = isLost(lock.withLock { state.patience }, at: now)
      if let action = lock.withLock({ state.finish(completion, isLost: isLost) }) { schedule(action, at: nil) }
    }

    @inlinable
    func emit(for action: UInt64) {
      lock.lock()
      let counts = isSubscribed && state.counts(action)
      let needsTime = state.emissionNeedsTime
      lock.unlock()
      guard counts else { return }
      let intervalEnd = needsTime ? scheduler.now.advanced(by: interval) : nil
      let entry = enterToDeliver()
      if case .refused = entry { return }
      // Taken inside the gate, so that the completion cannot overtake an element on a scheduler with many threads.
      // Released outside.
      lock.lock()
      let emission = takeEmissionLocked(for: action, until: intervalEnd)
      lock.unlock()
      var more = Subscribers.Demand.none
      if let emission {
        let (value, completion, _, _) = emission.removed
        if completion != nil { gate.releaseWaiting() }
        let outer = beginDelivery()
        if let value { more = emission.downstream.receive(value) }
        if let completion { emission.downstream.receive(completion: completion) }
        CurrentDelivery.end(outer)
      }
      leaveGate(after: entry)
      if more != .none { request(more) }
      withExtendedLifetime(emission) {}
    }

    /// Drops what an action is for that the scheduler has dropped.
    @inlinable
    func drop(_ action: UInt64) {
      _ = lock.withLock { state.drop(action) }
    }

    @usableFromInline
    typealias Emission = (
      downstream: Downstream, removed: ThrottleMachine<Input, Failure, Context.SchedulerTimeType>.Removed,
      subscription: (any Subscription)?
    )

    /// Takes the pending element and completion, unless cancelled.
    ///
    /// With a completion, this disconnects from the upstream.
    @inlinable
    func takeEmissionLocked(for action: UInt64, until intervalEnd: Context.SchedulerTimeType?) -> Emission? {
      guard phase == .subscribed, let downstream, state.counts(action) else { return nil }
      let removed = state.emit(until: intervalEnd)
      guard removed.completion != nil else { return (downstream, removed, nil) }
      self.downstream = nil
      return (downstream, removed, disconnectLocked())
    }

    // Demand is ignored while ending, because demand returned for the last element has no effect.
    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      lock.lock()
      if isOpen { state.request(demand) }
      lock.unlock()
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
