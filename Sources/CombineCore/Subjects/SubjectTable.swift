import CombineThreads

/// Whether a publisher keeps a current value, and when a send replaces it.
@usableFromInline
enum CurrentValue {
  case none

  /// Before the delivery, as a subject does.
  case storedFirst

  /// After the delivery, as a property does.
  case storedLast
}

/// The subscribers of one subject, its turns, and what it decides in them. The subscribers keep the subject alive.
///
/// A send takes the turn, meets one subscriber after the other, and calls those that have demand. A subscriber that has none
/// then lacks the current value, if there is one. Its next request is answered: at once if it is this thread's turn or
/// nobody's, and otherwise by the thread whose turn it is, before it ends the turn.
///
/// A sender that has to wait takes its elements of demand before it waits; see ``Sending/Decision``.
///
/// A new subscriber is in the table before it has its subscription, and receives the current value with its first request, from
/// its own thread, in no turn. Until `subscribe` has delivered the subscription, other threads pass it by.
///
/// The class is not generic. A subclass knows the type of the values.
@usableFromInline
class SubjectTable: SubscriberTable {

  /// The description of the subscriptions.
  final let name: String

  /// Whether any request opens a subscription for all values, which come without demand, as those of `objectWillChange` do.
  @usableFromInline
  final let ignoresDemand: Bool

  private final let current: CurrentValue

  /// The address of the current value; `nil` if there is none, or the publisher is gone. Written with the lock held, in a turn.
  @exclusivity(unchecked)
  final var valueAddress: UnsafeMutableRawPointer?

  @exclusivity(unchecked)  // Only with the lock held.
  private final var hasEnded = false

  /// The innermost send of the thread whose turn it is.
  @exclusivity(unchecked)  // These three: only with the lock held.
  private final var sending: UnsafeMutablePointer<Sending>?

  /// The send that is running and whose value is the current one.
  @exclusivity(unchecked)
  private final var currentSending: UnsafeMutablePointer<Sending>?

  /// Whether a subscriber has asked for the current value that was not answered.
  @exclusivity(unchecked)
  private final var hasAsking = false

  /// The sending of one value. It lies on the stack of its thread.
  private struct Sending {

    /// What a sender has decided before it waited.
    struct Decision {

      /// The number of the newest subscriber then.
      let last: Int64

      /// The numbers of the subscribers with demand that were not met yet. The oldest one comes last.
      var wanting: [Int64] = []

      /// Whether one of them was not met, as it was removed.
      private var hasMissed = false

      init(last: Int64) { self.last = last }

      var isComplete: Bool { wanting.isEmpty && !hasMissed }

      /// Notes that a subscriber is met. The walk meets the oldest one first.
      ///
      /// - Returns: Whether it had demand; `nil` if it came later.
      mutating func meet(_ number: Int64) -> Bool? {
        if number > last { return nil }
        while let oldest = wanting.last, oldest <= number {
          wanting.removeLast()
          if oldest == number { return true }
          hasMissed = true
        }
        return false
      }
    }

    var walk: SubscriberList.Walk  // The first property, so it has this value's address.
    let value: UnsafeRawPointer

    /// Another copy of the value, to be exchanged with the current one.
    let new: UnsafeMutableRawPointer?

    let replacesAfterEnd: Bool

    /// What was decided, if the sender had to wait. It lies on the same stack.
    var decision: UnsafeMutablePointer<Decision>?

    /// Whether it has passed a subscriber by that lacks the value once it is stored.
    var hasLate = false

    /// The address of a sending's walk.
    static func walk(at sending: UnsafeMutablePointer<Sending>) -> UnsafeMutablePointer<SubscriberList.Walk> {
      UnsafeMutableRawPointer(sending).assumingMemoryBound(to: SubscriberList.Walk.self)
    }

    init(
      _ value: UnsafeRawPointer,
      upTo last: Int64,
      replacingAfterEnd replacesAfterEnd: Bool,
      exchanging new: UnsafeMutableRawPointer?
    ) {
      walk = SubscriberList.Walk(upTo: last)
      self.value = value
      self.replacesAfterEnd = replacesAfterEnd
      self.new = new
    }
  }

  @usableFromInline
  init(name: String, ignoresDemand: Bool = false, current: CurrentValue = .none) {
    self.name = name
    self.ignoresDemand = ignoresDemand
    self.current = current
    super.init()
  }

  // MARK: What a subclass does

