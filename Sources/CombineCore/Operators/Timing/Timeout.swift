import CombineThreads

extension Publisher {

  /// Completes if no element arrives for too long.
  ///
  /// The interval starts with the subscription. It starts again with the first request, and again with each element,
  /// when the element arrives and not when it is delivered.
  ///
  /// When the interval has passed, the operator cancels the upstream, and then delivers the completion. Each element
  /// and the upstream's completion is delivered by its own action on the scheduler. A cancellation drops those that are
  /// not delivered yet.
  ///
  /// Some schedulers run actions within the scheduling call, such as ``ImmediateScheduler``. With such a scheduler, the
  /// operator times out as soon as the downstream has received its subscription.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--------c--|"
  ///   $0[0].timeout(5, scheduler: $0.scheduler)
  ///   "a--b----|"
  ///   "^-------!"
  /// }
  /// marbles {
  ///   "a--b--------c--|"
  ///   $0[0].timeout(5, scheduler: $0.scheduler) { MarbleError() }
  ///   "a--b----#"
  ///   "^-------!"
  /// }
  /// ```
  ///
  /// ```swift
  /// struct Late: Error {}
  /// let answers = PassthroughSubject<String, Late>()
  /// let ended = DispatchSemaphore(value: 0)
  /// let cancellable = answers
  ///   .timeout(.milliseconds(500), scheduler: DispatchQueue(label: "limit")) { Late() }
  ///   .sink { @Sendable in print($0); ended.signal() } receiveValue: { @Sendable in print($0) }
  /// answers.send("first")  // prints first
  /// ended.wait()           // prints failure(Late())
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The maximum time without an element.
  ///   - scheduler: The scheduler that measures time and on which the downstream is called.
  ///   - options: The options that the scheduler is called with.
  ///   - customError: A closure that returns the error to fail with when the time has passed. Without it, the publisher
  ///     then finishes. It is called at most once for each subscriber.
  /// - Returns: A publisher of the same elements. It passes demand to the upstream unchanged.
  @inlinable
  public func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(
      upstream: self,
      interval: interval,
      scheduler: scheduler,
      options: options,
      customError: customError
    )
  }
}

extension Publishers {

  /// A publisher that completes if its upstream sends no element for too long.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are awaited.
    public let upstream: Upstream

    /// The maximum time without an element.
    public let interval: Context.SchedulerTimeType.Stride

    /// The scheduler that measures time and on which the downstream is called.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// A closure that returns the error to fail with when the time has passed.
    ///
    /// Without it, the publisher then finishes.
    public let customError: (() -> Failure)?

    /// Creates a publisher that completes if another publisher sends no element for too long.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are awaited.
    ///   - interval: The maximum time without an element.
    ///   - scheduler: The scheduler that measures time and on which the downstream is called.
    ///   - options: The options that the scheduler is called with.
    ///   - customError: A closure that returns the error to fail with when the time has passed. Without it, the
    ///     publisher then finishes.
    @inlinable
    public init(
      upstream: Upstream,
      interval: Context.SchedulerTimeType.Stride,
      scheduler: Context,
      options: Context.SchedulerOptions?,
      customError: (() -> Failure)?
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
      self.customError = customError
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        Conduits.Timeout(
          downstream: subscriber,
          schedule: TimerSchedule(interval: interval, scheduler: scheduler, options: options),
          customError: customError
        )
      )
    }
  }
}

// MARK: Machine

/// The pure state of `timeout`: its timers, of which only the latest counts, and whether the downstream has requested.
@usableFromInline
struct TimeoutMachine {

  @usableFromInline
  var timers = TimerTable()

  @usableFromInline
  var hasRequested = false

  /// The subscription to cancel, if the time has passed before the downstream had its own.
  @usableFromInline
  var overdue: (any Subscription)?

  @inlinable
  init() {}

  /// Handles an element, which ends the current timer.
  ///
  /// - Returns: The timers to cancel, and then the number of the timer to set.
  @inlinable
  mutating func restart() -> (retired: RetiredTimers, timer: UInt64) {
    (timers.removeAll(), timers.add())
  }

