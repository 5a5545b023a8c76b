import CombineCore

extension Publisher {

  /// Delays elements so that no more than a number of them is published within an interval.
  ///
  /// In no interval of that length, wherever it begins, more elements are published. Elements wait in order, and none is
  /// dropped. The completion comes after the last element.
  ///
  /// Demand passes to the upstream unchanged, so the number of waiting elements is limited by the demand. With unlimited
  /// demand and an upstream that is faster in the long run, it grows. To drop elements instead, use `throttle`.
  ///
  /// ```swift
  /// marbles {
  ///   "abcd---------|"
  ///   $0[0].rateLimit(2, per: 5, scheduler: $0.scheduler)
  ///   "ab---cd------|"
  /// }
  /// ```
  ///
  /// ```swift
  /// func responses(to requests: [String], from load: @escaping (String) -> AnyPublisher<String, Never>) -> AnyCancellable {
  ///   requests.publisher
  ///     .rateLimit(10, per: .seconds(1), scheduler: DispatchQueue.main)
  ///     .flatMap { load($0) }
  ///     .sink { print($0) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: The maximum number of elements in an interval. It must be positive.
  ///   - interval: The interval in which no more elements are published.
  ///   - scheduler: The scheduler that measures time and on which elements are published that had to wait.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A publisher of the same elements, some of them later.
  @inlinable
  public func rateLimit<S: Scheduler>(
    _ count: Int,
    per interval: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> ExtraPublishers.RateLimit<Self, S> {
    ExtraPublishers.RateLimit(upstream: self, count: count, interval: interval, scheduler: scheduler, options: options)
  }
}

extension ExtraPublishers {

  /// A publisher of its upstream's elements, no more than a number of them within an interval.
  public struct RateLimit<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are delayed.
    public let upstream: Upstream

    /// The maximum number of elements in an interval.
    public let count: Int

    /// The interval in which no more elements are published.
    public let interval: Context.SchedulerTimeType.Stride

    /// The scheduler that measures time and on which elements are published that had to wait.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that limits the rate of another publisher's elements.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are delayed.
    ///   - count: The maximum number of elements in an interval. It must be positive.
    ///   - interval: The interval in which no more elements are published.
    ///   - scheduler: The scheduler that measures time and on which elements are published that had to wait.
    ///   - options: The options that the scheduler is called with.
    @inlinable
    public init(
      upstream: Upstream,
      count: Int,
      interval: Context.SchedulerTimeType.Stride,
      scheduler: Context,
      options: Context.SchedulerOptions? = nil
    ) {
      requirePositive(count, "RateLimit: count")
      self.upstream = upstream
      self.count = count
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = ExtraConduits.RateLimit(
        downstream: subscriber,
        state: RateLimitMachine(count: count, interval: interval),
        scheduler: scheduler,
        options: options
      )
      if conduit.open() { upstream.subscribeConduit(conduit) }
    }
  }
}

// MARK: Machine

/// The pure state of `rateLimit`: the elements that wait, and when the last ones were published.
@usableFromInline
struct RateLimitMachine<Value, Time: Strideable, Failure: Error>: ~Copyable {

  @usableFromInline
  let count: Int
  @usableFromInline
  let interval: Time.Stride

  @usableFromInline
  var waiting = Deque<Value>()
  @usableFromInline
  var completion: Subscribers.Completion<Failure>?

  /// When the last elements were published, at most ``count`` of them, the oldest first.
  @usableFromInline
  var times = Deque<Time>()

  /// The instant before which nothing may be published: the oldest of `count` times plus the interval.
  @usableFromInline
  var nextTime: Time?

  @usableFromInline
  var hasTimer = false

  @inlinable
  init(count: Int, interval: Time.Stride) {
    self.count = count
    self.interval = interval
  }

  @usableFromInline
  enum Action {
    case none
    case send(Value)
    case complete(Subscribers.Completion<Failure>)

    /// Set a timer for an instant.
    case setTimer(Time)
  }

  /// Handles an element.
  ///
  /// - Parameters:
  ///   - value: The element.
  ///   - now: The present instant.
  @inlinable
  mutating func receive(_ value: Value, at now: Time) -> Action {
    if completion != nil { return .none }
    if waiting.isEmpty, mayPublish(at: now) { return publish(value, at: now) }
    waiting.append(value)
    return setTimer()
  }

  /// Handles the completion, which waits for the elements.
  @inlinable
  mutating func receive(completion: Subscribers.Completion<Failure>) -> Action {
    if self.completion != nil { return .none }
    self.completion = completion
    return waiting.isEmpty ? .complete(completion) : .none
  }

