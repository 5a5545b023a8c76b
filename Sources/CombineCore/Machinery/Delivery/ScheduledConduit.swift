import Synchronization

/// The part of a ``ScheduledConduit`` that is not generic: its gate, its lock, and the relay of its actions.
///
/// Its small methods are there for debug builds, in which an object that uses an inherited property retains itself.
@usableFromInline
class ScheduledCore: EndingConduit {

  @usableFromInline
  final let gate = Gate()

  @usableFromInline
  final var _gate: UnsafeRawPointer? { gate.address }

  @usableFromInline
  final let unrequested = UnrequestedDeliveryMark()

  /// Guards the events that wait, and the properties that follow. It is taken inside ``lock`` or without it.
  @usableFromInline
  final let eventsLock = Lock()

  /// The object that the actions hold.
  @exclusivity(unchecked)  // These four: only with `eventsLock` held.
  private final var relayReference = ActionRelayReference()

  /// Whether the last event that waits is the end. No event follows it.
  @exclusivity(unchecked)
  @usableFromInline
  final var hasEnd = false

  /// How many values were taken, and the numbers of those that wait and were not requested.
  @exclusivity(unchecked)
  private final var takenCount = 0

  @exclusivity(unchecked)
  private final var unrequestedNumbers: [Int] = []

  @inline(never)  // Otherwise the compiler (6.3) retains and releases the object that is being deinitialized.
  deinit {}

  @usableFromInline
  override func removeRelay(_ relay: UnsafeMutableRawPointer) {
    eventsLock.withLock { relayReference.remove(relay) }
  }

  @usableFromInline
  final func lockEvents() { eventsLock.lock() }

  @usableFromInline
  final func unlockEvents() { eventsLock.unlock() }

  /// Returns the relay that a new action must hold, and whether other actions hold it already.
  @usableFromInline
  final func nextRelayLocked() -> (relay: ActionRelay, isShared: Bool) { relayReference.relay(for: self) }

  @usableFromInline
  final func takeRelayLocked() -> ActionRelay? { relayReference.take() }

  /// Keeps the relay for the next action, because nothing waits.
  @usableFromInline
  final func restLocked() { relayReference.rest() }

  /// Notes that the next value was not requested.
  ///
  /// - Parameter place: The number of values in front of it.
  @usableFromInline
  final func noteUnrequestedLocked(at place: Int) {
    unrequestedNumbers.append(takenCount + place)
  }

  /// Notes that the oldest value was taken.
  ///
  /// - Parameter rest: The number of values that are left.
  /// - Returns: Whether it was not requested.
  @usableFromInline
  final func didTakeLocked(rest: Int) -> Bool {
    if rest == 0, !hasEnd { relayReference.rest() }
    takenCount &+= 1
    guard !unrequestedNumbers.isEmpty, unrequestedNumbers[0] == takenCount - 1 else { return false }
    unrequestedNumbers.removeFirst()
    return true
  }

  /// Forgets what is noted about the values that wait.
  @usableFromInline
  final func didDropLocked() {
    hasEnd = false
    unrequestedNumbers = []
  }

  /// Enters the gate, unless the connection ends while another thread is inside.
  @usableFromInline
  final func enterToDeliver() -> Gate.Entry {
    if gate.enterIfFree() { return .outermost }
    let entry = gate.enter(unless: { self.phase != .subscribed })
    if case .refused = entry { DeliveryReceipt.refuse() }
    return entry
  }

  @usableFromInline
  final func leaveGate(after entry: Gate.Entry) {
    if case .outermost = entry { gate.leave() }
  }

  /// See ``CurrentDelivery/begin(_:)``. The caller is inside the gate.
  @usableFromInline
  final func beginDelivery() -> UnsafeRawPointer? { CurrentDelivery.begin(gate.address) }

  /// Begins to mark a delivery, if this conduit marks its deliveries. ``UnrequestedDelivery/end(_:)`` follows.
  @usableFromInline
  final func beginMark() -> UInt8 { unrequested.begin() }
}

/// The conduit of an operator that delivers its events from actions of a scheduler: `receive(on:)`, `delay`, `timeout`
/// and collect by time.
///
/// There is one action for each event, and each action delivers the oldest event that waits. So the events keep their
/// order, and the completion is the last one, on any scheduler: a concurrent queue may run the actions in any order and at
/// the same time, and a serial queue runs an action whose date has passed before one that waits. Other work on a serial
/// scheduler keeps its place between the events.
///
/// The actions hold the conduit by an ``ActionRelay``. A cancel releases what waits, and the conduit.
@usableFromInline
class ScheduledConduit<Downstream: Subscriber>: ScheduledCore {

