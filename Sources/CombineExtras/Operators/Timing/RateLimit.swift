import CombineThreads
import CombineCore

extension Publisher {

  /// Delays elements so that no more than a number of them is published within an interval.
  ///
  /// In no interval of that length, wherever it begins, more elements are published, if the downstream takes each at
  /// once. Elements wait in order, and none is dropped. The completion comes after the last element.
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
        state: RateLimitMachine(count: count),
        interval: interval,
        scheduler: scheduler,
        options: options
      )
      if conduit.open() { upstream.subscribeConduit(conduit) }
    }
  }
}

// MARK: Machine

/// The pure state of `rateLimit`: the elements that wait, and when the next ones may be published.
///
/// It compares no dates: their operators are the scheduler's, and run with no lock held. Its owner compares ``nextTime``, and
/// asks again if the ``version`` has changed meanwhile.
@usableFromInline
struct RateLimitMachine<Value, Time, Failure: Error>: ~Copyable {

  @usableFromInline
  let count: Int

  @usableFromInline
  var waiting = Deque<Value>()
  @usableFromInline
  var completion: Subscribers.Completion<Failure>?

  /// The ends of the intervals that the last elements have begun, less than ``count`` of them, the oldest first.
  @usableFromInline
  var ends = Deque<Time>()

  /// The instant before which nothing may be published: the oldest of `count` ends.
  @usableFromInline
  var nextTime: Time?

  @usableFromInline
  var hasTimer = false

  /// The time after which the timer is taken for lost.
  @usableFromInline
  var patience: Time?

  /// The number of published elements, with which ``nextTime`` changes.
  @usableFromInline
  var version = 0

  @inlinable
  init(count: Int) {
    self.count = count
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
  ///   - mayPublish: Whether ``nextTime`` has come.
  ///   - end: The end of the interval that it begins if it is published now.
  @inlinable
  mutating func receive(_ value: Value, mayPublish: Bool, until end: Time) -> Action {
    if completion != nil { return .none }
    if waiting.isEmpty, mayPublish { return publish(value, until: end) }
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

  /// Handles the timer, which has fired, or is lost. In the first case ``next(mayPublish:until:)`` follows until it returns an
  /// action other than `send`.
  ///
  /// - Returns: A date that the caller must release.
  @inlinable
  mutating func removeTimer() -> Time? {
    hasTimer = false
    return exchange(&patience, with: nil)
  }

  /// The next thing to do after the timer.
  ///
  /// - Parameters:
  ///   - mayPublish: Whether ``nextTime`` has come.
  ///   - end: The end of the interval that the next element begins.
  @inlinable
  mutating func next(mayPublish: Bool, until end: Time) -> Action {
    if mayPublish, let value = waiting.popFirst() { return publish(value, until: end) }
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
  mutating func publish(_ value: Value, until end: Time) -> Action {
    version &+= 1
    ends.append(end)
    if ends.count == count { nextTime = ends.popFirst() }
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
  final class RateLimit<Downstream: Subscriber, Context: Scheduler>: PassingConduit<Downstream>,
    CustomStringConvertible
  {
    @usableFromInline
    typealias Time = Context.SchedulerTimeType

    @usableFromInline
    typealias State = RateLimitMachine<Input, Time, Failure>

    @usableFromInline
    let interval: Time.Stride

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
    init(
      downstream: Downstream,
      state: consuming State,
      interval: Time.Stride,
      scheduler: Context,
      options: Context.SchedulerOptions?
    ) {
      self.state = state
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
      super.init(downstream: downstream)
    }

    @inlinable
    override func receive(_ input: Input) -> Subscribers.Demand {
      let now = scheduler.now
      // The element takes its place in the queue in the same step in which it passes the limit.
      let (delivery, date, _) = step(at: now) { state.receive(input, mayPublish: $0, until: $1) }
      if let date { setTimer(date) }
      return deliver(delivery)
    }

    /// Does a step of the state, and puts what it publishes into the queue in front of the downstream.
    ///
    /// - Parameters:
    ///   - now: The present instant.
    ///   - body: A closure that does the step. The lock is held.
    /// - Returns: What to deliver, the instant to set a timer for, and whether an element was published.
    @inlinable
    func step(at now: Time, _ body: (_ mayPublish: Bool, _ end: Time) -> State.Action) -> (
      delivery: Machine.Delivery, date: Time?, hasSent: Bool
    ) {
      let end = now.advanced(by: interval)
      while true {
        let (nextTime, patience, version) = lock.withLock { (state.nextTime, state.patience, state.version) }
        let mayPublish = nextTime.map { now >= $0 } ?? true
        let isTimerLost = patience.map { $0 < now } ?? false
        var last: Time?
        let result = lock.withLock { () -> (delivery: Machine.Delivery, date: Time?, hasSent: Bool)? in
          if queue.isClosed { return (.nothing, nil, false) }
          guard state.version == version else { return nil }
          if isTimerLost { last = state.removeTimer() }
          let action = body(mayPublish, end)
          let (delivery, date) = enqueue(action)
          if case .send = action { return (delivery, date, true) }
          return (delivery, date, false)
        }
        withExtendedLifetime((nextTime, patience, last)) {}
        if let result { return result }
      }
    }

    @inlinable
    override func receive(completion: Subscribers.Completion<Failure>) {
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
      let timer = ReleasableTimer({ self.fire(date) }, whenDropped: { self.forgetTimer() })
      let now = scheduler.now
      let patience = max(now, date).advanced(by: interval)
      let (isOpen, last, lastPatience) = lock.withLock { () -> (Bool, ReleasableTimer?, Time?) in
        guard !queue.isClosed else { return (false, nil, nil) }
        return (true, exchange(&self.timer, with: timer), exchange(&state.patience, with: patience))
      }
      last?.cancel()
      withExtendedLifetime(lastPatience) {}
      if isOpen { timer.start(after: now.distance(to: date), on: scheduler, options: options) }
    }

    /// Forgets a timer that the scheduler has dropped. The next element sets another one.
    @inlinable
    func forgetTimer() {
      _ = lock.withLock { state.removeTimer() }
    }

    @inlinable
    func fire(_ date: Time) {
      // A scheduler without a clock fires early.
      let now = max(scheduler.now, date)
      _ = lock.withLock { state.removeTimer() }
      while true {
        let (delivery, date, hasSent) = step(at: now) { state.next(mayPublish: $0, until: $1) }
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
