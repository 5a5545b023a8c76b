import CombineCore

/// `collect(_:options:)` by time, or by time and count. Rows `collect-by-time.timer`, `collect-by-time.tick`,
/// `collect-by-time.by-time-demand`, `collect-by-time.by-count-demand`, `collect-by-time.full`,
/// `collect-by-time.completion` and `collect-by-time.cancel`.
public struct CollectByTimeModel<Upstream: Publisher, Context: Scheduler>: Publisher {

  public typealias Output = [Upstream.Output]
  public typealias Failure = Upstream.Failure

  private let upstream: Upstream
  private let scheduler: Context
  private let interval: Context.SchedulerTimeType.Stride
  private let count: Int?
  private let options: Context.SchedulerOptions?

  /// - Parameter count: The count, or `nil` for the strategy by time alone.
  public init(
    upstream: Upstream,
    scheduler: Context,
    interval: Context.SchedulerTimeType.Stride,
    count: Int?,
    options: Context.SchedulerOptions?
  ) {
    self.upstream = upstream
    self.scheduler = scheduler
    self.interval = interval
    self.count = count
    self.options = options
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let collector = Collector<S, Upstream.Output, Context>(
      downstream: subscriber,
      scheduler: scheduler,
      interval: interval,
      count: count,
      options: options
    )
    upstream.subscribe(collector)
  }
}

private final class Collector<Downstream: Subscriber, Input, Context: Scheduler>: Subscriber, Subscription,
  CustomStringConvertible
where Downstream.Input == [Input] {

  typealias Failure = Downstream.Failure

  private enum State {
    case awaiting
    case subscribed(any Subscription)

    /// A completion was received and is scheduled.
    case ending(any Subscription)

    case terminal
  }

  private let downstream: Downstream
  private let scheduler: Context
  private let interval: Context.SchedulerTimeType.Stride
  private let count: Int?
  private let options: Context.SchedulerOptions?

  private var state = State.awaiting
  private var buffer: [Input] = []

  /// What waits for an action of the scheduler, the oldest first.
  private var waiting: [() -> Void] = []
  private var timer: (any Cancellable)?

  /// By time alone: the number of further arrays that the downstream requests.
  private var demand = Subscribers.Demand.none

  init(
    downstream: Downstream,
    scheduler: Context,
    interval: Context.SchedulerTimeType.Stride,
    count: Int?,
    options: Context.SchedulerOptions?
  ) {
    self.downstream = downstream
    self.scheduler = scheduler
    self.interval = interval
    self.count = count
    self.options = options
  }

  var description: String { "CollectByTime" }

  // MARK: From upstream

  func receive(subscription: any Subscription) {
    guard case .awaiting = state else {
      subscription.cancel()
      return
    }
    state = .subscribed(subscription)
    let start = scheduler.now
    let tolerance = scheduler.minimumTolerance
    timer = scheduler.schedule(
      after: start.advanced(by: interval),
      interval: interval,
      tolerance: tolerance,
      options: options
    ) { [weak self] in self?.tick() }
    downstream.receive(subscription: self)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard case .subscribed = state else { return .none }
    buffer.append(input)
    guard let count else { return demand == .unlimited ? .none : .max(1) }
    if buffer.count == count {
      let full = takeBuffer()
      schedule { self.deliver(full) }
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard case .subscribed(let upstream) = state else { return }
    state = .ending(upstream)
    stopTimer()
    var rest = takeBuffer()
    if case .failure = completion { rest = [] }
    schedule {
      if !rest.isEmpty { _ = self.downstream.receive(rest) }
      self.state = .terminal
      self.downstream.receive(completion: completion)
    }
  }

  // MARK: From the scheduler

  private func schedule(_ event: @escaping () -> Void) {
    waiting.append(event)
    scheduler.schedule(options: options) { self.runOldest() }
  }

  private func runOldest() {
    if !waiting.isEmpty { waiting.removeFirst()() }
  }

  private func tick() {
    guard case .subscribed = state, !buffer.isEmpty else { return }
    if count == nil {
      guard demand > .none else { return }
      demand -= 1
      let more = downstream.receive(takeBuffer())
      add(more)
    } else {
      // The demand returned here is lost.
      let group = takeBuffer()
      waiting.append { _ = self.downstream.receive(group) }
      runOldest()
    }
  }

  /// Delivers a full array.
  private func deliver(_ full: [Input]) {
    if case .terminal = state { return }
    let more = downstream.receive(full)
    guard more > .none, let count else { return }
    switch state {
    case .subscribed(let upstream), .ending(let upstream): upstream.request(more * count)
    case .awaiting, .terminal: break
    }
  }

  // MARK: From downstream

  func request(_ demand: Subscribers.Demand) {
    guard case .subscribed(let upstream) = state, demand > .none else { return }
    if let count {
      upstream.request(demand * count)
    } else {
      let wasUnlimited = self.demand == .unlimited
      add(demand)
      if wasUnlimited || self.demand != .unlimited { upstream.request(.max(1)) }
    }
  }

  func cancel() {
    guard case .subscribed(let upstream) = state else { return }
    state = .terminal
    stopTimer()
    buffer = []
    waiting = []
    upstream.cancel()
  }

  /// Adds demand for arrays. When it becomes unlimited, so does the demand on the upstream.
  private func add(_ more: Subscribers.Demand) {
    guard demand != .unlimited else { return }
    demand += more
    if demand == .unlimited, case .subscribed(let upstream) = state { upstream.request(.unlimited) }
  }

  private func takeBuffer() -> [Input] {
    let taken = buffer
    buffer = []
    return taken
  }

  private func stopTimer() {
    timer?.cancel()
    timer = nil
  }
}