  @usableFromInline
  typealias Completion = Subscribers.Completion<Downstream.Failure>

  /// What waits for its action: the values, the oldest first, and then the end.
  @usableFromInline
  struct Events: ~Copyable {

    @usableFromInline
    var values = Deque<Downstream.Input>()

    @usableFromInline
    var completion: Completion?

    /// A value that was not requested, and that the completion follows in the same action.
    @usableFromInline
    var last: Downstream.Input?

    @inlinable
    init() {}
  }

  @usableFromInline
  final let downstream: Downstream

  @exclusivity(unchecked)  // Only with `lock` held.
  @usableFromInline
  final var announcement = EventAnnouncement<Completion>()

  @exclusivity(unchecked)  // Only with `eventsLock` held.
  @usableFromInline
  final var events = Events()

  /// A function that calls ``deliverOldest()``. It is made where the types are known, and is therefore specialized.
  /// ``runAction()``, which is reached through the class, never is.
  @usableFromInline
  final let runSpecialized: (ScheduledConduit) -> Void

  /// - Parameter run: A function that calls ``deliverOldest()``.
  @inlinable
  init(downstream: Downstream, run: @escaping (ScheduledConduit) -> Void) {
    self.downstream = downstream
    runSpecialized = run
  }

  @usableFromInline
  final override func runAction() {
    runSpecialized(self)
  }

  /// Takes the first subscription, and delivers the downstream its own with no gate held. Any other one is cancelled.
  ///
  /// - Parameter prepare: A closure that is called before the downstream is.
  /// - Returns: A completion that has waited, for the caller to handle.
  @inlinable
  final func announce(_ subscription: any Subscription, after prepare: () -> Void = {}) -> Completion? {
    guard accept(subscription) else { return nil }
    prepare()
    guard lock.withLock({ announcement.begin() }) else { return nil }
    downstream.receive(subscription: self)
    return lock.withLock { announcement.end() }
  }

  // MARK: Events

  /// Adds a value, unless the connection has ended or is ending.
  ///
  /// - Returns: The relay for the value's action.
  @inlinable
  final func appendIfOpen(_ value: Downstream.Input) -> ActionRelay? {
    lockEvents()
    guard isOpen else {
      unlockEvents()
      return nil
    }
    let (relay, isShared) = nextRelayLocked()
    if hasEnd || !isShared { return append(value, with: relay, isShared: isShared) }
    events.values.append(value)
    unlockEvents()
    return relay
  }

  /// Does the rest of ``appendIfOpen(_:)`` for the first value, and for one that is dropped because it comes after the end.
  @inlinable
  final func append(_ value: Downstream.Input, with relay: ActionRelay, isShared: Bool) -> ActionRelay {
    var dropped = Events()
    if !isShared { dropLocked(to: &dropped) }
    if !hasEnd { events.values.append(value) }
    unlockEvents()
    return relay
  }

  /// Adds a value.
  ///
  /// - Parameter dropped: Takes events whose actions the scheduler has dropped, to be released with no lock held.
  /// - Returns: The relay for the value's action.
  @inlinable
  final func append(_ value: Downstream.Input, dropping dropped: inout Events) -> ActionRelay {
    eventsLock.withLock {
      let relay = nextRelayLocked(dropping: &dropped)
      events.values.append(value)
      return relay
    }
  }

  /// Adds a value that no action was scheduled for. ``deliverOldestLocked(leavingAfter:)`` follows in the same step, as an
  /// event without an action is dropped.
  ///
  /// - Parameter isUnrequested: Whether the demand that the downstream returns for it is ignored.
  @inlinable
  final func appendWithoutActionLocked(_ value: Downstream.Input, isUnrequested: Bool) {
    if isUnrequested { noteUnrequestedLocked(at: events.values.count) }
    events.values.append(value)
  }

  /// Adds the end. Only the first one counts.
  ///
  /// - Parameters:
  ///   - last: A value that was not requested, to be delivered with the completion.
  ///   - dropped: Takes events whose actions the scheduler has dropped, to be released with no lock held.
  /// - Returns: The relay for the action of the end.
  @inlinable
  final func append(
    _ completion: Completion,
    after last: Downstream.Input? = nil,
    dropping dropped: inout Events
  ) -> ActionRelay {
    eventsLock.withLock { appendLocked(completion, after: last, dropping: &dropped) }
  }

