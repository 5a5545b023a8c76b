#if JetStream
  import CombineThreads
  import CNATS
  import CombineCore
  import Foundation

  /// Publishes messages, and receives the acknowledgements. It sends a message again that got none.
  ///
  /// The library has an asynchronous publish of its own. It keeps no copy to send again, and can stand still after a
  /// server was killed.
  ///
  /// `@unchecked Sendable`: the lock guards the machine.
  final class PublishInbox: Inbox, ConnectionMember, @unchecked Sendable {

    typealias Machine = PublishMachine<PendingPublish>

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var machine: Machine

    /// Why no answer can arrive. Only with the lock held.
    @exclusivity(unchecked)
    private var refusal: JetStreamError?

    /// The last error of a subject that nobody listens to.
    private static let unheard = JetStreamError(
      .noStream,
      status: 503,
      code: 0,
      text: "no stream listens to the subject"
    )

    override init(_ connection: Connection) {
      machine = Machine(patience: connection.configuration.timeout)
      super.init(connection)
    }

    /// Opens an inbox.
    static func make(_ connection: Connection) throws(JetStreamError) -> PublishInbox {
      let inbox = PublishInbox(connection)
      try inbox.open()
      guard let state = connection.add(inbox) else {
        inbox.unsubscribe()
        throw connection.endError
      }
      inbox.lock.withLock { inbox.machine.begin(isConnected: state == .connected) }
      return inbox
    }

    /// Publishes a message. `pending` is told the result once, maybe within this call.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - expiry: When to give up. With `nil`, a message with an id is sent until it is stored.
    func publish(_ message: OutgoingMessage, expiry: ContinuousClock.Instant?, _ pending: PendingPublish) {
      do throws(JetStreamError) {
        if let refusal = lock.withLock({ refusal }) { throw refusal }
        try message.check()
      } catch {
        return pending.resolve(.failure(error))
      }
      let expiry = expiry ?? (message.id == nil ? .now + connection.configuration.timeout : nil)
      pending.id = message.id
      pending.subject = message.subject
      connection.work.begin()
      let added = lock.withLock {
        machine.add(pending, isRepeatable: message.id != nil, expiry: expiry, at: .now)
      }
      guard let (number, isToBeSent) = added else {
        connection.work.finish()
        return pending.resolve(.failure(connection.endError))
      }
      pending.number = number
      do {
        try pending.prepare(message, reply: "\(subject).\(number)")
      } catch {
        return resolve(number, .failure(error))
      }
      if isToBeSent { send(.init(number: number, message: pending)) }
    }

    private func send(_ numbered: Machine.Numbered) {
      let status = numbered.message.withMessage { natsConnection_PublishMsg(connection.pointer, $0) }
      switch status {
      // Without a buffer or a connection, or if the server takes nothing, a later tick sends the message.
      case NATS_OK, NATS_INSUFFICIENT_BUFFER, NATS_CONNECTION_DISCONNECTED, NATS_IO_ERROR, NATS_TIMEOUT, nil: break
      case let status?: resolve(numbered.number, .failure(JetStreamError(status)))
      }
    }

    private func resolve(_ number: UInt64, _ result: Result<PublishReply, JetStreamError>) {
      guard let pending = lock.withLock({ machine.remove(number) }) else { return }
      pending.resolve(reply: result)
      connection.work.finish()
    }

    /// Ends publishes that were taken out of the machine.
    private func fail(_ publishes: [PendingPublish], _ error: JetStreamError) {
      for pending in publishes {
        pending.resolve(.failure(error))
        connection.work.finish()
      }
    }

    // MARK: Answers

    override func receive(_ message: ReceivedMessage) {
      guard let number = message.token else { return }
      if message.bytes.isEmpty, natsMsg_IsNoResponders(message.pointer) {
        lock.withLock { machine.noteUnheard(number, at: .now) }
        return
      }
      let reply = PublishReply(message.bytes)
      if case .failed(let error) = reply, error.isPassing, lock.withLock({ machine.noteNotStored(number, error) }) {
        return
      }
      resolve(number, .success(reply))
    }

    override func didEnd() {
      connection.remove(self)
      failAll()
    }

    private func failAll() {
      fail(lock.withLock { machine.close() }, connection.endError)
    }

    // MARK: The connection

    func tick(at now: ContinuousClock.Instant) {
      let due = lock.withLock { machine.tick(at: now) }
      fail(due.expired, JetStreamError(.timedOut, text: "no acknowledgement"))
      for numbered in due.sends { send(numbered) }
      if let overdue = due.overdue {
        connection.happenings.send(.resending(count: overdue.count, time: overdue.time, reason: overdue.reason))
      }
      if !due.doubtful.isEmpty { lookUp(due.doubtful) }
    }

    /// Asks whether streams listen to the subjects of messages.
    private func lookUp(_ doubtful: [Machine.Numbered]) {
      for (subject, messages) in Dictionary(grouping: doubtful, by: \.message.subject) {
        connection.lookUp { [self] in
          let isMissing = connection.knowsNoStream(of: subject)
          for numbered in messages {
            let failed = lock.withLock { machine.didLookUp(numbered.number, isMissing: isMissing, at: .now) }
            guard let (pending, isMissing) = failed else { continue }
            let waiting = JetStreamError(.timedOut, text: "the stream that listens to \(subject) does not answer")
            fail([pending], isMissing ? Self.unheard : waiting)
          }
        }
      }
    }

    func didRefuse(_ refusal: PermissionViolation) {
      let refused = lock.withLock { () -> [PendingPublish] in
        guard refusal.isSubscription else { return machine.removeAll { $0.subject == refusal.subject } }
        guard refusal.concerns(inbox: subject) else { return [] }
        self.refusal = refusal.error
        return machine.removeAll { _ in true }
      }
      fail(refused, refusal.error)
    }

    func connectionDidChange(to state: JetStream.ConnectionState) {
      switch state {
      case .connected: for numbered in lock.withLock({ machine.reconnect(at: .now) }) { send(numbered) }
      case .reconnecting: lock.withLock { machine.disconnect(at: .now) }
      case .closed: failAll()
      }
    }

    func close() {
      unsubscribe()
    }

    func beginDraining() {}
  }

  extension Connection {

    private struct StreamNames: Decodable {
      var streams: [String]?
      var total: Int?
      var error: Failure?
      struct Failure: Decodable {}
    }

    /// Asks JetStream for the streams that listen to a subject. It blocks.
    ///
    /// - Returns: Whether JetStream has answered that there is none.
    fileprivate func knowsNoStream(of subject: String) -> Bool {
      let quoted = (try? JSONEncoder().encode(subject)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
      var reply: OpaquePointer?
      let status = natsConnection_RequestString(
        &reply,
        pointer,
        "\(apiPrefix).STREAM.NAMES",
        "{\"subject\":\(quoted)}",
        configuration.timeout.milliseconds
      )
      guard status == NATS_OK, let reply else { return false }
      let message = ReceivedMessage(reply, of: self)
      let bytes = withExtendedLifetime(message) { Data(message.bytes) }
      guard let names = try? JSONDecoder().decode(StreamNames.self, from: bytes), names.error == nil else {
        return false
      }
      return (names.streams ?? []).isEmpty && names.total == 0
    }
  }

  /// Ends the inbox of single publishes when all that use it are released.
  final class InboxOwner: Sendable {

    let inbox: PublishInbox

    init(_ connection: Connection) throws(JetStreamError) {
      inbox = try PublishInbox.make(connection)
    }

    deinit { inbox.close() }
  }

  /// A publish that keeps its inbox open until the result is known, although its subscription or the connection's object
  /// may be released before.
  ///
  /// `@unchecked Sendable`: the closure is called once, on any thread, and touches nothing that a lock does not guard.
  final class KeptPublish: PendingPublish, @unchecked Sendable {

    private let owner: InboxOwner
    private let didResolve: (Result<PublishAcknowledgement, JetStreamError>) -> Void

    init(_ owner: InboxOwner, _ didResolve: @escaping (Result<PublishAcknowledgement, JetStreamError>) -> Void) {
      self.owner = owner
      self.didResolve = didResolve
    }

    override func resolve(_ result: Result<PublishAcknowledgement, JetStreamError>) {
      didResolve(result)
    }
  }

  /// A publish that waits for its acknowledgement.
  ///
  /// `@unchecked Sendable`: the properties are set before the object is shared, but for the pointer, which the lock guards.
  class PendingPublish: @unchecked Sendable {

    fileprivate var number: UInt64 = 0
    fileprivate var id: String?
    fileprivate var subject = ""

    /// Guards what changes here and in a subclass.
    final let lock = Lock()

    /// `nil` until the message was made.
    @exclusivity(unchecked)  // Only with the lock held.
    private var pointer: OpaquePointer?

    deinit { natsMsg_Destroy(pointer) }

    /// Takes the result.
    func resolve(_ result: Result<PublishAcknowledgement, JetStreamError>) {}

    fileprivate final func resolve(reply result: Result<PublishReply, JetStreamError>) {
      resolve(
        result.flatMap { reply in
          switch reply {
          case .stored(let stream, let sequence, let isDuplicate):
            .success(PublishAcknowledgement(stream: stream, sequence: sequence, isDuplicate: isDuplicate, id: id))
          case .failed(let error): .failure(error)
          }
        }
      )
    }

    /// Makes the library's message.
    fileprivate final func prepare(_ message: OutgoingMessage, reply: String) throws(JetStreamError) {
      var created: OpaquePointer?
      let status = message.payload.withUnsafeBytes {
        natsMsg_Create(
          &created,
          message.subject,
          reply,
          $0.baseAddress?.assumingMemoryBound(to: CChar.self),
          Int32($0.count)
        )
      }
      guard status == NATS_OK else { throw JetStreamError(status) }
      lock.withLock { pointer = created }
      if let id = message.id { try add("Nats-Msg-Id", id, to: created) }
      for (name, values) in message.headers { for value in values { try add(name, value, to: created) } }
    }

    private final func add(_ name: String, _ value: String, to message: OpaquePointer?) throws(JetStreamError) {
      let status = natsMsgHeader_Add(message, name, value)
      guard status == NATS_OK else { throw JetStreamError(status) }
    }

    /// Calls `body` with the message, if it was made. One thread at a time.
    fileprivate final func withMessage(_ body: (OpaquePointer) -> natsStatus) -> natsStatus? {
      lock.withLock { pointer }.map(body)
    }
  }
#endif