  /// Exchanges the current value with the one at an address, if there is one. Called with the lock held, in a turn.
  func exchangeValue(with new: UnsafeMutableRawPointer) {}

  /// Copies the current value, releases the lock, and calls `body` with the copy.
  func unlockCopyingValue(_ body: (UnsafeRawPointer) -> Void) { lock.unlock() }

  /// Keeps the completion. Called with the lock held.
  func keep(completion: UnsafeRawPointer) {}

  /// Called after each request, with the lock free.
  func didRequest() {}

  // MARK: Sends

  /// Sends a value to each subscriber that has demand.
  ///
  /// - Parameters:
  ///   - value: The address of the value.
  ///   - last: The number of the last subscriber that is met. Those that came later receive the value after it is stored.
  ///   - replacesAfterEnd: Whether the current value is replaced after the completion, too.
  ///   - new: The address of another copy of the value, which is exchanged with the current value.
  @usableFromInline
  final func send(
    _ value: UnsafeRawPointer,
    upTo last: Int64 = .max,
    replacingAfterEnd replacesAfterEnd: Bool = false,
    exchanging new: UnsafeMutableRawPointer? = nil
  ) {
    var sending = Sending(value, upTo: last, replacingAfterEnd: replacesAfterEnd, exchanging: new)
    send(&sending)
  }

  @inline(__always)
  private final func send(_ sending: UnsafeMutablePointer<Sending>) {
    let thread = Platform.currentThread
    if lockTakingTurn(on: thread, walking: Sending.walk(at: sending)) {
      sendInTurn(sending, on: thread)
    } else {
      sendAfterWaiting(sending, on: thread)
    }
  }

  // Apart, so that the usual way is short.
  @inline(never)
  private final func sendAfterWaiting(_ sending: UnsafeMutablePointer<Sending>, on thread: UInt) {
    if hasEnded, !sending.pointee.replacesAfterEnd { return lock.unlock() }
    var decision = decide(upTo: sending.pointee.walk.last)
    waitForTurn(on: thread)
    list.begin(Sending.walk(at: sending))
    withUnsafeMutablePointer(to: &decision) {
      sending.pointee.decision = $0
      sendInTurn(sending, on: thread)
    }
    if !decision.isComplete { DeliveryReceipt.refuse() }
  }

  /// Calls the subscribers in the turn, ends it with the walk, and releases the lock.
  @inline(__always)
  private final func sendInTurn(_ sending: UnsafeMutablePointer<Sending>, on thread: UInt) {
    if hasEnded { return replaceAfterEnd(sending) }
    let outer = self.sending
    self.sending = sending
    if current == .storedFirst, let new = sending.pointee.new {
      exchangeValue(with: new)
      currentSending = sending
    }
    // Not by `meetEach`: a debug build would make its closure for each value.
    while let element = sending.pointee.walk.next {
      unsafeBitCast(element, to: Unmanaged<SubjectSubscription>.self)._withUnsafeGuaranteedRef {
        guard sending.pointee.walk.step(to: $0) else { return }
        let isUsual = sending.pointee.decision == nil ? !$0.isNew : false
        if isUsual ? $0.takesValue() : admits($0, in: sending, on: thread) { deliver(sending.pointee.value, to: $0) }
      }
    }
    if current == .storedLast, let new = sending.pointee.new {
      exchangeValue(with: new)
      if sending.pointee.hasLate || hasNewcomer(after: sending.pointee.walk.last) {
        askForNewcomers(to: sending, on: thread)
      }
    }
    self.sending = outer
    currentSending = nil
    if hasAsking, turn.depth == 1 { answerAll() }
    endTurnAndWalk()
  }

  private final func replaceAfterEnd(_ sending: UnsafeMutablePointer<Sending>) {
    if sending.pointee.replacesAfterEnd, let new = sending.pointee.new { exchangeValue(with: new) }
    endTurnAndWalk()
  }

  /// Decides whether a value is delivered to a subscriber, and takes an element of its demand, where more than the demand
  /// counts.
  @inline(never)
  private final func admits(
    _ subscription: SubjectSubscription,
    in sending: UnsafeMutablePointer<Sending>,
    on thread: UInt
  ) -> Bool {
    let hadDemand = sending.pointee.decision?.pointee.meet(subscription.number)
    let hasValue = subscription.firstSending == UnsafeMutableRawPointer(sending)
    if hasValue { subscription.firstSending = nil }
    let isLate = !hasValue && current != .none && subscription.isAnnouncing(besides: thread)
    if hasValue || isLate {
      if hadDemand == true { subscription.demand += .max(1) }
      if isLate { passBy(subscription, in: sending) }
      return false
    }
    // A request that came after the value was sent is one for the current value.
    let isAsking = hadDemand == nil || current != .none && subscription.hasRequested
    let isMet = hadDemand == true || subscription.demand == .unlimited || isAsking && subscription.takeDemand()
    return subscription.receives(isMet)
  }

