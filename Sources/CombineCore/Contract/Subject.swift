/// A protocol for publishers that outside code can send values through.
public protocol Subject<Output, Failure>: AnyObject, Publisher {

  /// Sends a value to the subscribers.
  ///
  /// - Parameter value: The value to send.
  func send(_ value: Output)

  /// Ends the subject and sends the completion to its subscribers.
  ///
  /// - Parameter completion: Whether the subject finished or failed; nothing is sent after it.
  func send(completion: Subscribers.Completion<Failure>)

  /// Gives the subject a subscription to an upstream publisher, to request values from.
  ///
  /// - Parameter subscription: The subscription to the upstream.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {

  /// Sends a void value to the subscribers.
  @inlinable
  public func send() {
    send(())
  }
}
