/// A protocol for types that receive values from a publisher.
///
/// A subscriber is sent a ``Subscription`` first. It asks for values through that subscription, or by returning
/// additional demand from ``receive(_:)``, and is sent at most one completion, after which nothing follows.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {

  /// The kind of values that this subscriber receives.
  associatedtype Input

  /// The kind of errors that this subscriber may be sent; `Never` if it cannot be sent one.
  associatedtype Failure: Error

  /// Tells the subscriber that it is subscribed and may request values.
  ///
  /// - Parameter subscription: The connection to the publisher.
  func receive(subscription: any Subscription)

  /// Tells the subscriber that the publisher has produced a value.
  ///
  /// - Parameter input: The value.
  /// - Returns: How many more values the subscriber is ready for, in addition to what it has asked for before.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Tells the subscriber that the publisher has ended.
  ///
  /// - Parameter completion: Whether it finished or failed.
  func receive(completion: Subscribers.Completion<Failure>)

  /// Has everything sent to this subscriber now, if it would ask for everything at once. Not to be implemented.
  ///
  /// A subscriber that asks a subscription for everything as soon as it gets it, and shows it to nobody, is sent within
  /// that request whatever is there already. A publisher that has all of it sends it here instead, in a closure that
  /// the compiler sees through: a request goes through an existential, where it sees nothing.
  ///
  /// - Parameters:
  ///   - subscription: Makes the subscription by which the subscriber can stop that, not to be asked for anything; `nil`
  ///     where it could not be stopped anyway.
  ///   - send: Sends the subscriber all there is, and the completion.
  /// - Returns: Whether that is done with; if not, nothing has happened, and the subscriber is to be sent a subscription.
  func _receiveAll(until subscription: () -> (any Subscription)?, _ send: () -> Void) -> Bool
}

extension Subscriber {

  /// Nothing, as this subscriber is to be sent a subscription.
  @inlinable
  @inline(__always)
  public func _receiveAll(until subscription: () -> (any Subscription)?, _ send: () -> Void) -> Bool {
    false
  }
}

extension Subscriber where Input == Void {

  /// Tells the subscriber that the publisher is ready for the next request.
  ///
  /// - Returns: How many more values the subscriber is ready for.
  @inlinable
  public func receive() -> Subscribers.Demand {
    receive(())
  }
}

/// A namespace for types that act as subscribers.
public enum Subscribers {}
