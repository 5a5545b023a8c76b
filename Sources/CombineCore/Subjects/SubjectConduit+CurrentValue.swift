import Synchronization

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
    if mayBeInsideItsSend, answer.sender == Platform.currentThread, notes.isNews(answer.number),
      table.traversals.areRunning
    {
      table.changeOvertakenValues { $0.noteRequest(answer.number, by: ObjectIdentifier(self)) }
    }
    notes.note(answer.number)
    noteOvertakenValues(of: answer.overtaken)
    demand.add(deliverHeld(answer.value))
  }
}
