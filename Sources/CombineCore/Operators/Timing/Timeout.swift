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
      upstream.attach(
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

/// What `timeout` knows: its timers, of which the latest counts, whether the downstream has asked for anything, and what
/// waits until it has its subscription.
@usableFromInline
struct TimeoutState {

  @usableFromInline
  var timers = TimerTable()

  @usableFromInline
  var hasRequested = false

  /// Whether the downstream has cancelled, be it while the timeout is on its way to it.
  @usableFromInline
  var isCancelled = false

  /// The thread that is handing the subscription over; zero before and after.
  @usableFromInline
  var announcer: UInt = 0

  /// The upstream of a connection whose time ran out meanwhile, on another thread.
  @usableFromInline
  var early: (any Subscription)?

  @inlinable
  init() {}

  /// Takes note that the time has run out.
  ///
  /// - Returns: The upstream, to be cancelled before the downstream is told, if that is to be done now.
  @inlinable
  mutating func runOut(
    _ upstream: any Subscription,
    on thread: UInt = Platform.currentThread
  ) -> (any Subscription)? {
    if announcer == 0 || announcer == thread { return upstream }
    early = upstream
    return nil
  }

  /// Takes note that the downstream has its subscription.
  ///
  /// - Returns: The upstream, to be cancelled before the downstream is told, if the time has run out already.
  @inlinable
  mutating func didAnnounce() -> (any Subscription)? {
    announcer = 0
    return exchange(&early, with: nil)
  }

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
      // The timer may fire at once, on another thread; that is told after the subscription.
      let timer = lock.withLock {
        state.announcer = Platform.currentThread
        return state.timers.add()
      }
      arm(timer)
      gate.pass { downstream.receive(subscription: self) }
      if let upstream = lock.withLock({ state.didAnnounce() }) { timeOut(upstream) }
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
      let (fired, timers, upstream) = lock.withLock {
        let fired = state.timers.fire(timer)
        let ended = fired?.isLatest == true ? endLocked() : nil
        return (fired, ended?.timers, ended?.subscription.flatMap { state.runOut($0) })
      }
      if let fired, fired.token == nil, thread == Platform.currentThread {
        Misuse.trap("Timeout", .timerInsideSchedule)
      }
      fired?.token?.cancel()
      timers?.cancel()
      if let upstream { timeOut(upstream) }
    }

    @inlinable
    func timeOut(_ upstream: any Subscription) {
      upstream.cancel()
      guard !isCancelled else { return }
      let completion = customError.map { .failure($0()) } ?? Subscribers.Completion<Failure>.finished
      gate.pass { if !isCancelled { downstream.receive(completion: completion) } }
    }

    /// Looked at again after what runs code of others: it may have cancelled.
    @inlinable
    var isCancelled: Bool {
      lock.withLock { state.isCancelled }
    }

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
      let (ended, early) = lock.withLock {
        // Before the subscription a cancel is ignored.
        if phase != .awaiting { state.isCancelled = true }
        return (endLocked(), exchange(&state.early, with: nil))
      }
      ended.timers.cancel()
      (early ?? ended.subscription)?.cancel()
    }

    @usableFromInline
    var description: String { "Timeout" }
  }
}
