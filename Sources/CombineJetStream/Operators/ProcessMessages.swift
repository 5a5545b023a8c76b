#if JetStream
  import CombineCore

  extension Publisher where Output == JetStreamMessage, Failure == JetStreamError {

    /// Works on each message, publishes the result, and then acknowledges the message.
    ///
    /// A message is acknowledged when its result is stored. The result has an id. So it is stored once, although the process
    /// may end between the two and the message be delivered again within the result stream's
    /// ``StreamConfiguration/duplicateWindow``. The default id names the message, by its ``JetStreamMessage/identity``, and
    /// the consumer with the time of its creation. So the messages of a stream that was created again have results of
    /// their own, and a consumer that was created again has all results stored again. The ``Acknowledgement`` of the
    /// upstream does not matter.
    ///
    /// If the work throws, or the stream refuses the result, the policy says when the message is delivered again, and what
    /// becomes of it in the end. By default it is tried again without an end, after growing times.
    ///
    /// The operator requests as many messages as may be in work. Outcomes come in the order in which work ends. It finishes
    /// when the upstream has finished and all work has ended. It fails at once with the upstream's error, with `closed` or
    /// `authentication` if results cannot be published any more, and if a message cannot be moved to
    /// ``FailurePolicy/deadLetters``. After a cancel, work that has begun goes on, and settles its message.
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
          work: { message, end in processor.begin(message, WorkEnd(end)) },
          end: {}
        )
      }
    }
  }

  /// A closure that takes the end of asynchronous work.
  ///
  /// `@unchecked Sendable`: the closure is called once, on any thread.
  struct WorkEnd<Value>: @unchecked Sendable {

    let call: (Result<Value, JetStreamError>) -> Void

    init(_ call: @escaping (Result<Value, JetStreamError>) -> Void) {
      self.call = call
    }
  }

  /// What happens to a message from its arrival to its end.
  private final class MessageProcessor: Sendable {

    private let policy: FailurePolicy
    private let work: @Sendable (JetStreamMessage) async throws -> OutgoingMessage?
    private let observe: PublishObservation.Begin?
    private let consequences = Consequences()

    init(
      policy: FailurePolicy,
      work: @escaping @Sendable (JetStreamMessage) async throws -> OutgoingMessage?,
      observe: PublishObservation.Begin?
    ) {
      self.policy = policy
      self.work = work
      self.observe = observe
    }

    func begin(_ message: JetStreamMessage, _ end: WorkEnd<ProcessedMessage>) {
      // Nobody else settles the message. If somebody has, there is nothing to do.
      guard message.claim() else {
        return end.call(.success(ProcessedMessage(message: message, outcome: .acknowledged(nil))))
      }
      let arrival = ContinuousClock.now
      Task {
        do throws(JetStreamError) {
          let outcome = try await process(message, at: arrival)
          end.call(.success(ProcessedMessage(message: message, outcome: outcome)))
        } catch {
          end.call(.failure(error))
        }
      }
    }

    /// Works on a claimed message, and settles it.
    ///
    /// - Throws: What ends the publisher.
    private func process(
      _ message: JetStreamMessage,
      at arrival: ContinuousClock.Instant
    ) async throws(JetStreamError) -> ProcessedMessage.Outcome {
      var acknowledgement: PublishAcknowledgement?
      let result: OutgoingMessage?
      do {
        result = try await work(message)
      } catch {
        return try await fail(message, error, at: arrival)
      }
      if let result {
        switch await consequences.publish(result, as: "processed", of: message, at: arrival, observe: observe) {
        case .success(let stored):
          acknowledgement = stored
        case .failure(let error) where error.kind == .closed || error.kind == .authentication:
          message.settleClaimed(.reject(after: nil))
          throw error
        case .failure(let error):
          return try await fail(message, error, at: arrival)
        }
      }
      message.settleClaimed(.acknowledge)
      return .acknowledged(acknowledgement)
    }

    private func fail(
      _ message: JetStreamMessage,
      _ error: any Error,
      at arrival: ContinuousClock.Instant
    ) async throws(JetStreamError) -> ProcessedMessage.Outcome {
      if let delay = policy.delay(afterDelivery: message.deliveryCount) {
        message.settleClaimed(.reject(after: delay > .zero ? delay : nil))
        return .rejected(error)
      }
      if let subject = policy.deadLetters {
        return .moved(try await DeadLetter.move(message, error, to: subject, by: consequences, at: arrival), error)
      }
      message.settleClaimed(.terminate)
      return .terminated(error)
    }
  }
#endif
