#if JetStream
  import CombineCore

  extension Publisher where Output == JetStreamMessage, Failure == JetStreamError {

    /// Works on each message, publishes the result, and then acknowledges the message.
    ///
    /// A message is acknowledged when its result is stored. The result has an id, by default one that is made of the stream,
    /// the consumer and the message's sequence. So it is stored once, although the process may end between the two and the
    /// message be delivered again. The ``Acknowledgement`` of the upstream does not matter.
    ///
    /// If the work throws, or the stream refuses the result, the policy says when the message is delivered again, and what
    /// becomes of it in the end.
    ///
    /// The operator requests as many messages as may be in work. Outcomes come in the order in which work ends. It finishes
    /// when the upstream has finished and all work has ended. It fails at once with the upstream's error, and with `closed`
    /// or `authentication` if results cannot be published any more. After a cancel, work that has begun goes on, and settles
    /// its message.
    ///
    /// ```swift
    /// func price(_ jetStream: JetStream, _ find: @escaping @Sendable ([UInt8]) async throws -> [UInt8]) -> AnyCancellable {
    ///   jetStream.messages(stream: "ORDERS", consumer: "pricing")
    ///     .process(maxConcurrent: 8, failures: FailurePolicy(attempts: 3, deadLetters: "dead.orders")) { message in
    ///       OutgoingMessage(try await find(message.payload), to: "prices.new")
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.message, $0.outcome) })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of messages in work. The consumer's
    ///     ``ConsumerConfiguration/acknowledgementWait`` must exceed the time of the work, or the work calls
    ///     ``JetStreamMessage/extend()``.
    ///   - policy: What happens to a message whose work fails.
    ///   - work: A closure that works on a message. It returns the message to publish, or `nil` if there is none.
    /// - Returns: A publisher of the messages with what has become of them.
    public func process(
      maxConcurrent: Int = 1,
      failures policy: FailurePolicy = FailurePolicy(),
      _ work: @escaping @Sendable (JetStreamMessage) async throws -> OutgoingMessage?
    ) -> ExtraPublishers.ProcessMessages<Self> {
      ExtraPublishers.ProcessMessages(upstream: self, maxConcurrent: maxConcurrent, policy: policy, work: work)
    }
  }

  extension ExtraPublishers {

    /// A publisher that works on the messages of its upstream, publishes the results, and acknowledges the messages.
    public struct ProcessMessages<Upstream: Publisher>: Publisher
    where Upstream.Output == JetStreamMessage, Upstream.Failure == JetStreamError {

      /// The kind of values this publisher publishes.
      public typealias Output = ProcessedMessage

      /// The kind of errors this publisher can fail with.
      public typealias Failure = JetStreamError

      /// The publisher of the messages.
      public let upstream: Upstream

      /// The maximum number of messages in work.
      public let maxConcurrent: Int

      /// What happens to a message whose work fails.
      public let policy: FailurePolicy

      /// A closure that works on a message.
      public let work: @Sendable (JetStreamMessage) async throws -> OutgoingMessage?

      /// What is called around the publish of each result.
      var observe: PublishObservation.Begin?

      /// Creates a publisher that works on the messages of another one.
      ///
      /// - Parameters:
      ///   - upstream: The publisher of the messages.
      ///   - maxConcurrent: The maximum number of messages in work. It must be positive.
      ///   - policy: What happens to a message whose work fails.
      ///   - work: A closure that works on a message.
      public init(
        upstream: Upstream,
        maxConcurrent: Int,
        policy: FailurePolicy,
        work: @escaping @Sendable (JetStreamMessage) async throws -> OutgoingMessage?
      ) {
        requirePositive(maxConcurrent, "ProcessMessages: maxConcurrent")
        self.upstream = upstream
        self.maxConcurrent = maxConcurrent
        self.policy = policy
        self.work = work
      }

      /// Subscribes `subscriber` to the upstream through this operator.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let processor = MessageProcessor(policy: policy, work: work, observe: observe)
        upstream.subscribe(
          subscriber,
          name: "ProcessMessages",
          window: maxConcurrent,
          work: { message, end in processor.begin(message, ProcessedMessageEnd(end)) },
          end: {}
        )
      }
    }
  }

  /// `@unchecked Sendable`: the closure is called once, on any thread.
  private struct ProcessedMessageEnd: @unchecked Sendable {

    let call: (Result<ProcessedMessage, JetStreamError>) -> Void

    init(_ call: @escaping (Result<ProcessedMessage, JetStreamError>) -> Void) {
      self.call = call
    }
  }

  /// What happens to a message from its arrival to its end.
  private final class MessageProcessor: Sendable {

    private let policy: FailurePolicy
    private let work: @Sendable (JetStreamMessage) async throws -> OutgoingMessage?
    private let observe: PublishObservation.Begin?

    /// The inbox for the acknowledgements of results and of dead letters.
    private let inbox = SharedInbox()

    init(
      policy: FailurePolicy,
      work: @escaping @Sendable (JetStreamMessage) async throws -> OutgoingMessage?,
      observe: PublishObservation.Begin?
    ) {
      self.policy = policy
      self.work = work
      self.observe = observe
    }

    func begin(_ message: JetStreamMessage, _ end: ProcessedMessageEnd) {
      // Nobody else settles the message. If somebody has, there is nothing to do.
      guard message.claim() else {
        return end.call(.success(ProcessedMessage(message: message, outcome: .acknowledged(nil))))
      }
      Task {
        do {
          if let result = try await work(message) {
            publish(result, for: message, end)
          } else {
            succeed(message, nil, end)
          }
        } catch {
          fail(message, error, end)
        }
      }
    }

    private func publish(_ result: OutgoingMessage, for message: JetStreamMessage, _ end: ProcessedMessageEnd) {
      var result = result
      let metadata = message.metadata
      result.id = result.id ?? "processed-\(metadata.stream)-\(metadata.consumer)-\(metadata.streamSequence)"
      let didEnd = observe?(&result)
      inbox.publish(result, by: message.received.connection) { [self] in
        didEnd?($0)
        switch $0 {
        case .success(let acknowledgement): succeed(message, acknowledgement, end)
        case .failure(let error) where error.kind == .closed || error.kind == .authentication:
          message.settleClaimed(.reject(after: nil))
          end.call(.failure(error))
        case .failure(let error): fail(message, error, end)
        }
      }
    }

    private func succeed(
      _ message: JetStreamMessage,
      _ acknowledgement: PublishAcknowledgement?,
      _ end: ProcessedMessageEnd
    ) {
      message.settleClaimed(.acknowledge)
      end.call(.success(ProcessedMessage(message: message, outcome: .acknowledged(acknowledgement))))
    }

    private func fail(_ message: JetStreamMessage, _ error: any Error, _ end: ProcessedMessageEnd) {
      if let delay = policy.delay(afterDelivery: message.deliveryCount) {
        message.settleClaimed(.reject(after: delay > .zero ? delay : nil))
        end.call(.success(ProcessedMessage(message: message, outcome: .rejected(error))))
      } else if let subject = policy.deadLetters {
        DeadLetter.move(message, error, to: subject, by: inbox) { result in
          let outcome: ProcessedMessage.Outcome =
            switch result {
            case .success(let acknowledgement): .moved(acknowledgement, error)
            case .failure(let failure): .rejected(failure)
            }
          end.call(.success(ProcessedMessage(message: message, outcome: outcome)))
        }
      } else {
        message.settleClaimed(.terminate)
        end.call(.success(ProcessedMessage(message: message, outcome: .terminated(error))))
      }
    }
  }
#endif
