import Synchronization

/// A current value and its subscribers: the core of a ``CurrentValueSubject``, and of a ``Published`` property.
///
/// The subject stores a value first and then sends it. The property sends it first.
@usableFromInline
final class CurrentValueCore<Output, Failure: Error>: SubjectCore<Output, Failure> {

  @usableFromInline
  typealias ValueConduit = CurrentValueConduit

  @usableFromInline
  typealias State = CurrentValueState<Output>

  /// Guards ``state``, and the decisions about finite demand.
  @usableFromInline
  let valueLock = Lock()

  @exclusivity(unchecked)  // Only with `valueLock` held.
  @usableFromInline
  var state: State

  /// Whether there are any ``State/sendings``, to be read without the lock.
  @usableFromInline
  let hasSendings = Atomic<Bool>(false)

  /// A copy of the state's, to be read without the lock.
  @usableFromInline
  let storesLast: Bool

  @usableFromInline
  init(_ value: Output, storesLast: Bool, name: String) {
    state = State(value, storesLast: storesLast)
    self.storesLast = storesLast
    super.init(name: name, ignoresDemand: false)
  }

  deinit {
    let values = state.clear()
    state.release(values)
  }

  /// The current value. It is not used once the publisher is gone.
  @inlinable
  var value: Output { valueLock.withLock { state.value } }

  @inlinable
  var lastNumber: Int {
    valueLock.lock()
    let number = state.number
    valueLock.unlock()
    return number
  }

  /// Releases the value and the upstream subscriptions, when the publisher is deallocated. Subscriptions may still hold this
  /// object.
  @usableFromInline
  func close() {
    let values = valueLock.withLock { state.clear() }
    state.release(values)
    cancelUpstreams()
  }

  /// Changes ``state``, and ``hasSendings`` with it.
  @inlinable
  @inline(__always)
  func changeState<Result>(_ body: (inout State) -> Result) -> Result {
    valueLock.withLock {
      let result = body(&state)
      hasSendings.store(state.hasSendings, ordering: .relaxed)
      return result
    }
  }

  // MARK: Sends

  /// Sends a value to the subscribers of a subject that stores it first. It does nothing after the completion.
  @inlinable
  @inline(__always)
  func sendUnlessEnded(_ value: Output) {
    if hasCompleted() { return }
    send(value)
  }

  /// Makes a value the current one and sends it to each subscriber that has demand.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - prologue: A closure that is called before the first subscriber, when the subscribers are fixed.
  @inlinable
  @inline(__always)
  func send(_ value: Output, after prologue: () -> Void = {}) {
    let thread = Platform.currentThread
    if !hasElements(), sendToNobody(value, on: thread, after: prologue) { return }
    // The traversal begins first, so of two sends at the same time at least one knows of the other:
    //
    //     thread A                            thread B
    //     begins a traversal: it is alone
    //                                         begins a traversal: it is not alone
    //                                         stores value 2, and adds an entry for value 1
    //     stores value 3: there are entries
    //
    // Each then delivers the values in the order of their numbers; see `CurrentValueState`.
    let traversal = beginTraversal()
    var number = 0
    if traversal.isAlone { number = beginAlone(value, on: thread) }
    if number > 0 {
      // The caller keeps this object alive, so the closure does not retain it.
      let unretained = Unmanaged.passUnretained(self)
      withUnsafePointer(to: value) { value in
        unretained._withUnsafeGuaranteedRef { core in
          core.visit(ValueConduit.self, after: prologue) { core.offer(value, number: number, to: $0) }
        }
      }
    } else {
      number = sendAmongOthers(value, on: thread, isAlone: traversal.isAlone, after: prologue)
    }
    if storesLast { store(value, number: number, on: thread) }
    end(traversal)
    if hasSendings.load(ordering: .relaxed) { finish(number, on: thread) }
  }

  /// Makes a value the current one without a traversal, if there is no subscriber.
  ///
  /// A subscriber that comes meanwhile receives this value or a newer one with its request.
  ///
  /// - Returns: Whether it did so. If not, there may be subscribers.
  @inlinable
  @inline(never)
  func sendToNobody(_ value: Output, on thread: UInt, after prologue: () -> Void) -> Bool {
    var exchanged = value  // Released with the lock free.
    var number = 0
    valueLock.lock()
    // A traversal that begins after this check gets a greater number.
    if !hasElements(), !hasTraversals() { number = State.beginAlone(in: &state, &exchanged, on: thread) }
    valueLock.unlock()
    guard number > 0 else { return false }
    prologue()
    if storesLast { store(value, number: number, on: thread) }
    return true
  }