  /// Handles a request.
  ///
  /// - Returns: The number of the timer to set, for the first request. The timer before it is removed once that one is
  ///   set.
  @inlinable
  mutating func request() -> UInt64? {
    guard !exchange(&hasRequested, with: true) else { return nil }
    return timers.add()
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Timeout<Downstream: Subscriber, Context: Scheduler>: ScheduledConduit<Downstream>, Subscriber,
    DescribedByName
  {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let schedule: TimerSchedule<Context>

    @usableFromInline
    let customError: (() -> Failure)?

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var state = TimeoutMachine()

    /// The connection from the timers' actions. It holds this conduit from the first timer to the end.
    @usableFromInline
    let timerRelay: ActionRelay

    @inlinable
    init(downstream: Downstream, schedule: TimerSchedule<Context>, customError: (() -> Failure)?) {
      self.schedule = schedule
      self.customError = customError
      timerRelay = ActionRelay { conduit, timer, outcome in
        let conduit = _unsafeUncheckedDowncast(conduit, to: Timeout.self)
        switch outcome {
        case .ran: conduit.fire(timer)
        case .dropped: conduit.forget(timer)
        }
      }
      let relay = ActionRelay { conduit, number, outcome in
        let conduit = _unsafeUncheckedDowncast(conduit, to: Timeout.self)
        switch outcome {
        case .ran: conduit.deliverOldestEvent(for: number)
        case .dropped: conduit.dropEvent(of: number)
        }
      }
      super.init(downstream: downstream, relay: relay)
    }

    @inlinable
    func receive(subscription: any Subscription) {
      let held = announce(subscription) {
        // The timer may fire immediately, within this call or on another thread. The downstream is notified of that after
        // the subscription.
        if let timer = lock.withLock({ isOpen ? state.timers.add() : nil }) { arm(timer) }
      }
      if let upstream = lock.withLock({ exchange(&state.overdue, with: nil) }) { return timeOut(upstream) }
      if let held { receive(completion: held) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard let timer = restart() else { return .none }
      unrequested.note()
      if isOpen { start(timer) }
      if let number = appendIfOpen(input) { schedule.run(action(number)) }
      return .none
    }

    // The conduit stays open until the completion is delivered, as in Combine.
    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let timers = lock.withLock { () -> RetiredTimers? in
        isOpen && !announcement.holds(completion) ? retireTimersLocked() : nil
      }
      guard let timers else { return }
      timers.cancel()
      if let number = appendIfOpen(completion) { schedule.run(action(number)) }
    }

    @inlinable
    func deliverOldestEvent(for number: UInt64) {
      // The subscription is taken first. Demand that the downstream returns is requested even if it has cancelled
      // meanwhile, as in Combine.
      let subscription = subscription
      let more = deliverOldest(for: number)
      if more != .none { subscription?.request(more) }
      if phase != .subscribed { retireTimers() }
    }

    /// Ends the current timer, unless the connection has ended.
    ///
    /// - Returns: The number of the timer to start.
    @inlinable
    func restart() -> UInt64? {
      lock.lock()
      guard isOpen else {
        lock.unlock()
        return nil
      }
      let (retired, timer) = state.restart()
      timerRelay.hold(self)
      lock.unlock()
      retired.cancel()
      return timer
    }

    /// Starts a timer that has its number, if it is still wanted.
    @inlinable
    func arm(_ timer: UInt64) {
      let isWanted = lock.withLock {
        let isWanted = isOpen && state.timers.contains(timer)
        if isWanted { timerRelay.hold(self) }
        return isWanted
      }
      if isWanted { start(timer) }
    }

    /// Starts a timer that has its number. It may fire immediately, if the time has passed by then.
    @inlinable
    func start(_ timer: UInt64) {
      let token = schedule.startTimer(timerRelay.action(timer))
      lock.lock()
      let retired = state.timers.setToken(token, of: timer)
      lock.unlock()
      retired.cancel()
    }

    /// Ends the connection, if this timer is the latest. Elements that wait for their actions are dropped, as in Combine.
    @inlinable
    func fire(_ timer: UInt64) {
      var ended: (any Subscription)?
      let (token, isDue) = lock.withLock { () -> ((any Cancellable)?, Bool) in
        guard let fired = removeTimerLocked(timer) else { return (nil, false) }
        guard fired.isLatest, announcement.held == nil, isOpen else { return (fired.token, false) }
        ended = disconnectLocked()
        guard announcement.isPending() else { return (fired.token, true) }
        state.overdue = ended
        return (fired.token, false)
      }
      token?.cancel()
      guard let ended else { return }
      finishCancel(nil)
      retireTimers()
      if isDue { timeOut(ended) }
    }

    @inlinable
    func timeOut(_ upstream: any Subscription) {
      upstream.cancel()
      guard !wasCancelled else { return }
      let completion = customError.map { Completion.failure($0()) } ?? .finished
      gate.pass(unless: { wasCancelled }) {
        if !wasCancelled { downstream.receive(completion: completion) }
      }
    }

    /// Removes a timer whose action the scheduler has dropped.
    @inlinable
    func forget(_ timer: UInt64) {
      _ = lock.withLock { removeTimerLocked(timer) }
    }

    @inlinable
    func removeTimerLocked(_ timer: UInt64) -> (isLatest: Bool, token: (any Cancellable)?)? {
      let removed = state.timers.fire(timer)
      // The caller keeps this conduit alive.
      if removed != nil, state.timers.isEmpty { timerRelay.release() }
      return removed
    }

    @inlinable
    func retireTimers() {
      lock.withLock { retireTimersLocked() }.cancel()
    }

    @inlinable
    func retireTimersLocked() -> RetiredTimers {
      timerRelay.release()
      return state.timers.removeAll()
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      guard isOpen else { return }
      if let timer = lock.withLock({ isOpen ? state.request() : nil }) { arm(timer) }
      if isOpen { subscription?.request(demand) }
    }

    // Unlike that of other such operators, it counts while a completion waits.
    @usableFromInline
    override func cancel() {
      let (subscription, overdue) = lock.withLock { (acceptCancelLocked(), exchange(&state.overdue, with: nil)) }
      // Before the subscription a cancel has no effect.
      guard subscription != nil || overdue != nil else { return }
      retireTimers()
      overdue?.cancel()
      finishCancel(subscription)
    }

    @usableFromInline
    var description: String { "Timeout" }
  }
}
