import CombineThreads
import CombineCore

/// The demand that was requested, less the values that have arrived.
@usableFromInline
struct OutstandingDemand {

  /// It is negative after values that were not asked for.
  @usableFromInline
  var count = 0

  @usableFromInline
  var isUnlimited = false

  @inlinable
  init() {}

  @inlinable
  mutating func request(_ demand: Subscribers.Demand) {
    guard let max = demand.max else { return isUnlimited = true }
    let (sum, isTooLarge) = count.addingReportingOverflow(max)
    if isTooLarge { isUnlimited = true } else { count = sum }
  }

  @inlinable
  mutating func receiveValue() {
    count -= 1
  }

  @inlinable
  var demand: Subscribers.Demand {
    isUnlimited ? .unlimited : .max(Swift.max(count, 0))
  }
}

/// What an operator does when one subscription to its upstream has completed.
@usableFromInline
enum ResubscriptionDecision {

  /// Send the completion downstream.
  case complete

  /// Subscribe to the upstream again at once.
  case now

  /// Subscribe to the upstream again when a timer fires. The closure starts the timer.
  case later(start: (ReleasableTimer) -> Void)

  /// Subscribe to the upstream again when another event says so.
  case wait
}

/// The conduit of the operators that subscribe to their upstream again: `repeat`, `retryWhen`, and `retry` with a policy.
///
/// Demand that is not served yet is requested from the next subscription. The subscriptions follow in a loop, so any
/// number of them takes the same depth of the stack.
///
/// Each subscriber to the upstream has the number of its attempt. An upstream that breaks its contract may complete a second
/// time when the next attempt has begun already, and the number keeps that from being taken for the end of the current one.
@usableFromInline
final class ResubscribingConduit<Downstream: Subscriber>: QueuedConduit<Downstream>, ConstituentParent, DescribedByName
{

  @usableFromInline
  typealias Input = Downstream.Input

  @usableFromInline
  typealias Failure = Downstream.Failure

  @usableFromInline
  typealias Attempt = Conduits.Constituent<ResubscribingConduit<Downstream>>

  /// The operator's closures, which are released at the end.
  ///
  /// `decide` runs once for each subscription, on any thread, and the next `subscribe` begins after it. So what they share
  /// needs no lock, even if an upstream sends on two threads.
  @usableFromInline
  struct Operation {

    @usableFromInline
    let subscribe: (Attempt) -> Void

    /// A closure that is called with the completion of a subscription, and with whether an element came before it.
    @usableFromInline
    let decide: (Subscribers.Completion<Failure>, _ hasElements: Bool) -> ResubscriptionDecision

    /// What the operator is subscribed to besides its upstream, if anything. It is cancelled at the end.
    @usableFromInline
    let trigger: TriggerConnection?

    @inlinable
    init(
      subscribe: @escaping (Attempt) -> Void,
      decide: @escaping (Subscribers.Completion<Failure>, _ hasElements: Bool) -> ResubscriptionDecision,
      trigger: TriggerConnection? = nil
    ) {
      self.subscribe = subscribe
      self.decide = decide
      self.trigger = trigger
    }
  }

  @exclusivity(unchecked)  // These five: only with the lock held, after `init`.
  @usableFromInline
  var loop = Resubscription()

  /// The next subscription is asked for it.
  @exclusivity(unchecked)
  @usableFromInline
  var outstanding = OutstandingDemand()

  /// The subscription to the upstream.
  @exclusivity(unchecked)
  @usableFromInline
  var current = (attempt: 0, hasElements: false)

  @exclusivity(unchecked)
  @usableFromInline
  var operation: Operation?

  @exclusivity(unchecked)
  @usableFromInline
  var timer: ReleasableTimer?

  @usableFromInline
  let name: String

  @inlinable
  init(downstream: Downstream, name: String, operation: Operation) {
    self.name = name
    self.operation = operation
    super.init(downstream: downstream)
  }

  /// Gives the downstream its subscription and subscribes to the upstream.
  @inlinable
  func start() {
    if open() { subscribeAgain() }
  }

  /// Subscribes to the upstream, and repeats that if the subscription has completed by the time the call returns.
  @inlinable
  func subscribeAgain() {
    guard lock.withLock({ loop.begin() }) else { return }
    repeat {
      let (operation, attempt) = lock.withLock { () -> (Operation?, Int) in
        guard !queue.isClosed else { return (nil, 0) }
        // No other thread uses the ended subscription. A request finds either it, and adds to `outstanding` only, or
        // the new state.
        upstream = .awaiting
        current = (current.attempt &+ 1, false)
        return (self.operation, current.attempt)
      }
      operation?.subscribe(Attempt(of: self, key: attempt))
    } while lock.withLock { loop.didSubscribe() }
  }

  @inlinable
  func receive(subscription: any Subscription, at attempt: Int) {
    accept(subscription) {
      // What was served beyond the demand pays for a part of what is requested later.
      pendingDemand = outstanding.demand
      return attempt == current.attempt
    }
  }

  @inlinable
  func receive(_ input: Input, at attempt: Int) -> Subscribers.Demand {
    let isSubscribed = lock.withLock { () -> Bool in
      // A value after a completion belongs to no subscription.
      guard attempt == current.attempt, upstream.isSubscribed else { return false }
      outstanding.receiveValue()
      current.hasElements = true
      return true
    }
    guard isSubscribed else { return .none }
    // The demand that the downstream returns goes to the current upstream, which may be another one by then.
    send(input)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>, at attempt: Int) {
    guard finishUpstream(if: { attempt == current.attempt }) else { return }
    let (operation, hasElements) = lock.withLock { (self.operation, current.hasElements) }
    guard let operation else { return }
    switch operation.decide(completion, hasElements) {
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
    case .wait:
      break
    }
  }

  /// Sends a completion that another event than the upstream's has caused.
  @inlinable
  func end(with completion: Subscribers.Completion<Failure>) {
    cancelUpstream()
    send(completion: completion)
  }

  /// Requests from the current upstream, or notes the demand for the next one.
  @inlinable
  override func receive(demand: Subscribers.Demand) {
    requestUpstream(demand) { outstanding.request(demand) }
  }

  @inlinable
  override func didEnd() {
    let (operation, timer) = lock.withLock { (exchange(&self.operation, with: nil), exchange(&self.timer, with: nil)) }
    operation?.trigger?.close()
    super.didEnd()
    timer?.cancel()
    operation?.trigger?.cancel()
  }

  @usableFromInline
  var description: String { name }
}