  /// Notes that a subscriber lacks the value: now, or once it is stored. Until then the older value is the current one.
  private final func passBy(_ subscription: SubjectSubscription, in sending: UnsafeMutablePointer<Sending>) {
    if current == .storedLast {
      subscription.isLate = true
      sending.pointee.hasLate = true
    } else {
      subscription.missesValue()
    }
  }

  /// Takes an element of demand from each subscriber whose demand is finite, for a sender that has to wait.
  private final func decide(upTo last: Int64) -> Sending.Decision {
    let last = min(last, list.lastNumber)
    var decision = Sending.Decision(last: last)
    list.forEachFromLast(as: SubjectSubscription.self) {
      if $0.number > last { return true }
      $0.hasRequested = false
      if $0.takeDemand() { decision.wanting.append($0.number) }
      return true
    }
    return decision
  }

  /// Calls a subscriber with a value, with the lock held before and afterwards.
  @inline(__always)
  private final func deliver(_ value: UnsafeRawPointer, to subscription: SubjectSubscription) {
    beginCall(to: subscription)
    let more = subscription.deliver(value, withoutDemand: ignoresDemand)
    lockAgain()
    if more != .none { add(more, to: subscription) }
    endCall(to: subscription)
  }

  private final func add(_ more: Subscribers.Demand, to subscription: SubjectSubscription) {
    if !subscription.hasEnded { subscription.demand += more }
  }

  // MARK: Requests

  /// Adds to the demand of a subscriber. One that lacks the current value receives it.
  final func request(_ demand: Subscribers.Demand, from subscription: SubjectSubscription) {
    let thread = Platform.currentThread
    lock.lock()
    if subscription.hasEnded { return lock.unlock() }
    subscription.demand += ignoresDemand ? .unlimited : demand
    subscription.hasRequested = true
    if current == .none {
      // So the downstream has its subscription.
      subscription.isAnnouncing = false
      lock.unlock()
      return didRequest()
    }
    if subscription.presence == .present { return lock.unlock() }
    if subscription.isAnnouncing, subscription.thread == thread {
      return deliverFirst(to: subscription, on: thread)
    }
    subscription.presence = .asking
    if subscription.isAnnouncing { lock.unlock() } else { answer(subscription, on: thread) }
  }

  /// Delivers the current value to a subscriber that no other thread calls yet, and releases the lock. Then others may.
  private final func deliverFirst(to subscription: SubjectSubscription, on thread: UInt) {
    guard valueAddress != nil, subscription.takesValue() else { return lock.unlock() }
    if let currentSending, currentSending.pointee.walk.isAhead(subscription) {
      subscription.firstSending = UnsafeMutableRawPointer(currentSending)
    }
    subscription.callCount += 1
    var more = Subscribers.Demand.none
    unlockCopyingValue { more = subscription.deliver($0, withoutDemand: false) }
    lock.lock()
    add(more, to: subscription)
    endCall(to: subscription)
    // An outer call of this thread may be running, and a completion may wait for the delivery of the subscription.
    if subscription.callCount > 0 { return lock.unlock() }
    endAnnouncement(of: subscription, on: thread)
  }

  /// Lets other threads call a subscriber, answers it if it asks, and releases the lock.
  private final func endAnnouncement(of subscription: SubjectSubscription, on thread: UInt) {
    subscription.isAnnouncing = false
    guard subscription.presence == .asking, !subscription.hasEnded else { return lock.unlock() }
    answer(subscription, on: thread)
  }

  /// Answers a subscriber that asks, or leaves that to the thread whose turn it is, and releases the lock.
  private final func answer(_ subscription: SubjectSubscription, on thread: UInt) {
    guard turn.take(for: thread) else {
      hasAsking = true
      return lock.unlock()
    }
    answer(subscription)
    endSubjectTurn()
  }

  /// Delivers the current value to a subscriber that asks, in the turn, with the lock held before and afterwards.
  private final func answer(_ subscription: SubjectSubscription) {
    guard let value = valueAddress, subscription.takesValue() else { return }
    deliver(UnsafeRawPointer(value), to: subscription)
    // If the send has met it without demand whose value is stored later, it lacks that value now.
    if current == .storedLast, let sending, sending.pointee.walk.hasMet(subscription) { ask(for: subscription) }
  }

