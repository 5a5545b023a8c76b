/// The loop of an operator that subscribes to its upstream again and again.
///
/// One call is in the loop at a time. If an upstream completes while it is being subscribed to, that call subscribes once
/// more, so any number of subscriptions takes the same depth of the stack.
///
/// The operators that subscribe to a second upstream once, `catch` and `append`, need no loop.
@usableFromInline
package struct Resubscription {

  @usableFromInline
  var isSubscribing = false

  @usableFromInline
  var isDue = false

  @inlinable
  package init() {}

  /// Asks for a new subscription.
  ///
  /// - Returns: Whether the caller must run the loop: subscribe until ``didSubscribe(unless:)`` returns `false`. Otherwise
  ///   another call is in the loop.
  @inlinable
  package mutating func begin() -> Bool {
    if isSubscribing { isDue = true }
    return !exchange(&isSubscribing, with: true)
  }

  /// Notes that a subscribing call has returned.
  ///
  /// - Parameter hasEnded: Whether the operator has ended, and with it the loop.
  /// - Returns: Whether the caller must subscribe once more.
  @inlinable
  package mutating func didSubscribe(unless hasEnded: Bool = false) -> Bool {
    isSubscribing = exchange(&isDue, with: false) && !hasEnded
    return isSubscribing
  }
}