  /// Adds the end, unless the connection has ended or is ending.
  @inlinable
  final func appendIfOpen(_ completion: Completion, dropping dropped: inout Events) -> ActionRelay? {
    eventsLock.withLock { isOpen ? appendLocked(completion, after: nil, dropping: &dropped) : nil }
  }

  @inlinable
  final func appendLocked(
    _ completion: Completion,
    after last: Downstream.Input?,
    dropping dropped: inout Events
  ) -> ActionRelay {
    let relay = nextRelayLocked(dropping: &dropped)
    if !exchange(&hasEnd, with: true) {
      events.completion = completion
      events.last = last
    }
    return relay
  }

  /// Returns the relay that a new action must hold. If no other action holds it, those of the events that wait were dropped
  /// by the scheduler, and the events are dropped, too.
  @inlinable
  final func nextRelayLocked(dropping dropped: inout Events) -> ActionRelay {
    let (relay, isShared) = nextRelayLocked()
    if !isShared { dropLocked(to: &dropped) }
    return relay
  }

  @usableFromInline
  final func dropLocked(to dropped: inout Events) {
    swap(&events, &dropped)
    didDropLocked()
  }

  // MARK: Delivery

  /// Delivers the oldest event.
  ///
  /// - Returns: The demand that the downstream has returned, for the caller to pass to the upstream. The conduit may be
  ///   ending, so it does not call the conduit's own `request`.
  @inlinable
  final func deliverOldest() -> Subscribers.Demand {
    let entry = enterToDeliver()
    if case .refused = entry { return .none }
    lockEvents()
    return deliverOldestLocked(leavingAfter: entry)
  }

  /// Does the same for a caller that has entered the gate and has locked the events. It leaves the gate, and unlocks them.
  @inlinable
  final func deliverOldestLocked(leavingAfter entry: Gate.Entry) -> Subscribers.Demand {
    // Taken inside the gate, so that no other event overtakes it. Released outside.
    if events.values.count == 0 {
      deliverEndLocked(leavingAfter: entry)
      return .none
    }
    let value = events.values.removeFirst()
    let isUnrequested = didTakeLocked(rest: events.values.count)
    unlockEvents()
    var more = Subscribers.Demand.none
    if isSubscribed {
      let outerMark = beginMark()
      let outer = beginDelivery()
      more = downstream.receive(value)
      CurrentDelivery.end(outer)
      UnrequestedDelivery.end(outerMark)
    }
    leaveGate(after: entry)
    withExtendedLifetime(value) {}
    return isUnrequested ? .none : more
  }

  /// Delivers the end, if it waits. The lock of the events is held, and is released.
  @inlinable
  final func deliverEndLocked(leavingAfter entry: Gate.Entry) {
    let (completion, last) = (exchange(&events.completion, with: nil), exchange(&events.last, with: nil))
    hasEnd = false
    restLocked()
    unlockEvents()
    let ended = completion == nil ? nil : disconnect()
    if let completion, ended != nil {
      gate.releaseWaiting()
      let outer = beginDelivery()
      if let last { UnrequestedDelivery.value.mark { _ = downstream.receive(last) } }
      downstream.receive(completion: completion)
      CurrentDelivery.end(outer)
    }
    leaveGate(after: entry)
    withExtendedLifetime((completion, last, ended)) {}
  }

  // MARK: The end

  /// Takes what waits, after the end of the connection.
  ///
  /// - Parameter dropped: Takes the events that wait, to be released with no lock held.
  /// - Returns: The relay, to be released with no lock held.
  @usableFromInline
  final func dropEvents(to dropped: inout Events) -> ActionRelay? {
    eventsLock.withLock {
      dropLocked(to: &dropped)
      return takeRelayLocked()
    }
  }

  // A cancellation while ending is ignored. Neither the completion nor the events before it can be stopped.
  @usableFromInline
  override func cancel() {
    guard let subscription = lock.withLock({ isOpen ? disconnectLocked() : nil }) else { return }
    finishCancel(subscription)
  }

  /// Cancels the upstream, and releases what waits.
  @usableFromInline
  final func finishCancel(_ subscription: (any Subscription)?) {
    gate.releaseWaiting()
    subscription?.cancel()
    var dropped = Events()
    dropEvents(to: &dropped)?.release()
    _ = consume dropped
  }
}
