#if JetStream

  /// The pure state of the publishes that wait for an acknowledgement.
  ///
  /// Each method is one event. The messages that it returns are sent with no lock held.
  struct PublishMachine<Message: Sendable> {

    /// A message and the number under which the server answers.
    struct Numbered: Sendable {
      let number: UInt64
      let message: Message
    }

    /// What a tick has found.
    struct Due {

      /// The messages to send (again), in their order.
      var sends: [Numbered] = []

      /// The messages whose time is over.
      var expired: [Message] = []

      /// The messages for which the server has said for too long that no stream listens. The server is asked whether that
      /// is so, because it says the same while the servers of a cluster elect the stream's leader.
      var doubtful: [Numbered] = []

      /// The messages that were sent again, and how long the oldest waits, when it is time to tell.
      var overdue: Overdue?
    }

    struct Overdue: Equatable {
      var count: Int
      var time: Duration

      /// What the server has answered last, instead of storing a message.
      var reason: JetStreamError?
    }

    private struct Entry {
      let message: Message

      /// Whether the server recognises a second copy.
      let isRepeatable: Bool

      /// When to give up, `nil` for never.
      let expiry: ContinuousClock.Instant?

      /// When it was taken, and later by the time without a connection since then.
      var begin: ContinuousClock.Instant

      /// When it was sent last, `nil` if it waits to be sent.
      var sent: ContinuousClock.Instant?

      /// The time after which it is sent again. It doubles each time, so that copies do not pile up in front of a server
      /// that stands still.
      var resendDelay = PublishMachine.resendDelay

      /// Since when no stream listens.
      var unheardSince: ContinuousClock.Instant?

      /// Whether the server is asked if a stream listens.
      var isLookedUp = false
    }

    /// The time after which a message without an acknowledgement is sent again for the first time, and the longest one.
    static var resendDelay: Duration { .seconds(1) }
    static var longestResendDelay: Duration { .seconds(16) }

    /// The time after which messages without an acknowledgement are told, and between two such events.
    static var overdueTime: Duration { .seconds(5) }

    private var lastOverdue: ContinuousClock.Instant?

    /// What the server has answered since then, instead of storing a message.
    private var lastReason: JetStreamError?

    /// The time for which "no stream listens" is not believed. A server that has just started says so for a moment.
    let patience: Duration

    private var entries: [UInt64: Entry] = [:]
    private var lastNumber: UInt64 = 0

    /// `nil` until it is known.
    private var isConnected: Bool?

    /// When the connection was lost, `nil` while there is one.
    private var disconnected: ContinuousClock.Instant?
    private var isClosed = false

    init(patience: Duration) {
      self.patience = patience
    }

    /// Notes whether there is a connection at the beginning, unless a change of it was noted first.
    mutating func begin(isConnected: Bool) {
      if self.isConnected == nil { self.isConnected = isConnected }
    }

    /// The number of messages that wait.
    var count: Int { entries.count }

    /// Takes a message.
    ///
    /// - Returns: Its number, and whether it is to be sent now. `nil` if the connection is closed.
    mutating func add(
      _ message: Message,
      isRepeatable: Bool,
      expiry: ContinuousClock.Instant?,
      at now: ContinuousClock.Instant
    ) -> (number: UInt64, isToBeSent: Bool)? {
      guard !isClosed else { return nil }
      let isToBeSent = isConnected == true
      lastNumber += 1
      entries[lastNumber] = Entry(
        message: message,
        isRepeatable: isRepeatable,
        expiry: expiry,
        begin: now,
        sent: isToBeSent ? now : nil
      )
      return (lastNumber, isToBeSent)
    }

    /// Takes an answer, or gives up a message.
    ///
    /// - Returns: The message, unless it had an answer before.
    mutating func remove(_ number: UInt64) -> Message? {
      entries.removeValue(forKey: number)?.message
    }

    /// Takes the server's word that no stream listens to the subject. The message is sent again by a tick.
    mutating func noteUnheard(_ number: UInt64, at now: ContinuousClock.Instant) {
      guard let entry = entries[number] else { return }
      entries[number]?.unheardSince = entry.unheardSince ?? now
      entries[number]?.sent = nil
    }

    /// Takes the server's word that it has not stored a message for a reason that passes, such as a full disk.
    ///
    /// - Returns: Whether the message is sent again by a tick. One that has a time to give up fails at once, so that its
    ///   sender learns the reason.
    mutating func noteNotStored(_ number: UInt64, _ reason: JetStreamError) -> Bool {
      guard let entry = entries[number], entry.isRepeatable, entry.expiry == nil else { return false }
      entries[number]?.unheardSince = nil
      lastReason = reason
      return true
    }

    /// Takes what the look-up of a stream for the message's subject has found.
    ///
    /// - Returns: The message if it fails, and whether no stream listens. If not, its time is over.
    mutating func didLookUp(
      _ number: UInt64,
      isMissing: Bool,
      at now: ContinuousClock.Instant
    ) -> (message: Message, isMissing: Bool)? {
      guard let entry = entries[number], entry.isLookedUp else { return nil }
      if isMissing || entry.expiry.map({ now >= $0 }) ?? false { return remove(number).map { ($0, isMissing) } }
      entries[number]?.isLookedUp = false
      entries[number]?.unheardSince = now
      return nil
    }

    /// Removes the messages that a condition holds for.
    mutating func removeAll(where condition: (Message) -> Bool) -> [Message] {
      let numbers = entries.filter { condition($0.value.message) }.keys.sorted()
      return numbers.compactMap { remove($0) }
    }

    mutating func tick(at now: ContinuousClock.Instant) -> Due {
      var due = Due()
      for (number, entry) in entries {
        let isOver = entry.expiry.map { now >= $0 } ?? false
        if entry.isLookedUp {
          continue
        } else if let since = entry.unheardSince, isConnected == true, isOver || now - since >= patience {
          entries[number]?.isLookedUp = true
          due.doubtful.append(Numbered(number: number, message: entry.message))
        } else if isOver {
          due.expired.append(entry.message)
          entries[number] = nil
        } else if isConnected == true, isDue(entry, at: now) {
          entries[number]?.sent = now
          if entry.sent != nil {
            entries[number]?.resendDelay = min(entry.resendDelay * 2, Self.longestResendDelay)
          }
          due.sends.append(Numbered(number: number, message: entry.message))
        }
      }
      due.sends.sort { $0.number < $1.number }
      due.doubtful.sort { $0.number < $1.number }
      due.overdue = overdue(at: now)
      return due
    }

    /// What to tell about messages that wait for long although there is a connection.
    private mutating func overdue(at now: ContinuousClock.Instant) -> Overdue? {
      guard isConnected == true, lastOverdue.map({ now - $0 >= Self.overdueTime }) ?? true else { return nil }
      var overdue = Overdue(count: 0, time: .zero)
      for entry in entries.values where now - entry.begin >= Self.overdueTime {
        overdue.count += 1
        overdue.time = max(overdue.time, now - entry.begin)
      }
      guard overdue.count > 0 else { return nil }
      lastOverdue = now
      overdue.reason = lastReason
      lastReason = nil
      return overdue
    }

    private func isDue(_ entry: Entry, at now: ContinuousClock.Instant) -> Bool {
      guard let sent = entry.sent else { return true }
      return entry.isRepeatable && now - sent >= entry.resendDelay
    }

    mutating func disconnect(at now: ContinuousClock.Instant) {
      if isConnected != false { disconnected = now }
      isConnected = false
    }

    /// - Returns: All messages that may be sent, because the server may not have got them.
    mutating func reconnect(at now: ContinuousClock.Instant) -> [Numbered] {
      isConnected = true
      var sends: [Numbered] = []
      // A server that hangs is left and connected to again and again. So the time before counts.
      let lost = disconnected
      disconnected = nil
      for (number, entry) in entries {
        entries[number]?.begin = lost.map { entry.begin + (now - max($0, entry.begin)) } ?? now
      }
      for (number, entry) in entries where entry.isRepeatable || entry.sent == nil {
        entries[number]?.sent = now
        entries[number]?.resendDelay = Self.resendDelay
        sends.append(Numbered(number: number, message: entry.message))
      }
      return sends.sorted { $0.number < $1.number }
    }

    /// The connection has ended.
    ///
    /// - Returns: All messages, which fail.
    mutating func close() -> [Message] {
      isClosed = true
      defer { entries = [:] }
      return entries.values.map(\.message)
    }
  }
#endif
