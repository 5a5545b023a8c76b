/// A protocol for types that receive values from a publisher.
///
/// A subscriber receives a ``Subscription`` first. It requests values through that subscription, or by returning
/// additional demand from ``receive(_:)``. It receives at most one completion, and nothing after that.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {

  /// The kind of values this subscriber receives.
  associatedtype Input

  /// The kind of errors this subscriber can receive, or `Never` if it cannot receive one.
  associatedtype Failure: Error

  /// Tells the subscriber that its subscription exists and that it may request values.
  ///
  /// - Parameter subscription: The subscription to the publisher.
  func receive(subscription: any Subscription)

  /// Tells the subscriber that the publisher has emitted a value.
  ///
  /// - Parameter input: The value.
  /// - Returns: The number of further values that the subscriber requests, in addition to its earlier demand.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Tells the subscriber that the publisher has completed.
  ///
  /// - Parameter completion: The completion: finished or failed.
  func receive(completion: Subscribers.Completion<Failure>)

  /// Sends this subscriber all elements and the completion now, if its demand would be unlimited from the start.
  ///
  /// Clients do not implement this method.
  ///
  /// Some subscribers request unlimited demand as soon as they receive a subscription, and show the subscription to no
  /// other code. Such a subscriber receives all available elements within that request. A publisher that has all
  /// elements ready calls this method instead, and sends them in a closure. The compiler can specialize that closure.
  /// It cannot specialize a request, which goes through an existential. Without this requirement the benchmark rows
  /// `subscribe-and-cancel` and `sequence-map-filter-sink` take 1.5 and 1.2 times as long.
  ///
  /// - Parameters:
  ///   - subscription: A closure that makes the subscription with which the subscriber can cancel. The subscriber
  ///     requests nothing from it. It returns `nil` if cancelling would have no effect anyway.
  ///   - send: A closure that sends all elements and the completion to the subscriber.
  /// - Returns: Whether everything was sent. If not, nothing has happened, and the publisher must send a subscription.
  func _receiveAll(until subscription: () -> (any Subscription & AnyObject)?, _ send: () -> Void) -> Bool
}

extension Subscriber {

  /// Returns `false`, because this subscriber must receive a subscription.
  @inlinable
  @inline(__always)
  public func _receiveAll(until subscription: () -> (any Subscription & AnyObject)?, _ send: () -> Void) -> Bool {
    false
  }
}

extension Subscriber where Input == Void {

  /// Tells the subscriber that the publisher has emitted a `Void` value.
  ///
  /// - Returns: The number of further values that the subscriber requests.
  @inlinable
  public func receive() -> Subscribers.Demand {
    receive(())
  }
}

/// A namespace for the subscribers of this module, and for the types that describe demand and completion.
public enum Subscribers {}
