import Synchronization

/// A ``SubjectSubscription`` that values can be sent through.
///
/// The class knows nothing of the downstream's type; it calls it through ``offer``, a function that was made where
/// the type was known and is therefore specialised for it. An overridden method would not be: the method table of a
/// generic class leads to code that looks up every type at run time, which costs more than all the rest of a send.
///
/// `Notes` is what the subject has to remember of each of its subscribers.
@usableFromInline
class SubjectConduit<Output, Failure: Error, Notes: SubjectNotes & ~Copyable>: SubjectSubscription {

  @usableFromInline
  typealias Offer = (SubjectConduit<Output, Failure, Notes>, Output, _ number: Int) -> Void

  /// Sends a value downstream if there is demand for it; else it is lost, or noted as missed where there are notes.
  /// Only for a traversal, which sees to it that the downstream is still there.
  @usableFromInline
  final let offer: Offer

  @usableFromInline
  final let notes = Notes()

  @inlinable
  init(table: SubjectTable, offer: @escaping Offer) {
    self.offer = offer
    super.init(table: table)
  }

  /// Runs `body` inside the gate around the deliveries; or not at all, if the connection ends while another thread is
  /// inside.
  func passGate(_ body: () -> Void) {
    fatalError("SubjectConduit is abstract")
  }

  /// As ``passGate(_:)``, but leaves it to the thread that is inside, if any, to answer a request.
  func passGateOrDelegate(_ body: () -> Void) {
    fatalError("SubjectConduit is abstract")
  }

  /// Sends a value downstream, unless that was let go.
  func deliverHeld(_ value: Output) -> Subscribers.Demand {
    fatalError("SubjectConduit is abstract")
  }

  /// Sends a completion downstream, unless that was let go.
  func deliverCompletion(_ completion: Subscribers.Completion<Failure>) {
    fatalError("SubjectConduit is abstract")
  }
}

/// What a subject remembers of each of its subscribers.
@usableFromInline
protocol SubjectNotes: ~Copyable {

  /// Whether there is anything to note of a delivery, inside the gate around it.
  static var areKept: Bool { get }

  init()

  /// Notes the number of the last value that came before the subscription.
  func start(after number: Int)

  /// Hands over the subscription.
  func deliveringSubscription(_ body: () -> Void)
}

/// What a subject remembers that only passes values on.
@usableFromInline
struct NoNotes: SubjectNotes {

  @inlinable
  static var areKept: Bool { false }

  @inlinable
  init() {}

  @inlinable
  func start(after number: Int) {}

  @inlinable
  @inline(__always)
  func deliveringSubscription(_ body: () -> Void) { body() }
}

extension SubjectConduit where Notes == NoNotes {

  /// Sends a value downstream if there is demand for it; else it is lost.
  @inlinable
  @inline(__always)
  final func offer(_ value: Output) {
    offer(self, value, 0)
  }
}

/// The current value, as a request is answered with it.
@usableFromInline
struct CurrentValueAnswer<Value> {
  let value: Value
  let number: Int

  /// The thread that sent it.
  let sender: UInt

  /// Whether it is sent again to a subscriber that has missed another value, of a send on this thread, since.
  let mayRepeat: Bool

  /// The numbers of older values that this thread is sending, around whatever it does now.
  let overtaken: [Int]
}

/// What a subject remembers that has a current value.
@usableFromInline
struct CurrentValueNotes: SubjectNotes, ~Copyable {

  @inlinable
  static var areKept: Bool { true }

  /// Whether the current value was sent, and no later one was missed. Written with the table's lock held.
  @usableFromInline
  let hasCurrentValue = Atomic<Bool>(false)

  /// The greatest number of a value delivered, or of those that came before the subscription. Touched only inside the
  /// gate, as what follows: atomic so that these notes never change as a whole.
  @usableFromInline
  let lastNumber = Atomic<Int>(0)

  /// What `lastNumber` was when a value was missed that nothing has made up for.
  @usableFromInline
  let missedAfter = Atomic<Int>(-1)

  /// The number of a value that counts as delivered, but is still to be sent with the first request.
  let repeatedNumber = Atomic<Int>(-1)

  /// How many requests are to be answered with the current value, inside the gate.
  let unansweredCount = Atomic<Int>(0)

  /// The thread that is handing over the subscription, or zero.
  @usableFromInline
  let subscriptionThread = Atomic<UInt>(0)

