#if JetStream
  import CombineThreads
  import CNATS
  import CombineCore
  import Dispatch
  import Synchronization

  /// A subscription of the NATS library to a subject of its own, on which a server answers.
  ///
  /// The library has a few threads for the messages of all subscriptions, which only put them into the mailbox. One thread at
  /// a time of ``InboxWorkers`` takes them out. So a subscriber that blocks holds up only itself, and one without messages
  /// needs no thread.
  ///
  /// The library keeps the object alive until its last call. The class is not generic, because a function for C cannot be.
  ///
  /// `@unchecked Sendable`: the pointer is set before the object is shared, and the library's functions may be called on
  /// any thread. The lock guards the mailbox. Subclasses guard their own state.
  class Inbox: @unchecked Sendable {

    let connection: Connection

    /// Answers arrive for this subject, extended by a dot and a number.
    let subject: String

    private var pointer: OpaquePointer?

    private let mailboxLock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var mailbox: [ReceivedMessage] = []

    /// Whether a thread takes messages out, or is about to.
    @exclusivity(unchecked)  // Only with the lock held.
    private var isTaking = false

    /// Whether no message follows those in the mailbox, and the end was not told.
    @exclusivity(unchecked)  // Only with the lock held.
    private var isEnding = false

    /// The number of messages that were put into the mailbox and not handed to ``receive(_:)``.
    private let mailboxCount = Atomic<Int>(0)

    /// Left after ``didEnd()``.
    private let ended = DispatchGroup()

    /// Creates an inbox. It receives nothing before ``open()``.
    init(_ connection: Connection) {
      self.connection = connection
      var inbox: UnsafeMutablePointer<natsInbox>?
      natsInbox_Create(&inbox)
      defer { natsInbox_Destroy(inbox) }
      subject = inbox.map { String(cString: $0) } ?? ""
    }

    deinit { natsSubscription_Destroy(pointer) }

    /// Takes a message, which it destroys in the end. Called by one thread at a time.
    func receive(_ message: ReceivedMessage) {}

    /// Called once, after the last message, by one thread at a time.
    func didEnd() {}

    private func put(_ message: ReceivedMessage) {
      mailboxCount.add(1, ordering: .relaxed)
      change { mailbox.append(message) }
    }

    private func putEnd() {
      change { isEnding = true }
    }

    private func change(_ body: () -> Void) {
      let isFirst = mailboxLock.withLock {
        body()
        return !exchange(&isTaking, with: true)
      }
      if isFirst { InboxWorkers.shared.add(self) }
    }

    /// Takes everything out of the mailbox. Called by one thread at a time.
    func takeAll() {
      var messages: [ReceivedMessage] = []
      while true {
        messages.removeAll(keepingCapacity: true)
        let isEnd = mailboxLock.withLock { () -> Bool in
          swap(&messages, &mailbox)
          guard messages.isEmpty else { return false }
          let isEnd = exchange(&isEnding, with: false)
          isTaking = isEnd
          return isEnd
        }
        if isEnd {
          didEnd()
          ended.leave()
        } else if messages.isEmpty {
          return
        }
        for message in messages {
          mailboxCount.subtract(1, ordering: .relaxed)
          receive(message)
        }
      }
    }

    /// Begins to receive. It does not wait for the server.
    func open() throws(JetStreamError) {
      let closure = Unmanaged.passRetained(self)
      ended.enter()
      let status = natsConnection_Subscribe(
        &pointer,
        connection.pointer,
        subject + ".*",
        { _, _, message, closure in
          let inbox = Unmanaged<Inbox>.fromOpaque(closure!).takeUnretainedValue()
          inbox.put(ReceivedMessage(message!, of: inbox.connection))
        },
        closure.toOpaque()
      )
      guard status == NATS_OK else {
        closure.release()
        ended.leave()
        throw status == NATS_CONNECTION_CLOSED ? connection.endError : JetStreamError(status)
      }
      // Each inbox bounds by itself what it asks for.
      natsSubscription_SetPendingLimits(pointer, .max, .max)
      let didSet = natsSubscription_SetOnCompleteCB(
        pointer,
        { closure in
          let inbox = Unmanaged<Inbox>.fromOpaque(closure!).takeRetainedValue()
          inbox.putEnd()
        },
        closure.toOpaque()
      )
      guard didSet == NATS_OK else {
        closure.release()
        ended.leave()
        throw JetStreamError(didSet)
      }
    }

    /// Ends the subscription. The messages that were sent already still arrive.
    ///
    /// Without a connection nothing arrives, and the library would wait for the server's answer.
    func drain() {
      if !connection.isConnected || natsSubscription_Drain(pointer) != NATS_OK { natsSubscription_Unsubscribe(pointer) }
    }

    /// Ends the subscription, and drops the messages that wait in the library. Those in the mailbox still arrive.
    func unsubscribe() {
      natsSubscription_Unsubscribe(pointer)
    }

    /// Waits for the end. It blocks, until a deadline at most.
    func awaitEnd(until deadline: ContinuousClock.Instant) {
      _ = ended.wait(timeout: .now() + .milliseconds(Int((deadline - .now).milliseconds)))
    }

    /// The number of messages that have arrived, and wait in the library or in the mailbox.
    var waitingCount: Int {
      var (messages, bytes): (Int32, Int32) = (0, 0)
      natsSubscription_GetPending(pointer, &messages, &bytes)
      return Int(messages) + mailboxCount.load(ordering: .relaxed)
    }
  }

  /// A message of the NATS library, which is destroyed with this object.
  ///
  /// `@unchecked Sendable`: the message is only read.
  final class ReceivedMessage: @unchecked Sendable {

    let pointer: OpaquePointer
    let connection: Connection

    init(_ pointer: OpaquePointer, of connection: Connection) {
      self.pointer = pointer
      self.connection = connection
    }

    deinit { natsMsg_Destroy(pointer) }

    var subject: String { String(cString: natsMsg_GetSubject(pointer)) }

    /// The subject for answers, `nil` if none is expected.
    var reply: UnsafePointer<CChar>? { natsMsg_GetReply(pointer) }

    var bytes: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: natsMsg_GetData(pointer), count: Int(natsMsg_GetDataLength(pointer)))
    }

    /// The first value of a header.
    func header(_ name: String) -> String? {
      var value: UnsafePointer<CChar>?
      guard natsMsgHeader_Get(pointer, name, &value) == NATS_OK, let value else { return nil }
      return String(cString: value)
    }

    var headers: [String: [String]] {
      var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
      var count: Int32 = 0
      guard natsMsgHeader_Keys(pointer, &names, &count) == NATS_OK else { return [:] }
      defer { free(names) }
      var result: [String: [String]] = [:]
      for index in 0..<Int(count) {
        guard let name = names?[index] else { continue }
        var values: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        var valueCount: Int32 = 0
        guard natsMsgHeader_Values(pointer, name, &values, &valueCount) == NATS_OK else { continue }
        defer { free(values) }
        result[String(cString: name)] = (0..<Int(valueCount)).compactMap { values?[$0].map { String(cString: $0) } }
      }
      return result
    }

    /// The number in the last part of the subject, by which an inbox knows what is answered.
    var token: UInt64? {
      guard var next = natsMsg_GetSubject(pointer) else { return nil }
      var number: UInt64 = 0
      var isNumber = false
      while next.pointee != 0 {
        switch UInt8(bitPattern: next.pointee) {
        case UInt8(ascii: "."): (number, isNumber) = (0, true)
        case let digit where digit >= 48 && digit <= 57: number = number &* 10 &+ UInt64(digit &- 48)
        default: isNumber = false
        }
        next += 1
      }
      return isNumber ? number : nil
    }
  }
#endif
