#if JetStream
  import CNATS
  import CombineCore
  import Dispatch

  extension JetStream {

    /// Returns a publisher of the state of a consumer: its lag, what is in flight, and what is delivered again.
    ///
    /// It asks the server at once and then in intervals, as long as there is demand. Answers that nobody has requested are
    /// not waited for. While the connection is lost it publishes nothing, and goes on afterwards. It finishes when the
    /// connection is closed. It fails if the consumer or the stream is missing or deleted.
    ///
    /// ```swift
    /// func printLag(_ jetStream: JetStream) -> AnyCancellable {
    ///   jetStream.consumerInfo("printer", of: "ORDERS", every: .seconds(5))
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.pendingCount, $0.unacknowledgedCount) })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - stream: The name of the stream.
    ///   - interval: The interval between two questions.
    /// - Returns: A publisher that delivers on threads of its own, one element at a time.
    public func consumerInfo(
      _ name: String,
      of stream: String,
      every interval: Duration
    ) -> AnyPublisher<ConsumerInfo, JetStreamError> {
      poll(every: interval) { connection throws(JetStreamError) in try connection.consumerInfo(name, of: stream) }
    }

    /// Returns a publisher of the state of a stream: the number of its messages and bytes.
    ///
    /// It differs from ``consumerInfo(_:of:every:)`` only in what it asks for.
    ///
    /// - Parameters:
    ///   - name: The name of the stream.
    ///   - interval: The interval between two questions.
    /// - Returns: A publisher that delivers on threads of its own, one element at a time.
    public func streamInfo(
      _ name: String,
      every interval: Duration
    ) -> AnyPublisher<StreamInfo, JetStreamError> {
      poll(every: interval) { connection throws(JetStreamError) in try connection.streamInfo(name) }
    }

    /// - Parameter ask: A closure that asks the server, and waits for the answer.
    private func poll<Info: Sendable>(
      every interval: Duration,
      _ ask: @escaping @Sendable (Connection) throws(JetStreamError) -> Info
    ) -> AnyPublisher<Info, JetStreamError> {
      let connection = connection
      // The timer shares a queue with the questions, so it skips ticks while an answer is awaited.
      let queue = DispatchQueue(label: "CombineJetStream.poll")
      return
        queue
        .timerPublisher(every: .nanoseconds(Int(clamping: interval.nanoseconds)))
        .autoconnect()
        .map { _ in () }
        .prepend(())
        .tryCompactMap { () throws -> Info? in
          do throws(JetStreamError) {
            return try ask(connection)
          } catch {
            if error.isLasting { throw error }
            return nil
          }
        }
        .mapError { $0 as? JetStreamError ?? JetStreamError(.other, text: "\($0)") }
        .subscribe(on: queue)
        .prefix(untilOutputFrom: connection.state.filter { $0 == .closed })
        .eraseToAnyPublisher()
    }

    /// What the connection has sent and received so far.
    ///
    /// It counts all messages of NATS, with requests and acknowledgements.
    public var traffic: ConnectionTraffic { connection.traffic }

    /// Counts of a connection since it was made.
    public struct ConnectionTraffic: Sendable, Hashable {

      /// The number of messages that were received.
      public var receivedMessages: UInt64 = 0

      /// The number of bytes that were received.
      public var receivedBytes: UInt64 = 0

      /// The number of messages that were sent.
      public var sentMessages: UInt64 = 0

      /// The number of bytes that were sent.
      public var sentBytes: UInt64 = 0

      /// How often the connection was made again.
      public var reconnects: UInt64 = 0
    }
  }

  extension JetStreamError {

    /// Whether asking again does not help: what was asked for is missing, or the program may not see it.
    var isLasting: Bool {
      kind == .noConsumer || code == 10059 || kind == .authentication || kind == .refused
    }
  }

  extension Connection {

    var traffic: JetStream.ConnectionTraffic {
      var traffic = JetStream.ConnectionTraffic()
      var statistics: OpaquePointer?
      guard natsStatistics_Create(&statistics) == NATS_OK else { return traffic }
      defer { natsStatistics_Destroy(statistics) }
      guard natsConnection_GetStats(pointer, statistics) == NATS_OK else { return traffic }
      natsStatistics_GetCounts(
        statistics,
        &traffic.receivedMessages,
        &traffic.receivedBytes,
        &traffic.sentMessages,
        &traffic.sentBytes,
        &traffic.reconnects
      )
      return traffic
    }
  }
#endif
