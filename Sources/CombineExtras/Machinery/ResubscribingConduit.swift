import CombineCore

/// The pure state of an operator that subscribes to its upstream several times: the demand that is carried from one
/// subscription to the next, and the loop that subscribes.
struct ResubscriptionMachine {

  /// The demand that was requested, less the values that have arrived. The next subscription is asked for it.
  private(set) var outstanding = Subscribers.Demand.none

  /// Whether a call is in the loop.
  private(set) var isSubscribing = false

  /// Whether the loop has to subscribe once more.
  private(set) var isDue = false

  mutating func request(_ demand: Subscribers.Demand) {
    outstanding += demand
  }

  mutating func receiveValue() {
    if outstanding > .none { outstanding -= 1 }
  }

  /// Asks for a new subscription.
  ///
  /// - Returns: Whether the caller must run the loop: subscribe until ``didSubscribe()`` returns `false`. Otherwise
  ///   another call is in the loop.
  mutating func subscribeAgain() -> Bool {
    if isSubscribing { isDue = true }
    return !exchange(&isSubscribing, with: true)
  }

  /// Notes that a subscribing call has returned.
  ///
  /// - Returns: Whether the caller must subscribe once more.
  mutating func didSubscribe() -> Bool {
    isSubscribing = exchange(&isDue, with: false)
    return isSubscribing
  }
}

/// What an operator does when one subscription to its upstream has completed.
@usableFromInline
enum Resubscription {

  /// Send the completion downstream.
  case complete

  /// Subscribe to the upstream again at once.
  case now

  /// Subscribe to the upstream again when a timer fires. The closure starts the timer.
  case later(start: (ReleasableTimer) -> Void)
}

/// The conduit of the operators that subscribe to their upstream again: `repeat` and `retry` with a policy.
///
/// Demand that is not served yet is requested from the next subscription. The subscriptions follow in a loop, so any
/// number of them takes the same depth of the stack.
@usableFromInline
final class ResubscribingConduit<Downstream: Subscriber>: QueuedConduit<Downstream>, Subscriber {

  @usableFromInline
  typealias Input = Downstream.Input

  @usableFromInline
  typealias Failure = Downstream.Failure

  /// The operator's closures, which are released at the end.
  @usableFromInline
  struct Operation {

    @usableFromInline
    let subscribe: (ResubscribingConduit<Downstream>) -> Void

    @usableFromInline
    let decide: (Subscribers.Completion<Failure>) -> Resubscription

    /// A closure that is called before each element, if there is one.
    @usableFromInline
    let willSendElement: (() -> Void)?

    @inlinable
    init(
      subscribe: @escaping (ResubscribingConduit<Downstream>) -> Void,
      decide: @escaping (Subscribers.Completion<Failure>) -> Resubscription,
      willSendElement: (() -> Void)? = nil
    ) {
      self.subscribe = subscribe
      self.decide = decide
      self.willSendElement = willSendElement
    }
  }

  @exclusivity(unchecked)  // These three: only with the lock held, after `init`.
  private var state = ResubscriptionMachine()

  @exclusivity(unchecked)
  private var operation: Operation?

  @exclusivity(unchecked)
  private var timer: ReleasableTimer?

  private let name: String

  @usableFromInline
  init(downstream: Downstream, name: String, operation: Operation) {
    self.name = name
    self.operation = operation
    super.init(downstream: downstream)
  }

  /// Gives the downstream its subscription and subscribes to the upstream.
  @usableFromInline
  func start() {
    if open() { subscribeAgain() }
  }

  /// Subscribes to the upstream, and repeats that if the subscription has completed by the time the call returns.
  private func subscribeAgain() {
    guard lock.withLock({ state.subscribeAgain() }) else { return }
    repeat {
      let operation = lock.withLock { () -> Operation? in
        guard !queue.isClosed else { return nil }
        // No other thread uses the ended subscription. A request finds either it, and adds to `outstanding` only, or
        // the new state.
        upstream = .awaiting
        pendingDemand = state.outstanding
        return self.operation
      }
      operation?.subscribe(self)
    } while lock.withLock { state.didSubscribe() }
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    accept(subscription)
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    let operation = lock.withLock { () -> Operation? in
      state.receiveValue()
      return self.operation
    }
    operation?.willSendElement?()
    // The demand that the downstream returns goes to the current upstream, which may be another one by then.
    send(input)
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard finishUpstream(), let operation = lock.withLock({ self.operation }) else { return }
    switch operation.decide(completion) {
    case .complete:
      send(completion: completion)
    case .now:
      subscribeAgain()
    case .later(let start):
      let timer = ReleasableTimer { self.subscribeAgain() }
      let isOpen = lock.withLock {
        if !queue.isClosed { self.timer = timer }
        return !queue.isClosed
      }
      if isOpen { start(timer) }
    }
  }

  /// Requests from the current upstream, or notes the demand for the next one.
  @usableFromInline
  override func receive(demand: Subscribers.Demand) {
    let subscription = lock.withLock { () -> (any Subscription)? in
      state.request(demand)
      if case .awaiting = upstream { pendingDemand += demand }
      return upstream.subscription
    }
    subscription?.request(demand)
  }

  @usableFromInline
  override func didEnd() {
    super.didEnd()
    let (operation, timer) = lock.withLock { (exchange(&self.operation, with: nil), exchange(&self.timer, with: nil)) }
    timer?.cancel()
    withExtendedLifetime(operation) {}
  }
}

extension ResubscribingConduit: CustomStringConvertible {
  @usableFromInline
  var description: String { name }
}
