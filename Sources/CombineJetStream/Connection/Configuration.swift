#if JetStream
  extension JetStream {

    /// How to connect.
    ///
    /// ```swift
    /// var configuration = JetStream.Configuration(servers: ["nats://127.0.0.1:4222"])
    /// configuration.name = "orders"
    /// configuration.writes = .coalesced
    /// ```
    public struct Configuration: Sendable {

      /// Who this program is.
      public enum Credentials: Sendable {

        /// The server asks for nothing.
        case none

        /// A name and a password.
        case user(String, password: String)

        /// A token.
        case token(String)

        /// The path of a file with the user's token (JWT), and the path of one with the seed if the first has none.
        case file(String, seed: String? = nil)

        /// A public key (NKey), and the path of the file with its seed.
        case key(String, seedFile: String)

        /// A public key (NKey) and its seed, from a vault or an environment variable.
        case keyInMemory(String, seed: String)

        /// A user's token (JWT) and the seed that signs for it, from a vault or an environment variable.
        case tokenInMemory(String, seed: String)
      }

      /// What is checked and shown when a connection is encrypted.
      public struct TLS: Sendable {

        /// The path of a file with the trusted authorities. With `nil`, the system's are trusted.
        public var authorities: String?

        /// The path of the file with the certificate (chain) that this program shows.
        public var certificate: String?

        /// The path of the file with the key of ``certificate``.
        public var key: String?

        /// The name that the server's certificate must have. With `nil`, it is the host of the URL.
        public var hostName: String?

        /// Creates settings.
        ///
        /// - Parameters:
        ///   - authorities: The path of a file with the trusted authorities. With `nil`, the system's are trusted.
        ///   - certificate: The path of the file with the certificate that this program shows.
        ///   - key: The path of the file with the key of `certificate`.
        ///   - hostName: The name that the server's certificate must have. With `nil`, it is the host of the URL.
        public init(
          authorities: String? = nil,
          certificate: String? = nil,
          key: String? = nil,
          hostName: String? = nil
        ) {
          self.authorities = authorities
          self.certificate = certificate
          self.key = key
          self.hostName = hostName
        }
      }

      /// When bytes go to the server.
      public enum Writes: Sendable {

        /// With the call that writes them. An element that is asked for alone arrives at once.
        case atOnce

        /// Together, within a millisecond. Bulk is faster, elements one by one are slower.
        case coalesced
      }

      /// The URLs of the servers, such as `nats://127.0.0.1:4222`. They are tried in this order.
      public var servers: [String]

      /// The name of this connection, which the server's monitoring shows.
      public var name: String?

      /// Who this program is.
      public var credentials = Credentials.none

      /// Settings of an encrypted connection. With `nil`, it is encrypted only if a URL says `tls://`.
      public var tls: TLS?

      /// The JetStream domain, for a server that is a leaf of others. With `nil`, it is the server's own.
      public var domain: String?

      /// The pause after all servers were tried, before they are tried again. A small random time is added.
      public var reconnectDelay = Duration.milliseconds(250)

      /// How often all servers are tried again before the connection is closed for good. With `nil`, without an end.
      public var maximumReconnects: Int?

      /// Whether ``JetStream/connect(_:)`` tries again, after each ``reconnectDelay``, while no server can be reached.
      ///
      /// It still fails at once for what does not pass, such as a wrong password. Cancelling the task ends it.
      public var retriesFirstConnect = false

      /// How often the server is asked whether it is alive. It counts as lost if it has not answered when the next question
      /// is due, so within two intervals.
      public var pingInterval = Duration.seconds(20)

      /// How long a connection, a request or an acknowledgement may take.
      public var timeout = Duration.seconds(5)

      /// When bytes go to the server.
      public var writes = Writes.atOnce

      /// The maximum time that a call may wait for a server that takes no bytes.
      var writeDeadline: Duration { min(timeout, pingInterval) }

      /// Creates a configuration with defaults.
      ///
      /// - Parameter servers: The URLs of the servers.
      public init(servers: [String] = ["nats://127.0.0.1:4222"]) {
        self.servers = servers
      }
    }

    /// The state of a connection.
    public enum ConnectionState: Sendable, Hashable {

      /// A server answers.
      case connected

      /// The server was lost. Another connection is tried again and again. Pipelines wait.
      case reconnecting

      /// The connection has ended, by ``JetStream/close()`` or for good. The publisher of states finishes.
      case closed
    }
  }

  extension Duration {

    /// The whole milliseconds, at least 1, as the NATS library counts.
    var milliseconds: Int64 { max(1, nanoseconds / 1_000_000) }

    /// The whole nanoseconds.
    var nanoseconds: Int64 {
      let (seconds, attoseconds) = components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
  }
#endif
