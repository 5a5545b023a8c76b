import CombineThreads
import CombineCore

/// The subscription of an operator whose values may wait for demand, or may come from several threads.
///
/// It holds the queue in front of the downstream (``Deliverer``), the upstream's subscription, and demand that came
/// before that subscription. It takes each demand of the downstream to the upstream, one for one. A subclass overrides
/// what its operator does otherwise. It keeps its own state under ``lock`` as well.
///
/// Nothing is called with the lock held.
///
/// One call delivers at a time, and also what others send meanwhile. A thread that sends a value meanwhile waits until
/// that call has ended. Otherwise the delivering call would go on for as long as another thread sends, and the values
/// would pile up in front of a slow downstream:
///
///     thread A                                thread B, in a loop
///     delivers its value
///                                             sends: the value is queued
///     delivers the value of B
///                                             sends: the value is queued
///     ...
///
/// It also waits while the delivering thread is stopped between the queue and the downstream. So the queue holds at most one
/// value of each sending thread. A request, a completion and a nested send never wait.
@usableFromInline
class QueuedConduit<Downstream: Subscriber>: QueuedReceiver<Downstream.Input, Downstream.Failure>, Subscription {

  @usableFromInline
  typealias Machine = Deliverer<Downstream.Input, Downstream.Failure>

  @usableFromInline
  typealias Completion = Subscribers.Completion<Downstream.Failure>

  /// Guards the queue, the upstream, and the state of a subclass.
  @usableFromInline
  final let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  final var queue: Machine

  /// The call that delivers is inside. The machine decides which call that is.
  @usableFromInline
  final let gate = Gate()

  @usableFromInline
  final var _gate: UnsafeRawPointer? { gate.address }

  @usableFromInline
  final var _isDelivering: Bool { gate.mayBeEnteredByOther }

  /// The threads that wait until the call that delivers has ended. There are none while no call delivers.
  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  final var waitingSenders: [WaitingSender] = []

  /// Only the call that delivers reads it, and nobody writes it meanwhile.
  @exclusivity(unchecked)
  @usableFromInline
  final var downstream: BorrowedSubscriber<Downstream>?

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  final var upstream = UpstreamState.awaiting

  /// The demand that the next upstream subscription is asked for. Only with the lock held.
  @exclusivity(unchecked)
  @usableFromInline
  final var pendingDemand = Subscribers.Demand.none

  @inlinable
  init(downstream: Downstream, completion order: CompletionOrder = .afterValues) {
    self.downstream = BorrowedSubscriber(downstream)
    queue = Machine(order)
    super.init { receiver, call in
      let conduit = _unsafeUncheckedDowncast(receiver, to: QueuedConduit<Downstream>.self)
      switch call {
      case .request(let demand): conduit.accept(demand)
      case .enqueue(let value): conduit.lock.withLock { conduit.queue.enqueue(value) }
      case .deliver: conduit.deliverWaiting()
      case .send(let value): conduit.send(value)
      case .complete(let completion): conduit.send(completion: completion)
      }
    }
  }

  // MARK: What an operator overrides

  /// Takes new demand of the downstream. By default the upstream is asked for as much.
  @usableFromInline
  func receive(demand: Subscribers.Demand) {
    requestUpstream(demand)
  }

  /// Called once, after the downstream has cancelled or has received its completion. By default the upstream is cancelled
  /// if it has not completed.
  @usableFromInline
  func didEnd() {
    cancelUpstream()
  }

  // MARK: Downstream

  /// Gives the downstream its subscription, and then what has come meanwhile.
  ///
  /// - Returns: Whether the downstream has not cancelled meanwhile. If it has, the upstream need not be subscribed to.
  @inlinable
  @discardableResult
  final func open() -> Bool {
    let subscriber = downstream?.subscriber
    subscriber?.receive(subscription: self)
    forward(deliver(lock.withLock { queue.open() }))
    return lock.withLock { !queue.hasEnded }
  }

  /// Sends a value. New demand, which the downstream returns, goes to ``receive(demand:)``.
  @inlinable
  final func send(_ value: Downstream.Input) {
    forward(pass(value))
  }

  /// Sends a value that the upstream has just sent.
  ///
  /// - Returns: New demand of the downstream, for the upstream.
  @inlinable
  final func pass(_ value: Downstream.Input) -> Subscribers.Demand {
    deliver(lock.withLock { queue.send(value) })
  }

  /// Delivers the values that wait, or waits while another thread does so.
  @inlinable
  final func deliverWaiting() {
    forward(deliver(lock.withLock { queue.drain() }))
  }

