extension Publisher {

  /// Publishes elements only after a pause of `dueTime`.
  ///
  /// The operator requests unlimited demand from the upstream. It drops an element if another one follows within the
  /// due time, or if the upstream completes within it. It also drops an element if there is no demand at the end of the
  /// due time.
  ///
  /// The operator delivers the completion immediately, on the scheduler, without waiting for demand.
  ///
  /// ```swift
  /// marbles {
  ///   "a--bc----|"
  ///   $0[0].debounce(for: 2, scheduler: $0.scheduler)
  ///   "--a---c--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let texts = PassthroughSubject<String, Never>()
  /// let found = DispatchSemaphore(value: 0)
  /// let cancellable = texts
  ///   .debounce(for: .milliseconds(300), scheduler: DispatchQueue(label: "search"))
  ///   .sink { @Sendable text in print("search for \(text)"); found.signal() }
  /// for text in ["S", "Sw", "Swi"] { texts.send(text) }
  /// found.wait()  // prints search for Swi
  /// ```
  ///
  /// - Parameters:
  ///   - dueTime: The interval that must pass after an element, without another one, before it is published.
  ///   - scheduler: The scheduler that measures time and on which the downstream is called.
  ///   - options: The options for the scheduler's timers. The completion is scheduled without options.
  /// - Returns: A publisher of the last element before each pause.
  @inlinable
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
  }
}

extension Publishers {

  /// A publisher that publishes elements of its upstream only after a pause.
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are published.
    public let upstream: Upstream

    /// The interval that must pass after an element, without another one, before it is published.
    public let dueTime: Context.SchedulerTimeType.Stride

    /// The scheduler that measures time and on which the downstream is called.
    public let scheduler: Context

    /// The options for the scheduler's timers.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that publishes another publisher's elements only after a pause.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are published.
    ///   - dueTime: The interval that must pass after an element, without another one, before it is published.
    ///   - scheduler: The scheduler that measures time and on which the downstream is called.
    ///   - options: The options for the scheduler's timers.
    @inlinable
    public init(
      upstream: Upstream,
      dueTime: Context.SchedulerTimeType.Stride,
      scheduler: Context,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.dueTime = dueTime
      self.scheduler = scheduler
      self.options = options
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        Conduits.Debounce(
          downstream: subscriber,
          schedule: TimerSchedule(interval: dueTime, scheduler: scheduler, options: options)
        )
      )
    }
  }
}

extension Publishers.Debounce: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}

// MARK: Machine

/// The pure state of `debounce`: the latest element, the end of its pause, and the demand.
///
/// One timer runs for all elements. Where an element has moved the end of the pause meanwhile, the timer is set again
/// when it fires. So an element sets a timer only if none runs.
@usableFromInline
struct DebounceMachine<Value, Time: Comparable> {

  /// The latest element, even after it was published or dropped.
  @usableFromInline
  var currentValue: Value?

  /// The downstream's demand.
  @usableFromInline
  var demand = Subscribers.Demand.none

  @usableFromInline
  var timers = TimerTable()

  /// The end of the latest element's pause.
  @usableFromInline
  var deadline: Time?

  /// The date of the timer that runs.
  @usableFromInline
  var timerDate: Time?

  @inlinable
  init() {}

  /// Handles an element.
  ///
  /// - Parameters:
  ///   - deadline: The end of its pause.
  ///   - hasTimer: Whether the scheduler still has the timer, if one runs.
  /// - Returns: The number of the timer to set for the deadline, if any, and the previous element, which the caller must
  ///   release.
  @inlinable
  mutating func receive(_ value: Value, until deadline: Time, hasTimer: Bool) -> (timer: Int?, replaced: Value?) {
    let replaced = exchange(&currentValue, with: value)
    self.deadline = deadline
    // A clock that was set back makes a timer late.
    if hasTimer, let timerDate, timerDate <= deadline { return (nil, replaced) }
    return (setTimer(for: deadline), replaced)
  }

  @inlinable
  mutating func setTimer(for date: Time) -> Int {
    timerDate = date
    return timers.add()
  }

  @usableFromInline
  enum FireAction {
    case nothing
    case publish(Value)

    /// The timer to set, since the pause goes on until this date.
    case setTimer(Int, Time)
  }

  /// Handles the action of a timer. Only its first action counts.
  ///
  /// - Returns: What to do, and the timer's token to cancel: before the element is published, and after another timer is
  ///   set. Without demand, the element is dropped.
  @inlinable
  mutating func fire(_ timer: Int) -> (token: (any Cancellable)?, action: FireAction) {
    guard let fired = timers.fire(timer) else { return (nil, .nothing) }
    guard fired.isLatest, let date = exchange(&timerDate, with: nil) else { return (fired.token, .nothing) }
    if let deadline, date < deadline { return (fired.token, .setTimer(setTimer(for: deadline), deadline)) }
    guard demand > .none, let currentValue else { return (fired.token, .nothing) }
    demand -= 1
    return (fired.token, .publish(currentValue))
  }