  @inlinable
  init() {}

  @inlinable
  func start(after number: Int) {
    lastNumber.store(number, ordering: .relaxed)
  }

  @inlinable
  func deliveringSubscription(_ body: () -> Void) {
    subscriptionThread.store(Platform.currentThread, ordering: .relaxed)
    body()
    subscriptionThread.store(0, ordering: .relaxed)
  }

  /// Whether this thread is handing over the subscription.
  var isDeliveringSubscription: Bool {
    subscriptionThread.load(ordering: .relaxed) == Platform.currentThread
  }

  /// Notes that a subscriber does not get the value with a number, nor any before it, but the stored one with its first
  /// request.
  func startMissing(_ number: Int) {
    lastNumber.store(number, ordering: .relaxed)
    missedAfter.store(number, ordering: .relaxed)
    repeatedNumber.store(number, ordering: .relaxed)
  }

  /// Whether a value was missed, and none was delivered since.
  var hasMissed: Bool {
    missedAfter.load(ordering: .relaxed) == lastNumber.load(ordering: .relaxed)
  }

  /// Whether a value is newer than all that were delivered.
  @inlinable
  func isNews(_ number: Int) -> Bool {
    number > lastNumber.load(ordering: .relaxed)
  }

  @inlinable
  func note(_ number: Int) {
    if isNews(number) { lastNumber.store(number, ordering: .relaxed) }
  }
}

extension SubjectConduit where Notes == CurrentValueNotes {

  /// Sends a value that has become the subject's current one; without demand it is noted as missed.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - number: Grows with each value, so that threads that send at once neither send a value twice nor an older one
  ///     after a newer.
  @inlinable
  @inline(__always)
  final func offerCurrent(_ value: Output, number: Int) {
    offer(self, value, number)
  }

  /// Sends what several threads are sending, in order, up to the value of this thread.
  @usableFromInline
  final func offer(_ pending: [CurrentValueState<Output>.Sending], on thread: UInt) {
    guard let own = pending.last?.number else { return }
    passGate {
      let last = notes.lastNumber.load(ordering: .relaxed)
      for sending in pending {
        // What is owed of another thread's value, that thread brings itself.
        guard sending.number == own || sending.thread != thread && notes.isNews(sending.number) else { continue }
        offerCurrent(sending.value, number: sending.number)
      }
      let outer = pending.filter { $0.thread == thread && $0.number < own && $0.number > last }
      noteOvertakenValues(of: outer.map(\.number))
    }
  }

  /// Sends a value of a send that was made from within another one.
  ///
  /// - Parameter outerNumbers: The numbers of the sends around it, but those up to a number.
  @usableFromInline
  final func offerNested(_ value: Output, number: Int, outerNumbers: (_ last: Int) -> [Int]) {
    // The number of the last value only grows: if no outer one is missing now, none will be.
    if outerNumbers(notes.lastNumber.load(ordering: .relaxed)).isEmpty { return offerCurrent(value, number: number) }
    passGate {
      let last = notes.lastNumber.load(ordering: .relaxed)
      offerCurrent(value, number: number)
      noteOvertakenValues(of: outerNumbers(last))
    }
  }

  /// Notes that a value has overtaken others, of sends of the same thread around what it does now: they come here later.
  private final func noteOvertakenValues(of outer: [Int]) {
    for number in outer where !notes.isNews(number) {
      table.changeOvertakenValues { $0.note(number, at: ObjectIdentifier(self)) }
    }
  }

  /// Decides inside the gate whether a value that was offered goes downstream, takes the demand for it, and notes what
  /// becomes of it.
  @inlinable
  final func admitCurrent(_ number: Int) -> Bool {
    guard !demand.hasEnded, notes.isNews(number) || isOvertaken(number) else { return false }
    guard takeDemandForCurrent() else {
      notes.missedAfter.store(notes.lastNumber.load(ordering: .relaxed), ordering: .relaxed)
      return false
    }
    notes.note(number)
    return true
  }

  @inlinable
  final func isOvertaken(_ number: Int) -> Bool {
    table.hasOvertakenValues.load(ordering: .relaxed) && takeOvertakenValue(number)
  }

  @usableFromInline
  final func takeOvertakenValue(_ number: Int) -> Bool {
    table.changeOvertakenValues { $0.take(number, at: ObjectIdentifier(self)) }
  }

