import CombineThreads

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
@usableFromInline
struct DebounceMachine<Value, Time>: ~Copyable {

  /// The latest element, even after it was published or dropped.
  @usableFromInline
  var currentValue: Value?

  /// The downstream's demand.
  @usableFromInline
  var demand = Subscribers.Demand.none

  /// The end of the latest element's pause.
  @usableFromInline
  var pause = MovingDeadline<Time>()

  @inlinable
  init() {}

  /// Handles an element.
  ///
  /// - Parameters:
  ///   - deadline: The end of its pause.
  ///   - setsTimer: Whether no timer runs that serves it.
  /// - Returns: The number of the timer to set for the deadline, if any, and the previous element, which the caller must
  ///   release.
  @inlinable
  mutating func receive(_ value: Value, until deadline: Time, setsTimer: Bool) -> (timer: UInt64?, replaced: Value?) {
    (pause.move(to: deadline, setsTimer: setsTimer), exchange(&currentValue, with: value))
  }

  @usableFromInline
  enum PauseEnd {
    case nothing
    case setTimer(UInt64, Time)
    case publish(Value)
  }

  /// Handles the latest timer that has fired: the end of the pause, or of its first part.
  ///
  /// - Parameters:
  ///   - isEarly: Whether the pause ends later than the timer.
  ///   - look: The look after the timer was removed; `nil` if it was not the latest.
  /// - Returns: The timer to set for the rest of the pause, or the element to publish. Without demand, the element is dropped.
  @inlinable
  mutating func endPause(isEarly: Bool, since look: MovingDeadline<Time>.Look?) -> PauseEnd {
    guard let look else { return .nothing }
    switch pause.end(isEarly: isEarly, since: look) {
    case .nothing:
      return .nothing
    case .setTimer(let timer, let date):
      return .setTimer(timer, date)
    case .deadline:
      guard demand > .none, let currentValue else { return .nothing }
      demand -= 1
      return .publish(currentValue)
    }
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
  final class Debounce<Downstream: Subscriber, Context: Scheduler>: EndingConduit, Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let schedule: TimerSchedule<Context>

    @exclusivity(unchecked)  // These two: only with the lock held.
    @usableFromInline
    var state = DebounceMachine<Input, Context.SchedulerTimeType>()

    @exclusivity(unchecked)
    @usableFromInline
    var announcement = EventAnnouncement<Subscribers.Completion<Failure>>()

    /// The connection from the timers' actions. It holds this conduit while a timer runs.
    @usableFromInline
    let relay: ActionRelay

    /// The timer whose element was published last.
    @exclusivity(unchecked)  // Only inside the gate.
    @usableFromInline
    var lastTimer: UInt64 = 0

    @inlinable
    init(downstream: Downstream, schedule: TimerSchedule<Context>) {
      self.downstream = downstream
      self.schedule = schedule
      relay = ActionRelay { conduit, timer, outcome in
        let conduit = _unsafeUncheckedDowncast(conduit, to: Debounce.self)
        switch outcome {
        case .ran: conduit.fire(timer)
        case .dropped: conduit.forget(timer)
        }
      }
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
      let now = schedule.scheduler.now
      let deadline = now.advanced(by: schedule.interval)
      while true {
        lock.lock()
        let look = state.pause.look
        lock.unlock()
        let isServed = look.serves(deadline, at: now)
        lock.lock()
        guard isSubscribed else {
          lock.unlock()
          return .none
        }
        guard state.pause.version == look.version else {
          lock.unlock()
          continue
        }
        if !isServed { relay.hold(self) }
        let (timer, replaced) = state.receive(input, until: deadline, setsTimer: !isServed)
        lock.unlock()
        if let timer { setTimer(timer, at: deadline) }
        withExtendedLifetime((look, replaced)) {}
        return .none
      }
    }

    @inlinable
    func setTimer(_ timer: UInt64, at date: Context.SchedulerTimeType) {
      let token = schedule.startTimer(at: date, relay.action(timer))
      lock.lock()
      let retired = state.pause.setToken(token, of: timer)
      lock.unlock()
      retired.cancel()
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
      let action = RevocableAction { self.gate.pass { self.downstream.receive(completion: completion) } }
      schedule.scheduler.schedule(options: nil) { action.runLast() }
    }

    @inlinable
    func fire(_ timer: UInt64) {
      let (token, look) = removeTimer(timer)
      let isEarly = look?.isEarly ?? false
      lock.lock()
      let end = isSubscribed ? state.endPause(isEarly: isEarly, since: look) : .nothing
      if case .setTimer = end { relay.hold(self) }
      lock.unlock()
      withExtendedLifetime(look) {}
      if case .setTimer(let next, let date) = end { setTimer(next, at: date) }
      token?.cancel()
      if case .publish(let value) = end { publish(value, of: timer) }
    }

    /// Removes a timer whose action the scheduler has dropped. The next element sets another one.
    @inlinable
    func forget(_ timer: UInt64) {
      _ = removeTimer(timer)
    }

    @inlinable
    func removeTimer(_ timer: UInt64) -> (
      token: (any Cancellable)?, look: MovingDeadline<Context.SchedulerTimeType>.Look?
    ) {
      lock.lock()
      let removed = state.pause.removeTimer(timer)
      // The caller keeps this conduit alive.
      if state.pause.timers.isEmpty { relay.release() }
      lock.unlock()
      return removed
    }

    @inlinable
    func publish(_ value: Input, of timer: UInt64) {
      let entry = enterToDeliver()
      if case .refused = entry { return }
      var more = Subscribers.Demand.none
      // The state is checked again inside the gate, so that no element follows a completion or a cancellation.
      if isSubscribed {
        // On a scheduler with many threads, a later element may have overtaken this one, which is then dropped.
        if timer > lastTimer {
          lastTimer = timer
          let outer = beginDelivery()
          more = downstream.receive(value)
          CurrentDelivery.end(outer)
        } else {
          more = .max(1)
        }
      }
      leaveGate(after: entry)
      if more != .none { request(more) }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      lock.lock()
      if isSubscribed { state.request(demand) }
      lock.unlock()
    }

    @usableFromInline
    override func cancel() {
      let ended = lock.withLock { endLocked() }
      gate.releaseWaiting()
      ended.timers.cancel()
      ended.subscription?.cancel()
    }

    /// The objects that must be cancelled and released at the end, with no lock held.
    @usableFromInline
    typealias Ending = (subscription: (any Subscription)?, timers: RetiredTimers, value: Input?)

    @inlinable
    func endLocked() -> Ending {
      relay.release()
      return (disconnectLocked(), state.pause.removeAll(), exchange(&state.currentValue, with: nil))
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
