import CombineThreads
import Synchronization

/// The namespace of the operators' conduits. A conduit is the object between an upstream and a downstream for one subscription.
///
/// Conduits are not nested in their operator's publisher. A nested type carries the publisher's generic arguments, and so
/// the whole upstream chain. The types of a long pipeline would grow with the square of its length, and the optimizer
/// would stop specializing them.
@usableFromInline
package enum Conduits {}

/// The upstream half of a stateful operator's conduit. It keeps the subscription, and passes requests and a cancel to it.
///
/// It is not generic, so that this code exists once for all operators and all element types. A subclass adds the
/// downstream half, and overrides ``request(_:)`` and ``cancel()`` where its operator differs.
@usableFromInline
class Conduit: Subscription {

  /// Guards ``upstream``, and the small mutable state of a subclass.
  @usableFromInline
  final let lock = Lock()

  // Only with the lock held.
  @exclusivity(unchecked)
  private final var upstream = UpstreamState.awaiting

  /// The state without its subscription, so that an element checks it by one load.
  @usableFromInline
  final let phaseWord = Atomic<UInt8>(Phase.awaiting.rawValue)

  @usableFromInline
  enum Phase: UInt8 {
    case awaiting, subscribed, terminal

    /// Terminal, and the downstream has cancelled, before or after the end.
    case cancelled

    @inlinable
    var isOver: Bool { self == .terminal || self == .cancelled }
  }

  @usableFromInline
  init() {}

  /// The phase of the connection. An element reads it without the lock.
  @inlinable
  final var phase: Phase {
    // The word has the raw value of a case, in which a case is stored. A debug build would call two functions to find it.
    unsafeBitCast(phaseWord.load(ordering: .acquiring), to: Phase.self)
  }

  @inlinable
  final var isSubscribed: Bool { phaseWord.load(ordering: .acquiring) == Phase.subscribed.rawValue }

  /// Whether the downstream has cancelled. Code that ends the connection and then calls other code checks this
  /// afterwards: the call may have led to a cancel, after which the downstream receives nothing.
  @inlinable
  final var wasCancelled: Bool { phase == .cancelled }

  /// The phase as a mirror shows it, where cancelled is terminal.
  @usableFromInline
  final var reflectedPhase: Phase { wasCancelled ? .terminal : phase }

  /// Takes a subscription from upstream. It stores the first one, and cancels every other.
  ///
  /// - Returns: Whether it was the first one, so that the downstream receives a subscription.
  @usableFromInline
  final func accept(_ subscription: any Subscription) -> Bool {
    accept(object: subscription._object)
  }

  @usableFromInline
  final func accept(object subscription: SubscriptionObject) -> Bool {
    lock.lock()
    let isFirst = acceptLocked(object: subscription)
    lock.unlock()
    if !isFirst { subscription.cancel() }
    return isFirst
  }

  /// Does the same for a caller that holds the lock, and that cancels other subscriptions after it.
  @usableFromInline
  final func acceptLocked(_ subscription: any Subscription) -> Bool {
    acceptLocked(object: subscription._object)
  }

  private final func acceptLocked(object subscription: SubscriptionObject) -> Bool {
    let isFirst = upstream.accept(object: subscription)
    if isFirst { phaseWord.store(Phase.subscribed.rawValue, ordering: .releasing) }
    return isFirst
  }

  /// The upstream subscription while connected.
  @usableFromInline
  final var subscription: SubscriptionObject? {
    lock.lock()
    let current = upstream.subscription
    lock.unlock()
    return current
  }

  /// Ends the connection, if there is one.
  ///
  /// - Returns: The subscription, for the caller to cancel or release; `nil` if there was no connection.
  @usableFromInline
  final func disconnect() -> SubscriptionObject? {
    guard phase == .subscribed else { return nil }
    lock.lock()
    let subscription = disconnectLocked()
    lock.unlock()
    return subscription
  }

  /// Does the same as ``disconnect()``, for a caller that holds the lock.
  @usableFromInline
  final func disconnectLocked() -> SubscriptionObject? {
    guard let subscription = upstream.disconnect() else { return nil }
    phaseWord.store(Phase.terminal.rawValue, ordering: .releasing)
    return subscription
  }

