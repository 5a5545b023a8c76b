#if JetStream && Tracing
  import CombineCore
  import Tracing

  // MARK: The context in headers

  extension OutgoingMessage {

    /// Puts the context of a trace into the headers, such as `traceparent`.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - instrument: What knows which headers a context has: the tracer with which the program traces.
    public mutating func inject(_ context: ServiceContext, by instrument: some Instrument) {
      instrument.inject(context, into: &headers, using: HeaderInjector())
    }
  }

  extension JetStreamMessage {

    /// Reads the context of a trace from the headers.
    ///
    /// - Parameter instrument: What knows which headers a context has: the tracer with which the program traces.
    /// - Returns: The current context, with what the headers contain.
    public func serviceContext(by instrument: some Instrument) -> ServiceContext {
      .extracted(from: headers, by: instrument)
    }
  }

  extension ServiceContext {

    fileprivate static func extracted(
      from headers: [String: [String]],
      by instrument: some Instrument
    ) -> ServiceContext {
      var context = ServiceContext.current ?? .topLevel
      instrument.extract(headers, into: &context, using: HeaderExtractor())
      return context
    }
  }

  private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: [String]]) {
      carrier[key] = [value]
    }
  }

  /// Names of headers have no case elsewhere, and keep theirs here.
  private struct HeaderExtractor: Extractor {
    func extract(key: String, from carrier: [String: [String]]) -> String? {
      if let values = carrier[key] { return values.first }
      let name = key.lowercased()
      return carrier.first { $0.key.lowercased() == name }?.value.first
    }
  }

  // MARK: Operators

  extension Publisher where Output == OutgoingMessage {

    /// Publishes each message with a span of its own, and publishes the acknowledgements.
    ///
    /// It differs from `publish(to:window:windowBytes:ordered:)` in one point: a span of the kind `producer` begins when the
    /// operator takes a message, and ends with the acknowledgement or the error. The message carries the span's context in
    /// its headers, for those who process it. The span's parent is the context that is in the headers already, or else the
    /// current one of the thread that delivers the message.
    ///
    /// ```swift
    /// func store(
    ///   _ orders: AnyPublisher<OutgoingMessage, Never>,
    ///   in jetStream: JetStream,
    ///   _ tracer: some Tracer
    /// ) -> AnyCancellable {
    ///   orders.publish(to: jetStream, tracer: tracer)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print("stored as", $0.sequence) })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - jetStream: The connection.
    ///   - window: The maximum number of messages in flight.
    ///   - windowBytes: The maximum number of bytes of the messages in flight, with subjects, ids and headers. The default
    ///     is 16 MB.
    ///   - ordered: Whether the stream keeps the order of the messages when one is sent again.
    ///   - tracer: The tracer.
    /// - Returns: A publisher of the acknowledgements.
    public func publish(
      to jetStream: JetStream,
      window: Int = 1000,
      windowBytes: Int = 16_777_216,
      ordered: Bool = false,
      tracer: some Tracer
    ) -> ExtraPublishers.PublishToJetStream<Self> {
      var publisher = publish(to: jetStream, window: window, windowBytes: windowBytes, ordered: ordered)
      publisher.observe = { $0.beginSpan(of: tracer) }
      return publisher
    }
  }

  extension OutgoingMessage {

    /// Begins the span of a publish, and puts its context into the headers.
    ///
    /// - Returns: A closure that ends the span.
    fileprivate mutating func beginSpan(of tracer: some Tracer) -> PublishObservation.End {
      let parent = ServiceContext.extracted(from: headers, by: tracer)
      let span = tracer.startSpan("publish \(subject)", context: parent, ofKind: .producer)
      span.updateAttributes { [id] attributes in
        attributes["messaging.system"] = "nats"
        attributes["messaging.operation.type"] = "send"
        attributes["messaging.destination.name"] = subject
        attributes["messaging.message.body.size"] = payload.count
        if let id { attributes["messaging.message.id"] = id }
      }
      inject(span.context, by: tracer)
      return { result in
        switch result {
        case .success(let acknowledgement):
          span.attributes["messaging.nats.stream"] = acknowledgement.stream
          span.attributes["messaging.nats.sequence"] = Int64(clamping: acknowledgement.sequence)
          span.attributes["messaging.nats.duplicate"] = acknowledgement.isDuplicate
        case .failure(let error):
          span.recordError(error)
          span.setStatus(SpanStatus(code: .error, message: "\(error)"))
        }
        span.end()
      }
    }
  }

  extension Publisher where Output == JetStreamMessage, Failure == JetStreamError {

    /// Works on each message within a span of its own, publishes the result, and then acknowledges the message.
    ///
    /// It differs from ``CombineCore/Publisher/process(maxConcurrent:failures:_:)`` in one point: the work runs in a span of
    /// the kind `consumer`, whose parent is the context in the message's headers. So the trace goes on that the publisher of
    /// the message began. An error of the work is recorded. The result is published in a span of the kind `producer` within
    /// it, and carries that span's context.
    ///
    /// ```swift
    /// func price(
    ///   _ jetStream: JetStream,
    ///   _ tracer: some Tracer,
    ///   _ find: @escaping @Sendable ([UInt8]) async throws -> [UInt8]
    /// ) -> AnyCancellable {
    ///   jetStream.messages(stream: "ORDERS", consumer: "pricing")
    ///     .process(maxConcurrent: 8, tracer: tracer) { message in
    ///       OutgoingMessage(try await find(message.payload), to: "prices.new")
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.message, $0.outcome) })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of messages in work.
    ///   - policy: What happens to a message whose work fails.
    ///   - tracer: The tracer.
    ///   - work: A closure that works on a message. It returns the message to publish, or `nil` if there is none.
    /// - Returns: A publisher of the messages with what has become of them.
    public func process(
      maxConcurrent: Int = 1,
      failures policy: FailurePolicy = FailurePolicy(),
      tracer: some Tracer,
      _ work: @escaping @Sendable (JetStreamMessage) async throws -> OutgoingMessage?
    ) -> ExtraPublishers.ProcessMessages<Self> {
      var publisher = process(maxConcurrent: maxConcurrent, failures: policy) { message in
        try await tracer.withSpan(
          "process \(message.subject)",
          context: message.serviceContext(by: tracer),
          ofKind: .consumer
        ) { span in
          let metadata = message.metadata
          span.updateAttributes { attributes in
            attributes["messaging.system"] = "nats"
            attributes["messaging.operation.type"] = "process"
            attributes["messaging.destination.name"] = message.subject
            attributes["messaging.message.body.size"] = message.count
            attributes["messaging.consumer.group.name"] = metadata.consumer
            attributes["messaging.nats.stream"] = metadata.stream
            attributes["messaging.nats.sequence"] = Int64(clamping: metadata.streamSequence)
            attributes["messaging.nats.delivery_count"] = metadata.deliveryCount
          }
          var result = try await work(message)
          result?.inject(span.context, by: tracer)
          return result
        }
      }
      publisher.observe = { $0.beginSpan(of: tracer) }
      return publisher
    }
  }
#endif
