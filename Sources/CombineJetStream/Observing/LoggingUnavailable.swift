#if JetStream && !Logging
  import CombineCore

  // Without the trait, a user of these operators learns why they are missing.

  extension Publisher where Output == JetStream.ConnectionEvent {

    /// Logs what happens to a connection. It needs the trait `Logging`.
    @available(*, unavailable, message: "enable the trait Logging of the package swift-combine")
    public func log(to logger: Any) -> Self { self }
  }

  extension Publisher where Output == JetStream.ConnectionState {

    /// Logs the state of a connection. It needs the trait `Logging`.
    @available(*, unavailable, message: "enable the trait Logging of the package swift-combine")
    public func log(to logger: Any) -> Self { self }
  }
#endif
