#if JetStream && Metrics
  import CombineCore
  import CoreMetrics

  extension Publisher where Output == ConsumerInfo {

    /// Sets gauges to the lag of consumers, to what is in flight, and to what was delivered again.
    ///
    /// Elements, demand and completion pass through unchanged. The gauges are set before the downstream receives the
    /// element:
    ///
    /// | gauge | value |
    /// |---|---|
    /// | `jetstream_consumer_pending_messages` | the lag, ``ConsumerInfo/pendingCount`` |
    /// | `jetstream_consumer_unacknowledged_messages` | in flight, ``ConsumerInfo/unacknowledgedCount`` |
    /// | `jetstream_consumer_redelivered_messages` | delivered again, ``ConsumerInfo/redeliveredCount`` |
    ///
    /// Each has the dimensions `stream` and `consumer`, so one publisher may describe several consumers. The gauges are
    /// destroyed when the subscription ends. Otherwise a monitor would take the last value for the present one.
    ///
    /// ```swift
    /// func recordLag(_ jetStream: JetStream) -> AnyCancellable {
    ///   jetStream.consumerInfo("printer", of: "ORDERS", every: .seconds(10))
    ///     .recordMetrics()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - dimensions: More dimensions of each gauge, as names and values.
    ///   - factory: The factory that makes the gauges. The default is the one with which the program has bootstrapped
    ///     the metrics system.
    /// - Returns: A publisher of the same events.
    public func recordMetrics(
      dimensions: [(String, String)] = [],
      factory: any MetricsFactory = MetricsSystem.factory
    ) -> ExtraPublishers.RecordConsumerMetrics<Self> {
      ExtraPublishers.RecordConsumerMetrics(upstream: self, dimensions: dimensions, factory: factory)
    }
  }

  extension ExtraPublishers {

    /// A publisher that sets gauges to the state of the consumers that its upstream publishes.
    public struct RecordConsumerMetrics<Upstream: Publisher>: Publisher where Upstream.Output == ConsumerInfo {

      /// The kind of values this publisher publishes.
      public typealias Output = ConsumerInfo

      /// The kind of errors this publisher can fail with.
      public typealias Failure = Upstream.Failure

      /// The publisher of the consumers' states.
      public let upstream: Upstream

      /// More dimensions of each gauge, as names and values.
      public let dimensions: [(String, String)]

      /// The factory that makes the gauges.
      public let factory: any MetricsFactory

      /// Creates a publisher that sets gauges to the state of consumers.
      ///
      /// - Parameters:
      ///   - upstream: The publisher of the consumers' states.
      ///   - dimensions: More dimensions of each gauge, as names and values.
      ///   - factory: The factory that makes the gauges.
      public init(upstream: Upstream, dimensions: [(String, String)], factory: any MetricsFactory) {
        self.upstream = upstream
        self.dimensions = dimensions
        self.factory = factory
      }

      /// Subscribes `subscriber` to the upstream through this operator.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let gauges = SubscriptionGauges(factory)
        let dimensions = dimensions
        upstream
          .handleEvents(
            receiveOutput: { info in
              gauges.set(
                [
                  ("jetstream_consumer_pending_messages", Int64(clamping: info.pendingCount)),
                  ("jetstream_consumer_unacknowledged_messages", Int64(info.unacknowledgedCount)),
                  ("jetstream_consumer_redelivered_messages", Int64(info.redeliveredCount)),
                ],
                [("stream", info.stream), ("consumer", info.name)] + dimensions
              )
            },
            receiveCompletion: { _ in gauges.end() },
            receiveCancel: { gauges.end() }
          )
          .receive(subscriber: subscriber)
      }
    }
  }

  extension ExtraPublishers.RecordConsumerMetrics: Sendable where Upstream: Sendable {}
#endif
