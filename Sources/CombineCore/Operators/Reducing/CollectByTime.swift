extension Publisher {

  /// Collects elements into arrays, and publishes them at regular intervals or also when they are full.
  ///
  /// The intervals follow one another from the subscription on, whether or not elements arrive. An interval without
  /// elements publishes nothing.
  ///
  /// With `.byTime`, the operator collects elements without limit while there is no demand for an array. Each array
  /// uses one demand. With `.byTimeOrCount`, the operator requests as many elements as the requested arrays hold. At
  /// the end of an interval it publishes an array without waiting for demand.
  ///
  /// The operator delivers arrays and the completion on the scheduler. When the upstream finishes, the operator
  /// publishes the collected elements first. When the upstream fails, it drops them.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "b"], "y": ["c"], "z": ["d"]]) {
  ///   "-a--b--c---d-|"
  ///   $0[0].collect(.byTime($0.scheduler, 5))
  ///   "-----x----y--(z|)"
  /// }
  /// marbles(outputs: ["x": ["a", "b"], "y": ["c"]]) {
  ///   "-a--b--c------|"
  ///   $0[0].collect(.byTimeOrCount($0.scheduler, 5, 2))
  ///   "----x-----y---|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let readings = PassthroughSubject<Double, Never>()
  /// let scheduler = ImmediateScheduler.shared  // Use one with a clock.
  /// let cancellable = readings
  ///   .collect(.byTimeOrCount(scheduler, .seconds(1), 100))
  ///   .sink { print("\($0.count) readings") }
  /// ```
  ///
  /// - Parameters:
  ///   - strategy: The scheduler, the interval and, if the arrays are limited, their number of elements.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A publisher of arrays of the upstream's elements. No array is empty.
  @inlinable
  public func collect<S: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<S>,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.CollectByTime<Self, S> {
    Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
  }
}

extension Publishers {

  /// The strategy by which collected elements are grouped into arrays.
  public enum TimeGroupingStrategy<Context: Scheduler> {

    /// Publishes an array at the end of each interval of a scheduler.
    case byTime(Context, Context.SchedulerTimeType.Stride)

    /// Publishes an array at the end of each interval of a scheduler, and when it holds a number of elements, at least
    /// one.
    case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
  }

  /// A publisher that collects its upstream's elements into arrays, by time.
  public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes: arrays of the upstream's elements.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are collected.
    public let upstream: Upstream

    /// The strategy by which elements are grouped.
    public let strategy: Publishers.TimeGroupingStrategy<Context>

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that collects another publisher's elements into arrays, by time.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are collected.
    ///   - strategy: The strategy by which elements are grouped.
    ///   - options: The options that the scheduler is called with.
    @inlinable
    public init(
      upstream: Upstream,
      strategy: Publishers.TimeGroupingStrategy<Context>,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (scheduler, interval, count) = strategy.parts
      upstream.subscribeConduit(
        Conduits.CollectByTime<Upstream.Output, S, Context>(
          downstream: subscriber,
          schedule: TimerSchedule(interval: interval, scheduler: scheduler, options: options),
          count: count
        )
      )
    }
  }
}

extension Publishers.TimeGroupingStrategy {

  @inlinable
  var parts: (scheduler: Context, interval: Context.SchedulerTimeType.Stride, count: Int?) {
    switch self {
    case .byTime(let scheduler, let interval): (scheduler, interval, nil)
    case .byTimeOrCount(let scheduler, let interval, let count): (scheduler, interval, count)
    }
  }
}

extension Publishers.TimeGroupingStrategy: Sendable
where Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}

extension Publishers.CollectByTime: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}

// MARK: Machine

/// The pure state of a collection by time: the collected elements and, if only time completes an array, the demand.
@usableFromInline
struct CollectByTimeMachine<Element> {

  /// The number of elements that fill an array, or `nil` if only time completes an array.
  @usableFromInline
  let count: Int?

  @usableFromInline
  var elements: [Element] = []

  /// The downstream's demand for arrays. It is not used if there is a count.
  @usableFromInline
  var demand = Subscribers.Demand.none

  @inlinable
  init(count: Int?) {
    self.count = count.map { Swift.max($0, 1) }
  }

  /// The demand to return for an element. Without a count, the upstream never pauses.
  @inlinable
  var answer: Subscribers.Demand {
    count == nil ? .max(1) : .none
  }

  /// Handles an element.
  ///
  /// - Returns: The array, if the element fills it.
  @inlinable
  mutating func receive(_ element: Element) -> [Element]? {
    elements.append(element)
    return elements.count == count ? take() : nil
  }

  /// Handles the end of an interval.
  ///
  /// - Returns: The array to send, if any.
  @inlinable
  mutating func tick() -> [Element]? {
    guard !elements.isEmpty else { return nil }
    if count == nil {
      guard demand > .none else { return nil }
      demand -= 1
    }
    return take()
  }

  /// Handles the demand that the downstream returned for an array at the end of an interval.
  ///
  /// With a count, it is ignored.
  @inlinable
  mutating func didSend(_ more: Subscribers.Demand) {
    if count == nil { demand += more }
  }

