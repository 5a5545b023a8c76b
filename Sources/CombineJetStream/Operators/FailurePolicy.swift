#if JetStream
  import CombineCore

  /// What happens to a message whose work fails. See ``CombineCore/Publisher/process(maxConcurrent:failures:_:)``.
  public struct FailurePolicy: Sendable, Hashable {

    /// How often a message is delivered before the work is given up. A process that ends during the work counts, too.
    public var attempts: Int

    /// The times after which a message is delivered again: the first one after the first failure, and so on, the last one
    /// from then on.
    public var delays: [Duration]

    /// The subject under which a message is stored whose work is given up. With `nil`, it stays in its stream, and is not
    /// delivered again.
    ///
    /// The new message has the payload and headers of the old one, and the headers `Dead-Letter-Stream`,
    /// `Dead-Letter-Sequence`, `Dead-Letter-Consumer`, `Dead-Letter-Deliveries`, `Dead-Letter-Subject` and
    /// `Dead-Letter-Error`, as with ``PoisonPolicy/move(to:)``. A stream must listen to the subject.
    public var deadLetters: String?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - attempts: How often a message is delivered before the work is given up. It must be positive.
    ///   - delays: The times after which a message is delivered again.
    ///   - deadLetters: The subject under which a message is stored whose work is given up.
    public init(attempts: Int = 5, delays: [Duration] = [.seconds(1)], deadLetters: String? = nil) {
      requirePositive(attempts, "FailurePolicy: attempts")
      self.attempts = attempts
      self.delays = delays
      self.deadLetters = deadLetters
    }

    /// The time after which a message is delivered again, `nil` if the work is given up.
    func delay(afterDelivery count: Int) -> Duration? {
      guard count < attempts else { return nil }
      return delays.isEmpty ? .zero : delays[min(max(count, 1), delays.count) - 1]
    }
  }

  /// A message whose work has ended, and what has become of it.
  public struct ProcessedMessage: Sendable {

    /// What has become of a message.
    public enum Outcome: Sendable {

      /// The work has succeeded. Its result was stored, if it had one, and then the message was acknowledged.
      case acknowledged(PublishAcknowledgement?)

      /// The work has failed. The message is delivered again.
      case rejected(any Error)

      /// The work has failed for the last time. The message was stored under another subject.
      case moved(PublishAcknowledgement, any Error)

      /// The work has failed for the last time. The message stays in its stream, and is not delivered again.
      case terminated(any Error)
    }

    /// The message.
    public let message: JetStreamMessage

    /// What has become of the message.
    public let outcome: Outcome
  }
#endif
