#if JetStream && !Tracing
  import CombineCore

  // Without the trait, a user of these operators learns why they are missing.

  extension Publisher where Output == OutgoingMessage {

    /// Publishes each message with a span of its own. It needs the trait `Tracing`.
    @available(*, unavailable, message: "enable the trait Tracing of the package swift-combine")
    public func publish(
      to jetStream: JetStream,
      window: Int = 1000,
      windowBytes: Int = 16_777_216,
      ordered: Bool = false,
      tracer: Any
    ) -> Self { self }
  }

  extension Publisher where Output == JetStreamMessage, Failure == JetStreamError {

    /// Works on each message within a span of its own. It needs the trait `Tracing`.
    @available(*, unavailable, message: "enable the trait Tracing of the package swift-combine")
    public func process(
      maxConcurrent: Int = 1,
      failures policy: FailurePolicy = FailurePolicy(),
      tracer: Any,
      _ work: @escaping @Sendable (JetStreamMessage) async throws -> OutgoingMessage?
    ) -> Self { self }
  }
#endif