  /// Notes that a subscriber lacks the current value. If it has demand, it is answered before the turn ends.
  private final func ask(for subscription: SubjectSubscription) {
    subscription.missesValue()
    hasAsking = true
  }

  /// Notes that those lack the current value that have come since the send of it began, or that the send has passed by.
  /// Those of this thread, which have come from inside the send, do not, as in Combine.
  private final func askForNewcomers(to sending: UnsafeMutablePointer<Sending>, on thread: UInt) {
    list.forEachFromLast(as: SubjectSubscription.self) {
      let isNewcomer = $0.number > sending.pointee.walk.last
      if exchange(&$0.isLate, with: false) || isNewcomer && $0.thread != thread { ask(for: $0) }
      return isNewcomer || sending.pointee.hasLate
    }
  }

  /// Answers those who ask, ends the turn, and releases the lock.
  @inline(__always)
  private final func endSubjectTurn() {
    if hasAsking, turn.depth == 1 { answerAll() }
    endTurn()
  }

  @inline(never)
  private final func answerAll() {
    while hasAsking {
      hasAsking = false
      meetEach(as: SubjectSubscription.self) {
        if $0.presence == .asking, !$0.isAnnouncing { answer($0) }
      }
    }
  }

  // MARK: Beginning and end of a subscription

  /// Adds a subscription, whose delivery follows, unless the subject has completed.
  ///
  /// - Returns: Whether it was added.
  @usableFromInline
  final func register(_ subscription: SubjectSubscription, of subject: AnyObject?) -> Bool {
    lock.lock()
    let isOpen = !hasEnded
    if isOpen {
      subscription.thread = Platform.currentThread
      subscription.isAnnouncing = true
      insert(subscription, sustaining: subject)
    }
    lock.unlock()
    return isOpen
  }

  /// Notes that the downstream has received the subscription.
  ///
  /// - Returns: Whether the completion is to be delivered now. ``didComplete(_:)`` follows.
  @usableFromInline
  final func endAnnouncement(of subscription: SubjectSubscription) -> Bool {
    lock.lock()
    if exchange(&subscription.holdsCompletion, with: false) {
      subscription.isAnnouncing = false
      lock.unlock()
      return true
    }
    endAnnouncement(of: subscription, on: Platform.currentThread)
    return false
  }

  @usableFromInline
  final func didComplete(_ subscription: SubjectSubscription) {
    lock.lock()
    endCall(to: subscription)
    lock.unlock()
  }

  final func cancel(_ subscription: SubjectSubscription) {
    if lock.withLock({ endOnce(subscription) }) { remove(subscription) }
  }

  private final func endOnce(_ subscription: SubjectSubscription) -> Bool {
    if subscription.hasEnded {
      // The completion was held back, which counts as a call.
      if exchange(&subscription.holdsCompletion, with: false) { endCall(to: subscription) }
      return false
    }
    subscription.hasEnded = true
    return true
  }

  /// Whether a call to a subscriber is running, on any thread.
  final func isCalling(_ subscription: SubjectSubscription) -> Bool { lock.withLock { subscription.callCount > 0 } }

  /// Completes: removes all subscribers and sends them the completion. It does nothing the second time.
  ///
  /// - Parameter completion: The address of the completion.
  final func complete(_ completion: UnsafeRawPointer) {
    let thread = Platform.currentThread
    lock.lock()
    if hasEnded { return lock.unlock() }
    takeTurn(on: thread)
    if hasEnded { return endSubjectTurn() }
    hasEnded = true
    keep(completion: completion)
    meetEach(as: SubjectSubscription.self) { end($0, with: completion, on: thread) }
    // Not earlier: an element may need the object when it is called.
    let sustained = takeSustained()
    endSubjectTurn()
    withExtendedLifetime(sustained) {}
  }

  private final func end(_ subscription: SubjectSubscription, with completion: UnsafeRawPointer, on thread: UInt) {
    list.remove(subscription)
    subscription.hasEnded = true
    if subscription.isAnnouncing(besides: thread) {
      subscription.holdsCompletion = true
      subscription.callCount += 1
      return
    }
    beginCall(to: subscription)
    subscription.deliver(completion: completion)
    lock.lock()
    endCall(to: subscription)
  }
}
