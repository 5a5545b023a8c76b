#if JetStream
  import CombineCore

  /// A value that was decoded from a message, with the message.
  public struct DecodedMessage<Value> {

    /// The value.
    public let value: Value

    /// The message.
    public let message: JetStreamMessage

    /// Tells the server that the message is done. See ``JetStreamMessage/acknowledge()``.
    public func acknowledge() { message.acknowledge() }

    /// Gives the message back. See ``JetStreamMessage/reject(after:)``.
    ///
    /// - Parameter delay: The time after which it is delivered again. With `nil`, it is as soon as possible.
    public func reject(after delay: Duration? = nil) { message.reject(after: delay) }

    /// Tells the server that the work goes on. See ``JetStreamMessage/extend()``.
    public func extend() { message.extend() }

    /// Tells the server that the message must not be delivered again. See ``JetStreamMessage/terminate()``.
    public func terminate() { message.terminate() }
  }

  extension DecodedMessage: Sendable where Value: Sendable {}
#endif
