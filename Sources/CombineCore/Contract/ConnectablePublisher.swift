/// A protocol for publishers that send nothing until they are told to connect.
public protocol ConnectablePublisher<Output, Failure>: Publisher {

  /// Connects to the upstream, which starts the flow of values to all subscribers.
  ///
  /// - Returns: A cancellable that disconnects.
  func connect() -> any Cancellable
}
