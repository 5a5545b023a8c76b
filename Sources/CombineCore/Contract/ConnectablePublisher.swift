/// A protocol for publishers that send no elements until a client connects them.
public protocol ConnectablePublisher<Output, Failure>: Publisher {

  /// Connects to the upstream, and so starts the delivery of elements to all subscribers.
  ///
  /// - Returns: A cancellable that disconnects.
  func connect() -> any Cancellable
}