  /// Handles a request for arrays.
  ///
  /// - Returns: The demand to request from the upstream.
  @inlinable
  mutating func request(_ more: Subscribers.Demand) -> Subscribers.Demand {
    if let count { return more * count }
    demand += more
    return more == .none ? .none : .max(1)
  }

  /// Removes and returns the collected elements.
  @inlinable
  mutating func take() -> [Element] {
    exchange(&elements, with: [])
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class CollectByTime<Element, Downstream: Subscriber, Context: Scheduler>: EndingConduit, Subscriber,
    DescribedByName
  where Downstream.Input == [Element] {

    @usableFromInline
    typealias Input = Element

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let gate = Gate()

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let schedule: TimerSchedule<Context>

    /// The number of elements that fill an array, or `nil` if only time completes an array.
    @usableFromInline
    let count: Int?

    @exclusivity(unchecked)  // These three: only with the lock held.
    @usableFromInline
    var state: CollectByTimeMachine<Element>

    @exclusivity(unchecked)
    @usableFromInline
    var subscriptionDelivery = SubscriptionDelivery<Subscribers.Completion<Failure>>()

    /// The one timer, which repeats until the conduit ends.
    @exclusivity(unchecked)
    @usableFromInline
    var timers = TimerTable()

    @inlinable
    init(downstream: Downstream, schedule: TimerSchedule<Context>, count: Int?) {
      self.downstream = downstream
      self.schedule = schedule
      self.count = count
      state = CollectByTimeMachine(count: count)
    }

    // The timer does not keep the conduit alive. Otherwise the timer of an abandoned conduit would tick forever.
    @inlinable
    deinit {
      timers.removeAll().cancel()
    }

    @inlinable
    func receive(subscription: any Subscription) {
      let timer = lock.withLock { () -> Int? in
        subscriptionDelivery.begin()
        return acceptLocked(subscription) ? timers.add() : nil
      }
      guard let timer else { return subscription.cancel() }
      let token = schedule.startTimer { [weak self] in self?.tick() }
      lock.withLock { timers.setToken(token, of: timer) }.cancel()
      downstream.receive(subscription: self)
      if let held = lock.withLock({ subscriptionDelivery.end() }) { receive(completion: held) }
    }

    @inlinable
    func receive(_ input: Element) -> Subscribers.Demand {
      guard isOpen else { return .none }
      let (full, answer) = lock.withLock { isOpen ? (state.receive(input), state.answer) : (nil, .none) }
      if let full { schedule.run { self.deliver(full) } }
      return answer
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let step = lock.withLock { () -> (timers: RetiredTimers, rest: [Element])? in
        guard isOpen, !subscriptionDelivery.holds(completion), beginEndingLocked() else { return nil }
        return (timers.removeAll(), state.take())
      }
      guard let step else { return }
      step.timers.cancel()
      let rest = if case .finished = completion { step.rest } else { [Element]() }
      schedule.run { self.deliver(rest, completion) }
    }

    @inlinable
    func tick() {
      var group: [Element]?
      // Taken inside the gate, so that the completion cannot overtake it on a scheduler with many threads. Released
      // outside.
      var more = Subscribers.Demand.none
      gate.pass(unless: { !isOpen }) {
        group = lock.withLock { isOpen ? state.tick() : nil }
        if let group { more = sendingUnrequested { downstream.receive(group) } }
      }
      withExtendedLifetime(group) {}
      if more != .none { lock.withLock { state.didSend(more) } }
    }

    /// Sends an array.
    ///
    /// With a count, the end of an interval sends an array regardless of the demand. A full array may then exceed the
    /// demand, too.
    @inlinable
    func sendingUnrequested(_ send: () -> Subscribers.Demand) -> Subscribers.Demand {
      count == nil ? send() : UnrequestedDelivery.value.mark(send)
    }

    @inlinable
    func deliver(_ full: [Element]) {
      let more = sendingUnrequested { gate.pass(full, to: downstream, unless: phase != .subscribed) }
      // The conduit may be ending, so this does not call its own `request`.
      if more != .none { subscription?.request(lock.withLock { state.request(more) }) }
    }

    @inlinable
    func deliver(_ rest: [Element], _ completion: Subscribers.Completion<Failure>) {
      guard disconnect() != nil else { return }
      gate.releaseWaiting()
      gate.pass {
        if !rest.isEmpty { UnrequestedDelivery.value.mark { _ = downstream.receive(rest) } }
        downstream.receive(completion: completion)
      }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      let wanted = lock.withLock { isOpen ? state.request(demand) : .none }
      if wanted != .none { super.request(wanted) }
    }

    @usableFromInline
    override func cancel() {
      let step = lock.withLock {
        isOpen ? (subscription: disconnectLocked(), timers: timers.removeAll(), dropped: state.take()) : nil
      }
      gate.releaseWaiting()
      step?.timers.cancel()
      step?.subscription?.cancel()
    }

    @usableFromInline
    var description: String { "CollectByTime" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> {
      let elements = lock.withLock { state.elements }
      return [
        "downstream": downstream, "upstreamSubscription": subscription as Any, "buffer": elements,
        "count": state.count as Any,
      ]
    }
  }
}
