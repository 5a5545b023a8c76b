#if JetStream && Logging
  import CombineCore
  import Logging

  extension Publisher where Output == JetStream.ConnectionEvent {

    /// Logs what happens to a connection.
    ///
    /// Elements, demand and completion pass through unchanged. An entry is written before the downstream receives the
    /// element. What a server refuses is an error, and what waits is a warning. The numbers, names and reasons are metadata.
    ///
    /// ```swift
    /// func log(_ jetStream: JetStream, to logger: Logger) -> [AnyCancellable] {
    ///   [
    ///     jetStream.connectionState.log(to: logger).sink { _ in },
    ///     jetStream.connectionEvents.log(to: logger).sink { _ in },
    ///   ]
    /// }
    /// ```
    ///
    /// - Parameter logger: The logger.
    /// - Returns: A publisher of the same events.
    public func log(to logger: Logger) -> ExtraPublishers.LogConnection<Self> {
      ExtraPublishers.LogConnection(upstream: self, logger: logger) { $0.log(to: $1) }
    }
  }

  extension Publisher where Output == JetStream.ConnectionState {

    /// Logs the state of a connection.
    ///
    /// Elements, demand and completion pass through unchanged. An entry is written before the downstream receives the
    /// element: a warning for `reconnecting`, and information for the others.
    ///
    /// - Parameter logger: The logger.
    /// - Returns: A publisher of the same states.
    public func log(to logger: Logger) -> ExtraPublishers.LogConnection<Self> {
      ExtraPublishers.LogConnection(upstream: self, logger: logger) { $0.log(to: $1) }
    }
  }

  extension ExtraPublishers {

    /// A publisher that logs the events or states of a connection that its upstream publishes.
    public struct LogConnection<Upstream: Publisher>: Publisher {

      /// The kind of values this publisher publishes.
      public typealias Output = Upstream.Output

      /// The kind of errors this publisher can fail with.
      public typealias Failure = Upstream.Failure

      /// The publisher of the events or states.
      public let upstream: Upstream

      /// The logger.
      public let logger: Logger

      private let log: @Sendable (Output, Logger) -> Void

      init(upstream: Upstream, logger: Logger, _ log: @escaping @Sendable (Output, Logger) -> Void) {
        self.upstream = upstream
        self.logger = logger
        self.log = log
      }

      /// Subscribes `subscriber` to the upstream through this operator.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let (logger, log) = (logger, log)
        upstream.handleEvents(receiveOutput: { log($0, logger) }).receive(subscriber: subscriber)
      }
    }
  }

  extension ExtraPublishers.LogConnection: Sendable where Upstream: Sendable {}

  extension JetStream.ConnectionState {

    fileprivate func log(to logger: Logger) {
      switch self {
      case .connected: logger.info("JetStream: connected")
      case .reconnecting: logger.warning("JetStream: the connection is lost, and is made again")
      case .closed: logger.info("JetStream: the connection is closed")
      }
    }
  }

  extension JetStream.ConnectionEvent {

    fileprivate func log(to logger: Logger) {
      switch self {
      case .lameDuck:
        logger.notice("JetStream: the server is about to end")
      case .failure(let error):
        logger.error("JetStream: the server reports an error", metadata: ["error": "\(error)"])
      case .resending(let count, let time, let reason):
        var metadata: Logger.Metadata = ["messages": "\(count)", "seconds": "\(time.components.seconds)"]
        if let reason { metadata["reason"] = "\(reason)" }
        logger.warning("JetStream: messages are sent again, because none is stored", metadata: metadata)
      case .consumerUnavailable(let stream, let consumer, let error):
        logger.warning(
          "JetStream: a consumer does not answer",
          metadata: ["stream": "\(stream)", "consumer": "\(consumer)", "error": "\(error)"]
        )
      }
    }
  }
#endif