  /// Waits while another thread delivers, unless the subscription ends meanwhile.
  @usableFromInline
  final func waitForDelivery() {
    if gate.isEntered { return }
    let sender = lock.withLock { () -> WaitingSender? in
      guard queue.isDelivering, !queue.hasEnded else { return nil }
      let sender = WaitingSender()
      waitingSenders.append(sender)
      return sender
    }
    sender?.wait()
  }

  /// Makes the threads that wait return, because the queue has ended.
  @inlinable
  final func endWaiting() {
    for sender in lock.withLock({ exchange(&waitingSenders, with: []) }) { sender.wake() }
  }

  /// Takes the next step of the call that delivers, with the lock held.
  ///
  /// - Parameter released: Takes the threads that wait for the end of the call, if it ends.
  @inlinable
  final func nextDelivery(releasing released: inout [WaitingSender]) -> Machine.Delivery {
    let next = queue.next()
    if !queue.isDelivering, !waitingSenders.isEmpty { swap(&waitingSenders, &released) }
    return next
  }

  /// Sends a completion, which takes its place behind the values that wait.
  @inlinable
  final func send(completion: Completion) {
    forward(deliver(lock.withLock { queue.send(completion: completion) }))
  }

  /// Sends the last value and the completion that follows it.
  @inlinable
  final func send(last value: Downstream.Input, _ completion: Completion) {
    forward(deliver(lock.withLock { queue.send(last: value, completion) }))
  }

  /// Drops the values that wait, and sends a completion.
  @inlinable
  final func sendImmediately(completion: Completion) {
    let (delivery, dropped) = lock.withLock { queue.replaceAll(by: completion) }
    withExtendedLifetime(dropped) { forward(deliver(delivery)) }
  }

  /// Whether a completion was sent, or the downstream has cancelled.
  @inlinable
  final var isClosed: Bool { lock.withLock { queue.isClosed } }