  /// Begins to send a value, if no other is being sent.
  ///
  /// - Returns: The value's number; zero if another is being sent.
  @inlinable
  @inline(__always)
  func beginAlone(_ value: Output, on thread: UInt) -> Int {
    var exchanged = value  // Released with the lock free.
    valueLock.lock()
    let number = State.beginAlone(in: &state, &exchanged, on: thread)
    valueLock.unlock()
    return number
  }

  /// Sends a value while other values are being sent, by other threads or around this send.
  ///
  /// - Returns: The number of the value.
  @inlinable
  @inline(never)
  func sendAmongOthers(_ value: Output, on thread: UInt, isAlone: Bool, after prologue: () -> Void) -> Int {
    let beginning = beginAmongOthers(value, on: thread, isAlone: isAlone)
    visit(ValueConduit.self, after: prologue) { conduit in
      if beginning.isMixed { return offer(value, beginning, to: conduit, on: thread) }
      // Only this thread is sending, in nested calls. The way is short, because a subscriber that sends may go very deep.
      if beginning.outer > conduit.last.load(ordering: .relaxed) { noteOvertaken(beginning, at: conduit, on: thread) }
      withUnsafePointer(to: value) { offer($0, number: beginning.number, to: conduit) }
    }
    return beginning.number
  }

  /// Delivers a value to one subscriber. The caller has seen to the values of other threads.
  @inlinable
  @inline(__always)
  func offer(_ value: UnsafePointer<Output>, number: Int, to conduit: ValueConduit) {
    guard conduit.enterGateIfFree() else { return offerToOccupied(value, number: number, to: conduit) }
    offerInside(value, number: number, to: conduit)
    if conduit.leaveGate() { answerRequests(from: conduit) }
  }

  @inlinable
  @inline(__always)
  func offerInside(_ value: UnsafePointer<Output>, number: Int, to conduit: ValueConduit) {
    guard conduit.admitsNewest(number) || !conduit.hasEnded() && admits(number, at: conduit) else { return }
    let outer = conduit.beginDelivery()
    deliver(value, to: conduit)
    CurrentDelivery.end(outer)
  }

  /// Delivers a value while a thread is inside the gate, maybe this one. Apart, so that the usual way is short.
  @inlinable
  @inline(never)
  func offerToOccupied(_ value: UnsafePointer<Output>, number: Int, to conduit: ValueConduit) {
    if conduit.hasEnteredGate() { return offerInside(value, number: number, to: conduit) }
    offerDecided(value.pointee, number: number, to: conduit)
  }

  @inline(never)
  @usableFromInline
  func beginAmongOthers(_ value: Output, on thread: UInt, isAlone: Bool) -> SendingAmongOthers {
    let (beginning, released) = changeState { $0.beginAmongOthers(value, on: thread, isAlone: isAlone) }
    withExtendedLifetime(released) {}  // With the lock free.
    return beginning
  }

  @inlinable
  @inline(__always)
  func store(_ value: Output, number: Int, on thread: UInt) {
    var exchanged = value  // Released with the lock free.
    valueLock.lock()
    State.store(in: &state, &exchanged, number: number, on: thread)
    valueLock.unlock()
  }

  @inline(never)
  @usableFromInline
  func finish(_ number: Int, on thread: UInt) {
    let released = changeState { $0.finish(number, on: thread) }
    withExtendedLifetime(released) {}
  }

  /// Delivers a value after those that other threads began to send before it.
  @inline(never)
  @usableFromInline
  func offer(_ value: Output, _ beginning: SendingAmongOthers, to conduit: ValueConduit, on thread: UInt) {
    offerDecided(value, number: beginning.number, to: conduit) {
      // First, because a value of another thread may overtake the outer one, too.
      if beginning.outer > conduit.last.load(ordering: .relaxed) { noteOvertaken(beginning, at: conduit, on: thread) }
      while let (value, isAdmitted) = admitNext(before: beginning.number, otherThan: thread, at: conduit) {
        if isAdmitted { deliver(value, to: conduit) }
      }
    }
  }

  /// Notes that a nested send overtakes outer ones of its thread, which the subscriber has not received.
  @inline(never)
  @usableFromInline
  func noteOvertaken(_ beginning: SendingAmongOthers, at conduit: ValueConduit, on thread: UInt) {
    let subscriber = ObjectIdentifier(conduit)
    changeState {
      // Another thread may have delivered them meanwhile.
      let last = conduit.last.load(ordering: .relaxed)
      $0.noteOvertaken(after: last, before: beginning.number, on: thread, at: subscriber)
    }
  }

