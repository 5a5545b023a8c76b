/// The pure state of the connection to an upstream, which most stateful operators share.
///
/// awaiting → subscribed → terminal. Each method is one event, and returns what is to be done with no lock held.
@usableFromInline
package enum UpstreamState {

  /// No subscription has arrived.
  case awaiting

  /// The subscription has arrived. Requests and a cancel go to it.
  case subscribed(SubscriptionObject)

  /// Completed, cancelled, or failed by the operator itself.
  case terminal

  /// Takes a subscription.
  ///
  /// - Returns: Whether it was the first one. If not, the caller only cancels it.
  @inlinable
  package mutating func accept(_ subscription: any Subscription) -> Bool {
    accept(object: subscription._object)
  }

  @inlinable
  package mutating func accept(object subscription: SubscriptionObject) -> Bool {
    guard case .awaiting = self else { return false }
    self = .subscribed(subscription)
    return true
  }

  /// The subscription, while connected.
  @inlinable
  package var subscription: SubscriptionObject? {
    guard case .subscribed(let subscription) = self else { return nil }
    return subscription
  }

  @inlinable
  package var isSubscribed: Bool {
    guard case .subscribed = self else { return false }
    return true
  }

  /// Whether the end has come, after a subscription or without one.
  @inlinable
  package var isTerminal: Bool {
    guard case .terminal = self else { return false }
    return true
  }

  /// Ends a connection.
  ///
  /// - Returns: The subscription, to be cancelled or released with no lock held; `nil` if the state was not `subscribed`.
  ///   The state then does not change.
  @inlinable
  package mutating func disconnect() -> SubscriptionObject? {
    guard case .subscribed(let subscription) = self else { return nil }
    self = .terminal
    return subscription
  }

  /// Ends the state, connected or not.
  ///
  /// - Returns: The subscription if there was one.
  @inlinable
  package mutating func terminate() -> SubscriptionObject? {
    let subscription = self.subscription
    self = .terminal
    return subscription
  }
}
