import CombineCore

/// `debounce(for:scheduler:options:)`. Rows `debounce.pause`, `debounce.timer`, `debounce.token`,
/// `debounce.completion`, `debounce.cancel` and `debounce.request`.
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

  func receive(subscription: any Subscription) {
    guard upstream == nil, !isOver else { return subscription.cancel() }
    upstream = subscription
    downstream.receive(subscription: self)
    upstream?.request(.unlimited)
  }

  /// One timer serves all values: only the end of the pause moves. A timer whose date has passed is not taken on trust,
  /// as it may have been dropped: row `threads.shared-timer`.
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

  func request(_ demand: Subscribers.Demand) {
    if upstream != nil, !isOver { self.demand += demand }
  }

  func cancel() {
    let subscription = upstream
    end()
    subscription?.cancel()
  }
}
