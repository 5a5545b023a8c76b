#if JetStream
  import CombineThreads
  import CombineCore

  /// What happens to a message that cannot be decoded.
  ///
  /// But for ``fail``, and a message that cannot be moved, it never stops the stream.
  public enum PoisonPolicy: Sendable, Hashable {

    /// The server is told not to deliver it again. It stays in its stream.
    case terminate

    /// It is stored under another subject, for people to look at, and then acknowledged.
    ///
    /// The new message has the payload and headers of the old one, and the headers `Dead-Letter-Stream`,
    /// `Dead-Letter-Sequence`, `Dead-Letter-Consumer`, `Dead-Letter-Deliveries`, `Dead-Letter-Subject` and
    /// `Dead-Letter-Error`. It has an id, so that it is stored once although the old message may be delivered again.
    ///
    /// If these headers make it too large, it comes without payload and headers of the old message, which stays in its
    /// stream. The header `Dead-Letter-Omitted-Bytes` says so, with the size of the payload. A stream with the retention
    /// ``StreamConfiguration/Retention/workQueue`` or ``StreamConfiguration/Retention/interest`` would remove the message,
    /// so there the publisher fails with `payloadTooLarge`.
    ///
    /// The publisher also fails if the new message cannot be stored for another reason that does not pass: with `noStream`
    /// if no stream listens to the subject, with `refused` if a limit is reached, with `authentication` if a permission is
    /// missing. The error names both that reason and the message's own error. The old message is delivered again after ten
    /// seconds.
    case move(to: String)

    /// It is given back, and is delivered again after a time. ``ConsumerConfiguration/maximumDeliveries`` ends that.
    case reject(after: Duration)

    /// It is given back, and the publisher fails with an error of the kind `undecodable`.
    case fail
  }

  /// A message that could not be decoded, and what has become of it.
  public struct PoisonousMessage: Sendable {

    /// What has become of a message.
    public enum Outcome: Sendable {

      /// It is not delivered again.
      case terminated

      /// It was stored under another subject.
      case moved(PublishAcknowledgement)

      /// It was given back, and is delivered again. The error says why it could not be moved. The publisher fails with it.
      case rejected(JetStreamError?)
    }

    /// The message.
    public let message: JetStreamMessage

    /// The error of the decoder.
    public let error: any Error

    /// What has become of the message.
    public let outcome: Outcome
  }

  /// Counts messages that could not be decoded. Several pipelines may share one.
  ///
  /// ```swift
  /// struct Order: Decodable { var number: Int }
  ///
  /// let poisoned = PoisonCounter()
  ///
  /// func orders(_ jetStream: JetStream) -> AnyPublisher<Order, JetStreamError> {
  ///   jetStream.messages(stream: "ORDERS", consumer: "printer")
  ///     .decodeValues(Order.self, decoder: JSONDecoder(), poisonous: .move(to: "dead.orders"), counter: poisoned)
  ///     .eraseToAnyPublisher()
  /// }
  ///
  /// let logging = poisoned.messages.sink { print($0.message, $0.error) }
  /// ```
  ///
  /// `@unchecked Sendable`: the lock guards the counts, and a subject may be used on any thread.
  public final class PoisonCounter: @unchecked Sendable {

    /// How many messages have had which outcome.
    public struct Counts: Sendable, Hashable {

      /// The number of messages that are not delivered again.
      public var terminated = 0

      /// The number of messages that were stored under another subject.
      public var moved = 0

      /// How often a message was given back.
      public var rejected = 0

      /// The number of all of them.
      public var total: Int { terminated + moved + rejected }
    }

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var state = Counts()

    private let subject = PassthroughSubject<PoisonousMessage, Never>()

    /// Creates a counter.
    public init() {}

    /// The counts so far.
    public var counts: Counts { lock.withLock { state } }

    /// A publisher of each message when its outcome is known. It never completes, and drops what is not requested.
    public var messages: AnyPublisher<PoisonousMessage, Never> { subject.eraseToAnyPublisher() }

    func add(_ message: PoisonousMessage) {
      lock.withLock {
        switch message.outcome {
        case .terminated: state.terminated += 1
        case .moved: state.moved += 1
        case .rejected: state.rejected += 1
        }
      }
      subject.send(message)
    }
  }
#endif
