import CombineCore

extension SpecModels {

  /// A timer of a scheduler that fires once or regularly. An operator reads the clock when it starts one.
  final class Alarm {

    private var token: (any Cancellable)?
    private var action: (() -> Void)?

    init(_ action: @escaping () -> Void) { self.action = action }

    /// Fires once. A scheduler's single action cannot be cancelled, so this is a repetition that ends with its first run.
    func start<S: Scheduler>(after interval: S.SchedulerTimeType.Stride, on scheduler: S) {
      schedule(after: interval, every: .seconds(3600), on: scheduler) { [self] in
        let action = action
        cancel()
        action?()
      }
    }

    func start<S: Scheduler>(every interval: S.SchedulerTimeType.Stride, on scheduler: S) {
      schedule(after: interval, every: interval, on: scheduler) { [self] in action?() }
    }

    private func schedule<S: Scheduler>(
      after delay: S.SchedulerTimeType.Stride,
      every interval: S.SchedulerTimeType.Stride,
      on scheduler: S,
      _ run: @escaping () -> Void
    ) {
      // It may have been cancelled before.
      if action == nil { return }
      token = scheduler.schedule(
        after: scheduler.now.advanced(by: delay),
        interval: interval,
        tolerance: scheduler.minimumTolerance,
        options: nil,
        run
      )
    }

    func cancel() {
      let (token, action) = (token, action)
      self.token = nil
      self.action = nil
      token?.cancel()
      withExtendedLifetime(action) {}
    }
  }

  /// `rateLimit`, `delaySubscription`, `timeout(first:next:)`: operators with one upstream and a timer.
  public struct Timed<Output, Failure: Error, Context: Scheduler>: Publisher {

    public enum Kind {

      /// "Delays elements so that no more than a number of them is published within an interval."
      case rateLimit(Int, per: Context.SchedulerTimeType.Stride)

      /// "Subscribes to this publisher some time after the downstream has subscribed."
      case delaySubscription(Context.SchedulerTimeType.Stride)

      /// A deadline for the first element, and one for each next element if there is a second interval. Then a failure, or
      /// a finish without an error.
      case timeout(
        first: Context.SchedulerTimeType.Stride,
        next: Context.SchedulerTimeType.Stride?,
        error: Failure?
      )
    }

    private let upstream: AnyPublisher<Output, Failure>
    private let kind: Kind
    private let scheduler: Context

    public init(_ upstream: some Publisher<Output, Failure>, _ kind: Kind, scheduler: Context) {
      self.upstream = upstream.eraseToAnyPublisher()
      self.kind = kind
      self.scheduler = scheduler
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      switch kind {
      case .rateLimit(let count, let interval):
        let inner = Limiting(downstream: subscriber, count: count, interval: interval, scheduler: scheduler)
        inner.start()
        if !inner.isClosed { upstream.subscribe(inner) }
      case .delaySubscription(let interval):
        let inner = Passing(downstream: subscriber, upstream: upstream)
        inner.start()
        if !inner.isClosed { inner.startTimer { $0.start(after: interval, on: scheduler) } }
      case .timeout(let first, let next, let error):
        let inner = Deadline(downstream: subscriber, next: next, error: error, scheduler: scheduler)
        inner.start()
        if inner.isClosed { return }
        inner.start(within: first)
        upstream.subscribe(inner)
      }
    }
  }

  /// An operator that may have a timer, which ends with it.
  private class WithAlarm<Value, Failure: Error>: Queued<Value, Failure, Value, Failure> {

    private var alarm: Alarm?

    func fire() {}

    func startTimer(_ start: (Alarm) -> Void) {
      let alarm = Alarm { [self] in fire() }
      self.alarm = alarm
      start(alarm)
    }

    func stopTimer() {
      let last = alarm
      alarm = nil
      last?.cancel()
    }

    override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) { complete(completion) }

