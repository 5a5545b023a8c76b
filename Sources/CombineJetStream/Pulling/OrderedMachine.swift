#if JetStream
  import Foundation

  /// The pure state of ordered reading, as by a watch of a bucket: which consumer is read, and up to where it was published.
  ///
  /// The consumer lives in the server's memory and knows no acknowledgements. If anything may be missing, after a lost
  /// connection or a gap in the numbers of the deliveries, another consumer is made, which begins behind the last sequence
  /// that was published. Each consumer belongs to an attempt, and only messages of the latest one count. A sequence of the
  /// stream behind a bucket is a revision.
  ///
  /// Each method is one event. What it returns is done with no lock held.
  struct OrderedMachine {

    /// A consumer to make.
    struct Attempt: Equatable {
      let number: Int
      let start: ConsumerConfiguration.Start
    }

    /// A consumer that was made, and its stream.
    struct Consumer: Equatable {

      /// When the stream was created. One that was deleted and created again has another time.
      let streamCreated: Date

      /// The last revision of the stream before the consumer was made.
      let earlierRevision: UInt64

      /// The last revision of the stream after the consumer was made.
      let lastRevision: UInt64

      /// The revision behind which the consumer begins.
      let position: UInt64

      /// The number of messages that the consumer has to deliver at once.
      let count: UInt64
    }

    /// A consumer to read.
    struct Source: Equatable {
      let number: Int

      /// The number of messages after which all initial entries were published, `nil` if that has been said.
      let initialCount: UInt64?
    }

    /// What to do with a consumer that was made.
    enum Making: Equatable {
      case read(Source)

      /// It is not needed any more.
      case drop
      case fail(JetStreamError)
    }

    /// What to do with a message.
    enum Taking: Equatable {
      case publish
      case drop

      /// A message is missing before this one.
      case startOver(Attempt)
      case fail(JetStreamError)
    }

    /// What to do after an error.
    enum Reaction: Equatable {

      /// Wait for a tick, the connection, or the end.
      case wait
      case start(Attempt)
      case fail(JetStreamError)
    }

    enum Phase: Equatable {

      /// There is no connection.
      case disconnected

      /// A consumer is being made.
      case making

      /// A consumer is read.
      case reading

      /// The last attempt has failed. The next one begins at this time.
      case pausing(until: ContinuousClock.Instant)

      case ended
    }

    /// The time between two attempts, if the server cannot make a consumer for now.
    static let pause = Duration.milliseconds(500)

    private static let anotherStream = JetStreamError(
      .noStream,
      text: "the stream was created again, or has lost messages"
    )

    private let start: ConsumerConfiguration.Start

    private(set) var phase = Phase.disconnected

    /// Everything up to this revision was published, or is not to be.
    private(set) var position: UInt64 = 0

    /// Whether the end of the initial entries was told, or need not be.
    private(set) var isReady: Bool

    private var number = 0

    /// When the message at ``position`` was stored, `nil` if none was published. Another consumer begins with this message,
    /// so that a stream is noticed that has lost messages and has others under their numbers.
    private var positionTime: Int64?

    /// Whether ``position`` is known. Until then, an attempt begins as the first one.
    private var hasPosition = false

    private var streamCreated: Date?

    /// The number of the last delivery of the consumer that is read.
    private var lastDelivery: UInt64 = 0

    /// A revision that the stream had before the consumer was made that is read.
    private var earlierRevision: UInt64 = 0

    /// - Parameters:
    ///   - start: The first message.
    ///   - tellsReady: Whether the end of the initial entries is told.
    init(start: ConsumerConfiguration.Start, tellsReady: Bool = true) {
      self.start = start
      isReady = !tellsReady
    }

    // MARK: Attempts

    private mutating func nextAttempt() -> Attempt {
      number += 1
      phase = .making
      return Attempt(number: number, start: nextStart)
    }

    private var nextStart: ConsumerConfiguration.Start {
      // Until all initial entries are there, the newest revision of each key is read again, so that no older one comes.
      guard hasPosition, isReady || start != .lastPerSubject else { return start }
      return .sequence(positionTime == nil ? position + 1 : position)
    }

    /// The connection is there, at the beginning or again.
    mutating func connect() -> Attempt? {
      phase == .ended ? nil : nextAttempt()
    }

    mutating func disconnect() {
      guard phase != .ended else { return }
      number += 1
      phase = .disconnected
    }

    /// Whether no other attempt has followed one.
    func isLatest(_ attempt: Attempt) -> Bool {
      attempt.number == number && phase == .making
    }

    mutating func tick(at now: ContinuousClock.Instant) -> Attempt? {
      guard case .pausing(let end) = phase, now >= end else { return nil }
      return nextAttempt()
    }

    /// A consumer was made.
    mutating func didMake(_ consumer: Consumer, for number: Int) -> Making {
      guard number == self.number, phase == .making else { return .drop }
      let isSameStream = streamCreated == nil || streamCreated == consumer.streamCreated
      guard isSameStream, !hasPosition || consumer.lastRevision >= position else {
        phase = .ended
        return .fail(Self.anotherStream)
      }
      streamCreated = consumer.streamCreated
      // These, and a consumer with nothing to deliver, begin at a place that another consumer would not find again.
      if start == .new || start == .last || consumer.count == 0 {
        if !hasPosition { position = consumer.position }
        hasPosition = true
      }
      lastDelivery = 0
      earlierRevision = consumer.earlierRevision
      phase = .reading
      return .read(Source(number: number, initialCount: isReady ? nil : consumer.count))
    }

    /// A consumer could not be made.
    mutating func didNotMake(_ error: JetStreamError, for number: Int, at now: ContinuousClock.Instant) -> Reaction {
      // A closed connection tells by itself whether the watch finishes or fails.
      guard number == self.number, phase == .making, error.kind != .closed else { return .wait }
      let isFinal = error.code == 10059 || [.authentication, .refused].contains(error.kind)
      phase = isFinal ? .ended : .pausing(until: now + Self.pause)
      return isFinal ? .fail(error) : .wait
    }

    /// The server does not permit what an attempt needs.
    mutating func didRefuse(_ error: JetStreamError) -> Reaction {
      guard phase == .making else { return .wait }
      phase = .ended
      return .fail(error)
    }

    /// The messages of a consumer have ended with an error. If the consumer is missing, another one is made.
    mutating func didLose(_ error: JetStreamError, for number: Int) -> Reaction {
      guard number == self.number, phase == .reading, error.kind != .closed else { return .wait }
      if error.kind == .noConsumer || error.code == 10059 { return .start(nextAttempt()) }
      phase = .ended
      return .fail(error)
    }

    // MARK: Messages

    /// Takes a message in front of the downstream.
    ///
    /// When a subject is purged, servers of the series 2.9 let the consumers skip all messages before the marker, also those
    /// of other subjects. So a marker that is younger than its consumer, and does not follow the last revision, starts over.
    ///
    /// - Parameters:
    ///   - delivery: The number of the delivery of the consumer.
    ///   - revision: The revision.
    ///   - time: When the message was stored, in nanoseconds.
    ///   - isPurge: A closure that says whether the message is the marker of a purge.
    ///   - number: The number of the attempt.
    mutating func take(
      delivery: UInt64,
      revision: UInt64,
      time: Int64,
      isPurge: @autoclosure () -> Bool = false,
      of number: Int
    ) -> Taking {
      guard number == self.number, phase == .reading else { return .drop }
      guard delivery == lastDelivery + 1 else { return .startOver(nextAttempt()) }
      lastDelivery = delivery
      guard revision > position else {
        guard revision == position, let positionTime, positionTime != time else { return .drop }
        phase = .ended
        return .fail(Self.anotherStream)
      }
      if revision > earlierRevision, revision != position + 1, isPurge() { return .startOver(nextAttempt()) }
      position = revision
      positionTime = time
      hasPosition = true
      return .publish
    }

    /// The initial entries of a consumer have been taken.
    ///
    /// - Returns: Whether it is the first time.
    mutating func takeReady(of number: Int) -> Bool {
      guard number == self.number, phase == .reading, !isReady else { return false }
      isReady = true
      return true
    }

    /// The part of the messages that ends with the initial entries is over.
    ///
    /// - Returns: The attempt for those that follow.
    mutating func didFinishInitial(of number: Int) -> Attempt? {
      guard number == self.number, phase == .reading else { return nil }
      return nextAttempt()
    }

    // MARK: The end

    /// - Returns: Whether it is the first end.
    mutating func end() -> Bool {
      defer { phase = .ended }
      return phase != .ended
    }
  }
#endif
