#if JetStream
  import CNATS

  /// An error of a connection to NATS, or of JetStream.
  public struct JetStreamError: Error, Sendable, Equatable {

    /// What went wrong, as far as a program can react to it.
    public enum Kind: Sendable, Hashable {

      /// No server could be reached, or the connection is lost and not made again yet.
      case notConnected

      /// The server did not answer in time.
      case timedOut

      /// The stream does not exist, or no stream listens to the subject.
      case noStream

      /// The consumer does not exist (any more).
      case noConsumer

      /// A stream or consumer of this name exists with another configuration, or the subjects belong to another stream.
      case nameTaken

      /// The payload is larger than the server or the stream permits.
      case payloadTooLarge

      /// Another revision than the expected one is the last.
      case wrongRevision

      /// The server refuses the request: a limit of the stream is reached, or a value is not valid.
      case refused

      /// The server does not accept the credentials, or does not permit the action to them.
      case authentication

      /// The encrypted connection could not be made.
      case tls

      /// The payload of a message could not be decoded. See ``PoisonPolicy/fail``.
      case undecodable

      /// The connection was closed, by this program or for good.
      case closed

      /// Anything else. See ``JetStreamError/text``.
      case other
    }

    /// What went wrong.
    public let kind: Kind

    /// The status of the NATS library, or that of the server's message, such as 409. It is 0 if there is none.
    public let status: Int

    /// JetStream's own error code, such as 10059 for a missing stream. It is 0 if there is none.
    public let code: Int

    /// The description by the server or the library. It may be empty.
    public let text: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - kind: What went wrong.
    ///   - status: The status of the NATS library or of the server's message.
    ///   - code: JetStream's own error code.
    ///   - text: A description.
    public init(_ kind: Kind, status: Int = 0, code: Int = 0, text: String = "") {
      self.kind = kind
      self.status = status
      self.code = code
      self.text = text
    }
  }

  extension JetStreamError: CustomStringConvertible {

    /// The kind, the numbers that are not 0, and the text.
    public var description: String {
      var numbers: [String] = []
      if status != 0 { numbers.append("status \(status)") }
      if code != 0 { numbers.append("code \(code)") }
      let inParentheses = numbers.isEmpty ? "" : " (" + numbers.joined(separator: ", ") + ")"
      return text.isEmpty ? "\(kind)\(inParentheses)" : "\(kind)\(inParentheses): \(text)"
    }
  }

  extension JetStreamError {

    /// Creates the error of a call that has just failed on this thread, with the library's text of it.
    init(_ status: natsStatus, code: jsErrCode = jsErrCode(0)) {
      let raw = Int(code.rawValue)
      // The library keeps one text for each thread, and does not set it for each error. So it may be that of an older one.
      var statusOfText = NATS_OK
      let text = nats_GetLastError(&statusOfText).map { String(cString: $0) } ?? ""
      self.init(
        Kind(code: raw) ?? Kind(status),
        status: Int(status.rawValue),
        code: raw,
        text: statusOfText == status ? Self.strippingPlace(text) : ""
      )
    }

    /// Creates the error of a connection, which keeps its own text.
    init(_ status: natsStatus, text: String) {
      self.init(Kind(status), status: Int(status.rawValue), text: text)
    }

    /// Creates the error in a reply of JetStream.
    init(status: Int, code: Int, text: String) {
      self.init(Kind(code: code) ?? (status == 404 ? .noStream : .refused), status: status, code: code, text: text)
    }

    /// The error of a first connect, with what the configuration explains.
    ///
    /// A server that requires a certificate says so only by hanging up, after the handshake.
    func explained(by configuration: JetStream.Configuration) -> JetStreamError {
      let isEncrypted = configuration.tls != nil || configuration.servers.contains { $0.hasPrefix("tls:") }
      let statuses = [NATS_CONNECTION_CLOSED, NATS_IO_ERROR, NATS_ERR, NATS_PROTOCOL_ERROR].map { Int($0.rawValue) }
      guard isEncrypted, configuration.tls?.certificate == nil, statuses.contains(status) else { return self }
      let words = text.isEmpty ? "" : ": \(text)"
      return JetStreamError(
        .tls,
        status: status,
        text: "the server has ended the encrypted connection, and may require a certificate of the client\(words)"
      )
    }

    /// Removes the file and line of the library's source with which it begins its texts: `(conn.c:12): `.
    static func strippingPlace(_ text: String) -> String {
      guard text.hasPrefix("("), let end = text.range(of: "): ") else { return text }
      return String(text[end.upperBound...])
    }
  }

  extension JetStreamError {

    /// Whether a stream has not stored a message for a reason that passes without a change of any configuration: a full disk
    /// or memory of the server, or a stream without a leader. A limit of a stream or an account is none.
    var isPassing: Bool {
      switch code {
      // The group has no leader, or this server is not it.
      case 10008, 10009: true
      // The resources of the server.
      case 10023, 10028, 10047: true
      // The file could not be written. The code is also that of a stream that has reached a limit and keeps old messages.
      case 10077: !text.hasPrefix("maximum ")
      default: false
      }
    }
  }

  extension JetStreamError.Kind {

    fileprivate init(_ status: natsStatus) {
      self =
        switch status {
        case NATS_NO_SERVER, NATS_CONNECTION_DISCONNECTED, NATS_STALE_CONNECTION, NATS_IO_ERROR, NATS_NOT_YET_CONNECTED:
          .notConnected
        case NATS_TIMEOUT: .timedOut
        case NATS_NO_RESPONDERS: .noStream
        case NATS_MAX_PAYLOAD: .payloadTooLarge
        case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: .authentication
        case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_WANTED, NATS_SECURE_CONNECTION_REQUIRED: .tls
        case NATS_CONNECTION_CLOSED, NATS_INVALID_SUBSCRIPTION, NATS_DRAINING: .closed
        case NATS_INVALID_ARG, NATS_INVALID_SUBJECT, NATS_INVALID_QUEUE_NAME: .refused
        default: .other
        }
    }

    /// The kind of an error code of JetStream, `nil` for 0.
    fileprivate init?(code: Int) {
      switch code {
      case 0: return nil
      case 10059, 10060: self = .noStream
      case 10014: self = .noConsumer
      case 10013, 10058, 10065, 10105, 10106, 10148: self = .nameTaken
      case 10054: self = .payloadTooLarge
      case 10071, 10164: self = .wrongRevision
      // JetStream is not there, or not yet after the start of the server.
      case 10008, 10039, 10076: self = .noStream
      default: self = .refused
      }
    }
  }
#endif