    override func didEnd() {
      super.didEnd()
      stopTimer()
    }
  }

  private final class Passing<Value, Failure: Error>: WithAlarm<Value, Failure> {

    private let source: AnyPublisher<Value, Failure>

    init(downstream: any Subscriber<Value, Failure>, upstream: AnyPublisher<Value, Failure>) {
      source = upstream
      super.init(name: "DelaySubscription", downstream: downstream)
    }

    override func receive(_ input: Value) -> Subscribers.Demand { isClosed ? .none : send(input) }

    override func fire() { source.subscribe(self) }
  }

  /// "In no interval of that length, wherever it begins, more elements are published. Elements wait in order, and none is
  /// dropped. The completion comes after the last element."
  private final class Limiting<Value, Failure: Error, Context: Scheduler>: WithAlarm<Value, Failure> {

    private let count: Int
    private let interval: Context.SchedulerTimeType.Stride
    private let scheduler: Context
    private var waiting: [Value] = []
    private var lastTimes: [Context.SchedulerTimeType] = []
    private var date: Context.SchedulerTimeType?
    private var end: Subscribers.Completion<Failure>?

    init(
      downstream: any Subscriber<Value, Failure>,
      count: Int,
      interval: Context.SchedulerTimeType.Stride,
      scheduler: Context
    ) {
      self.count = count
      self.interval = interval
      self.scheduler = scheduler
      super.init(name: "RateLimit", downstream: downstream)
    }

    /// When the next element may be published, if that is limited.
    private var next: Context.SchedulerTimeType? {
      lastTimes.count < count ? nil : lastTimes[lastTimes.count - count].advanced(by: interval)
    }

    override func receive(_ input: Value) -> Subscribers.Demand {
      let now = scheduler.now
      if isClosed || end != nil { return .none }
      if waiting.isEmpty, next.map({ now >= $0 }) ?? true {
        lastTimes.append(now)
        return send(input)
      }
      waiting.append(input)
      setTimer()
      return .none
    }

    private func setTimer() {
      guard date == nil, !waiting.isEmpty, let next else { return }
      date = next
      startTimer { $0.start(after: scheduler.now.distance(to: next), on: scheduler) }
    }

    override func fire() {
      // "A scheduler without a clock fires early."
      let now = date.map { max(scheduler.now, $0) } ?? scheduler.now
      date = nil
      while !isClosed, !waiting.isEmpty, next.map({ now >= $0 }) ?? true {
        lastTimes.append(now)
        passOn(send(waiting.removeFirst()))
      }
      if isClosed { return }
      if waiting.isEmpty, let end { complete(end) } else { setTimer() }
    }

    override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
      if isClosed { return }
      end = completion
      if waiting.isEmpty { complete(completion) }
    }
  }

  private final class Deadline<Value, Failure: Error, Context: Scheduler>: WithAlarm<Value, Failure> {

    private let next: Context.SchedulerTimeType.Stride?
    private let error: Failure?
    private let scheduler: Context
    private var deadline: Context.SchedulerTimeType?

    /// When the timer fires. It is left alone while the deadline moves on, and is then set once more.
    private var timer: Context.SchedulerTimeType?
    private var hasTimedOut = false

    init(
      downstream: any Subscriber<Value, Failure>,
      next: Context.SchedulerTimeType.Stride?,
      error: Failure?,
      scheduler: Context
    ) {
      self.next = next
      self.error = error
      self.scheduler = scheduler
      super.init(name: "Deadline", downstream: downstream)
    }

    func start(within first: Context.SchedulerTimeType.Stride) { setTimer(scheduler.now.advanced(by: first)) }

    private func setTimer(_ time: Context.SchedulerTimeType) {
      deadline = time
      timer = time
      if isClosed { return }
      stopTimer()
      startTimer { $0.start(after: scheduler.now.distance(to: time), on: scheduler) }
    }

    override func receive(_ input: Value) -> Subscribers.Demand {
      let deadline = next.map { scheduler.now.advanced(by: $0) }
      if isClosed || isUpstreamOver || hasTimedOut { return .none }
      self.deadline = deadline
      if let deadline {
        if timer.map({ $0 > deadline }) ?? true { setTimer(deadline) }
      } else if timer != nil {
        timer = nil
        stopTimer()
      }
      return send(input)
    }

    /// A completion inside the cancel that follows the deadline is ignored.
    override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
      if !hasTimedOut { complete(completion) }
    }

    override func fire() {
      guard !isClosed, !isUpstreamOver, let time = timer, let deadline else { return }
      if deadline > time { return setTimer(deadline) }
      hasTimedOut = true
      cancelUpstream()
      completeAtOnce(error.map { .failure($0) } ?? .finished)
    }
  }
}
