#if JetStream && !Metrics
  import CombineCore

  // Without the trait, a user of these operators learns why they are missing.

  extension Publisher where Output == ConsumerInfo {

    /// Sets gauges to the lag of consumers. It needs the trait `Metrics`.
    @available(*, unavailable, message: "enable the trait Metrics of the package swift-combine")
    public func recordMetrics(dimensions: [(String, String)] = [], factory: Any? = nil) -> Self { self }
  }

  extension Publisher where Output == JetStream.ConnectionState {

    /// Sets a gauge to whether a connection has a server. It needs the trait `Metrics`.
    @available(*, unavailable, message: "enable the trait Metrics of the package swift-combine")
    public func recordMetrics(dimensions: [(String, String)] = [], factory: Any? = nil) -> Self { self }
  }
#endif
