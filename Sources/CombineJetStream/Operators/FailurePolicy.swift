#if JetStream
  import CombineCore

  /// What happens to a message whose work fails. See ``CombineCore/Publisher/process(maxConcurrent:failures:_:)``.
  ///
  /// ```swift
  /// let waiting = FailurePolicy()
  /// let patient = FailurePolicy(delays: [.seconds(10), .seconds(600)])
  /// let moving = FailurePolicy(attempts: 5, deadLetters: "dead.orders")
  /// ```
  public struct FailurePolicy: Sendable, Hashable {

    /// The default times after which a message is delivered again. Each is twice the one before, from a second to a minute.
    public static let growingDelays: [Duration] = [1, 2, 4, 8, 16, 32, 60].map { .seconds($0) }

    /// How often a message is delivered before the work is given up. A process that ends during the work counts, too. With
    /// `nil`, the work is never given up.
    public let attempts: Int?

    /// The times after which a message is delivered again: the first one after the first failure, and so on, the last one
    /// from then on.
    public let delays: [Duration]

    /// The subject under which a message is stored whose work is given up. With `nil`, it stays in its stream, and is not
    /// delivered again.
    ///
    /// The new message is that of ``PoisonPolicy/move(to:)``.
    public let deadLetters: String?

    /// Creates a policy that tries again without an end, or until ``ConsumerConfiguration/maximumDeliveries``.
    ///
    /// - Parameter delays: The times after which a message is delivered again.
    public init(delays: [Duration] = growingDelays) {
      attempts = nil
      self.delays = delays
      deadLetters = nil
    }

    /// Creates a policy that gives the work up after a number of attempts.
    ///
    /// - Parameters:
    ///   - attempts: How often a message is delivered before the work is given up. It must be positive.
    ///   - delays: The times after which a message is delivered again.
    ///   - deadLetters: The subject under which a message is stored whose work is given up. With `nil`, it is not delivered
    ///     again.
    public init(attempts: Int, delays: [Duration] = growingDelays, deadLetters: String? = nil) {
      requirePositive(attempts, "FailurePolicy: attempts")
      self.attempts = attempts
      self.delays = delays
      self.deadLetters = deadLetters
    }

    /// The time after which a message is delivered again, `nil` if the work is given up.
    func delay(afterDelivery count: Int) -> Duration? {
      if let attempts, count >= attempts { return nil }
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