  /// Ends the state, connected or not. A subscription that arrives later is cancelled.
  ///
  /// - Parameter end: The last phase: terminal or cancelled.
  /// - Returns: The phase before, and the subscription if there was one, for the caller to cancel or release.
  @usableFromInline
  final func terminate(_ end: Phase = .terminal) -> (previous: Phase, subscription: SubscriptionObject?) {
    lock.lock()
    let last = terminateLocked(end)
    lock.unlock()
    return last
  }

  /// Does the same as ``terminate(_:)``, for a caller that holds the lock.
  @usableFromInline
  final func terminateLocked(_ end: Phase = .terminal) -> (previous: Phase, subscription: SubscriptionObject?) {
    let previous = phase
    let subscription = upstream.terminate()
    phaseWord.store(end.rawValue, ordering: .releasing)
    return (previous, subscription)
  }

  /// Takes a cancel from downstream. Before the subscription it has no effect.
  ///
  /// - Returns: The subscription, for the caller to cancel; `nil` if there was no connection.
  @usableFromInline
  final func acceptCancel() -> SubscriptionObject? {
    lock.lock()
    let subscription = acceptCancelLocked()
    lock.unlock()
    return subscription
  }

  /// Does the same as ``acceptCancel()``, for a caller that holds the lock.
  @usableFromInline
  final func acceptCancelLocked() -> SubscriptionObject? {
    let subscription = upstream.disconnect()
    if phase != .awaiting { phaseWord.store(Phase.cancelled.rawValue, ordering: .releasing) }
    return subscription
  }

  /// Passes a request to the upstream while connected.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    subscription?.request(demand)
  }

  /// Ends the connection and cancels the upstream once.
  @usableFromInline
  func cancel() {
    acceptCancel()?.cancel()
  }

  /// The address of the upstream: elements pass in its calls.
  @usableFromInline
  var _gate: UnsafeRawPointer? { subscription?._gate }

  @usableFromInline
  var _isDelivering: Bool { subscription?._isDelivering ?? true }
}

/// The conduit of an operator with one upstream. The conduit itself is the subscription that the downstream receives.
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

  /// Ends the connection because the operator decides so: it cancels the upstream and then completes the downstream.
  ///
  /// It does nothing unless connected. The operator's closure, for example, may have ended the connection meanwhile.
  @inlinable
  func end(with completion: Subscribers.Completion<Downstream.Failure>) {
    guard let subscription = disconnect() else { return }
    subscription.cancel()
    if !wasCancelled { downstream.receive(completion: completion) }
  }

  /// Ends the connection with an error of the operator.
  @inlinable
  func fail(with error: Downstream.Failure) {
    end(with: .failure(error))
  }
}

/// A ``ConnectingConduit`` that passes each request on as it is. So if its downstream would request unlimited demand, it takes
/// everything at once, as its downstream does.
@usableFromInline
protocol RequestPassingConduit: ConnectingConduit {}

extension RequestPassingConduit {

  @inlinable
  @inline(never)  // As in a ``TransparentConduit``.
  func _receiveAll(until subscription: () -> SubscriptionObject?, _ send: () -> Void) -> Bool {
    guard phase == .awaiting else { return false }
    // The caller keeps this object alive. The closure would retain it, and `??` would retain the subscription.
    let unretained = Unmanaged.passUnretained(self)
    return downstream._receiveAll(
      until: {
        unretained._withUnsafeGuaranteedRef {
          if let subscription = subscription() {
            _ = $0.accept(object: subscription)
          } else {
            _ = $0.accept(object: EmptySubscription.shared)
          }
          return $0
        }
      },
      send
    )
  }
}

/// The conduit of an operator without state. The downstream receives the upstream's own subscription, and every event, in
/// any order and any number of times.
///
/// A conforming type implements only what its operator changes. A type that uses the subscription also overrides
/// `_receiveAll`.
@usableFromInline
package protocol TransparentConduit: Subscriber, DescribedByName {

  associatedtype Downstream: Subscriber

  var downstream: Downstream { get }
}

extension TransparentConduit {

  @inlinable
  package func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }

  @inlinable
  @inline(never)  // A chain of these in one function makes the compiler (6.3) trap.
  package func _receiveAll(until subscription: () -> SubscriptionObject?, _ send: () -> Void) -> Bool {
    downstream._receiveAll(until: subscription, send)
  }
}

extension TransparentConduit where Input == Downstream.Input {

  @inlinable
  package func receive(_ input: Input) -> Subscribers.Demand {
    downstream.receive(input)
  }
}

extension TransparentConduit where Failure == Downstream.Failure {

  @inlinable
  package func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}
