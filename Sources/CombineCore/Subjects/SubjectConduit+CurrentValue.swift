import Synchronization

extension SubjectConduit where Notes == CurrentValueNotes {

  /// Delivers a value that has become the current one. Without demand the value is noted as missed.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - number: The number of the value. Threads that send at the same time use it to deliver each value once, in order.
  @inlinable
  @inline(__always)
  final func offerCurrent(_ value: Output, number: Int) {
    offer(self, value, number)
  }

  /// Delivers the values that several threads are sending, in order, up to the value of this thread.
  @usableFromInline
  final func offer(_ pending: [CurrentValueState<Output>.Sending], on thread: UInt) {
    guard let own = pending.last?.number, decidesBeforeWaiting(own) else { return }
    passGate {
      let last = notes.lastNumber.load(ordering: .relaxed)
      for sending in pending {
        // Another thread delivers its own overtaken values.
        guard sending.number == own || sending.thread != thread && notes.isNews(sending.number) else { continue }
        offerCurrent(sending.value, number: sending.number)
      }
      let outer = pending.filter { $0.thread == thread && $0.number < own && $0.number > last }
      noteOvertakenValues(of: outer.map(\.number))
    }
    _ = takeDecision(own)  // If the connection has ended meanwhile.
  }

  /// Delivers a value of a nested send.
  ///
  /// - Parameter outerNumbers: A closure that returns the numbers of the outer sends that are greater than a number.
  @usableFromInline
  final func offerNested(_ value: Output, number: Int, outerNumbers: (_ last: Int) -> [Int]) {
    // The number of the last value only grows. If no outer value is missing now, none will be.
    if outerNumbers(notes.lastNumber.load(ordering: .relaxed)).isEmpty { return offerCurrent(value, number: number) }
    guard decidesBeforeWaiting(number) else { return }
    passGate {
      let last = notes.lastNumber.load(ordering: .relaxed)
      offerCurrent(value, number: number)
      noteOvertakenValues(of: outerNumbers(last))
    }
    _ = takeDecision(number)  // If the connection has ended meanwhile.
  }

  /// Notes that a value has overtaken values of outer sends on this thread, which are delivered later.
  private final func noteOvertakenValues(of outer: [Int]) {
    for number in outer where !notes.isNews(number) {
      table.changeOvertakenValues { $0.note(number, at: ObjectIdentifier(self)) }
    }
  }

  /// Decides whether this thread's value is delivered, if it has to wait for the gate and demand is finite.
  ///
  /// - Returns: Whether to enter the gate. The value is then delivered there, by this thread or by another one before it.
  @inlinable
  @inline(__always)
  final func decidesBeforeWaiting(_ number: Int) -> Bool {
    !gate.isEnteredByOther || demand.isUnlimited || decide(number)
  }

  @usableFromInline
  final func decide(_ number: Int) -> Bool {
    table.lock.withLock {
      guard !demand.hasEnded else { return false }
      // Another thread may have delivered the value already. Then there is nothing to decide.
      guard notes.isNews(number) else { return true }
      let isAdmitted = demand.take()
      if !isAdmitted { notes.hasCurrentValue.store(false, ordering: .relaxed) }
      table.changeDecisionsLocked {
        $0.note(isAdmitted ? .admitted : .rejected, about: number, at: ObjectIdentifier(self))
      }
      return isAdmitted
    }
  }

  /// Takes what was decided about a value before its sender could deliver it.
  @inlinable
  @inline(__always)
  final func takeDecision(_ number: Int) -> SendDecision? {
    table.hasDecisions.load(ordering: .relaxed) ? takeNotedDecision(number) : nil
  }

  @usableFromInline
  final func takeNotedDecision(_ number: Int) -> SendDecision? {
    table.changeDecisions { $0.take(number, at: ObjectIdentifier(self)) }
  }

  /// Gives back an element of demand. If a value was missed meanwhile, the current one is delivered for it.
  @usableFromInline
  final func giveBack() {
    table.request(.max(1), from: self)
  }

  /// Decides whether a value is delivered, takes the demand for it, and notes the result. Called inside the gate.
  @inlinable
  final func admitCurrent(_ number: Int) -> Bool {
    let decision = takeDecision(number)
    guard !demand.hasEnded, notes.isNews(number) || isOvertaken(number) else {
      // A request was answered with a newer value meanwhile. The element of demand is given back.
      if decision == .admitted { giveBack() }
      return false
    }
    if decision == .rejected { return false }
    guard decision == .admitted || takeDemandForCurrent() else {
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
    // The flag stays set while demand is unlimited. It may not be set yet if a value was missed before demand became
    // unlimited.
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

  /// Adds demand, and delivers the current value unless it was delivered before.
  ///
  /// - Parameters:
  ///   - more: The demand.
  ///   - answer: A closure that returns the current value, given the number of the last value delivered. It is called
  ///     inside the gate.
  final func request(
    _ more: Subscribers.Demand,
    answer: (_ last: Int) -> CurrentValueAnswer<Output>
  ) {
    let isDue = table.lock.withLock {
      let isDue = !notes.hasCurrentValue.exchange(true, ordering: .relaxed)
      if isDue { notes.unansweredCount.add(1, ordering: .relaxed) }
      // One element of this demand is for the current value. Unlimited demand stays unlimited.
      demand.add(isDue ? more - 1 : more)
      return isDue
    }
    guard isDue else { return }
    // A new subscriber has the current value when `subscribe` returns. A later request may come from inside another gate,
    // and must not wait.
    let pass = notes.isDeliveringSubscription ? passGate : passGateOrDelegate
    pass { deliverCurrent(answer, mayBeInsideItsSend: true) }
  }

  /// Answers the requests that other threads made while this thread was inside the gate. It is not used in front of a
  /// sink, which makes one request only.
  final func answerRequests(answer: (_ last: Int) -> CurrentValueAnswer<Output>) {
    while gate.enterOrDelegate() {
      while notes.unansweredCount.load(ordering: .relaxed) > 0 { deliverCurrent(answer, mayBeInsideItsSend: false) }
      if !gate.leave() { return }
    }
  }

  /// Delivers the current value for a request. An element of the demand was taken for it. Called inside the gate.
  private final func deliverCurrent(
    _ answer: (_ last: Int) -> CurrentValueAnswer<Output>,
    mayBeInsideItsSend: Bool
  ) {
    // Another thread may have answered the request already.
    guard notes.unansweredCount.load(ordering: .relaxed) > 0 else { return }
    notes.unansweredCount.subtract(1, ordering: .relaxed)
    guard !demand.hasEnded else { return }
    let answer = answer(notes.lastNumber.load(ordering: .relaxed))
    let isOvertaken = notes.repeatedNumber.exchange(-1, ordering: .relaxed) == answer.number
    guard isOvertaken || notes.isNews(answer.number) || answer.mayRepeat && notes.hasMissed else {
      // Another thread delivered that value between the two steps. The element of demand is given back.
      return demand.add(.max(1))
    }
    notes.missedAfter.store(-1, ordering: .relaxed)
    _ = table.changeDecisions { $0.forgetRejected(at: ObjectIdentifier(self)) }
    // A send of this value on another thread finds later that the downstream has it. If this request is nested in that
    // send, the value is delivered again, as in Combine.
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
