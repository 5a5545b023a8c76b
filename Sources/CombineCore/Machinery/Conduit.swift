import Synchronization

/// A namespace for conduits: the objects that stand between an upstream and a downstream for one subscription.
///
/// They are not nested in their operator's publisher because a nested type carries the publisher's generic arguments,
/// the whole upstream chain, with it: the types of a long pipeline would then grow with the square of its length, and
/// the optimiser gives up on them.
@usableFromInline
enum Conduits {}

/// The upstream half of a stateful operator's conduit: takes the subscription, passes requests and a cancel on.
///
/// It is a class of its own, and not generic, so that this code exists once for all operators and all element types.
/// A subclass adds the downstream half, and overrides ``request(_:)`` and ``cancel()`` where its operator differs.
@usableFromInline
class Conduit: Subscription {

  /// Guards ``upstream``, and the small mutable state of a subclass.
  @usableFromInline
  final let lock = Lock()

  // Touched only with the lock held, so accesses never overlap.
  @exclusivity(unchecked)
  private final var upstream = UpstreamState.awaiting

  /// The state without its subscription, so that an element can be checked against it by one load.
  @usableFromInline
  final let phaseWord = Atomic<UInt8>(Phase.awaiting.rawValue)

  @usableFromInline
  enum Phase: UInt8 {
    case awaiting, subscribed, terminal

    /// Terminal, and the downstream has cancelled, be it after the end.
    case cancelled

    @inlinable
    var isOver: Bool { self == .terminal || self == .cancelled }
  }

  @usableFromInline
  init() {}

  /// Where the connection stands. An element path looks at this and takes no lock.
  @inlinable
  final var phase: Phase {
    Phase(rawValue: phaseWord.load(ordering: .acquiring)).unsafelyUnwrapped
  }

  /// Whether a cancel was the last event of note. What ends the connection and then calls somebody looks at this before
  /// it goes on: that call may have led to a cancel, after which the downstream is told nothing.
  @inlinable
  final var wasCancelled: Bool { phase == .cancelled }

  /// The phase as a mirror shows it: to be cancelled is one way to be terminal.
  @usableFromInline
  final var reflectedPhase: Phase { wasCancelled ? .terminal : phase }

  /// Takes a subscription from upstream: stores the first, cancels every other.
  ///
  /// - Returns: Whether it was the first, so that the downstream is told.
  @usableFromInline
  final func accept(_ subscription: any Subscription) -> Bool {
    let isFirst = lock.withLock { acceptLocked(subscription) }
    if !isFirst { subscription.cancel() }
    return isFirst
  }

  /// As ``accept(_:)``, for a caller that holds the lock, and cancels the others itself without it.
  @usableFromInline
  final func acceptLocked(_ subscription: any Subscription) -> Bool {
    let isFirst = upstream.accept(subscription)
    if isFirst { phaseWord.store(Phase.subscribed.rawValue, ordering: .releasing) }
    return isFirst
  }

  /// The upstream subscription while connected.
  @usableFromInline
  final var subscription: (any Subscription)? {
    lock.withLock { upstream.subscription }
  }

  /// Does what an action of a scheduler is for; see ``ActionRelay/action``.
  @usableFromInline
  func runAction() {
    fatalError("Conduit is abstract")
  }

  /// Ends a connection; does nothing unless connected.
  ///
  /// - Returns: The subscription if connected, for the caller to cancel or to let go.
  @usableFromInline
  final func disconnect() -> (any Subscription)? {
    lock.withLock { disconnectLocked() }
  }

  /// As ``disconnect()``, for a caller that holds the lock.
  @usableFromInline
  final func disconnectLocked() -> (any Subscription)? {
    guard let subscription = upstream.disconnect() else { return nil }
    phaseWord.store(Phase.terminal.rawValue, ordering: .releasing)
    return subscription
  }

  /// Ends the state, connected or not: a subscription that arrives later is cancelled.
  ///
  /// - Parameter end: The phase that it ends in: terminal or cancelled.
  /// - Returns: The phase before, and the subscription if connected, for the caller to cancel or to let go.
  @usableFromInline
  final func terminate(_ end: Phase = .terminal) -> (previous: Phase, subscription: (any Subscription)?) {
    lock.withLock { terminateLocked(end) }
  }

  /// As ``terminate(_:)``, for a caller that holds the lock.
  @usableFromInline
  final func terminateLocked(_ end: Phase = .terminal) -> (previous: Phase, subscription: (any Subscription)?) {
    let previous = phase
    let subscription = upstream.terminate()
    phaseWord.store(end.rawValue, ordering: .releasing)
    return (previous, subscription)
  }

  /// Takes a cancel from downstream, which before a subscription leaves no trace.
  ///
  /// - Returns: The subscription if connected, for the caller to cancel.
  @usableFromInline
  final func acceptCancel() -> (any Subscription)? {
    lock.withLock { acceptCancelLocked() }
  }

  /// As ``acceptCancel()``, for a caller that holds the lock.
  @usableFromInline
  final func acceptCancelLocked() -> (any Subscription)? {
    let subscription = upstream.disconnect()
    if phase != .awaiting { phaseWord.store(Phase.cancelled.rawValue, ordering: .releasing) }
    return subscription
  }

  /// Passes a request on while connected.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    subscription?.request(demand)
  }

  /// Ends a connection and cancels upstream once.
  @usableFromInline
  func cancel() {
    acceptCancel()?.cancel()
  }
}

/// The conduit of an operator with one upstream, whose downstream gets the conduit itself as its subscription.
@usableFromInline
protocol ConnectingConduit: Conduit, Subscriber, DescribedByName {

  associatedtype Downstream: Subscriber

  var downstream: Downstream { get }
}

extension ConnectingConduit {

  @inlinable
  func receive(subscription: any Subscription) {
    if accept(subscription) { downstream.receive(subscription: self) }
  }

  /// Ends the connection by the operator's own decision: cancels upstream, then tells the downstream.
  ///
  /// Does nothing unless connected: what ended meanwhile, by the operator's closure for example, is not told.
  @inlinable
  func end(with completion: Subscribers.Completion<Downstream.Failure>) {
    guard let subscription = disconnect() else { return }
    subscription.cancel()
    if !wasCancelled { downstream.receive(completion: completion) }
  }

  /// Ends the connection with an error of the operator's own.
  @inlinable
  func fail(with error: Downstream.Failure) {
    end(with: .failure(error))
  }
}

/// The conduit of an operator without a state to guard: the downstream gets the upstream's own subscription, and every
/// event, in any order and any number of times, is passed on. An operator's conduit says what it changes; one that
/// looks at the subscription says, too, that it cannot do without.
@usableFromInline
protocol TransparentConduit: Subscriber, DescribedByName {

  associatedtype Downstream: Subscriber

  var downstream: Downstream { get }
}

extension TransparentConduit {

  @inlinable
  func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }

  @inlinable
  @inline(never)  // A chain of these in one function makes the compiler (6.3) trap.
  func _receiveAll(until subscription: () -> (any Subscription)?, _ send: () -> Void) -> Bool {
    downstream._receiveAll(until: subscription, send)
  }
}

extension TransparentConduit where Input == Downstream.Input {

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    downstream.receive(input)
  }
}

extension TransparentConduit where Failure == Downstream.Failure {

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}
