import CombineCore

/// `debounce(for:scheduler:options:)`: `timing.md`, "debounce", with one timer that is set again when it fires.
public struct DebounceModel<Upstream: Publisher, Context: Scheduler>: Publisher {

  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  private let upstream: Upstream
  private let dueTime: Context.SchedulerTimeType.Stride
  private let scheduler: Context
  private let options: Context.SchedulerOptions?

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

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(
      Debouncer(downstream: subscriber, dueTime: dueTime, scheduler: scheduler, options: options)
    )
  }
}

private final class Debouncer<Downstream: Subscriber, Context: Scheduler>: Subscriber, Subscription,
  CustomStringConvertible
{

  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private final class Timer {
    let date: Context.SchedulerTimeType
    var token: (any Cancellable)?

    init(_ date: Context.SchedulerTimeType) { self.date = date }
  }

  private let downstream: Downstream
  private let dueTime: Context.SchedulerTimeType.Stride
  private let scheduler: Context
  private let options: Context.SchedulerOptions?

  private var upstream: (any Subscription)?
  private var isOver = false
  private var value: Input?
  private var deadline: Context.SchedulerTimeType?
  private var timer: Timer?
  private var demand = Subscribers.Demand.none

  init(
    downstream: Downstream,
    dueTime: Context.SchedulerTimeType.Stride,
    scheduler: Context,
    options: Context.SchedulerOptions?
  ) {
    self.downstream = downstream
    self.dueTime = dueTime
    self.scheduler = scheduler
    self.options = options
  }

  var description: String { "Debounce" }

  // MARK: From upstream

  /// "downstream gets `Debounce`; then `upstream.request(.unlimited)` (also after a cancel inside the downstream's
  /// callback [P]; skipping it then is fine)".
  func receive(subscription: any Subscription) {
    guard upstream == nil, !isOver else { return subscription.cancel() }
    upstream = subscription
    downstream.receive(subscription: self)
    upstream?.request(.unlimited)
  }

  /// "value becomes the current value and invalidates all earlier timers; … **after** the new timer exists, the tokens of
  /// all earlier timers are cancelled; returns `.none`. Happens also with zero demand". One timer for all values: only the
  /// end of the pause moves. A timer whose date has passed is not taken on trust (`threads.md`, §10.2).
  func receive(_ input: Input) -> Subscribers.Demand {
    guard upstream != nil, !isOver else { return .none }
    let now = scheduler.now
    let deadline = now.advanced(by: dueTime)
    value = input
    self.deadline = deadline
    if let timer, timer.date <= deadline, timer.date >= now { return .none }
    let earlier = timer?.token
    start(at: deadline)
    earlier?.cancel()
    return .none
  }

  /// "all timers cancelled; a pending value is **dropped**, never flushed; then `RUN(nil)` (options are *not* passed)
  /// whose action delivers the completion, with no demand needed".
  func receive(completion: Subscribers.Completion<Failure>) {
    guard upstream != nil, !isOver else { return }
    end()
    scheduler.schedule(options: nil) { self.downstream.receive(completion: completion) }
  }

  // MARK: Time

  private func start(at date: Context.SchedulerTimeType) {
    let timer = Timer(date)
    self.timer = timer
    let tolerance = scheduler.minimumTolerance
    let token = scheduler.schedule(after: date, interval: dueTime, tolerance: tolerance, options: options) {
      [self] in
      fire(timer)
    }
    // The timer may have fired before its token is there, and may have been replaced or cancelled.
    if self.timer === timer { timer.token = token } else { token.cancel() }
  }

  /// "token is taken out and cancelled **before** delivery. Demand > 0: demand −1, value delivered, returned demand added.
  /// Demand 0: the value is dropped for good". "further actions of a timer that already fired … ignored".
  private func fire(_ fired: Timer) {
    guard timer === fired else { return }
    timer = nil
    if let deadline, fired.date < deadline {
      start(at: deadline)
      fired.token?.cancel()
      return
    }
    fired.token?.cancel()
    guard demand > .none, let value, !isOver else { return }
    demand -= 1
    let more = downstream.receive(value)
    request(more)
  }

  private func end() {
    isOver = true
    upstream = nil
    let last = timer
    timer = nil
    value = nil
    last?.token?.cancel()
  }

  // MARK: From downstream

  /// "counter += n; nothing forwarded, nothing delivered".
  func request(_ demand: Subscribers.Demand) {
    if upstream != nil, !isOver { self.demand += demand }
  }

  /// "terminal; timer tokens cancelled; then upstream cancelled. No scheduler traffic". "cancel after a completion was
  /// scheduled: no effect".
  func cancel() {
    let subscription = upstream
    end()
    subscription?.cancel()
  }
}
