#if JetStream && Metrics
  import CombineCore
  import CoreMetrics

  extension Publisher where Output == JetStream.ConnectionState {

    /// Sets a gauge to whether a connection has a server, and counts how often it was made again.
    ///
    /// Elements, demand and completion pass through unchanged. The metrics are set before the downstream receives the
    /// element:
    ///
    /// | metric | value |
    /// |---|---|
    /// | `jetstream_connected`, a gauge | 1 for `connected`, 0 for `reconnecting` and `closed` |
    /// | `jetstream_reconnects_total`, a counter | how often `connected` followed `reconnecting` |
    ///
    /// The gauge stays at 0 after `closed`. It is destroyed if the subscription ends before, because nobody would set it
    /// any more. Each subscription counts, so a publisher with several subscribers needs a `share()` behind this operator.
    ///
    /// ```swift
    /// func recordConnection(_ jetStream: JetStream) -> AnyCancellable {
    ///   jetStream.connectionState
    ///     .recordMetrics(dimensions: [("connection", "orders")])
    ///     .sink { print($0) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - dimensions: The dimensions of both metrics, as names and values. A program with several connections needs one
    ///     to tell them apart.
    ///   - factory: The factory that makes the metrics. The default is the one with which the program has bootstrapped
    ///     the metrics system.
    /// - Returns: A publisher of the same events.
    public func recordMetrics(
      dimensions: [(String, String)] = [],
      factory: any MetricsFactory = MetricsSystem.factory
    ) -> ExtraPublishers.RecordConnectionMetrics<Self> {
      ExtraPublishers.RecordConnectionMetrics(upstream: self, dimensions: dimensions, factory: factory)
    }
  }

  extension ExtraPublishers {

    /// A publisher that sets metrics to the states of a connection that its upstream publishes.
    public struct RecordConnectionMetrics<Upstream: Publisher>: Publisher
    where Upstream.Output == JetStream.ConnectionState {

      /// The kind of values this publisher publishes.
      public typealias Output = JetStream.ConnectionState

      /// The kind of errors this publisher can fail with.
      public typealias Failure = Upstream.Failure

      /// The publisher of the connection's states.
      public let upstream: Upstream

      /// The dimensions of both metrics, as names and values.
      public let dimensions: [(String, String)]

      /// The factory that makes the metrics.
      public let factory: any MetricsFactory

      /// Creates a publisher that sets metrics to the states of a connection.
      ///
      /// - Parameters:
      ///   - upstream: The publisher of the connection's states.
      ///   - dimensions: The dimensions of both metrics, as names and values.
      ///   - factory: The factory that makes the metrics.
      public init(upstream: Upstream, dimensions: [(String, String)], factory: any MetricsFactory) {
        self.upstream = upstream
        self.dimensions = dimensions
        self.factory = factory
      }

      /// Subscribes `subscriber` to the upstream through this operator.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let gauges = SubscriptionGauges(factory)
        let dimensions = dimensions
        // Made now, so that a monitor sees 0 before the first reconnect, and the first one as a growth.
        let reconnects = Counter(label: "jetstream_reconnects_total", dimensions: dimensions, factory: factory)
        var last: JetStream.ConnectionState?  // Only the closure for elements uses it, one call at a time.
        upstream
          .handleEvents(
            receiveOutput: { state in
              gauges.set([("jetstream_connected", state == .connected ? 1 : 0)], dimensions)
              if state == .connected, last == .reconnecting { reconnects.increment() }
              if state == .closed { gauges.leave() }
              last = state
            },
            receiveCompletion: { _ in gauges.end() },
            receiveCancel: { gauges.end() }
          )
          .receive(subscriber: subscriber)
      }
    }
  }

  extension ExtraPublishers.RecordConnectionMetrics: Sendable where Upstream: Sendable {}
#endif
