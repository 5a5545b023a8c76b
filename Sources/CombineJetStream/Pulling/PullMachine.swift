#if JetStream
  import CombineCore

  /// The pure state of a pull subscription: what is asked of the server, and when it is asked again.
  ///
  /// A server answers a pull request with as many messages as the request says, one by one, and with statuses. It may also
  /// lose a request. So this machine counts the messages that are still to arrive, and finds out when they will not.
  ///
  /// Each method is one event. What it returns is done with no lock held.
  struct PullMachine {

    typealias Completion = Subscribers.Completion<JetStreamError>

    /// A request for messages.
    struct Pull: Equatable {

      /// The number under which the server answers.
      let number: UInt64

      /// The number of messages.
      let batch: Int
    }

    /// What to do with a message.
    enum Arrival: Equatable {
      case deliver

      /// Nobody waits for it. It goes back to the server, which sends it to somebody else.
      case giveBack
    }

    /// What to do after a status or a tick.
    enum Step: Equatable {
      case wait
      case pull(Pull)

      /// Ask the server whether the consumer exists.
      case lookUp

      /// End the subscription. The failure follows when it has ended.
      case fail
    }

    /// What a look-up of the consumer has found.
    enum Finding {
      case exists
      case unknown(JetStreamError)
      case missing(JetStreamError)
    }

    enum Phase: Equatable {
      case active

      /// The library's subscription is ending. Then the completion follows.
      case failing(JetStreamError)
      case finishing

      /// Completed or cancelled.
      case ended
    }

    /// The interval of the server's signs of life while a request waits, and how long the request waits.
    static let heartbeat = Duration.seconds(1)
    static let expiry = Duration.seconds(30)

    /// The time without a sign of life after which the consumer is looked up: two missed, and half of one for the way.
    static let silence = Duration.milliseconds(2500)

    /// The maximum number of messages that are asked for and not delivered.
    let window: Int

    /// The maximum number of bytes that a request may bring. It grows if a message is larger.
    private(set) var byteLimit: Int

    private(set) var phase = Phase.active

    /// A completion waits until the downstream has its subscription.
    private var announcement = EventAnnouncement<Completion>()

    /// Whether messages are asked for and delivered.
    private var isActive: Bool { phase == .active && announcement.isDone }
    private(set) var demand = Subscribers.Demand.none

    /// The number of messages that were asked for and have not arrived.
    private(set) var outstanding = 0

    /// The thread that delivers a message, `nil` if none does.
    private var deliveringThread: UInt?

    /// Whether another thread has cancelled meanwhile. Then nobody knows whether the downstream has taken the message.
    private var isDeliveryDoubtful = false

    /// `nil` until it is known.
    private var isConnected: Bool?
    private var isLookingUp = false

    /// Whether the look-up was caused by a server that has no consumer for a request. If it finds one, the next request
    /// waits for a tick, because the servers of a cluster may be electing its leader.
    private var wasUnheard = false

    /// Whether the next request waits for a tick, because the server has refused the last one.
    private var isPaused = false

    private var lastSign: ContinuousClock.Instant

    /// The latest requests. A status names the one that it answers.
    private var pulls: [Pull] = []
    private var lastNumber: UInt64 = 0

    /// The number of the first request since all were asked for again. The server may still answer earlier ones.
    private var firstNumber: UInt64 = 1

    init(window: Int, byteLimit: Int = .max / 2, at now: ContinuousClock.Instant) {
      self.window = window
      self.byteLimit = byteLimit
      lastSign = now
    }

    // MARK: Downstream

    /// Notes whether there is a connection at the beginning, unless a change of it was noted first.
    mutating func begin(isConnected: Bool) {
      if self.isConnected == nil { self.isConnected = isConnected }
    }

    /// Notes that the downstream has received its subscription.
    ///
    /// - Returns: The completion, if the library's subscription has ended already.
    mutating func didOpen() -> Completion? {
      announcement.end()
    }

    mutating func request(_ more: Subscribers.Demand) -> Pull? {
      announcement.noteRequest()
      guard isActive else { return nil }
      demand += more
      return nextPull()
    }

    /// - Returns: Whether it is the first end, so that the library's subscription is to be drained.
    mutating func cancel(on thread: UInt) -> Bool {
      defer { phase = .ended }
      _ = announcement.withdraw()
      if let deliveringThread, deliveringThread != thread { isDeliveryDoubtful = true }
      return phase == .active
    }

    // MARK: Messages

    mutating func receiveMessage(on thread: UInt, at now: ContinuousClock.Instant) -> Arrival {
      lastSign = now
      if outstanding > 0 { outstanding -= 1 }
      guard isActive, demand > .none else { return .giveBack }
      demand -= 1
      deliveringThread = thread
      return .deliver
    }

    /// Whether the downstream has taken the message, after the call that has delivered it. If not, it is given back.
    var hasTakenMessage: Bool { !isDeliveryDoubtful }

    /// Notes that the downstream has taken the message, and that it was acknowledged if that is due.
    mutating func didDeliver(_ more: Subscribers.Demand, at now: ContinuousClock.Instant) -> Pull? {
      lastSign = now
      deliveringThread = nil
      guard isActive else { return nil }
      demand += more
      return nextPull()
    }

    /// Takes a status, which arrives among the messages.
    ///
    /// - Parameters:
    ///   - code: Its number: 100 is a sign of life, others end a request.
    ///   - number: The number of the request that it answers.
    ///   - unanswered: The number of messages that will not come, if the status says it.
    ///   - text: Its description.
    mutating func receiveStatus(
      _ code: Int,
      of number: UInt64?,
      unanswered: Int?,
      text: String,
      at now: ContinuousClock.Instant
    ) -> Step {
      lastSign = now
      guard code != 100, isActive else { return .wait }
      let index = pulls.firstIndex { $0.number == number }
      let isForgotten = number.map { $0 < firstNumber } ?? false
      let batch = index.map { pulls[$0].batch }
      // A server (2.10) ends a request with a limit of bytes so. All its messages have come.
      if code == 409, text.hasPrefix("Batch Completed") {
        if let index { pulls.remove(at: index) }
        return nextPull().map(Step.pull) ?? .wait
      }
      let lost = isForgotten ? 0 : unanswered ?? batch ?? 0
      outstanding -= min(lost, outstanding)
      if let index { pulls.remove(at: index) }
      switch code {
      case 408:
        return nextPull().map(Step.pull) ?? .wait
      case 409 where text.lowercased().contains("exceeds maxbytes"):
        // What it has brought was handed over before this status.
        if lost == batch { byteLimit *= 2 }
        return nextPull().map(Step.pull) ?? .wait
      case 409 where text.hasPrefix("Consumer Deleted"):
        return fail(JetStreamError(.noConsumer, status: code, text: text))
      case 409 where text.hasPrefix("Consumer is push based") || text.hasPrefix("Exceeded MaxRequest"), 400:
        return fail(JetStreamError(.refused, status: code, text: text))
      case 503 where !isForgotten:
        // Nobody takes requests for the consumer: it is missing, or has no leader for a moment.
        isPaused = true
        guard isConnected == true, !isLookingUp else { return .wait }
        isLookingUp = true
        wasUnheard = true
        return .lookUp
      default:
        if !isForgotten { isPaused = true }
        return .wait
      }
    }

    // MARK: Time, look-ups, and the connection

    /// - Parameter hasWaiting: Whether messages have arrived that the library has not handed over yet.
    mutating func tick(at now: ContinuousClock.Instant, hasWaiting: Bool) -> Step {
      guard isActive, isConnected == true else { return .wait }
      if isPaused {
        // A request would be answered like the last one.
        if wasUnheard { return .wait }
        isPaused = false
        if let pull = nextPull() { return .pull(pull) }
      }
      guard outstanding > 0, deliveringThread == nil, !hasWaiting, !isLookingUp, now - lastSign > Self.silence else {
        return .wait
      }
      isLookingUp = true
      return .lookUp
    }

    /// Takes what the look-up has found.
    ///
    /// - Parameter waiting: The number of messages that have arrived and were not handed over.
    mutating func didLookUp(_ finding: Finding, waiting: Int, at now: ContinuousClock.Instant) -> Step {
      isLookingUp = false
      let wasUnheard = exchange(&wasUnheard, with: false)
      guard isActive else { return .wait }
      switch finding {
      case .missing(let error):
        return fail(error)
      case .unknown:
        lastSign = now
        return .wait
      case .exists where wasUnheard:
        return .wait
      case .exists:
        return restart(waiting: waiting, at: now).map(Step.pull) ?? .wait
      }
    }

    /// The consumer was looked up, with requests under way.
    mutating func didVerify(_ error: JetStreamError) -> Step {
      isActive ? fail(error) : .wait
    }

    mutating func disconnect() {
      isConnected = false
    }

    /// Asks again for all that has not arrived here, as the server has forgotten the requests.
    mutating func reconnect(waiting: Int, at now: ContinuousClock.Instant) -> Pull? {
      isConnected = true
      return restart(waiting: waiting, at: now)
    }

    private mutating func restart(waiting: Int, at now: ContinuousClock.Instant) -> Pull? {
      outstanding = waiting
      pulls = []
      firstNumber = lastNumber + 1
      isPaused = false
      lastSign = now
      return nextPull()
    }

    // MARK: The end

    private mutating func fail(_ error: JetStreamError) -> Step {
      phase = .failing(error)
      return .fail
    }

    /// The program closes the connection.
    ///
    /// - Returns: Whether the library's subscription is to be drained.
    mutating func close() -> Bool {
      guard phase == .active else { return false }
      phase = .finishing
      return true
    }

    /// The library's subscription has ended.
    ///
    /// - Parameter end: Why the connection has ended, if it has.
    /// - Returns: The completion, unless the downstream has cancelled.
    mutating func didEnd(_ end: JetStreamError = JetStreamError(.closed)) -> Completion? {
      let completion: Completion
      switch exchange(&phase, with: .ended) {
      case .active: completion = .failure(end)
      case .failing(let error): completion = .failure(error)
      case .finishing: completion = .finished
      case .ended: return nil
      }
      return announcement.holdsUntilEnd(completion) ? nil : completion
    }

    // MARK: Requests

    /// The next request: what is missing of the window or the demand, as soon as half of that was used.
    private mutating func nextPull() -> Pull? {
      guard isActive, isConnected == true, deliveringThread == nil, !isPaused else { return nil }
      let target = min(demand.max ?? window, window)
      guard outstanding < target, outstanding <= target / 2 else { return nil }
      lastNumber += 1
      let pull = Pull(number: lastNumber, batch: target - outstanding)
      outstanding = target
      if pulls.count == 16 { pulls.removeFirst() }
      pulls.append(pull)
      return pull
    }
  }
#endif
