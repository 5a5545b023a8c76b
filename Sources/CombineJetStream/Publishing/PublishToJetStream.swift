#if JetStream
  import CombineCore
  import Foundation

  extension Publisher where Output: Sequence<UInt8> {

    /// Publishes each element to a subject, and publishes the acknowledgements.
    ///
    /// A message counts as in flight from its first sending until the stream has stored it and the downstream has asked for
    /// its acknowledgement. The operator asks its upstream for as many elements as may be in flight, and not for more.
    ///
    /// `windowBytes` bounds what is in flight, too. The size of an element is known when it has come. So the operator asks
    /// for one element first, and then for as many as fit if they are as large as the latest ones. If those that come are
    /// larger, some of them wait in the operator. A message that is larger than the bound is in flight alone.
    ///
    /// A message without an acknowledgement is sent again after a second, then after two, and so on up to 16, and after the
    /// connection was lost. The stream
    /// drops the second copy by its id, as long as its ``StreamConfiguration/duplicateWindow`` is. So each element is stored
    /// exactly once. Acknowledgements come in the order in which they arrive.
    ///
    /// A message that is sent again may be stored behind later ones. With `ordered: true`, one message is in flight at a
    /// time, whatever the window is, so the stream has the order of the upstream. That costs a round trip for each message.
    ///
    /// The publisher finishes when the upstream has finished and all its messages are stored. It fails at once with the
    /// upstream's error, if the stream refuses a message, if no stream listens to the subject, and with `closed`.
    ///
    /// The id comes from the element, not from the attempt, as another process may make it again. Here, equal lines are
    /// stored once:
    ///
    /// ```swift
    /// func store(_ lines: AnyPublisher<Data, any Error>, in jetStream: JetStream) -> AnyCancellable {
    ///   lines
    ///     .publish(to: jetStream, subject: "lines") { "line-\(String(decoding: $0, as: UTF8.self))" }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print("stored as", $0.sequence) })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - jetStream: The connection.
    ///   - subject: The subject of all messages.
    ///   - window: The maximum number of messages in flight.
    ///   - windowBytes: The maximum number of bytes of the messages in flight, with subjects, ids and headers. The default
    ///     is 16 MB.
    ///   - ordered: Whether the stream keeps the order of the elements when a message is sent again.
    ///   - id: A closure that returns the id of an element. No two elements have the same one.
    /// - Returns: A publisher of the acknowledgements.
    public func publish(
      to jetStream: JetStream,
      subject: String,
      window: Int = 1000,
      windowBytes: Int = 16_777_216,
      ordered: Bool = false,
      id: @escaping @Sendable (Output) -> String
    ) -> ExtraPublishers.PublishToJetStream<Self> {
      ExtraPublishers.PublishToJetStream(
        upstream: self,
        jetStream: jetStream,
        window: ordered ? 1 : window,
        windowBytes: windowBytes
      ) {
        OutgoingMessage(Array($0), to: subject, id: id($0))
      }
    }
  }

  extension Publisher where Output: Encodable {

    /// Encodes each element, publishes it to a subject, and publishes the acknowledgements.
    ///
    /// It differs from `publish(to:subject:window:windowBytes:ordered:id:)` in one point: an element that cannot be encoded fails the
    /// publisher.
    ///
    /// ```swift
    /// struct Order: Encodable { var number: Int }
    ///
    /// func store(_ orders: AnyPublisher<Order, Never>, in jetStream: JetStream) -> AnyCancellable {
    ///   orders
    ///     .publish(to: jetStream, subject: "orders.new", encoder: JSONEncoder()) { "order-\($0.number)" }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print("stored as", $0.sequence) })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - jetStream: The connection.
    ///   - subject: The subject of all messages.
    ///   - window: The maximum number of messages in flight.
    ///   - windowBytes: The maximum number of bytes of the messages in flight, with subjects, ids and headers. The default
    ///     is 16 MB.
    ///   - ordered: Whether the stream keeps the order of the elements when a message is sent again.
    ///   - encoder: An encoder to bytes, such as `JSONEncoder`.
    ///   - id: A closure that returns the id of an element. No two elements have the same one.
    /// - Returns: A publisher of the acknowledgements.
    public func publish<Coder: TopLevelEncoder>(
      to jetStream: JetStream,
      subject: String,
      window: Int = 1000,
      windowBytes: Int = 16_777_216,
      ordered: Bool = false,
      encoder: Coder,
      id: @escaping @Sendable (Output) -> String
    ) -> ExtraPublishers.PublishToJetStream<Self> where Coder.Output: Sequence<UInt8> {
      ExtraPublishers.PublishToJetStream(
        upstream: self,
        jetStream: jetStream,
        window: ordered ? 1 : window,
        windowBytes: windowBytes
      ) {
        OutgoingMessage(Array(try encoder.encode($0)), to: subject, id: id($0))
      }
    }
  }

  extension Publisher where Output == OutgoingMessage {

    /// Publishes each message, and publishes the acknowledgements.
    ///
    /// It differs from `publish(to:subject:window:windowBytes:ordered:id:)` in one point: a message without an id is never sent twice.
    /// It fails the publisher if its acknowledgement does not come in time.
    ///
    /// - Parameters:
    ///   - jetStream: The connection.
    ///   - window: The maximum number of messages in flight.
    ///   - windowBytes: The maximum number of bytes of the messages in flight, with subjects, ids and headers. The default
    ///     is 16 MB.
    ///   - ordered: Whether the stream keeps the order of the messages when one is sent again.
    /// - Returns: A publisher of the acknowledgements.
    public func publish(
      to jetStream: JetStream,
      window: Int = 1000,
      windowBytes: Int = 16_777_216,
      ordered: Bool = false
    ) -> ExtraPublishers.PublishToJetStream<Self> {
      ExtraPublishers.PublishToJetStream(
        upstream: self,
        jetStream: jetStream,
        window: ordered ? 1 : window,
        windowBytes: windowBytes
      ) { $0 }
    }
  }

  extension ExtraPublishers {

    /// A publisher that publishes the elements of its upstream to JetStream, and publishes the acknowledgements.
    public struct PublishToJetStream<Upstream: Publisher>: Publisher {

      /// The kind of values this publisher publishes.
      public typealias Output = PublishAcknowledgement

      /// The kind of errors this publisher can fail with: `JetStreamError`, the upstream's, and the encoder's.
      public typealias Failure = any Error

      /// The publisher whose elements are published.
      public let upstream: Upstream

      /// The connection.
      public let jetStream: JetStream

      /// The maximum number of messages in flight.
      public let window: Int

      /// The maximum number of bytes of the messages in flight.
      public let windowBytes: Int

      /// A closure that makes the message of an element.
      public let message: (Upstream.Output) throws -> OutgoingMessage

      /// What is called around each publish.
      var observe: PublishObservation.Begin?

      /// Creates a publisher that publishes the elements of another one to JetStream.
      ///
      /// - Parameters:
      ///   - upstream: The publisher whose elements are published.
      ///   - jetStream: The connection.
      ///   - window: The maximum number of messages in flight. It must be positive.
      ///   - windowBytes: The maximum number of bytes of the messages in flight. It must be positive. A larger message is in
      ///     flight alone.
      ///   - message: A closure that makes the message of an element.
      public init(
        upstream: Upstream,
        jetStream: JetStream,
        window: Int,
        windowBytes: Int = 16_777_216,
        message: @escaping (Upstream.Output) throws -> OutgoingMessage
      ) {
        requirePositive(window, "PublishToJetStream: window")
        requirePositive(windowBytes, "PublishToJetStream: windowBytes")
        self.upstream = upstream
        self.jetStream = jetStream
        self.window = window
        self.windowBytes = windowBytes
        self.message = message
      }

      /// Subscribes `subscriber` to the upstream through this operator.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let inbox: PublishInbox
        do {
          inbox = try PublishInbox.make(jetStream.connection)
        } catch {
          subscriber.receive(subscription: Subscriptions.empty)
          subscriber.receive(completion: .failure(error))
          return
        }
        // Both ends are erased, so that the conduit is specialized here. This function is not specialized for its client, and
        // a conduit that is not either looks types up for each element.
        upstream.tryMap(message).eraseToAnyPublisher().subscribe(
          AnySubscriber(subscriber),
          name: "PublishToJetStream",
          window: window,
          weight: WorkWeight(maximum: windowBytes) { $0.byteCount },
          work: { [observe] message, end in
            guard let observe else {
              return inbox.publish(message, expiry: nil, PublishInWindow { end($0.mapError { $0 }) })
            }
            var message = message
            let didEnd = observe(&message)
            let pending = PublishInWindow { result in
              didEnd(result)
              end(result.mapError { $0 })
            }
            inbox.publish(message, expiry: nil, pending)
          },
          end: { inbox.close() }
        )
      }
    }
  }

  /// A publish that counts in an operator's window.
  ///
  /// `@unchecked Sendable`: the closure may be called on any thread.
  private final class PublishInWindow: PendingPublish, @unchecked Sendable {

    private let receive: (Result<PublishAcknowledgement, JetStreamError>) -> Void

    init(_ receive: @escaping (Result<PublishAcknowledgement, JetStreamError>) -> Void) {
      self.receive = receive
    }

    override func resolve(_ result: Result<PublishAcknowledgement, JetStreamError>) {
      receive(result)
    }
  }
#endif
