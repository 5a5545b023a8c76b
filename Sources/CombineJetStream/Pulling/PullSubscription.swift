#if JetStream
  import CombineThreads
  import CNATS
  import CombineCore
  import Dispatch

  /// One subscriber's pull subscription, apart from the subscriber, whose type it does not know.
  ///
  /// Values and the completion come from one thread at a time. Requests and the cancel come from any thread.
  ///
  /// `@unchecked Sendable`: the lock guards the machine, and the other properties never change.
  class PullInbox: Inbox, ConnectionMember, @unchecked Sendable {

    private let publisher: JetStreamPublisher
    private let requestSubject: String
    private let infoSubject: String
    fileprivate let lock = Lock()

    /// Only the thread that takes messages out of the inbox delivers.
    private let receipt = DeliveryReceipt()

    @exclusivity(unchecked)  // Only with the lock held.
    fileprivate var machine: PullMachine

    @exclusivity(unchecked)  // Only with the lock held.
    private var hasVerified = false

    init(publisher: JetStreamPublisher) {
      self.publisher = publisher
      requestSubject = "\(publisher.connection.apiPrefix).CONSUMER.MSG.NEXT.\(publisher.stream).\(publisher.consumer)"
      infoSubject = "\(publisher.connection.apiPrefix).CONSUMER.INFO.\(publisher.stream).\(publisher.consumer)"
      machine = PullMachine(window: publisher.window, byteLimit: publisher.windowBytes, at: .now)
      super.init(publisher.connection)
    }

    // MARK: What a subclass knows

    /// Sends the downstream a value.
    ///
    /// - Returns: New demand, or `nil` if the downstream has cancelled.
    func deliver(_ message: JetStreamMessage) -> Subscribers.Demand? { nil }

    func complete(_ completion: PullMachine.Completion) {}

    // MARK: Messages

    override func receive(_ message: ReceivedMessage) {
      let now = ContinuousClock.now
      // Messages of a stream are acknowledged by a reply. A status has none.
      guard message.reply != nil else { return receiveStatus(message, at: now) }
      let value = JetStreamMessage(message, isSettled: !publisher.isAcknowledged)
      if publisher.isAcknowledged { value.beginWork(publisher.acknowledgement) }
      let arrival = lock.withLock { machine.receiveMessage(on: Platform.currentThread, at: now) }
      guard arrival == .deliver else { return value.reject() }
      // The acknowledgement goes before the next request, so that the server never counts more than was asked for.
      let demand =
        publisher.isAcknowledged
        ? value.deliver(
          with: receipt,
          publisher.acknowledgement,
          hasTaken: { lock.withLock { machine.hasTakenMessage } },
          { deliver(value) }
        ) : deliver(value)
      guard let more = demand else { return }
      send(lock.withLock { machine.didDeliver(more, at: .now) })
    }

    private func receiveStatus(_ message: ReceivedMessage, at now: ContinuousClock.Instant) {
      let code = message.header("Status").flatMap { Int($0) } ?? 0
      let (number, text) = (message.token, message.header("Description") ?? "")
      let unanswered = message.header("Nats-Pending-Messages").flatMap { Int($0) }
      perform(lock.withLock { machine.receiveStatus(code, of: number, unanswered: unanswered, text: text, at: now) })
    }

    override func didEnd() {
      connection.remove(self)
      let end = connection.endError
      if let completion = lock.withLock({ machine.didEnd(end) }) { complete(completion) }
    }

    // MARK: The server

    fileprivate func send(_ pull: PullMachine.Pull?) {
      guard let pull else { return }
      let byteLimit = lock.withLock { machine.byteLimit }
      connection.publish(
        """
        {"batch":\(pull.batch),"max_bytes":\(byteLimit),"expires":\(PullMachine.expiry.nanoseconds),\
        "idle_heartbeat":\(PullMachine.heartbeat.nanoseconds)}
        """,
        to: requestSubject,
        reply: "\(subject).\(pull.number)"
      )
    }

    private func perform(_ step: PullMachine.Step) {
      switch step {
      case .wait: break
      case .pull(let pull): send(pull)
      case .lookUp: lookUp()
      case .fail: unsubscribe()
      }
    }

    /// Looks the consumer up at the first request, because a server does not answer requests for one that is missing.
    fileprivate func verifyOnce() {
      guard lock.withLock({ !exchange(&hasVerified, with: true) }) else { return }
      connection.lookUp { [self] in
        if case .missing(let error) = find() { perform(lock.withLock { machine.didVerify(error) }) }
      }
    }

    private func lookUp() {
      connection.lookUp { [self] in
        let finding = find()
        if case .unknown(let error) = finding, connection.isConnected {
          connection.happenings.send(
            .consumerUnavailable(stream: publisher.stream, consumer: publisher.consumer, error)
          )
        }
        let waiting = waitingCount
        perform(lock.withLock { machine.didLookUp(finding, waiting: waiting, at: .now) })
      }
    }

    private func find() -> PullMachine.Finding {
      do {
        let info = try connection.consumerInfo(publisher.consumer, of: publisher.stream)
        guard info.isPull else {
          return .missing(
            JetStreamError(.refused, text: "the consumer sends to a subject, and cannot be asked for messages")
          )
        }
        return .exists
      } catch {
        // JetStream itself may be missing for a moment, while a server starts.
        let isMissing = error.kind == .noConsumer || error.code == 10059 || error.kind == .authentication
        return isMissing ? .missing(error) : .unknown(error)
      }
    }

    // MARK: The connection

    func tick(at now: ContinuousClock.Instant) {
      let hasWaiting = waitingCount > 0
      perform(lock.withLock { machine.tick(at: now, hasWaiting: hasWaiting) })
    }

    func connectionDidChange(to state: JetStream.ConnectionState) {
      switch state {
      case .connected:
        let waiting = waitingCount
        send(lock.withLock { machine.reconnect(waiting: waiting, at: .now) })
      case .reconnecting:
        lock.withLock { machine.disconnect() }
      case .closed:
        break
      }
    }

    func didRefuse(_ refusal: PermissionViolation) {
      let isMine =
        refusal.isSubscription
        ? refusal.concerns(inbox: subject)
        : refusal.concerns(publishesTo: [requestSubject, infoSubject])
          || refusal.subject.hasPrefix("$JS.ACK.\(publisher.stream).\(publisher.consumer).")
      if isMine { perform(lock.withLock { machine.didVerify(refusal.error) }) }
    }

    func close() {
      if lock.withLock({ machine.close() }) { drain() }
    }
  }

  /// One subscriber's pull subscription.
  ///
  /// `@unchecked Sendable`: the lock guards the downstream, too.
  final class PullSubscription<Downstream: Subscriber>: PullInbox, Subscription, CustomStringConvertible,
    @unchecked Sendable
  where Downstream.Input == JetStreamMessage, Downstream.Failure == JetStreamError {

    @exclusivity(unchecked)  // Only with the lock held.
    private var downstream: Downstream?

    init(publisher: JetStreamPublisher, downstream: Downstream) {
      self.downstream = downstream
      super.init(publisher: publisher)
    }

    var description: String { "JetStream" }

    /// Gives the downstream its subscription.
    func start() {
      let state = connection.add(self)
      lock.withLock { machine.begin(isConnected: state == .connected) }
      lock.withLock { downstream }?.receive(subscription: self)
      if state == nil { unsubscribe() }
      if let completion = lock.withLock({ machine.didOpen() }) { complete(completion) }
    }

    func request(_ demand: Subscribers.Demand) {
      guard demand > .none else { return }
      send(lock.withLock { machine.request(demand) })
      verifyOnce()
    }

    func cancel() {
      let (isFirst, downstream) = lock.withLock {
        (machine.cancel(on: Platform.currentThread), exchange(&self.downstream, with: nil))
      }
      withExtendedLifetime(downstream) { if isFirst { drain() } }
    }

    override func deliver(_ message: JetStreamMessage) -> Subscribers.Demand? {
      lock.withLock { downstream }?.receive(message)
    }

    override func complete(_ completion: PullMachine.Completion) {
      lock.withLock { exchange(&downstream, with: nil) }?.receive(completion: completion)
    }
  }
#endif
