extension Publisher {

  /// Ends the stream when no value has come for too long.
  ///
  /// The time runs from the subscription, again from the first request, and again from each value: from its arrival,
  /// not from its delivery. When it is over the upstream is cancelled, and then the downstream gets the completion.
  /// Values and the upstream's completion are each delivered by an action of their own on the scheduler; a cancel drops
  /// those that are on their way.
  ///
  /// A scheduler that runs actions inside the scheduling call, such as ``ImmediateScheduler``, cannot measure time:
  /// subscribing with one traps.
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
  ///   - interval: The longest time without a value.
  ///   - scheduler: The scheduler that measures the time, and on which the downstream is called.
  ///   - options: Options for the scheduler.
  ///   - customError: Makes the error that ends the stream when the time is over; without it, the stream then finishes.
  ///     Called at most once for a subscriber.
  /// - Returns: A publisher of the same values; demand goes to the upstream as it is.
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

  /// A publisher that ends when its upstream has sent no value for too long.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values: that of the upstream.
    public typealias Output = Upstream.Output

    /// The kind of errors: that of the upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are awaited.
    public let upstream: Upstream

    /// The longest time without a value.
    public let interval: Context.SchedulerTimeType.Stride

    /// The scheduler that measures the time, and on which the downstream is called.
    public let scheduler: Context

    /// Options for the scheduler.
    public let options: Context.SchedulerOptions?

    /// Makes the error that ends the stream when the time is over; without it, the stream then finishes.
    public let customError: (() -> Failure)?

    /// Creates a publisher that ends when another one has sent no value for too long.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose values are awaited.
    ///   - interval: The longest time without a value.
    ///   - scheduler: The scheduler that measures the time, and on which the downstream is called.
    ///   - options: Options for the scheduler.
    ///   - customError: Makes the error that ends the stream when the time is over; without it, the stream finishes.
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

    /// Attaches a subscriber to the upstream, with the timer in between.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        Conduits.Timeout(
          downstream: subscriber,
          schedule: TimerSchedule(interval: interval, scheduler: scheduler, options: options),
          customError: customError
        )
      )
    }
  }
}

// MARK: State

/// What `timeout` knows: its timers, of which the latest counts, and whether the downstream has asked for anything.
@usableFromInline
struct TimeoutState {

  @usableFromInline
  var timers = TimerTable()

  @usableFromInline
  var hasRequested = false

  /// Whether the downstream has cancelled, be it while the timeout is on its way to it.
  @usableFromInline
  var isCancelled = false

  @inlinable
  init() {}

  /// Takes a value: the timer so far is over.
  ///
  /// - Returns: What to cancel, and then the number of the timer to set.
  @inlinable
  mutating func restart() -> (retired: RetiredTimers, timer: Int) {
    (timers.removeAll(), timers.add())
  }

  /// Takes a request.
  ///
  /// - Returns: The number of the timer to set, for the first one. The timer before it goes when it has been set.
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

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var state = TimeoutState()

    @inlinable
    init(downstream: Downstream, schedule: TimerSchedule<Context>, customError: (() -> Failure)?) {
      self.downstream = downstream
      self.schedule = schedule
      self.customError = customError
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      // Set inside the gate: the timer may fire at once, and what it says comes after the subscription.
      gate.pass {
        arm(lock.withLock { state.timers.add() })
        downstream.receive(subscription: self)
      }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard let step = lock.withLock({ phase == .subscribed ? state.restart() : nil }) else { return .none }
      step.retired.cancel()
      arm(step.timer)
      schedule.run { self.deliver(input) }
      return .none
    }

    // Stays connected until the completion is delivered, as Combine does.
    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard let timers = lock.withLock({ phase == .subscribed ? state.timers.removeAll() : nil }) else { return }
      timers.cancel()
      schedule.run {
        if self.end() != nil { self.gate.pass { self.downstream.receive(completion: completion) } }
      }
    }

    @inlinable
    func deliver(_ input: Input) {
      // Taken before: what the downstream returns is requested though it has cancelled meanwhile, as Combine does.
      let subscription = subscription
      let more = gate.pass { phase == .subscribed ? downstream.receive(input) : .none }
      if more != .none { subscription?.request(more) }
    }

    /// Sets a timer that has its number.
    @inlinable
    func arm(_ timer: Int) {
      let thread = Platform.currentThread
      let token = schedule.startTimer { self.fire(timer, setOn: thread) }
      lock.withLock { state.timers.attach(token, to: timer) }.cancel()
    }

    @inlinable
    func fire(_ timer: Int, setOn thread: UInt) {
      let (fired, ended) = lock.withLock {
        let fired = state.timers.fire(timer)
        return (fired, fired?.isLatest == true ? endLocked() : nil)
      }
      if let fired, fired.token == nil, thread == Platform.currentThread {
        Misuse.trap("Timeout", .timerInsideSchedule)
      }
      fired?.token?.cancel()
      ended?.timers.cancel()
      guard let subscription = ended?.subscription else { return }
      subscription.cancel()
      guard !isCancelled else { return }
      let completion = customError.map { .failure($0()) } ?? Subscribers.Completion<Failure>.finished
      gate.pass { if !isCancelled { downstream.receive(completion: completion) } }
    }

    /// Looked at again after what runs code of others: it may have cancelled.
    @inlinable
    var isCancelled: Bool {
      lock.withLock { state.isCancelled }
    }

    /// Ends the connection and its timers.
    ///
    /// - Returns: The subscription if connected, for the caller to cancel or to let go.
    @inlinable
    func end() -> (any Subscription)? {
      let ended = lock.withLock { endLocked() }
      ended.timers.cancel()
      return ended.subscription
    }

    /// As ``end()``, for a caller that holds the lock, and will cancel the timers.
    @inlinable
    func endLocked() -> (subscription: (any Subscription)?, timers: RetiredTimers) {
      (disconnectLocked(), state.timers.removeAll())
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      guard let subscription else { return }
      if let timer = lock.withLock({ phase == .subscribed ? state.request() : nil }) { arm(timer) }
      subscription.request(demand)
    }

    @usableFromInline
    override func cancel() {
      let ended = lock.withLock {
        // Before the subscription a cancel is ignored.
        if phase != .awaiting { state.isCancelled = true }
        return endLocked()
      }
      ended.timers.cancel()
      ended.subscription?.cancel()
    }

    @usableFromInline
    var description: String { "Timeout" }
  }
}