  /// Adds to the demand.
  @inlinable
  mutating func request(_ more: Subscribers.Demand) {
    demand += more
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Debounce<Downstream: Subscriber, Context: Scheduler>: Conduit, Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let gate = Gate()

    @usableFromInline
    var _gate: UnsafeRawPointer? { gate.address }

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let schedule: TimerSchedule<Context>

    @exclusivity(unchecked)  // These three: only with the lock held.
    @usableFromInline
    var state = DebounceMachine<Input, Context.SchedulerTimeType>()

    @exclusivity(unchecked)
    @usableFromInline
    var announcement = EventAnnouncement<Subscribers.Completion<Failure>>()

    /// The object that the timer's action holds.
    @exclusivity(unchecked)
    @usableFromInline
    var relayReference = ActionRelayReference()

    /// The timer whose element was published last.
    @exclusivity(unchecked)  // Only inside the gate.
    @usableFromInline
    var lastTimer = 0

    @inlinable
    init(downstream: Downstream, schedule: TimerSchedule<Context>) {
      self.downstream = downstream
      self.schedule = schedule
    }

    @usableFromInline
    override func removeRelay(_ relay: UnsafeMutableRawPointer) {
      lock.withLock { relayReference.remove(relay) }
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard lock.withLock({ acceptLocked(subscription) && announcement.begin() }) else { return subscription.cancel() }
      downstream.receive(subscription: self)
      if let held = lock.withLock({ announcement.end() }) { receive(completion: held) }
      self.subscription?.request(.unlimited)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard phase == .subscribed else { return .none }
      let deadline = schedule.nextDate
      let step = lock.withLock { () -> (timer: Int?, replaced: Input?, relay: ActionRelay)? in
        guard phase == .subscribed else { return nil }
        let (relay, isShared) = relayReference.relay(for: self)
        let step = state.receive(input, until: deadline, hasTimer: isShared)
        return (step.timer, step.replaced, relay)
      }
      if let step, let timer = step.timer { setTimer(timer, at: deadline, step.relay) }
      return .none
    }

    @inlinable
    func setTimer(_ timer: Int, at date: Context.SchedulerTimeType, _ relay: ActionRelay) {
      let token = schedule.startTimer(at: date) {
        if let conduit = relay.conduit { _unsafeUncheckedDowncast(conduit, to: Self.self).fire(timer) }
      }
      lock.withLock { state.timers.setToken(token, of: timer) }.cancel()
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let ended = lock.withLock { () -> Ending? in
        guard phase == .subscribed, !announcement.holds(completion) else { return nil }
        return endLocked()
      }
      guard let ended else { return }
      gate.releaseWaiting()
      ended.timers.cancel()
      ended.relay?.release()
      schedule.scheduler.schedule(options: nil) {
        self.gate.pass { self.downstream.receive(completion: completion) }
      }
    }

    @inlinable
    func fire(_ timer: Int) {
      let (token, action) = lock.withLock { state.fire(timer) }
      switch action {
      case .nothing:
        token?.cancel()
      case .setTimer(let next, let date):
        if let relay = lock.withLock({ phase == .subscribed ? relayReference.relay(for: self).relay : nil }) {
          setTimer(next, at: date, relay)
        }
        token?.cancel()
      case .publish(let value):
        token?.cancel()
        publish(value, of: timer)
      }
    }

    @inlinable
    func publish(_ value: Input, of timer: Int) {
      var more = Subscribers.Demand.none
      gate.pass(unless: { phase != .subscribed }) {
        // The state is checked again inside the gate, so that no element follows a completion or a cancellation.
        guard phase == .subscribed else { return }
        // On a scheduler with many threads, a later element may have overtaken this one, which is then dropped.
        guard timer > lastTimer else {
          more = .max(1)
          return
        }
        lastTimer = timer
        more = downstream.receive(value)
      }
      if more != .none { request(more) }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      lock.withLock { if phase == .subscribed { state.request(demand) } }
    }

    @usableFromInline
    override func cancel() {
      let ended = lock.withLock { endLocked() }
      gate.releaseWaiting()
      ended.timers.cancel()
      ended.subscription?.cancel()
      ended.relay?.release()
    }

    /// The objects that must be cancelled and released at the end, with no lock held.
    @usableFromInline
    typealias Ending = (
      subscription: (any Subscription)?, timers: RetiredTimers, relay: ActionRelay?, value: Input?
    )

    @inlinable
    func endLocked() -> Ending {
      (disconnectLocked(), state.timers.removeAll(), relayReference.take(), exchange(&state.currentValue, with: nil))
    }

    @usableFromInline
    var description: String { "Debounce" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> {
      let (demand, value) = lock.withLock { (state.demand, state.currentValue) }
      return ["downstream": downstream, "downstreamDemand": demand, "currentValue": value as Any]
    }
  }
}
