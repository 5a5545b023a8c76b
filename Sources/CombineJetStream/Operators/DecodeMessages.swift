#if JetStream
  import CombineThreads
  import CombineCore
  import Foundation

  extension Publisher where Output == JetStreamMessage, Failure == JetStreamError {

    /// Decodes a value from each message, and publishes it with the message.
    ///
    /// A message that cannot be decoded does not stop the stream. The policy says what becomes of it, and the operator
    /// requests another one in its place: a moved message when it is stored under its new subject, others at once.
    /// Otherwise demand and completion pass through unchanged.
    ///
    /// With ``Acknowledgement/manual``, the subscriber acknowledges each value when its work is done:
    ///
    /// ```swift
    /// struct Order: Decodable { var number: Int }
    ///
    /// func process(_ jetStream: JetStream, _ work: @escaping @Sendable (Order) async -> Void) -> AnyCancellable {
    ///   jetStream.messages(stream: "ORDERS", consumer: "worker", acknowledgement: .manual)
    ///     .decode(Order.self, decoder: JSONDecoder(), poisonous: .move(to: "dead.orders"))
    ///     .asyncMap(maxConcurrent: 8) { order in
    ///       await work(order.value)
    ///       order.acknowledge()
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: {})
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder of each payload, such as `JSONDecoder`.
    ///   - policy: What happens to a message that cannot be decoded.
    ///   - counter: An object that counts messages that cannot be decoded.
    /// - Returns: A publisher of the values with their messages.
    public func decode<Value: Decodable, Coder: TopLevelDecoder>(
      _ type: Value.Type,
      decoder: Coder,
      poisonous policy: PoisonPolicy = .terminate,
      counter: PoisonCounter? = nil
    ) -> ExtraPublishers.DecodeMessages<Self, Value, Coder> where Coder.Input == Data {
      ExtraPublishers.DecodeMessages(upstream: self, decoder: decoder, policy: policy, counter: counter)
    }

    /// Decodes a value from each message, and publishes it.
    ///
    /// It differs from ``CombineCore/Publisher/decode(_:decoder:poisonous:counter:)`` in one point: the message is not at
    /// hand. It is for ``Acknowledgement/afterReceive``, as nobody could acknowledge otherwise.
    ///
    /// ```swift
    /// struct Order: Decodable { var number: Int }
    ///
    /// func printOrders(_ jetStream: JetStream) -> AnyCancellable {
    ///   jetStream.messages(stream: "ORDERS", consumer: "printer")
    ///     .decodeValues(Order.self, decoder: JSONDecoder())
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.number) })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder of each payload, such as `JSONDecoder`.
    ///   - policy: What happens to a message that cannot be decoded.
    ///   - counter: An object that counts messages that cannot be decoded.
    /// - Returns: A publisher of the values.
    public func decodeValues<Value: Decodable, Coder: TopLevelDecoder>(
      _ type: Value.Type,
      decoder: Coder,
      poisonous policy: PoisonPolicy = .terminate,
      counter: PoisonCounter? = nil
    ) -> Publishers.Map<ExtraPublishers.DecodeMessages<Self, Value, Coder>, Value> where Coder.Input == Data {
      decode(type, decoder: decoder, poisonous: policy, counter: counter).map { $0.value }
    }
  }

  extension ExtraPublishers {

    /// A publisher that decodes a value from each message of its upstream.
    public struct DecodeMessages<Upstream: Publisher, Value: Decodable, Coder: TopLevelDecoder>: Publisher
    where Upstream.Output == JetStreamMessage, Upstream.Failure == JetStreamError, Coder.Input == Data {

      /// The kind of values this publisher publishes.
      public typealias Output = DecodedMessage<Value>

      /// The kind of errors this publisher can fail with.
      public typealias Failure = JetStreamError

      /// The publisher whose messages are decoded.
      public let upstream: Upstream

      /// The decoder of each payload.
      public let decoder: Coder

      /// What happens to a message that cannot be decoded.
      public let policy: PoisonPolicy

      /// An object that counts messages that cannot be decoded.
      public let counter: PoisonCounter?

      /// Creates a publisher that decodes a value from each message of another one.
      ///
      /// - Parameters:
      ///   - upstream: The publisher whose messages are decoded.
      ///   - decoder: The decoder of each payload.
      ///   - policy: What happens to a message that cannot be decoded.
      ///   - counter: An object that counts messages that cannot be decoded.
      public init(upstream: Upstream, decoder: Coder, policy: PoisonPolicy, counter: PoisonCounter?) {
        self.upstream = upstream
        self.decoder = decoder
        self.policy = policy
        self.counter = counter
      }

      /// Subscribes `subscriber` to the upstream through this operator.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let decoder = decoder
        upstream.receive(
          subscriber: DecodingConduit(downstream: subscriber, policy: policy, counter: counter) {
            try decoder.decode(Value.self, from: $0)
          }
        )
      }
    }
  }

  /// `@unchecked Sendable`: the lock guards what changes. Other threads than the upstream's only request, by the
  /// upstream's subscription.
  private final class DecodingConduit<Value, Downstream: Subscriber>: Subscriber, Subscription, CustomStringConvertible,
    @unchecked Sendable
  where Downstream.Input == DecodedMessage<Value>, Downstream.Failure == JetStreamError {

    typealias Input = JetStreamMessage
    typealias Failure = JetStreamError

    private let policy: PoisonPolicy
    private let counter: PoisonCounter?
    private let decode: (Data) throws -> Value
    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var upstream = UpstreamState.awaiting

    @exclusivity(unchecked)  // Only with the lock held. `nil` after the end.
    private var downstream: Downstream?

    private let consequences = Consequences()

    init(
      downstream: Downstream,
      policy: PoisonPolicy,
      counter: PoisonCounter?,
      decode: @escaping (Data) throws -> Value
    ) {
      self.downstream = downstream
      self.policy = policy
      self.counter = counter
      self.decode = decode
    }

    var description: String { "DecodeMessages" }

    // MARK: Downstream

    func request(_ demand: Subscribers.Demand) {
      lock.withLock { upstream.subscription }?.request(demand)
    }

    func cancel() {
      let (subscription, downstream) = lock.withLock { (upstream.terminate(), exchange(&self.downstream, with: nil)) }
      withExtendedLifetime(downstream) { subscription?.cancel() }
    }

    // MARK: Upstream

    func receive(subscription: any Subscription) {
      guard lock.withLock({ upstream.accept(subscription) }) else { return subscription.cancel() }
      lock.withLock { downstream }?.receive(subscription: self)
    }

    func receive(_ input: JetStreamMessage) -> Subscribers.Demand {
      guard let downstream = lock.withLock({ upstream.isSubscribed ? downstream : nil }) else {
        DeliveryReceipt.refuse()
        return .none
      }
      let value: Value
      do {
        value = try decode(input.withUnsafeBytes { Data($0) })
      } catch {
        return receivePoison(input, error)
      }
      return downstream.receive(DecodedMessage(value: value, message: input))
    }

    func receive(completion: Subscribers.Completion<JetStreamError>) {
      complete(completion)
    }

    private func complete(_ completion: Subscribers.Completion<JetStreamError>) {
      let (subscription, downstream) = lock.withLock { (upstream.terminate(), exchange(&self.downstream, with: nil)) }
      withExtendedLifetime(subscription) { downstream?.receive(completion: completion) }
    }

    // MARK: Messages that cannot be decoded

    private func receivePoison(_ message: JetStreamMessage, _ error: any Error) -> Subscribers.Demand {
      switch policy {
      case .terminate:
        message.terminate()
        counter?.add(PoisonousMessage(message: message, error: error, outcome: .terminated))
        return .max(1)
      case .reject(after: let delay):
        message.reject(after: delay)
        counter?.add(PoisonousMessage(message: message, error: error, outcome: .rejected(nil)))
        return .max(1)
      case .move(to: let subject):
        return move(message, error, to: subject)
      case .fail:
        message.reject()
        counter?.add(PoisonousMessage(message: message, error: error, outcome: .rejected(nil)))
        fail(JetStreamError(.undecodable, text: "\(message) cannot be decoded: \(error)"))
        return .none
      }
    }

    private func fail(_ error: JetStreamError) {
      lock.withLock { upstream.disconnect() }?.cancel()
      complete(.failure(error))
    }

    /// - Returns: No demand. It follows when the message was moved, so that the server never counts more messages than the
    ///   downstream has asked for.
    private func move(_ message: JetStreamMessage, _ error: any Error, to subject: String) -> Subscribers.Demand {
      guard message.claim() else { return .max(1) }
      let end = WorkEnd<PublishAcknowledgement> { [self] result in
        switch result {
        case .success(let acknowledgement):
          counter?.add(PoisonousMessage(message: message, error: error, outcome: .moved(acknowledgement)))
          request(.max(1))
        case .failure(let failure):
          counter?.add(PoisonousMessage(message: message, error: error, outcome: .rejected(failure)))
          fail(failure)
        }
      }
      DeadLetter.move(message, error, to: subject, by: consequences, end)
      return .none
    }
  }
#endif
