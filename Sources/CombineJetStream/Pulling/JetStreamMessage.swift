#if JetStream
  import CombineThreads
  import CNATS
  import CombineCore
  import Foundation
  import Synchronization

  /// When a message counts as done.
  public enum Acknowledgement: Sendable, Hashable {

    /// When the subscriber's `receive(_:)` has returned.
    ///
    /// A message that a `sink` drops, because another thread has just cancelled it, is given back. So is one whose
    /// `receive(_:)` another thread's cancel has met, because that subscriber may have dropped it.
    ///
    /// With `for try await message in messages.values`, a message counts as done when the loop asks for the next one. If the
    /// loop is left before, it is given back. Operators such as `map` and `decodeValues` may be in between, but not those
    /// that combine several publishers.
    ///
    /// It is right if the work is done by then. With `receive(on:)`, `buffer`, `flatMap`, `share` or another operator that
    /// goes on later, it is not: the process may end between the two. Use ``manual`` there.
    case afterReceive

    /// When the program calls ``JetStreamMessage/acknowledge()``.
    ///
    /// A message that a cancelled `sink` drops is given back at once, as with ``afterReceive``.
    case manual
  }

  /// A message of a stream.
  ///
  /// The message keeps the bytes as they have arrived. Reading them in place costs no copy.
  public struct JetStreamMessage: Sendable {

    let received: ReceivedMessage
    private let settlement: Settlement

    /// - Parameters:
    ///   - received: The message as the library has delivered it.
    ///   - isSettled: Whether nobody waits for an acknowledgement.
    init(_ received: ReceivedMessage, isSettled: Bool) {
      self.received = received
      settlement = Settlement(received, isSettled: isSettled)
    }

    /// Counts the message as in work, until it is settled or released. It precedes the decision whether it is delivered, so that
    /// a drain waits for each message that was delivered before.
    func beginWork(_ acknowledgement: Acknowledgement) {
      settlement.begin(isAcknowledgedWhenHandled: acknowledgement == .afterReceive)
    }

    /// Delivers the message, and settles it by what has become of it.
    ///
    /// - Parameters:
    ///   - receipt: The receipt of the subscription.
    ///   - acknowledgement: When the message counts as done. It was said to ``beginWork(_:)``.
    ///   - hasTaken: A closure that says whether the downstream has taken the message, as far as the publisher knows.
    ///   - deliver: A closure that calls the downstream. It returns `nil` if there is none.
    /// - Returns: What the closure returns.
    func deliver<Demand>(
      with receipt: DeliveryReceipt,
      _ acknowledgement: Acknowledgement,
      hasTaken: () -> Bool,
      _ deliver: () -> Demand?
    ) -> Demand? {
      let (demand, outcome) = receipt.offer(settlement, deliver)
      switch outcome {
      case _ where demand == nil: reject()
      case .deferred: break
      case .refused: reject()
      case .handled where acknowledgement == .afterReceive: if hasTaken() { acknowledge() } else { reject() }
      case .handled: break
      }
      return demand
    }

    // MARK: Contents

    /// The subject to which the message was published.
    public var subject: String { received.subject }

    /// The payload, copied.
    public var payload: [UInt8] { Array(received.bytes) }

    /// The number of bytes of the payload.
    public var count: Int { received.bytes.count }

    /// The headers, each with its values.
    public var headers: [String: [String]] { received.headers }

    /// Reads the payload in place.
    ///
    /// ```swift
    /// func sum(_ message: JetStreamMessage) -> Int {
    ///   message.withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } }
    /// }
    /// ```
    ///
    /// - Parameter body: A closure that reads the bytes. They must not be used after it.
    /// - Returns: What the closure returns.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
      try withExtendedLifetime(received) { try body(received.bytes) }
    }

    // MARK: Delivery

    /// What the server says about this delivery.
    var metadata: DeliveryMetadata {
      received.reply.flatMap { DeliveryMetadata(reply: String(cString: $0)) } ?? DeliveryMetadata()
    }

    /// The name of the message: the stream, the number in it, and the time at which the message was stored, such as
    /// `ORDERS.17.1732816350123456789`.
    ///
    /// It stays the same if the message is delivered again. No other message has it, also if the stream was deleted and
    /// created again, or lost messages, and gives the same numbers again.
    public var identity: String { metadata.identity }

    /// The number of the message in its stream. It stays the same if the message is delivered again.
    ///
    /// A stream that was created again begins with 1 again. To recognise a message, use ``identity``.
    public var streamSequence: UInt64 { metadata.streamSequence }

    /// The number of this delivery among those of the consumer.
    public var consumerSequence: UInt64 { metadata.consumerSequence }

    /// How often the message was delivered, this time included.
    public var deliveryCount: Int { metadata.deliveryCount }

    /// The time at which the message was stored.
    public var timestamp: Date { metadata.timestamp }

    /// The number of messages that the server still held for the consumer when it sent this one.
    public var pendingCount: UInt64 { metadata.pendingCount }

    // MARK: Settling

    /// Tells the server that the message is done. It is not delivered again.
    ///
    /// Only the first of `acknowledge()`, `acknowledgeAndConfirm()`, `reject(after:)` and `terminate()` counts. If the
    /// acknowledgement is lost, the message is delivered again.
    public func acknowledge() {
      settlement.settle(.acknowledge)
    }

    /// Tells the server that the message is done, and waits for its word that it knows.
    ///
    /// It costs a round trip. It is for work whose repetition is worse than waiting.
    ///
    /// - Throws: `JetStreamError` of the kind `refused` if the message was settled before, and `notConnected`, `timedOut` or
    ///   `closed` if the word does not come. Then nobody knows whether the message is delivered again.
    public func acknowledgeAndConfirm() async throws(JetStreamError) {
      guard settlement.beginSettling() else {
        throw JetStreamError(.refused, text: "the message was settled before")
      }
      defer { settlement.didSettle() }
      let subject = received.reply.map { String(cString: $0) } ?? ""
      try await received.connection.request([subject]) { [received] () throws(JetStreamError) in try received.confirm()
      }
    }

    /// Gives the message back. It is delivered again, here or elsewhere.
    ///
    /// - Parameter delay: The time after which it is delivered again. With `nil`, it is as soon as possible.
    public func reject(after delay: Duration? = nil) {
      settlement.settle(.reject(after: delay))
    }

    /// Tells the server that the work goes on, so that the time for the acknowledgement starts anew.
    public func extend() {
      if !settlement.isSettled, let reply = received.reply { received.connection.publish("+WPI", to: reply) }
    }

    /// Tells the server that the message must not be delivered again, although it was not done.
    public func terminate() {
      settlement.settle(.terminate)
    }

    /// Whether the message was acknowledged, rejected or terminated here.
    public var isSettled: Bool { settlement.isSettled }

    /// What the server is told about a message.
    enum Answer {
      case acknowledge
      case reject(after: Duration?)
      case terminate
    }

    /// Reserves the settling for an operator, which settles later by ``settleClaimed(_:)``. Nobody else does meanwhile.
    ///
    /// - Returns: Whether nobody has settled or claimed the message before.
    func claim() -> Bool { settlement.claim() }

    func settleClaimed(_ answer: Answer) {
      settlement.settleClaimed(answer)
    }
  }

  extension ReceivedMessage {

    /// Acknowledges the message by a request. It blocks.
    fileprivate func confirm() throws(JetStreamError) {
      var answer: OpaquePointer?
      let milliseconds = connection.configuration.timeout.milliseconds
      let status = natsConnection_RequestString(&answer, connection.pointer, reply, "+ACK", milliseconds)
      natsMsg_Destroy(answer)
      guard status == NATS_OK else { throw JetStreamError(status) }
    }

    /// Tells the server what has become of the message.
    fileprivate func send(_ answer: JetStreamMessage.Answer) {
      guard let reply else { return }
      switch answer {
      case .acknowledge: connection.publish("+ACK", to: reply)
      case .reject(after: nil): connection.publish("-NAK", to: reply)
      case .reject(after: let delay?): connection.publish("-NAK {\"delay\": \(delay.nanoseconds)}", to: reply)
      case .terminate: connection.publish("+TERM", to: reply)
      }
    }
  }

  extension JetStreamMessage: CustomStringConvertible {

    /// The subject, the number in the stream, and the size.
    public var description: String {
      "JetStreamMessage(\(subject), sequence \(streamSequence), \(count) bytes)"
    }
  }

  /// Whether a message was settled. All copies of the message share it.
  ///
  /// `@unchecked Sendable`: the state is used only with the lock held, and the flag is set before the delivery.
  private final class Settlement: DeferrableElement, @unchecked Sendable {

    private enum State {
      case open
      case claimed
      case settled
    }

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var state: State

    private let message: ReceivedMessage

    @exclusivity(unchecked)  // Set before the delivery.
    private var isAcknowledgedWhenHandled = false

    @exclusivity(unchecked)  // Set before the delivery.
    private var isCounted = false

    init(_ message: ReceivedMessage, isSettled: Bool) {
      self.message = message
      state = isSettled ? .settled : .open
    }

    deinit {
      if isCounted, state != .settled { message.connection.work.finish() }
    }

    /// Counts the message as in work, until it is settled or released.
    func begin(isAcknowledgedWhenHandled: Bool) {
      self.isAcknowledgedWhenHandled = isAcknowledgedWhenHandled
      isCounted = true
      message.connection.work.begin()
    }

    /// An asynchronous sequence has ended the work on the message, or was left.
    func complete(isHandled: Bool) {
      if !isHandled {
        settle(.reject(after: nil))
      } else if isAcknowledgedWhenHandled {
        settle(.acknowledge)
      }
    }

    var isSettled: Bool { lock.withLock { state == .settled } }

    /// Settles the message, unless somebody has claimed or settled it before.
    func settle(_ answer: JetStreamMessage.Answer) { send(answer, from: .open) }

    func claim() -> Bool { move(from: .open, to: .claimed) }

    func settleClaimed(_ answer: JetStreamMessage.Answer) { send(answer, from: .claimed) }

    /// - Returns: Whether the caller settles the message. It calls ``didSettle()`` when the server was told.
    func beginSettling() -> Bool { move(from: .open, to: .settled) }

    /// The work ends when the server was told. A drain closes the connection then.
    func didSettle() {
      if isCounted { message.connection.work.finish() }
    }

    private func send(_ answer: JetStreamMessage.Answer, from old: State) {
      guard move(from: old, to: .settled) else { return }
      message.send(answer)
      didSettle()
    }

    private func move(from old: State, to new: State) -> Bool {
      lock.withLock {
        guard state == old else { return false }
        state = new
        return true
      }
    }
  }

  /// What the subject for the acknowledgement says about a delivery.
  ///
  /// `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<nanoseconds>.<pending>`. Later servers
  /// add domain and account in front of the stream, and a word at the end.
  struct DeliveryMetadata: Equatable {

    var stream = ""
    var consumer = ""
    var deliveryCount = 0
    var streamSequence: UInt64 = 0
    var consumerSequence: UInt64 = 0
    var nanoseconds: Int64 = 0
    var pendingCount: UInt64 = 0

    init() {}

    init?(reply: String) {
      let parts = reply.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count >= 9, parts[0] == "$JS", parts[1] == "ACK" else { return nil }
      let first = parts.count >= 11 ? 4 : 2
      guard let deliveries = Int(parts[first + 2]), let streamSequence = UInt64(parts[first + 3]),
        let consumerSequence = UInt64(parts[first + 4]), let nanoseconds = Int64(parts[first + 5]),
        let pending = UInt64(parts[first + 6])
      else { return nil }
      stream = String(parts[first])
      consumer = String(parts[first + 1])
      deliveryCount = deliveries
      self.streamSequence = streamSequence
      self.consumerSequence = consumerSequence
      self.nanoseconds = nanoseconds
      pendingCount = pending
    }

    var timestamp: Date { Date(timeIntervalSince1970: Double(nanoseconds) / 1e9) }

    /// Names of streams have no dots.
    var identity: String { "\(stream).\(streamSequence).\(nanoseconds)" }
  }
#endif