  @inlinable
  final func takeDemandForCurrent() -> Bool {
    // The mark stays set while demand is unlimited. It may not be set yet if demand has become so since a value was
    // missed.
    if demand.isUnlimited, notes.hasCurrentValue.load(ordering: .relaxed) { return true }
    return takeDemandAndMark()
  }

  @usableFromInline
  final func takeDemandAndMark() -> Bool {
    table.lock.withLock {
      let isTaken = demand.take()
      notes.hasCurrentValue.store(isTaken, ordering: .relaxed)
      return isTaken
    }
  }

  /// Adds demand, and answers it with the current value unless that was sent before.
  ///
  /// - Parameters:
  ///   - more: The demand.
  ///   - answer: Reads the current value, given the number of the last one delivered; called inside the gate.
  final func request(
    _ more: Subscribers.Demand,
    answer: (_ last: Int) -> CurrentValueAnswer<Output>
  ) {
    let isDue = table.lock.withLock {
      let isDue = !notes.hasCurrentValue.exchange(true, ordering: .relaxed)
      if isDue { notes.unansweredCount.add(1, ordering: .relaxed) }
      // One element of this demand is the current value's; unlimited demand stays unlimited.
      demand.add(isDue ? more - 1 : more)
      return isDue
    }
    guard isDue else { return }
    // Whoever subscribes has the current value when that is over. A later request may be made from inside another gate.
    let pass = notes.isDeliveringSubscription ? passGate : passGateOrDelegate
    pass { deliverCurrent(answer, mayBeInsideItsSend: true) }
  }

  /// Answers requests that other threads made while this one was inside the gate. Never in front of a sink, whose gate it
  /// is then, and which makes one request.
  final func answerRequests(answer: (_ last: Int) -> CurrentValueAnswer<Output>) {
    while gate.enterOrDelegate() {
      while notes.unansweredCount.load(ordering: .relaxed) > 0 { deliverCurrent(answer, mayBeInsideItsSend: false) }
      if !gate.leave() { return }
    }
  }

  /// Answers a request for which an element of the demand was taken. Called inside the gate.
  private final func deliverCurrent(
    _ answer: (_ last: Int) -> CurrentValueAnswer<Output>,
    mayBeInsideItsSend: Bool
  ) {
    // Another thread may have answered it in this one's place.
    guard notes.unansweredCount.load(ordering: .relaxed) > 0 else { return }
    notes.unansweredCount.subtract(1, ordering: .relaxed)
    guard !demand.hasEnded else { return }
    let answer = answer(notes.lastNumber.load(ordering: .relaxed))
    let isOvertaken = notes.repeatedNumber.exchange(-1, ordering: .relaxed) == answer.number
    guard isOvertaken || notes.isNews(answer.number) || answer.mayRepeat && notes.hasMissed else {
      // Another thread sent that value between the two steps: the element taken for it is owed again.
      return demand.add(.max(1))
    }
    notes.missedAfter.store(-1, ordering: .relaxed)
    // If the send of this value is another thread's and comes to offer it, the downstream has it already. If this
    // request is made from within that send, it is sent again, as in Combine.
    if mayBeInsideItsSend, answer.sender == Platform.currentThread, notes.isNews(answer.number), table.traversals.areRunning
    {
      table.changeOvertakenValues { $0.noteRequest(answer.number, by: ObjectIdentifier(self)) }
    }
    notes.note(answer.number)
    noteOvertakenValues(of: answer.overtaken)
    demand.add(deliverHeld(answer.value))
  }
}

extension Conduits {

