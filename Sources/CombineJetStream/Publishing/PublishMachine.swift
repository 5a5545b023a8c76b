#if JetStream

  /// The pure state of the publishes that wait for an acknowledgement.
  ///
  /// Each method is one event. The messages that it returns are sent with no lock held.
  struct PublishMachine<Message> {

    /// A message and the number under which the server answers.
    struct Numbered {
      let number: UInt64
      let message: Message
    }

    /// What a tick has found.
    struct Due {

      /// The messages to send (again), in their order.
      var sends: [Numbered] = []

      /// The messages whose time is over.
      var expired: [Message] = []

      /// The messages whose time is over, and for which the server has said that no stream listens.
      var unheard: [Message] = []
    }

    private struct Entry {
      let message: Message

      /// Whether the server recognises a second copy.
      let isRepeatable: Bool

      /// When to give up, `nil` for never.
      let expiry: ContinuousClock.Instant?

      /// When it was sent last, `nil` if it waits to be sent.
      var sent: ContinuousClock.Instant?

      /// The time after which it is sent again. It doubles each time, so that copies do not pile up in front of a server
      /// that stands still.
      var resendDelay = PublishMachine.resendDelay

      /// Since when no stream listens.
      var unheardSince: ContinuousClock.Instant?
    }

    /// The time after which a message without an acknowledgement is sent again for the first time, and the longest one.
    static var resendDelay: Duration { .seconds(1) }
    static var longestResendDelay: Duration { .seconds(16) }

    /// The time for which "no stream listens" is not believed. A server that has just started says so for a moment.
    let patience: Duration

    private var entries: [UInt64: Entry] = [:]
    private var lastNumber: UInt64 = 0

    /// `nil` until it is known.
    private var isConnected: Bool?
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

    /// Takes the server's word that no stream listens to the subject.
    ///
    /// - Returns: The message, if the server has said so for too long. Otherwise it is sent again by a tick.
    mutating func removeIfUnheard(_ number: UInt64, at now: ContinuousClock.Instant) -> Message? {
      guard var entry = entries[number] else { return nil }
      let since = entry.unheardSince ?? now
      guard now - since < patience else { return remove(number) }
      entry.unheardSince = since
      entry.sent = nil
      entries[number] = entry
      return nil
    }

    mutating func tick(at now: ContinuousClock.Instant) -> Due {
      var due = Due()
      for (number, entry) in entries {
        if let expiry = entry.expiry, now >= expiry {
          if entry.unheardSince == nil { due.expired.append(entry.message) } else { due.unheard.append(entry.message) }
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
      return due
    }

    private func isDue(_ entry: Entry, at now: ContinuousClock.Instant) -> Bool {
      guard let sent = entry.sent else { return true }
      return entry.isRepeatable && now - sent >= entry.resendDelay
    }

    mutating func disconnect() {
      isConnected = false
    }

    /// - Returns: All messages that may be sent, because the server may not have got them.
    mutating func reconnect(at now: ContinuousClock.Instant) -> [Numbered] {
      isConnected = true
      var sends: [Numbered] = []
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
