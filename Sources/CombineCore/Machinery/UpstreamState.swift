/// What a conduit knows of its upstream: the pure state machine that most stateful operators share.
///
/// awaiting → subscribed → terminal. Each method is one event and returns what is to be done, with no lock held.
@usableFromInline
enum UpstreamState {

  /// No subscription has arrived.
  case awaiting

  /// Connected: the subscription that requests and a cancel go to.
  case subscribed(any Subscription)

  /// Completed, cancelled, or failed by the operator itself.
  case terminal

  /// Takes a subscription that has arrived.
  ///
  /// - Returns: Whether it was the first. If not, the caller cancels it and tells nobody.
  @inlinable
  mutating func accept(_ subscription: any Subscription) -> Bool {
    guard case .awaiting = self else { return false }
    self = .subscribed(subscription)
    return true
  }

  /// The subscription, while connected.
  @inlinable
  var subscription: (any Subscription)? {
    guard case .subscribed(let subscription) = self else { return nil }
    return subscription
  }

  @inlinable
  var isSubscribed: Bool {
    guard case .subscribed = self else { return false }
    return true
  }

  /// Ends a connection.
  ///
  /// - Returns: The subscription if there was one, so that it can be cancelled, or released, outside the lock;
  ///   nothing if the state was not `subscribed`, which then stays as it is.
  @inlinable
  mutating func disconnect() -> (any Subscription)? {
    guard case .subscribed(let subscription) = self else { return nil }
    self = .terminal
    return subscription
  }

  /// Ends the state, connected or not.
  ///
  /// - Returns: The subscription if there was one.
  @inlinable
  mutating func terminate() -> (any Subscription)? {
    let subscription = self.subscription
    self = .terminal
    return subscription
  }
}
