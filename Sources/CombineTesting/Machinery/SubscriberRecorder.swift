import CombineThreads
import CombineCore

/// The records and the demand of a testable subscriber.
///
/// It is public for the modules of the package `Companions`, whose subscribers are made of it. Any thread may call it.
@_spi(Companions) public final class SubscriberRecorder<Time: Strideable, Input, Failure: Error>: @unchecked Sendable
where Time.Stride: SchedulerTimeIntervalConvertible {

  /// The rules that differ between this package and the library Entwine.
  public enum Rules {

    /// A completion releases the subscription. A subscription after a cancellation is cancelled. With a replenishment
    /// delay of zero, `receive(_:)` returns the subsequent demand.
    case combineTesting

    /// The subscription is held until a cancellation, after which another one may arrive. All demand is requested.
    case entwine
  }

  /// The demand that the subscriber requests.
  public struct Demands {

    /// The demand to request when the subscription arrives.
    public var initial: Subscribers.Demand

    /// The demand to request each time the outstanding demand is used up.
    public var subsequent: Subscribers.Demand

    /// The interval until the request for the subsequent demand.
    public var delay: Time.Stride

    /// Creates demands.
    public init(initial: Subscribers.Demand, subsequent: Subscribers.Demand, delay: Time.Stride) {
      (self.initial, self.subsequent, self.delay) = (initial, subsequent, delay)
    }
  }

  private struct State {
    var subscription: (any Subscription)?
    var isCancelled = false
    var balance = Subscribers.Demand.none
    var isReplenishing = false
    var replenishment: VirtualAgenda<Time>.Token?
    var output: [(Time, Signal<Input, Failure>)] = []
    var demandLog = DemandLedger<Time>()

    mutating func credit(_ demand: Subscribers.Demand, at time: Time) {
      balance += demand
      demandLog.append((time, balance, .credit(amount: demand)))
    }

    /// - Returns: Whether there was demand.
    mutating func debit(at time: Time) -> Bool {
      let isAuthorized = balance > 0
      if isAuthorized { balance -= 1 }
      demandLog.append((time, balance, .debit(authorized: isAuthorized)))
      return isAuthorized
    }
  }

  private let agenda: VirtualAgenda<Time>
  private let rules: Rules
  private let demands: Demands
  private let unauthorizedValueHandler: (Input, Time, DemandLedger<Time>) -> Void
  private let lock = Lock()

  // Sendable: accessed only with the lock held. The handler is called on the thread that breaks the contract, like every
  // closure of a pipeline.
  @exclusivity(unchecked)
  private var state = State()

  /// Creates a recorder without records.
  ///
  /// - Parameters:
  ///   - agenda: The agenda whose clock the records show.
  ///   - rules: The rules of the subscriber.
  ///   - demands: The demand that the subscriber requests.
  ///   - unauthorizedValueHandler: A closure that is called with each value that arrives without demand, its
  ///     time, and the demand log.
  public init(
    agenda: VirtualAgenda<Time>,
    rules: Rules,
    demands: Demands,
    unauthorizedValueHandler: @escaping (Input, Time, DemandLedger<Time>) -> Void
  ) {
    self.agenda = agenda
    self.rules = rules
    self.demands = demands
    self.unauthorizedValueHandler = unauthorizedValueHandler
  }

  /// The signals received so far, with their times, in order.
  public var output: [(Time, Signal<Input, Failure>)] {
    lock.withLock { state.output }
  }

  /// The demand requested so far, and the values received for it, in order.
  public var demandLog: DemandLedger<Time> {
    lock.withLock { state.demandLog }
  }

  /// Records a subscription and requests the initial demand, or cancels a subscription that is not wanted.
  public func receive(subscription: any Subscription) {
    let time = agenda.now
    let isWanted = lock.withLock {
      guard !state.isCancelled, state.subscription == nil else { return false }
      state.subscription = subscription
      state.output.append((time, .subscription))
      state.credit(demands.initial, at: time)
      return true
    }
    guard isWanted else { return subscription.cancel() }
    if demands.initial > .none { subscription.request(demands.initial) }
    scheduleReplenishment()
  }

  /// Records a value.
  ///
  /// - Returns: The demand that is not requested, but returned.
  public func receive(_ input: Input) -> Subscribers.Demand {
    let time = agenda.now
    let isAuthorized = lock.withLock {
      state.output.append((time, .input(input)))
      return state.debit(at: time)
    }
    if !isAuthorized { unauthorizedValueHandler(input, time, demandLog) }
    if rules == .combineTesting, demands.delay <= .zero { return replenishAtOnce(at: time) }
    scheduleReplenishment()
    return .none
  }

  /// Records a completion.
  public func receive(completion: Subscribers.Completion<Failure>) {
    let time = agenda.now
    let subscription: (any Subscription)? = lock.withLock {
      state.output.append((time, .completion(completion)))
      return rules == .entwine ? nil : exchange(&state.subscription, with: nil)
    }
    withExtendedLifetime(subscription) {}
  }

  /// Requests elements, in addition to the demand of the options. Without a subscription, the call has no effect.
  public func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let time = agenda.now
    let subscription = lock.withLock {
      if state.subscription != nil { state.credit(demand, at: time) }
      return state.subscription
    }
    subscription?.request(demand)
  }

  /// Cancels the subscription and the waiting request.
  public func cancel() {
    let (subscription, replenishment) = lock.withLock {
      state.isCancelled = rules == .combineTesting
      state.isReplenishing = false
      return (exchange(&state.subscription, with: nil), exchange(&state.replenishment, with: nil))
    }
    if let replenishment { agenda.cancel(replenishment) }
    subscription?.cancel()
  }

  // MARK: Replenishment

  private func replenishAtOnce(at time: Time) -> Subscribers.Demand {
    lock.withLock {
      guard isDepleted, !state.isReplenishing else { return .none }
      state.credit(demands.subsequent, at: time)
      return demands.subsequent
    }
  }

  /// Schedules a request if the demand is used up and no request is scheduled.
  private func scheduleReplenishment() {
    let isNeeded = lock.withLock {
      guard isDepleted, !state.isReplenishing else { return false }
      state.isReplenishing = true
      return true
    }
    guard isNeeded else { return }
    let token = agenda.schedule(at: agenda.now.advanced(by: demands.delay)) { [weak self] in self?.replenish() }
    let isTooLate = lock.withLock {
      if state.isReplenishing { state.replenishment = token }
      return !state.isReplenishing
    }
    if isTooLate { agenda.cancel(token) }
  }

  private func replenish() {
    // The values of this request may use it up, and then need the next one.
    lock.withLock {
      state.isReplenishing = false
      state.replenishment = nil
    }
    request(demands.subsequent)
  }

  /// Whether the demand must be replenished. Call it with the lock held.
  private var isDepleted: Bool {
    state.subscription != nil && state.balance == .none && demands.subsequent > .none
  }
}
