#if JetStream

  /// What an operator calls around each publish, for those who trace.
  enum PublishObservation {

    /// A closure that may change a message when its publish begins, and returns one for the end of the publish.
    typealias Begin = @Sendable (inout OutgoingMessage) -> End

    /// A closure that is called once, on any thread, with the acknowledgement or the error.
    typealias End = @Sendable (Result<PublishAcknowledgement, JetStreamError>) -> Void
  }
#endif
