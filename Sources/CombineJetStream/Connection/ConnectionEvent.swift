#if JetStream
  extension JetStream {

    /// What happens to a connection besides the changes of its state.
    public enum ConnectionEvent: Sendable, Equatable {

      /// The server is about to end, and has asked its clients to leave. The connection is made to another server when the
      /// server hangs up.
      case lameDuck

      /// An error that belongs to no call, such as a missing permission. What it concerns fails, too.
      case failure(JetStreamError)

      /// Messages have no acknowledgement and are sent again and again: the server stores nothing. Its disk may be full, or
      /// the stream may have no leader.
      ///
      /// `count` messages wait, the oldest for `time` with a connection. `reason` is what the server has answered last, `nil` if it was silent.
      /// The event comes again about every five seconds while they wait.
      case resending(count: Int, time: Duration, reason: JetStreamError?)

      /// A consumer does not answer requests for messages, and the server says nothing about it, or that it has no leader.
      /// The subscription asks again.
      case consumerUnavailable(stream: String, consumer: String, JetStreamError)
    }

    /// A publisher of what happens to the connection besides the changes of its state. What is not requested is dropped.
    ///
    /// It publishes on threads of the connection, one event at a time, and finishes when the connection is closed.
    ///
    /// ```swift
    /// func log(_ jetStream: JetStream) -> AnyCancellable {
    ///   jetStream.connectionEvents.sink { print("streams:", $0) }
    /// }
    /// ```
    public var connectionEvents: AnyPublisher<ConnectionEvent, Never> {
      connection.happenings.eraseToAnyPublisher()
    }
  }
#endif