  /// Delivers a value for which demand is decided before this thread waits.
  ///
  /// - Parameter prologue: A closure that is called first, inside the gate.
  @usableFromInline
  func offerDecided(_ value: Output, number: Int, to conduit: ValueConduit, after prologue: () -> Void = {}) {
    guard let decision = decide(value, number: number, at: conduit) else { return }
    pass(conduit) {
      prologue()
      if !conduit.demand.hasEnded, admits(number, at: conduit, decision) { deliver(value, to: conduit) }
    }
  }

  private func deliver(_ value: Output, to conduit: ValueConduit) {
    withUnsafePointer(to: value) { deliver($0, to: conduit) }
  }

  @inlinable
  @inline(__always)
  func deliver(_ value: UnsafePointer<Output>, to conduit: ValueConduit) {
    conduit.addReturned(conduit.downstream.deliver(value), with: valueLock)
  }

  @inline(__always)
  private func pass(_ conduit: ValueConduit, _ body: () -> Void) {
    conduit.gate.pass(
      unless: { conduit.demand.hasEnded },
      delegated: { answerRequests(from: conduit) },
      body
    )
  }

  // MARK: Demand

  /// What a sender has decided before it waits.
  enum Decision {

    /// It is decided inside the gate.
    case open

    /// An element of demand was taken.
    case admitted
  }

  /// Decides whether this thread's value is delivered, if it has to wait for the gate and demand is finite.
  ///
  /// Demand is decided when a value is sent: a value that finds it used up does not wait for more. A thread that gets in
  /// before this one, and delivers the value for it, finds the decision with the value.
  ///
  /// - Returns: The decision; `nil` if the value is missed.
  private func decide(_ value: Output, number: Int, at conduit: ValueConduit) -> Decision? {
    guard conduit.gate.isEnteredByOther, !conduit.demand.isUnlimited else { return .open }
    return changeState { state in
      guard !conduit.demand.hasEnded else { return nil }
      // Another thread may have delivered the value already, or made the demand unlimited. Then there is nothing to decide.
      guard number > conduit.last.load(ordering: .relaxed), !conduit.demand.isUnlimited else { return .open }
      let isTaken = takeDemand(for: number, at: conduit)
      let subscriber = ObjectIdentifier(conduit)
      state.note(isTaken ? .admitted : .rejected, of: number, value, on: Platform.currentThread, at: subscriber)
      return isTaken ? .admitted : nil
    }
  }

  /// Takes an element of demand for a value, or notes that the value is missed. With `valueLock` held.
  ///
  /// - Parameter newer: What a note says of the newer value that came first; `nil` without a note.
  private func takeDemand(for number: Int, at conduit: ValueConduit, overtakenBy newer: Int? = nil) -> Bool {
    let isTaken = conduit.demand.take()
    // Another thread may have decided about a newer value, and wait with it. That is what the downstream has or lacks.
    let decided = conduit.presence.number
    let isNewest = if let newer { newer >= decided } else { number > decided }
    if isNewest { conduit.presence = isTaken ? .present(newer ?? number) : .lacking(newer ?? number) }
    return isTaken
  }

  /// Decides whether this thread's value is delivered. Called inside the gate.
  @usableFromInline
  func admits(_ number: Int, at conduit: ValueConduit) -> Bool {
    admits(number, at: conduit, .open)
  }

  private func admits(_ number: Int, at conduit: ValueConduit, _ decision: Decision) -> Bool {
    valueLock.withLock {
      if number > conduit.last.load(ordering: .relaxed) {
        conduit.last.store(number, ordering: .relaxed)
        return decision == .admitted || takeDemand(for: number, at: conduit)
      }
      // Another thread has delivered the value for this one, or a request was answered with a newer value, or a nested send of
      // this thread came first.
      guard let newer = state.takeOvertaken(number, at: ObjectIdentifier(conduit)) else { return false }
      return takeDemand(for: number, at: conduit, overtakenBy: newer)
    }
  }

  /// Decides whether the oldest value that other threads are sending, and have not delivered yet, is delivered. Called
  /// inside the gate.
  private func admitNext(
    before number: Int,
    otherThan thread: UInt,
    at conduit: ValueConduit
  ) -> (value: Output, isAdmitted: Bool)? {
    let subscriber = ObjectIdentifier(conduit)
    return valueLock.withLock {
      let last = conduit.last.load(ordering: .relaxed)
      guard !conduit.demand.hasEnded,
        let next = state.next(after: last, before: number, otherThan: thread, at: subscriber)
      else { return nil }
      conduit.last.store(next.number, ordering: .relaxed)
      switch next.exception(at: subscriber) {
      case .admitted: return (next.value, true)
      case .rejected: return (next.value, false)
      case .overtaken:
        // The nested send, on another thread, was about to come first. It no longer does.
        _ = state.takeOvertaken(next.number, at: subscriber)
        return (next.value, takeDemand(for: next.number, at: conduit))
      case nil: return (next.value, takeDemand(for: next.number, at: conduit))
      }
    }
  }