  /// A ``SubjectConduit`` that knows its downstream.
  @usableFromInline
  final class Subject<Downstream: Subscriber, Notes: SubjectNotes & ~Copyable>: SubjectConduit<
    Downstream.Input, Downstream.Failure, Notes
  >
  {
    /// Written once, when no traversal is inside that could read it, with the table's lock held; read with it held too, or by
    /// a traversal.
    @exclusivity(unchecked)
    @usableFromInline
    var downstream: BorrowedSubscriber<Downstream>?

    @inlinable
    init(table: SubjectTable, downstream: Downstream) {
      self.downstream = BorrowedSubscriber(downstream)
      super.init(table: table) { conduit, value, number in
        let conduit = unsafeDowncast(conduit, to: Subject<Downstream, Notes>.self)
        if Notes.areKept {
          conduit.offerCurrentBorrowed(value, number: number)
        } else {
          conduit.offerBorrowed(value)
        }
      }
    }

    /// Sends a value downstream if there is demand for it; else it is lost.
    @inlinable
    @inline(__always)
    func offerBorrowed(_ value: Downstream.Input) {
      if Downstream.isSink {
        guard demand.take() else { return }
        switch downstream {
        case .some(let downstream): downstream.base.receiveInGateOfSink(value)
        case nil: break
        }
      } else {
        // Whether there is demand is decided now, and not when another thread's delivery may have changed it.
        guard demand.take() else { return }
        let entry = gate.enter(unless: { demand.hasEnded })
        guard entry != .refused else { return }
        if !demand.hasEnded { demand.add(deliverBorrowed(value)) }
        if entry == .outermost { gate.leave() }
      }
    }

    /// Sends a value downstream if there is demand for it; else it is noted as missed. The notes are kept inside the
    /// gate, or inside the downstream's own if that is a sink.
    @inlinable
    @inline(__always)
    func offerCurrentBorrowed(_ value: Downstream.Input, number: Int) {
      let keeper = unsafeDowncast(self, to: KeepingNotes.self)
      if Downstream.isSink {
        switch downstream {
        case .some(let downstream):
          downstream.base.receiveInGateOfSink(value) { keeper.admitCurrent(number) }
        case nil: break
        }
      } else {
        let entry = gate.enter(unless: { demand.hasEnded })
        guard entry != .refused else { return }
        if keeper.admitCurrent(number) { demand.add(deliverBorrowed(value)) }
        if entry == .outermost, gate.leave() { table.answerRequests(from: self) }
      }
    }

    @usableFromInline
    typealias KeepingNotes = SubjectConduit<Downstream.Input, Downstream.Failure, CurrentValueNotes>

    @usableFromInline
    override func passGate(_ body: () -> Void) {
      guard Downstream.isSink else {
        let entry = gate.enter(unless: { demand.hasEnded })
        if entry != .refused { body() }
        if entry == .outermost { leaveGate() }
        return
      }
      guard let sink = heldDownstream else { return }
      withExtendedLifetime(sink) {
        sink.unretainedSink._withUnsafeGuaranteedRef { $0.passGate(unless: { demand.hasEnded }, body) }
      }
    }

    @usableFromInline
    override func passGateOrDelegate(_ body: () -> Void) {
      // A sink requests while it is handed the subscription, and never again.
      if Downstream.isSink { return passGate(body) }
      if gate.isEntered { return body() }
      guard gate.enterOrDelegate() else { return }
      body()
      leaveGate()
    }

    private func leaveGate() {
      if gate.leave() { table.answerRequests(from: self) }
    }

    @inlinable
    @inline(__always)
    func deliverBorrowed(_ value: Downstream.Input) -> Subscribers.Demand {
      switch downstream {
      case .some(let downstream): downstream.receive(value)
      case nil: .none
      }
    }

    private var heldDownstream: Downstream? {
      table.lock.withLock {
        switch downstream {
        case .some(let downstream): downstream.base
        case nil: nil
        }
      }
    }

    @usableFromInline
    override func releaseContents() {
      _ = takeDownstream()
    }

    @usableFromInline
    override func releaseContentsUnlessVisited() {
      // A traversal touches the downstream only inside the gate, where it first looks whether the demand has ended; it has. In
      // front of a sink a traversal does not pass this gate, but a sink that is cancelled releases its closures itself.
      guard !Downstream.isSink, gate.tryEnter() else { return }
      let taken = takeDownstream()
      gate.leave()
      _ = consume taken
    }

    private func takeDownstream() -> BorrowedSubscriber<Downstream>? {
      var taken: BorrowedSubscriber<Downstream>?
      table.lock.withLock { swap(&taken, &downstream) }
      return taken
    }

    @usableFromInline
    override func deliverHeld(_ value: Downstream.Input) -> Subscribers.Demand {
      heldDownstream?.receive(value) ?? .none
    }

    @usableFromInline
    override func deliverCompletion(_ completion: Subscribers.Completion<Downstream.Failure>) {
      heldDownstream?.receive(completion: completion)
    }

    @usableFromInline
    override var reflectedDownstream: Any? { heldDownstream }
  }
}
