/// A protocol for publishers into which other code can send values.
public protocol Subject<Output, Failure>: AnyObject, Publisher {

  /// Sends a value through this subject to its subscribers.
  ///
  /// - Parameter value: The value to send.
  func send(_ value: Output)

  /// Completes the subject and sends the completion to its subscribers.
  ///
  /// - Parameter completion: The completion. The subject sends nothing after it.
  func send(completion: Subscribers.Completion<Failure>)

  /// Passes the subject a subscription to an upstream, from which it can request values.
  ///
  /// - Parameter subscription: The subscription to the upstream.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {

  /// Sends a `Void` value through this subject to its subscribers.
  @inlinable
  public func send() {
    send(())
  }
}