  // MARK: Requests

  override func request(_ demand: Subscribers.Demand, from subscription: SubjectSubscription) {
    let isFirst = noteRequest(from: subscription)
    let conduit = _unsafeUncheckedDowncast(subscription, to: ValueConduit.self)
    let isDue = valueLock.withLock {
      let presence = conduit.presence
      let isDue = presence.isLacking
      if isDue {
        conduit.presence = .owed(presence.number)
        conduit.unansweredCount.store(conduit.unansweredCount.load(ordering: .relaxed) + 1, ordering: .relaxed)
      }
      // Last, for a send inside the gate takes no lock if demand is unlimited. One element of this demand is for the current
      // value. Unlimited demand stays unlimited.
      conduit.demand.add(isDue ? demand - 1 : demand)
      InterleavingPoint.atomicStep.reach()
      return isDue
    }
    guard isDue else { return }
    // A new subscriber has the current value when `subscribe` returns. A later request may come from inside another gate,
    // and must not wait.
    if isFirst || conduit.gate.isEntered {
      pass(conduit) { conduit.answerRequest(on: Platform.currentThread) }
    } else if conduit.gate.enterOrDelegate() {
      conduit.answerRequest(on: Platform.currentThread)
      if conduit.gate.leave() { answerRequests(from: conduit) }
    }
  }

  /// Answers the requests that other threads made while this thread was inside the gate.
  @usableFromInline
  func answerRequests(from conduit: ValueConduit) {
    while conduit.gate.enterOrDelegate() {
      // After the end the downstream may be gone, and then nothing takes a request.
      while !conduit.hasEnded(), conduit.unansweredCount.load(ordering: .relaxed) > 0 { conduit.answerRequest(on: 0) }
      if !conduit.gate.leave() { return }
    }
  }

  /// Returns the current value for a request, which has taken an element of the demand. Called inside the gate.
  ///
  /// - Parameter thread: The thread that made the request, or zero if it is another one.
  /// - Returns: The value, or `nil` if nothing is to be delivered.
  @inlinable
  func answer(to conduit: ValueConduit, on thread: UInt) -> Output? {
    changeState { state in
      // Another thread may have answered the request already.
      let count = conduit.unansweredCount.load(ordering: .relaxed)
      guard count > 0 else { return nil }
      conduit.unansweredCount.store(count - 1, ordering: .relaxed)
      guard !conduit.demand.hasEnded, let (value, number) = state.answer(on: thread) else { return nil }
      guard conduit.presence != .present(number) else {
        // A send has delivered the value since the request.
        conduit.demand.add(.max(1))
        return nil
      }
      conduit.presence = .present(number)
      let last = conduit.last.load(ordering: .relaxed)
      guard number > last else { return value }
      conduit.last.store(number, ordering: .relaxed)
      let isNested = state.sender == thread && number > state.finishedNumber && hasTraversals()
      if isNested || state.hasSendings {
        noteAnswer(number, value, after: last, at: conduit, on: thread, isNested: isNested, in: &state)
      }
      return value
    }
  }

  /// Notes that the answer to a request comes before values that are being sent.
  ///
  /// - Parameters:
  ///   - number: The number of the value, which is the answer.
  ///   - last: The number of the last value that the subscriber had.
  ///   - isNested: Whether this thread may be sending that value.
  @inline(never)
  @usableFromInline
  func noteAnswer(
    _ number: Int,
    _ value: Output,
    after last: Int,
    at conduit: ValueConduit,
    on thread: UInt,
    isNested: Bool,
    in state: inout State
  ) {
    let subscriber = ObjectIdentifier(conduit)
    // What waits for this gate comes too late now, and gives its demand back.
    let waitingCount = state.admittedCount(after: last, through: number, at: subscriber)
    if waitingCount > 0 { conduit.demand.add(.max(waitingCount)) }
    // If this request is nested in sends of this thread, their values are delivered nevertheless, as in Combine. They would be
    // stale after the value of another thread.
    guard state.sender == thread else { return }
    state.noteOvertaken(after: last, before: number, on: thread, at: subscriber)
    guard isNested, !state.hasReached(subscriber, with: number) else { return }
    state.note(.overtaken(by: number), of: number, value, on: thread, at: subscriber)
  }
}
