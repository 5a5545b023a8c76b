#if JetStream
  import CombineThreads
  import CNATS
  import CombineCore
  import Dispatch
  import Foundation
  import Synchronization

  /// A part of a connection that waits for answers: a pull subscription, or a window of publishes.
  protocol ConnectionMember: AnyObject, Sendable {

    /// Called on the connection's queue, several times a second.
    func tick(at now: ContinuousClock.Instant)

    /// Called on a thread of the connection, without overlap. The first change may come before ``Connection/add(_:)`` has
    /// returned.
    func connectionDidChange(to state: JetStream.ConnectionState)

    /// Called on a thread of the connection, or in the call that adds the member, when the server does not permit something,
    /// maybe to another member.
    func didRefuse(_ refusal: PermissionViolation)

    /// Ends, because the program closes the connection. It does not wait.
    func close()

    /// Takes no more work, because the program drains the connection. What is out goes on.
    func beginDraining()

    /// Waits until the last call of the library is over. It blocks, until a deadline at most.
    func awaitEnd(until deadline: ContinuousClock.Instant)
  }

  /// A connection of the NATS library, and what depends on its life.
  ///
  /// `@unchecked Sendable`: the two pointers are set once, and all functions of the library that take them may be called on
  /// any thread. The lock guards the rest.
  final class Connection: @unchecked Sendable {

    /// The interval between two calls of `tick` for each member.
    static let tickInterval = Duration.milliseconds(250)

    let configuration: JetStream.Configuration
    let state = CurrentValueSubject<JetStream.ConnectionState, Never>(.connected)
    let happenings = PassthroughSubject<JetStream.ConnectionEvent, Never>()

    /// The subject under which JetStream takes requests.
    let apiPrefix: String

    private(set) var pointer: OpaquePointer?
    private(set) var context: OpaquePointer?

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var members: [ObjectIdentifier: Weak] = [:]

    /// What `state` is, or is about to become. It changes together with the choice of the members that are told.
    @exclusivity(unchecked)  // Only with the lock held.
    private var current = JetStream.ConnectionState.connected

    @exclusivity(unchecked)  // Only with the lock held.
    private var wasClosed = false

    /// The last refusals, so that a call whose request has no answer can tell why.
    @exclusivity(unchecked)  // Only with the lock held.
    private var refusals: [(refusal: PermissionViolation, time: ContinuousClock.Instant)] = []

    /// What a drain waits for.
    let work = WorkInHand()

    /// Hundreds of subscriptions look their consumers up at the same time, as after a reconnect. A few threads do.
    private let lookUpQueues = (0..<4).map { DispatchQueue(label: "CombineJetStream.lookUp.\($0)") }

    private let nextLookUp = Atomic<Int>(0)

    private let timer: any DispatchSourceTimer
    private let events: ConnectionEvents

    private struct Weak {
      weak let member: (any ConnectionMember)?
    }

    /// Connects. It blocks until the server has answered.
    init(_ configuration: JetStream.Configuration) throws(JetStreamError) {
      if let domain = configuration.domain { try Names.checkSubject(domain, .domain) }
      try Names.checkPlainText(configuration.name, .connection)
      self.configuration = configuration
      apiPrefix = configuration.domain.map { "$JS.\($0).API" } ?? "$JS.API"
      timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "CombineJetStream.Connection"))
      events = ConnectionEvents(configuration.credentials)
      let options = try ConnectionOptions(configuration, events: events)
      var connection: OpaquePointer?
      let status = natsConnection_Connect(&connection, options.pointer)
      guard status == NATS_OK, let connection else {
        events.forget()
        throw JetStreamError(status).explained(by: configuration)
      }
      pointer = connection
      var jsOptions = jsOptions()
      jsOptions_Init(&jsOptions)
      jsOptions.Wait = configuration.timeout.milliseconds
      let contextStatus = withOptionalCString(configuration.domain) { domain in
        jsOptions.Domain = domain
        return natsConnection_JetStream(&context, connection, &jsOptions)
      }
      guard contextStatus == NATS_OK else { throw JetStreamError(contextStatus) }
      events.begin { [weak self] in self?.receive($0) }
      timer.schedule(deadline: .now(), repeating: .milliseconds(Int(Self.tickInterval.milliseconds)))
      timer.setEventHandler { [weak self] in self?.tick() }
      timer.activate()
    }

    deinit {
      timer.cancel()
      // A source that was never activated, because there is no connection, would end the process when it is released.
      timer.activate()
      // The last reference may go on a thread of the library, which these calls would wait for.
      let pointers = Pointers(connection: pointer, context: context)
      onOwnThread {
        jsCtx_Destroy(pointers.context)
        natsConnection_Destroy(pointers.connection)
      }
    }

    /// `@unchecked Sendable`: the pointers are those of the connection, used by one thread after it.
    private struct Pointers: @unchecked Sendable {
      let connection: OpaquePointer?
      let context: OpaquePointer?
    }

    // MARK: Members

    /// Adds a member until it is removed or released. It is told of each change that follows the returned state.
    ///
    /// A member subscribes before it is added, so the server may have refused that already. The name of each subscription is
    /// its own.
    ///
    /// - Returns: The state of the connection, `nil` if it is closed.
    func add(_ member: any ConnectionMember) -> JetStream.ConnectionState? {
      let (state, earlier) = lock.withLock { () -> (JetStream.ConnectionState?, [PermissionViolation]) in
        if wasClosed { return (nil, []) }
        members[ObjectIdentifier(member)] = Weak(member: member)
        return (current, refusals.map(\.refusal))
      }
      for refusal in earlier where refusal.isSubscription { member.didRefuse(refusal) }
      return state
    }

    func remove(_ member: any ConnectionMember) {
      lock.withLock { members[ObjectIdentifier(member)] = nil }
    }

    private func everyMember() -> [any ConnectionMember] {
      lock.withLock { members.values.compactMap(\.member) }
    }

    private func tick() {
      let now = ContinuousClock.now
      for member in everyMember() { member.tick(at: now) }
    }

    private func receive(_ event: ConnectionEvents.Event) {
      switch event {
      case .state(let state): change(to: state)
      case .lameDuck: happenings.send(.lameDuck)
      case .failure(let error):
        guard let refusal = PermissionViolation(text: error.text) else { return happenings.send(.failure(error)) }
        let members = lock.withLock {
          refusals = refusals.suffix(63) + [(refusal, .now)]
          return self.members.values.compactMap(\.member)
        }
        for member in members { member.didRefuse(refusal) }
        happenings.send(.failure(refusal.error))
      }
    }

    /// The error of what needs a connection after its end: `authentication` if that was the reason, else `closed`.
    ///
    /// The library is asked, because its threads tell of the end in any order.
    var endError: JetStreamError {
      var text: UnsafePointer<CChar>?
      let status = natsConnection_GetLastError(pointer, &text)
      guard status == NATS_CONNECTION_AUTH_FAILED else { return JetStreamError(.closed) }
      return JetStreamError(status, text: text.map { String(cString: $0) } ?? "")
    }

    /// The error of a refusal since a time that explains why a request of a subject's prefix has no answer.
    func refusal(since start: ContinuousClock.Instant, ofPublishesTo prefix: String) -> JetStreamError? {
      let refusals = lock.withLock { self.refusals }
      // The library subscribes to the inbox of all its requests once.
      return refusals.last {
        $0.refusal.concerns(inbox: "_INBOX.") || $0.time >= start && $0.refusal.subject.hasPrefix(prefix)
      }?.refusal.error
    }

    private func change(to new: JetStream.ConnectionState) {
      let (members, isOfClosing) = lock.withLock {
        current = new
        let isOfClosing = wasClosed && new == .reconnecting
        if new == .closed { wasClosed = true }
        return (self.members.values.compactMap(\.member), isOfClosing)
      }
      for member in members { member.connectionDidChange(to: new) }
      // The library says so when the program closes the connection, too.
      if !isOfClosing { state.send(new) }
      if new == .closed {
        work.abandon()
        state.send(completion: .finished)
        happenings.send(completion: .finished)
      }
    }

    var isConnected: Bool { lock.withLock { current == .connected } }

    /// Runs a look-up, which may wait for the server.
    func lookUp(_ body: @escaping @Sendable () -> Void) {
      let number = nextLookUp.wrappingAdd(1, ordering: .relaxed).oldValue
      lookUpQueues[number & 3].async(execute: body)
    }

    // MARK: Closing

    /// Ends subscriptions, waits for messages in work and for publishes, and closes the connection. It blocks.
    ///
    /// - Returns: Whether nothing was left.
    func drain(within time: Duration) -> Bool {
      let deadline = ContinuousClock.now + time
      for member in everyMember() { member.beginDraining() }
      let isDone = work.awaitEnd(until: deadline)
      close()
      return isDone
    }

    /// Ends all members, and the connection. It blocks until both have ended, for one timeout at most, however many members
    /// there are.
    func close() {
      let isFirst = lock.withLock { !exchange(&wasClosed, with: true) }
      guard isFirst else { return }
      work.abandon()
      let deadline = ContinuousClock.now + configuration.timeout
      let members = everyMember()
      for member in members { member.close() }
      for member in members { member.awaitEnd(until: deadline) }
      // Without a connection there is nobody to wait for.
      if isConnected { natsConnection_FlushTimeout(pointer, (deadline - .now).milliseconds) }
      natsConnection_Close(pointer)
      events.awaitClosed()
    }

    // MARK: Sending

    /// Publishes bytes to a subject, with no reply.
    @discardableResult
    func publish(_ bytes: StaticString, to subject: UnsafePointer<CChar>) -> natsStatus {
      natsConnection_Publish(pointer, subject, bytes.utf8Start, Int32(bytes.utf8CodeUnitCount))
    }

    @discardableResult
    func publish(_ text: String, to subject: UnsafePointer<CChar>, reply: String? = nil) -> natsStatus {
      guard let reply else { return natsConnection_PublishString(pointer, subject, text) }
      return natsConnection_PublishRequestString(pointer, subject, reply, text)
    }
  }

  extension ConnectionMember {

    func beginDraining() { close() }
  }

  /// Calls `body` with a C string, or with `nil`.
  func withOptionalCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
  }
#endif
