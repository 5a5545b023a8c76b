#if JetStream
  import CombineThreads
  import CNATS
  import CombineCore
  import Dispatch
  import Foundation

  /// The library's callbacks about one connection.
  ///
  /// The library calls back after a connection was destroyed, and never if it could not be made. So it gets a number, not a
  /// pointer, and this class finds the connection by it.
  ///
  /// `@unchecked Sendable`: the lock guards all that changes.
  final class ConnectionEvents: @unchecked Sendable {

    private static let lock = Lock()

    nonisolated(unsafe) private static var living: [Int: ConnectionEvents] = [:]  // Only with `lock` held.

    nonisolated(unsafe) private static var lastNumber = 0  // Only with `lock` held.

    private let number: Int
    private let credentials: JetStream.Configuration.Credentials
    private let group = DispatchGroup()

    /// The library has one thread for the callbacks of all connections. So a subscriber that blocks, or a server that takes
    /// nothing, would hold up the events of the others.
    private let queue = DispatchQueue(label: "CombineJetStream.events")

    @exclusivity(unchecked)  // Only with `lock` held.
    private var handler: (@Sendable (Event) -> Void)?

    @exclusivity(unchecked)  // Only with `lock` held.
    private var early: [Event] = []

    enum Event: Sendable {
      case state(JetStream.ConnectionState)

      /// An error that belongs to no call.
      case failure(JetStreamError)

      /// The server is about to end.
      case lameDuck
    }

    init(_ credentials: JetStream.Configuration.Credentials = .none) {
      self.credentials = credentials
      number = Self.lock.withLock {
        Self.lastNumber += 1
        return Self.lastNumber
      }
      group.enter()
      Self.lock.withLock { Self.living[number] = self }
    }

    /// What the library takes for a pointer.
    var closure: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: number) }

    /// Begins to call `handler`, at once for what has happened already.
    func begin(_ handler: @escaping @Sendable (Event) -> Void) {
      while true {
        // What happens while the early states are handled waits behind them.
        let early = Self.lock.withLock {
          if self.early.isEmpty { self.handler = handler }
          return exchange(&self.early, with: [])
        }
        if early.isEmpty { return }
        for event in early { handler(event) }
      }
    }

    /// Ends, because there is no connection.
    func forget() {
      Self.lock.withLock { Self.living[number] = nil }
    }

    /// Waits until the library has called for the last time. It blocks, 10 seconds at most.
    func awaitClosed() {
      _ = group.wait(timeout: .now() + 10)
    }

    private func receive(_ event: Event) {
      queue.async { [self] in handle(event) }
    }

    private func handle(_ event: Event) {
      let handler = Self.lock.withLock {
        if self.handler == nil { early.append(event) }
        return self.handler
      }
      handler?(event)
      if case .state(.closed) = event {
        forget()
        group.leave()
      }
    }

    static let didDisconnect: natsConnectionHandler = { _, closure in find(closure)?.receive(.state(.reconnecting)) }

    static let didReconnect: natsConnectionHandler = { _, closure in find(closure)?.receive(.state(.connected)) }

    static let didClose: natsConnectionHandler = { _, closure in find(closure)?.receive(.state(.closed)) }

    static let willEnd: natsConnectionHandler = { _, closure in find(closure)?.receive(.lameDuck) }

    static let didFail: natsErrHandler = { connection, _, status, closure in
      guard let events = find(closure) else { return }
      var text: UnsafePointer<CChar>?
      _ = natsConnection_GetLastError(connection, &text)
      let words = (text ?? natsStatus_GetText(status)).map { String(cString: $0) } ?? ""
      events.receive(.failure(JetStreamError(status, text: words)))
    }

    // MARK: Credentials

    /// Signs the server's words with the seed.
    static let sign: natsSignatureHandler = { text, signature, length, nonce, closure in
      let status = find(closure)?.credentials.seed.map { nats_Sign($0, nonce, signature, length) } ?? NATS_NOT_FOUND
      if status != NATS_OK { text?.pointee = strdup("the seed cannot sign") }
      return status
    }

    /// The library releases the copy.
    static let giveToken: natsUserJWTHandler = { token, _, closure in
      guard case .tokenInMemory(let text, seed: _)? = find(closure)?.credentials else { return NATS_NOT_FOUND }
      token?.pointee = strdup(text)
      return NATS_OK
    }

    private static func find(_ closure: UnsafeMutableRawPointer?) -> ConnectionEvents? {
      let number = Int(bitPattern: closure)
      return lock.withLock { living[number] }
    }
  }

  extension JetStream.Configuration.Credentials {

    /// The seed that this program holds.
    fileprivate var seed: String? {
      switch self {
      case .keyInMemory(_, let seed), .tokenInMemory(_, let seed): seed
      default: nil
      }
    }
  }

  /// The options of the library for a configuration.
  final class ConnectionOptions {

    let pointer: OpaquePointer

    init(_ configuration: JetStream.Configuration, events: ConnectionEvents) throws(JetStreamError) {
      var created: OpaquePointer?
      let status = natsOptions_Create(&created)
      guard status == NATS_OK, let created else { throw JetStreamError(status) }
      pointer = created
      let options = pointer

      func set(_ status: natsStatus) throws(JetStreamError) {
        guard status == NATS_OK else { throw JetStreamError(status) }
      }

      // The library copies them.
      let strings = CStrings()
      try withExtendedLifetime(strings) { () throws(JetStreamError) in
        let servers = configuration.servers
        try set(natsOptions_SetServers(options, strings.copy(servers), Int32(servers.count)))
      }
      try set(natsOptions_SetNoRandomize(options, true))
      if let name = configuration.name { try set(natsOptions_SetName(options, name)) }

      switch configuration.credentials {
      case .none: break
      case .user(let name, let password): try set(natsOptions_SetUserInfo(options, name, password))
      case .token(let token): try set(natsOptions_SetToken(options, token))
      case .file(let file, let seed): try set(natsOptions_SetUserCredentialsFromFiles(options, file, seed))
      case .key(let key, let seedFile): try set(natsOptions_SetNKeyFromSeed(options, key, seedFile))
      case .keyInMemory(let key, seed: _):
        try set(natsOptions_SetNKey(options, key, ConnectionEvents.sign, events.closure))
      case .tokenInMemory:
        try set(
          natsOptions_SetUserCredentialsCallbacks(
            options,
            ConnectionEvents.giveToken,
            events.closure,
            ConnectionEvents.sign,
            events.closure
          )
        )
      }

      if let tls = configuration.tls {
        try set(natsOptions_SetSecure(options, true))
        if let authorities = tls.authorities { try set(natsOptions_LoadCATrustedCertificates(options, authorities)) }
        if let certificate = tls.certificate {
          try set(natsOptions_LoadCertificatesChain(options, certificate, tls.key ?? certificate))
        }
        if let hostName = tls.hostName { try set(natsOptions_SetExpectedHostname(options, hostName)) }
      }

      try set(natsOptions_SetTimeout(options, configuration.timeout.milliseconds))
      try set(natsOptions_SetReconnectWait(options, configuration.reconnectDelay.milliseconds))
      try set(natsOptions_SetMaxReconnect(options, Int32(clamping: configuration.maximumReconnects ?? -1)))
      try set(natsOptions_SetPingInterval(options, configuration.pingInterval.milliseconds))
      // Lost at the second interval, if the question of the first one has no answer.
      try set(natsOptions_SetMaxPingsOut(options, 1))
      // A call that writes holds the connection's lock. Without a deadline nobody notices that a server takes nothing.
      try set(natsOptions_SetWriteDeadline(options, configuration.writeDeadline.milliseconds))
      try set(natsOptions_SetSendAsap(options, configuration.writes == .atOnce))
      // Otherwise each subscription would have a thread. These only fill mailboxes.
      nats_SetMessageDeliveryPoolSize(2)
      try set(natsOptions_UseGlobalMessageDelivery(options, true))
      try set(natsOptions_SetDisconnectedCB(options, ConnectionEvents.didDisconnect, events.closure))
      try set(natsOptions_SetReconnectedCB(options, ConnectionEvents.didReconnect, events.closure))
      try set(natsOptions_SetClosedCB(options, ConnectionEvents.didClose, events.closure))
      try set(natsOptions_SetLameDuckModeCB(options, ConnectionEvents.willEnd, events.closure))
      try set(natsOptions_SetErrorHandler(options, ConnectionEvents.didFail, events.closure))
    }

    deinit { natsOptions_Destroy(pointer) }
  }
#endif
