/// A protocol for publishers that send no elements until a client connects them.
public protocol ConnectablePublisher<Output, Failure>: Publisher {

  /// Connects to the upstream, which lets elements flow to all subscribers.
  ///
  /// - Returns: A cancellable that disconnects.
  func connect() -> any Cancellable
}