  /// Does the same as ``isClosed``, for a caller that holds the lock.
  @inlinable
  final var isClosedLocked: Bool { queue.isClosed }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    handle(self, .request(demand))
  }

  @inlinable
  final func accept(_ demand: Subscribers.Demand) {
    let (isNew, delivery) = lock.withLock { queue.request(demand) }
    let more = deliver(delivery)
    forward(isNew ? demand + more : more)
  }

  @inlinable
  final func cancel() {
    let (isFirst, delivery, values) = lock.withLock { queue.cancel() }
    guard isFirst else { return }
    endWaiting()
    withExtendedLifetime(values) {
      didEnd()
      _ = deliver(delivery)
    }
  }

  /// Delivers what a step has found, and what comes meanwhile, or waits for the call that does.
  ///
  /// - Returns: The new demand that the downstream has returned.
  @inlinable
  final func deliver(_ first: Machine.Delivery) -> Subscribers.Demand {
    if case .queued = first {
      waitForDelivery()
      return .none
    }
    return deliver(first, leavingAfterEach: false) {}
  }

  /// Does the same for an operator that limits what it has not delivered. No thread waits for a call of such an operator.
  ///
  /// - Parameter didDeliver: A closure that is called after each value, outside the gate.
  @inlinable
  final func deliver(
    _ first: Machine.Delivery,
    leavingAfterEach leaves: Bool = true,
    didDeliver: () -> Void
  ) -> Subscribers.Demand {
    var returned = Subscribers.Demand.none
    var delivery = first
    if case .value = first {
      // At most a thread that is just leaving is inside.
      var isOutermost = gate.enter()
      var released: [WaitingSender] = []
      while case .value(let value) = delivery {
        let more = gate.deliver { downstream?.receive(value) ?? .none }
        delivery = lock.withLock {
          if more != .none, queue.add(more) { returned += more }
          return nextDelivery(releasing: &released)
        }
        if leaves {
          if isOutermost { gate.leave() }
          didDeliver()
          isOutermost = gate.enter()
        }
      }
      if isOutermost { gate.leave() }
      for sender in released { sender.wake() }
    }
    switch delivery {
    case .value, .nothing, .queued:
      return returned
    case .completion(let completion):
      complete(completion)
      return .none
    case .release:
      downstream = nil
      return .none
    }
  }

  @inlinable
  final func complete(_ completion: Completion) {
    let overtaken = lock.withLock { queue.removeAll() }
    endWaiting()
    let last = exchange(&downstream, with: nil)?.take()
    withExtendedLifetime(overtaken) {
      last?.receive(completion: completion)
      didEnd()
    }
  }

  @inlinable
  final func forward(_ demand: Subscribers.Demand) {
    if demand != .none { receive(demand: demand) }
  }

  // MARK: Upstream

  /// Keeps the first subscription, and requests what was asked for before. Any other one is cancelled.
  ///
  /// - Returns: Whether it was kept.
  @inlinable
  @discardableResult
  final func accept(_ subscription: any Subscription, if isAwaited: () -> Bool = { true }) -> Bool {
    guard keep(subscription, if: isAwaited) else { return false }
    requestPending()
    return true
  }

  /// Keeps the first subscription. Any other one is cancelled. The caller calls ``requestPending()`` afterwards.
  ///
  /// - Parameter isAwaited: A closure that returns whether it comes from the current upstream. The lock is held.
  /// - Returns: Whether it was kept.
  @inlinable
  final func keep(_ subscription: any Subscription, if isAwaited: () -> Bool = { true }) -> Bool {
    let isKept = lock.withLock { isAwaited() && !queue.hasEnded && upstream.accept(subscription) }
    if !isKept { subscription.cancel() }
    return isKept
  }

  /// Requests what was asked for before the subscription.
  @inlinable
  final func requestPending() {
    let (subscription, demand) = lock.withLock { (upstream.subscription, exchange(&pendingDemand, with: .none)) }
    if demand != .none { subscription?.request(demand) }
  }

  /// Asks the upstream for values, now or when its subscription arrives.
  ///
  /// - Parameter note: A closure that notes the demand in the same step, with the lock held.
  @inlinable
  final func requestUpstream(_ demand: Subscribers.Demand, noting note: () -> Void = {}) {
    let subscription = lock.withLock { () -> SubscriptionObject? in
      note()
      if case .awaiting = upstream { pendingDemand += demand }
      return upstream.subscription
    }
    subscription?.request(demand)
  }

  /// Releases the upstream's subscription, because the upstream has completed.
  ///
  /// - Parameter isCurrent: A closure that returns whether the current upstream has completed. The lock is held.
  /// - Returns: Whether it had not completed before, and was not cancelled. A completion before the subscription counts.
  @inlinable
  @discardableResult
  final func finishUpstream(if isCurrent: () -> Bool = { true }) -> Bool {
    let (isFirst, subscription) = lock.withLock { () -> (Bool, SubscriptionObject?) in
      guard isCurrent() else { return (false, nil) }
      return (!upstream.isTerminal, upstream.terminate())
    }
    withExtendedLifetime(subscription) {}
    return isFirst
  }

  /// Cancels the upstream, or the subscription that it sends later.
  @inlinable
  final func cancelUpstream() {
    lock.withLock { upstream.terminate() }?.cancel()
  }
}

/// A ``QueuedConduit`` that receives elements of the type that it sends. It passes each event on, but for what a subclass
/// overrides.
@usableFromInline
class PassingConduit<Downstream: Subscriber>: QueuedConduit<Downstream>, Subscriber {

  @usableFromInline
  typealias Input = Downstream.Input

  @usableFromInline
  typealias Failure = Downstream.Failure

  @inlinable
  func receive(subscription: any Subscription) {
    accept(subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    pass(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if finishUpstream() { send(completion: completion) }
  }
}

/// A subscriber in a variable that is called without being retained, as the variable cannot be copied. Its owner makes sure
/// that nobody takes it meanwhile.
@usableFromInline
struct BorrowedSubscriber<Base: Subscriber>: ~Copyable {

  @usableFromInline
  let subscriber: Base

  @inlinable
  init(_ subscriber: Base) {
    self.subscriber = subscriber
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Base.Input) -> Subscribers.Demand { subscriber.receive(value) }

  @inlinable
  consuming func take() -> Base { subscriber }
}

/// A ``QueuedConduit`` without the type of its downstream, as a publisher sees it that has several subscribers, or its
/// elements before its subscriber.
@usableFromInline
class QueuedReceiver<Input, Failure: Error> {

  @usableFromInline
  enum Call {
    case request(Subscribers.Demand)

    /// Put a value into the queue only.
    case enqueue(Input)

    /// Deliver what is in the queue.
    case deliver

    case send(Input)
    case complete(Subscribers.Completion<Failure>)
  }

  /// A closure that handles a call. It is made where the type of the downstream is known, and is therefore specialized. A
  /// method that is overridden, or called through a protocol, never is.
  @usableFromInline
  final let handle: (QueuedReceiver, Call) -> Void

  @inlinable
  init(handle: @escaping (QueuedReceiver, Call) -> Void) {
    self.handle = handle
  }
}
