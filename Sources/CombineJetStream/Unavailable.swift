#if !JetStream
  // Without the trait the module has nothing else. A user of these names learns why. They have the members that a program
  // begins with, because the compiler reports a missing member instead of the unavailable type.

  /// A connection to a server of NATS with JetStream. It needs the trait `JetStream`.
  @available(*, unavailable, message: "enable the trait JetStream of swift-combine")
  public final class JetStream: Sendable {

    /// How to connect. It needs the trait `JetStream`.
    public struct Configuration: Sendable {

      /// Creates a configuration. It needs the trait `JetStream`.
      public init(servers: [String] = []) {}
    }

    /// Connects to a server. It needs the trait `JetStream`.
    public static func connect(_ configuration: Configuration = Configuration()) async throws -> JetStream {
      JetStream()
    }
  }

  /// A message of a stream. It needs the trait `JetStream`.
  @available(*, unavailable, message: "enable the trait JetStream of swift-combine")
  public struct JetStreamMessage: Sendable {}

  /// A publisher of the messages of a stream. It needs the trait `JetStream`.
  @available(*, unavailable, message: "enable the trait JetStream of swift-combine")
  public struct JetStreamPublisher: Sendable {}

  /// A message to publish. It needs the trait `JetStream`.
  @available(*, unavailable, message: "enable the trait JetStream of swift-combine")
  public struct OutgoingMessage: Sendable {

    /// Creates a message. It needs the trait `JetStream`.
    public init(_ payload: [UInt8], to subject: String, id: String? = nil) {}
  }

  /// A bucket of keys and values. It needs the trait `JetStream`.
  @available(*, unavailable, message: "enable the trait JetStream of swift-combine")
  public final class KeyValueStore: Sendable {}
#endif
