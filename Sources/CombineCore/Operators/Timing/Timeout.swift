import Synchronization

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
  /// func limited(_ answers: PassthroughSubject<String, Late>, on scheduler: some Scheduler) -> AnyCancellable {
  ///   answers
  ///     .timeout(.seconds(30), scheduler: scheduler) { Late() }
  ///     .sink(receiveCompletion: { print("ended: \($0)") }, receiveValue: { print($0) })
  /// }
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

  @inlinable
  init() {}

  /// Handles an element, which ends the current timer.
  ///
  /// - Returns: The timers to cancel, and then the number of the timer to set.
  @inlinable
  mutating func restart() -> (retired: RetiredTimers, timer: Int) {
    (timers.removeAll(), timers.add())
  }

  /// Handles a request.
  ///
  /// - Returns: The number of the timer to set, for the first request. The timer before it is removed once that one is
  ///   set.
  @inlinable
  mutating func request() -> Int? {
    guard !exchange(&hasRequested, with: true) else { return nil }
    return timers.add()
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Timeout<Downstream: Subscriber, Context: Scheduler>: Conduit, Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let gate = Gate()

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let schedule: TimerSchedule<Context>

    @usableFromInline
    let customError: (() -> Failure)?

    /// Whether the downstream has cancelled.
    ///
    /// It is checked again after calls of foreign code, and by a completion that waits for the gate.
    @usableFromInline
    let isCancelled = Atomic<Bool>(false)

    @usableFromInline
    let unrequested = UnrequestedDeliveryMark()

    @exclusivity(unchecked)  // These three: only with the lock held.
    @usableFromInline
    var state = TimeoutMachine()

    @exclusivity(unchecked)
    @usableFromInline
    var subscriptionDelivery = SubscriptionDelivery<Early>()

    /// The object that the timers' actions hold.
    @exclusivity(unchecked)
    @usableFromInline
    var relayReference = ActionRelayReference()

    /// An event that may arrive before the downstream has received its subscription.
    @usableFromInline
    enum Early {

      /// The time has passed. The upstream must be cancelled before the downstream is notified.
      case timeout(any Subscription)
      case completion(Subscribers.Completion<Failure>)
    }

    @inlinable
    init(downstream: Downstream, schedule: TimerSchedule<Context>, customError: (() -> Failure)?) {
      self.downstream = downstream
      self.schedule = schedule
      self.customError = customError
    }

    @inlinable
    func receive(subscription: any Subscription) {
      let timer = lock.withLock { acceptLocked(subscription) ? state.timers.add() : nil }
      guard let timer else { return subscription.cancel() }
      // The timer may fire immediately, within this call or on another thread. The downstream is notified of that after
      // the subscription.
      arm(timer)
      lock.withLock { subscriptionDelivery.begin() }
      downstream.receive(subscription: self)
      switch lock.withLock({ subscriptionDelivery.end() }) {
      case .timeout(let upstream): timeOut(upstream)
      case .completion(let completion): receive(completion: completion)
      case nil: break
      }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard let step = lock.withLock({ phase == .subscribed ? state.restart() : nil }) else { return .none }
      step.retired.cancel()
      unrequested.note()
      arm(step.timer)
      schedule.run { self.deliver(input) }
      return .none
    }

    // The conduit stays subscribed until the completion is delivered, as in Combine.
    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let timers = lock.withLock { () -> RetiredTimers? in
        guard phase == .subscribed, !subscriptionDelivery.holds(.completion(completion)) else { return nil }
        return state.timers.removeAll()
      }
      guard let timers else { return }
      timers.cancel()
      schedule.run {
        if self.end() != nil { self.complete(completion) }
      }
    }

    @inlinable
    func deliver(_ input: Input) {
      // The subscription is taken first. Demand that the downstream returns is requested even if it has cancelled
      // meanwhile, as in Combine.
      let subscription = subscription
      let more = unrequested.mark { gate.pass(input, to: downstream, unless: phase != .subscribed) }
      if more != .none { subscription?.request(more) }
    }

    /// Sets a timer that has its number. It may fire immediately, if the time has passed by then.
    @inlinable
    func arm(_ timer: Int) {
      guard let relay = lock.withLock({ phase == .subscribed ? relayReference.relay(for: self) : nil }) else { return }
      let token = schedule.startTimer {
        if let conduit = relay.conduit { unsafeDowncast(conduit, to: Self.self).fire(timer) }
      }
      lock.withLock { state.timers.setToken(token, of: timer) }.cancel()
    }

    @inlinable
    func fire(_ timer: Int) {
      let (fired, ended) = lock.withLock {
        let fired = state.timers.fire(timer)
        return (fired, fired?.isLatest == true ? endLocked() : nil)
      }
      if ended != nil { gate.releaseWaiting() }
      fired?.token?.cancel()
      ended?.timers.cancel()
      ended?.relay?.release()
      guard let upstream = ended?.subscription else { return }
      if !lock.withLock({ subscriptionDelivery.holds(.timeout(upstream)) }) { timeOut(upstream) }
    }

    @inlinable
    func timeOut(_ upstream: any Subscription) {
      upstream.cancel()
      guard !isCancelled.load(ordering: .acquiring) else { return }
      complete(customError.map { .failure($0()) } ?? .finished)
    }

    @inlinable
    func complete(_ completion: Subscribers.Completion<Failure>) {
      gate.pass(unless: { isCancelled.load(ordering: .acquiring) }) {
        if !isCancelled.load(ordering: .acquiring) { downstream.receive(completion: completion) }
      }
    }

    @inlinable
    func end() -> (any Subscription)? {
      let ended = lock.withLock { endLocked() }
      gate.releaseWaiting()
      ended.timers.cancel()
      ended.relay?.release()
      return ended.subscription
    }

    /// Does the same as ``end()``, for a caller that holds the lock.
    ///
    /// The caller cancels the timers and releases the relay's conduit outside the lock.
    @inlinable
    func endLocked() -> (subscription: (any Subscription)?, timers: RetiredTimers, relay: ActionRelay?) {
      (disconnectLocked(), state.timers.removeAll(), relayReference.take())
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      guard let subscription else { return }
      if let timer = lock.withLock({ phase == .subscribed ? state.request() : nil }) {
        arm(timer)
        guard phase == .subscribed else { return }
      }
      subscription.request(demand)
    }

    @usableFromInline
    override func cancel() {
      let (ended, early) = lock.withLock {
        // A cancellation before the subscription is ignored.
        if phase != .awaiting { isCancelled.store(true, ordering: .releasing) }
        return (endLocked(), exchange(&subscriptionDelivery.held, with: nil))
      }
      gate.releaseWaiting()
      ended.timers.cancel()
      if case .timeout(let upstream) = early { upstream.cancel() }
      ended.subscription?.cancel()
      ended.relay?.release()
    }

    @usableFromInline
    var description: String { "Timeout" }
  }
}
