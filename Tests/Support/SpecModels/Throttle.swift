import CombineCore

/// `throttle(for:scheduler:latest:)`. Rows `throttle.emission`, `throttle.latest`, `throttle.demand`,
/// `throttle.subscription`, `throttle.completion` and `throttle.cancel`.
public struct ThrottleModel<Upstream: Publisher, Context: Scheduler>: Publisher {

  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  private let upstream: Upstream
  private let interval: Context.SchedulerTimeType.Stride
  private let scheduler: Context
  private let latest: Bool

  public init(
    upstream: Upstream,
    interval: Context.SchedulerTimeType.Stride,
    scheduler: Context,
    latest: Bool
  ) {
    self.upstream = upstream
    self.interval = interval
    self.scheduler = scheduler
    self.latest = latest
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let throttler = Throttler(downstream: subscriber, interval: interval, scheduler: scheduler, latest: latest)
    upstream.subscribe(throttler)
  }
}

private final class Throttler<Downstream: Subscriber, Context: Scheduler>: Subscriber, Subscription,
  CustomStringConvertible
{

  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private enum State {
    case awaiting
    case subscribed(any Subscription)

    /// A completion was received and is scheduled.
    case ending(any Subscription)

    case terminal
  }

  private var downstream: Downstream?
  private let interval: Context.SchedulerTimeType.Stride
  private let scheduler: Context
  private let latest: Bool

  private var state = State.awaiting
  private var lastEmission: Context.SchedulerTimeType?
  private var pendingValue: Input?
  private var pendingCompletion: Subscribers.Completion<Failure>?
  private var demand = Subscribers.Demand.none

  init(
    downstream: Downstream,
    interval: Context.SchedulerTimeType.Stride,
    scheduler: Context,
    latest: Bool
  ) {
    self.downstream = downstream
    self.interval = interval
    self.scheduler = scheduler
    self.latest = latest
    _ = scheduler.now
  }

  var description: String { "Throttle" }

  // MARK: From upstream

  func receive(subscription: any Subscription) {
    guard case .awaiting = state else {
      subscription.cancel()
      return
    }
    state = .subscribed(subscription)
    _ = scheduler.now
    downstream?.receive(subscription: self)
    // Not for an upstream that the downstream has cancelled.
    if case .terminal = state { return }
    subscription.request(.unlimited)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard case .subscribed = state else { return .none }
    let time = scheduler.now
    guard demand > .none else { return .none }
    if pendingValue == nil {
      demand -= 1
      pendingValue = input
      scheduleEmission(time)
    } else if latest {
      pendingValue = input
    }
    return .none
  }

  private func scheduleEmission(_ time: Context.SchedulerTimeType) {
    var date = time
    if let lastEmission { date = max(time, lastEmission.advanced(by: interval)) }
    if date == time {
      scheduler.schedule(options: nil) { [weak self] in self?.emit() }
    } else {
      let tolerance = scheduler.minimumTolerance
      scheduler.schedule(after: date, tolerance: tolerance, options: nil) { [weak self] in self?.emit() }
    }
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard case .subscribed(let upstream) = state else { return }
    _ = scheduler.now
    state = .ending(upstream)
    pendingCompletion = completion
    if pendingValue == nil {
      scheduler.schedule(options: nil) { [weak self] in self?.emit() }
    }
  }

  // MARK: From the scheduler

  private func emit() {
    switch state {
    case .awaiting, .terminal: return
    case .subscribed, .ending: break
    }
    if pendingValue != nil, pendingCompletion == nil { lastEmission = scheduler.now }
    let value = pendingValue
    let completion = pendingCompletion
    let target = downstream
    pendingValue = nil
    pendingCompletion = nil
    if completion != nil {
      state = .terminal
      downstream = nil
    }
    var more = Subscribers.Demand.none
    if let value { more = target?.receive(value) ?? .none }
    if let completion { target?.receive(completion: completion) }
    demand += more
  }

  // MARK: From downstream

  func request(_ demand: Subscribers.Demand) {
    guard case .subscribed = state else { return }
    self.demand += demand
  }

  func cancel() {
    let ended = state
    state = .terminal
    downstream = nil
    pendingValue = nil
    pendingCompletion = nil
    switch ended {
    case .subscribed(let upstream), .ending(let upstream): upstream.cancel()
    case .awaiting, .terminal: break
    }
  }
}
