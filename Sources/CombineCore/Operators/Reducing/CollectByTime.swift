import CombineThreads

// Code for early versions of Combine, or for OpenCombine, may declare this itself. The client's own is preferred.
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
  /// let stored = DispatchSemaphore(value: 0)
  /// let cancellable = readings
  ///   .collect(.byTimeOrCount(DispatchQueue(label: "store"), .milliseconds(300), 2))
  ///   .sink { @Sendable readings in print(readings); stored.signal() }
  /// for reading in [20.5, 21, 21.5] { readings.send(reading) }
  /// stored.wait()  // prints [20.5, 21.0]
  /// stored.wait()  // prints [21.5]
  /// ```
  ///
  /// - Parameters:
  ///   - strategy: The scheduler, the interval and, if the arrays are limited, their number of elements.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A publisher of arrays of the upstream's elements. No array is empty.
  @_disfavoredOverload
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
    count == nil && demand != .unlimited ? .max(1) : .none
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

  /// Handles the demand that the downstream returned for a requested array.
  ///
  /// - Returns: The demand to request from the upstream.
  @inlinable
  mutating func didSend(_ more: Subscribers.Demand) -> Subscribers.Demand {
    if let count { return more * count }
    return add(more) ? .unlimited : .none
  }

  /// Handles a request for arrays.
  ///
  /// - Returns: The demand to request from the upstream. Without a count, the elements are collected without limit
  ///   anyway. So unlimited demand stays unlimited, and nothing is lost that several threads send at the same time.
  @inlinable
  mutating func request(_ more: Subscribers.Demand) -> Subscribers.Demand {
    if let count { return more * count }
    if add(more) { return .unlimited }
    return more == .none ? .none : .max(1)
  }

  /// Adds to the demand.
  ///
  /// - Returns: Whether it has become unlimited.
  @inlinable
  mutating func add(_ more: Subscribers.Demand) -> Bool {
    guard demand != .unlimited else { return false }
    demand += more
    return demand == .unlimited
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
  final class CollectByTime<Element, Downstream: Subscriber, Context: Scheduler>: ScheduledConduit<Downstream>,
    Subscriber, DescribedByName
  where Downstream.Input == [Element] {

    @usableFromInline
    typealias Input = Element

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let schedule: TimerSchedule<Context>

    @exclusivity(unchecked)  // These two: only with the lock held.
    @usableFromInline
    var state: CollectByTimeMachine<Element>

    /// The one timer, which repeats until the conduit ends. There is none if the scheduler has dropped it.
    @exclusivity(unchecked)
    @usableFromInline
    var timers = TimerTable()

    /// The first date of the timer.
    @exclusivity(unchecked)
    @usableFromInline
    var firstDate: Context.SchedulerTimeType?

    /// The connection from the timer's action. It does not keep the conduit alive. Otherwise the timer of an abandoned
    /// conduit would tick forever.
    @usableFromInline
    let timerRelay: WeakActionRelay

    @inlinable
    init(downstream: Downstream, schedule: TimerSchedule<Context>, count: Int?) {
      self.schedule = schedule
      state = CollectByTimeMachine(count: count)
      let relay = ActionRelay { conduit, number, outcome in
        let conduit = _unsafeUncheckedDowncast(conduit, to: CollectByTime.self)
        guard case .ran = outcome else { return conduit.dropEvent(of: number) }
        let more = conduit.deliverOldest(for: number)
        if more != .none { conduit.requestMore(more) }
      }
      timerRelay = WeakActionRelay { conduit, timer, outcome in
        let conduit = _unsafeUncheckedDowncast(conduit, to: CollectByTime.self)
        switch outcome {
        case .ran: conduit.fire(timer)
        case .dropped: conduit.forget(timer)
        }
      }
      super.init(downstream: downstream, relay: relay)
      timerRelay.refer(to: self)
      // With a count, the end of an interval sends an array regardless of the demand. A full array may then exceed the
      // demand, too.
      if count != nil { unrequested.set(.value) }
    }

    @inlinable
    deinit {
      timers.removeAll().cancel()
    }

    @inlinable
    func receive(subscription: any Subscription) {
      if let held = announce(subscription, after: { startTimer() }) { receive(completion: held) }
    }

    /// Starts the timer, unless one runs.
    @inlinable
    func startTimer() {
      let timer = lock.withLock { isOpen && timers.isEmpty ? timers.add() : nil }
      guard let timer else { return }
      let date = schedule.nextDate
      let earlier = lock.withLock { exchange(&firstDate, with: date) }
      let token = schedule.startTimer(at: date, timerRelay.repeatingAction(timer))
      lock.withLock { timers.setToken(token, of: timer) }.cancel()
      withExtendedLifetime(earlier) {}
    }

    /// Forgets the timer, which the scheduler has dropped. After its date an element starts another one.
    @inlinable
    func forget(_ timer: UInt64) {
      _ = lock.withLock { timers.fire(timer) }
    }

    @inlinable
    func startTimerIfLost() {
      let date = lock.withLock { firstDate }
      // Not at the date: a scheduler without a clock does not come after it.
      if let date, schedule.scheduler.now > date { startTimer() }
    }

    @inlinable
    func receive(_ input: Element) -> Subscribers.Demand {
      guard isOpen else { return .none }
      let (number, answer, hasTimer) = lock.withLock { () -> (UInt64?, Subscribers.Demand, Bool) in
        guard isOpen else { return (nil, .none, true) }
        let full = state.receive(input)
        return (full.map { append($0) }, state.answer, !timers.isEmpty)
      }
      if let number { schedule.run(action(number)) }
      if !hasTimer { startTimerIfLost() }
      return answer
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let step = lock.withLock { () -> (timers: RetiredTimers, rest: [Element], number: UInt64)? in
        guard isOpen, !announcement.holds(completion), beginEndingLocked() else { return nil }
        let rest = state.take()
        let last = if case .finished = completion, !rest.isEmpty { rest } else { [Element]?.none }
        return (timers.removeAll(), rest, append(completion, after: last))
      }
      guard let step else { return }
      step.timers.cancel()
      schedule.run(action(step.number))
    }

    /// Delivers the array of an interval, behind the full arrays that wait: this action then delivers the oldest of those.
    @inlinable
    func fire(_ timer: UInt64) {
      let entry = enterToDeliver()
      if case .refused = entry { return }
      let isAdded = lock.withLock {
        guard isOpen, timers.contains(timer), let group = state.tick() else { return false }
        lockEvents()
        appendWithoutActionLocked(group, isUnrequested: state.count != nil)
        return true
      }
      guard isAdded else { return leaveGate(after: entry) }
      let more = deliverOldestLocked(leavingAfter: entry)
      if more != .none { requestMore(more) }
    }

    @inlinable
    func requestMore(_ demand: Subscribers.Demand) {
      // Demand for a full array is passed on while ending, too, as `receive(on:)` does.
      let wanted = lock.withLock { isOpen || state.count != nil ? state.didSend(demand) : .none }
      if wanted != .none { subscription?.request(wanted) }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      let wanted = lock.withLock { isOpen ? state.request(demand) : .none }
      if wanted != .none { super.request(wanted) }
    }

    @usableFromInline
    override func cancel() {
      let ended = lock.withLock {
        isOpen ? (subscription: disconnectLocked(), timers: timers.removeAll(), dropped: state.take()) : nil
      }
      guard let ended else { return }
      ended.timers.cancel()
      finishCancel(ended.subscription)
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
