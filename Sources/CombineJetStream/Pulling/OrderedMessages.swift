#if JetStream
  import CombineCore

  extension JetStream {

    /// Returns a publisher of the messages of a stream in their order, without gaps, and each once.
    ///
    /// It is for a program that reads a stream for itself: to rebuild a state, to follow a log, to export. Nobody shares the
    /// messages with it, and nothing is acknowledged. Use ``messages(stream:consumer:window:windowBytes:acknowledgement:)``
    /// for work that must be done once and that processes share.
    ///
    /// The publisher makes a consumer for each subscriber, which lives in the server's memory. If the server loses it, or a
    /// message is missing among those that arrive, the publisher makes another one. It begins behind the last message that
    /// was published. So a subscriber does not notice when a server is started again, or when somebody deletes the consumer.
    ///
    /// Demand is the flow control, as for ``messages(stream:consumer:window:windowBytes:acknowledgement:)``. What a limit of
    /// the stream removes before it was read is not delivered.
    ///
    /// The publisher waits while the connection is lost. It finishes only when ``close()`` ends the connection. It fails with
    /// `noStream` if the stream is missing, was deleted or was created again, with `refused` if a name or the subject is not
    /// valid, with `authentication` if a permission is missing, and with `closed` if the connection is closed for good.
    ///
    /// ```swift
    /// func balances(_ jetStream: JetStream) -> AnyPublisher<[String: Int], JetStreamError> {
    ///   jetStream.orderedMessages(stream: "PAYMENTS", filterSubject: "payments.booked.*")
    ///     .scan([:]) { balances, message in balances.merging([message.subject: message.count], uniquingKeysWith: +) }
    ///     .eraseToAnyPublisher()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - stream: The name of the stream.
    ///   - filterSubject: The subject of the messages, which may have wildcards. With `nil`, all are delivered.
    ///   - start: The first message. With `lastPerSubject`, a consumer that was made again delivers all messages that follow.
    ///   - headersOnly: Whether messages are delivered without their payload.
    ///   - window: The maximum number of messages that are on their way or wait here.
    ///   - windowBytes: The maximum number of bytes that a request may bring. Two requests may be on their way.
    /// - Returns: A publisher that delivers on threads of its own, one message at a time. The messages count as settled.
    public func orderedMessages(
      stream: String,
      filterSubject: String? = nil,
      start: ConsumerConfiguration.Start = .all,
      headersOnly: Bool = false,
      window: Int = 256,
      windowBytes: Int = 16_777_216
    ) -> OrderedMessages {
      requirePositive(window, "OrderedMessages: window")
      requirePositive(windowBytes, "OrderedMessages: windowBytes")
      return OrderedMessages(
        selection: OrderedSelection(
          connection: connection,
          stream: stream,
          filterSubject: filterSubject,
          start: start,
          headersOnly: headersOnly,
          window: window,
          windowBytes: windowBytes,
          tellsReady: false
        )
      )
    }
  }

  /// A publisher of the messages of a stream in their order.
  ///
  /// See ``JetStream/orderedMessages(stream:filterSubject:start:headersOnly:window:windowBytes:)``.
  public struct OrderedMessages: Publisher, Sendable {

    /// The kind of values this publisher publishes.
    public typealias Output = JetStreamMessage

    /// The kind of errors this publisher can fail with.
    public typealias Failure = JetStreamError

    let selection: OrderedSelection

    /// The name of the stream.
    public var stream: String { selection.stream }

    /// The subject of the messages, `nil` for all.
    public var filterSubject: String? { selection.filterSubject }

    /// The first message.
    public var start: ConsumerConfiguration.Start { selection.start }

    /// Sends `subscriber` a subscription, and makes a consumer. Messages are read when they are requested.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      OrderedCoordinator(selection).subscribe(subscriber) { element in
        guard case .message(let message, _) = element else { preconditionFailure("OrderedMessages: ready is not told") }
        return message
      }
    }
  }
#endif