  /// Handles the timer. Then ``next(at:)`` follows until it returns an action other than `send`.
  @inlinable
  mutating func fire() {
    hasTimer = false
  }

  /// The next thing to do after the timer.
  ///
  /// - Parameter now: The present instant, or that of the timer if it is later.
  @inlinable
  mutating func next(at now: Time) -> Action {
    if !waiting.isEmpty, mayPublish(at: now), let value = waiting.popFirst() { return publish(value, at: now) }
    if waiting.isEmpty, let completion { return .complete(completion) }
    return setTimer()
  }

  /// Drops the elements that wait.
  ///
  /// - Returns: The elements, to be released with no lock held.
  @inlinable
  mutating func removeAll() -> [Value] {
    let dropped = waiting.elements
    waiting = Deque()
    return dropped
  }

  @inlinable
  func mayPublish(at now: Time) -> Bool {
    guard let nextTime else { return true }
    return now >= nextTime
  }

  @inlinable
  mutating func publish(_ value: Value, at now: Time) -> Action {
    times.append(now)
    if times.count == count { nextTime = times.popFirst()?.advanced(by: interval) }
    return .send(value)
  }

  @inlinable
  mutating func setTimer() -> Action {
    guard !waiting.isEmpty, !hasTimer, let nextTime else { return .none }
    hasTimer = true
    return .setTimer(nextTime)
  }
}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class RateLimit<Downstream: Subscriber, Context: Scheduler>: QueuedConduit<Downstream>, Subscriber,
    CustomStringConvertible
  {
    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    typealias Time = Context.SchedulerTimeType

    @usableFromInline
    typealias State = RateLimitMachine<Input, Time, Failure>

    @usableFromInline
    let scheduler: Context

    @usableFromInline
    let options: Context.SchedulerOptions?

    @exclusivity(unchecked)  // These two: only with the lock held, after `init`.
    @usableFromInline
    var state: State

    @exclusivity(unchecked)
    @usableFromInline
    var timer: ReleasableTimer?

    @inlinable
    init(downstream: Downstream, state: consuming State, scheduler: Context, options: Context.SchedulerOptions?) {
      self.state = state
      self.scheduler = scheduler
      self.options = options
      super.init(downstream: downstream)
    }

    @inlinable
    func receive(subscription: any Subscription) {
      accept(subscription)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      let now = scheduler.now
      // The element takes its place in the queue in the same step in which it passes the limit.
      let (delivery, date) = lock.withLock { queue.isClosed ? (.nothing, nil) : enqueue(state.receive(input, at: now)) }
      if let date { setTimer(date) }
      return deliver(delivery)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard finishUpstream() else { return }
      forward(deliver(lock.withLock { enqueue(state.receive(completion: completion)).delivery }))
    }

    /// Puts an element or the completion into the queue in front of the downstream. The lock is held.
    ///
    /// - Returns: What to deliver, and the instant to set a timer for.
    @inlinable
    func enqueue(_ action: State.Action) -> (delivery: Machine.Delivery, date: Time?) {
      switch action {
      case .none: (.nothing, nil)
      case .send(let value): (queue.send(value), nil)
      case .complete(let completion): (queue.send(completion: completion), nil)
      case .setTimer(let date): (.nothing, date)
      }
    }

    @inlinable
    func setTimer(_ date: Time) {
      let timer = ReleasableTimer { self.fire(date) }
      let isOpen = lock.withLock {
        if !queue.isClosed { self.timer = timer }
        return !queue.isClosed
      }
      if isOpen { timer.start(after: scheduler.now.distance(to: date), on: scheduler, options: options) }
    }

    @inlinable
    func fire(_ date: Time) {
      // A scheduler without a clock fires early.
      let now = max(scheduler.now, date)
      lock.withLock { state.fire() }
      while true {
        let (delivery, date, hasSent) = lock.withLock { () -> (Machine.Delivery, Time?, Bool) in
          if queue.isClosed { return (.nothing, nil, false) }
          let action = state.next(at: now)
          let (delivery, date) = enqueue(action)
          if case .send = action { return (delivery, date, true) }
          return (delivery, date, false)
        }
        if let date { setTimer(date) }
        forward(deliver(delivery))
        if !hasSent { return }
      }
    }

    @inlinable
    override func didEnd() {
      super.didEnd()
      let (values, timer) = lock.withLock { (state.removeAll(), exchange(&self.timer, with: nil)) }
      timer?.cancel()
      withExtendedLifetime(values) {}
    }

    @usableFromInline
    var description: String { "RateLimit" }
  }
}
