#if JetStream
  import CNATS
  import CombineCore
  import Dispatch

  extension JetStream {

    /// Returns a publisher of the messages that a consumer delivers.
    ///
    /// Demand is the flow control: the server sends at most as many messages as the subscriber has asked for, and never
    /// more than `window` that were not received. What it has sent and nobody receives any more, because the subscriber
    /// cancels, is given back.
    ///
    /// Each message is delivered at least once, and in order until one is delivered again. Several subscriptions to one
    /// consumer, in one process or in many, share its messages.
    ///
    /// The publisher waits while the connection is lost, and goes on afterwards. It finishes only when ``close()`` ends the
    /// connection. It fails if the consumer or the stream is missing or deleted, or its name is not
    /// valid, and if the connection is closed for good.
    ///
    /// ```swift
    /// func printOrders(_ jetStream: JetStream) -> AnyCancellable {
    ///   jetStream.messages(stream: "ORDERS", consumer: "printer")
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.subject, $0.count) })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - stream: The name of the stream.
    ///   - consumer: The name of a consumer without a delivery subject. See ``addConsumer(_:to:)``.
    ///   - window: The maximum number of messages that are on their way or wait here. The time that the server waits for an
    ///     acknowledgement must exceed the time that so many messages take.
    ///   - windowBytes: The maximum number of bytes that a request may bring. Two requests may be on their way.
    ///   - acknowledgement: When a message counts as done.
    /// - Returns: A publisher that delivers one message at a time, on a thread that all subscriptions share. One that has no
    ///   messages needs no thread. A subscriber may block: then others get more threads, after a tenth of a second at most.
    public func messages(
      stream: String,
      consumer: String,
      window: Int = 256,
      windowBytes: Int = 16_777_216,
      acknowledgement: Acknowledgement = .afterReceive
    ) -> JetStreamPublisher {
      JetStreamPublisher(
        connection: connection,
        stream: stream,
        consumer: consumer,
        window: window,
        windowBytes: windowBytes,
        acknowledgement: acknowledgement
      )
    }
  }

  /// A publisher of the messages that a consumer of JetStream delivers.
  ///
  /// See ``JetStream/messages(stream:consumer:window:windowBytes:acknowledgement:)``.
  public struct JetStreamPublisher: Publisher, Sendable {

    /// The kind of values this publisher publishes.
    public typealias Output = JetStreamMessage

    /// The kind of errors this publisher can fail with.
    public typealias Failure = JetStreamError

    let connection: Connection

    /// The name of the stream.
    public let stream: String

    /// The name of the consumer.
    public let consumer: String

    /// The maximum number of messages that are on their way or wait here.
    public let window: Int

    /// The maximum number of bytes that a request may bring.
    public let windowBytes: Int

    /// When a message counts as done.
    public let acknowledgement: Acknowledgement

    /// Whether the server waits for acknowledgements.
    let isAcknowledged: Bool

    /// - Parameter acknowledgement: When a message counts as done, `nil` for a consumer that knows no acknowledgements.
    init(
      connection: Connection,
      stream: String,
      consumer: String,
      window: Int,
      windowBytes: Int = 16_777_216,
      acknowledgement: Acknowledgement?
    ) {
      requirePositive(window, "JetStreamPublisher: window")
      requirePositive(windowBytes, "JetStreamPublisher: windowBytes")
      self.windowBytes = windowBytes
      self.connection = connection
      self.stream = stream
      self.consumer = consumer
      self.window = window
      self.acknowledgement = acknowledgement ?? .manual
      isAcknowledged = acknowledgement != nil
    }

    /// Sends `subscriber` a subscription, which asks the server for as many messages as are requested.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let subscription = PullSubscription(publisher: self, downstream: subscriber)
      do {
        try Names.checkName(stream, .stream)
        try Names.checkName(consumer, .consumer)
        try subscription.open()
        subscription.start()
      } catch {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(error))
      }
    }
  }
#endif
