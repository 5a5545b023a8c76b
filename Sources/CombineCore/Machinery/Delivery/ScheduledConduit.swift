import CombineThreads
import Synchronization

/// The part of a ``ScheduledConduit`` that is not generic: its lock, and the relay of its actions.
///
/// Its small methods are there for debug builds, in which an object that uses an inherited property retains itself.
@usableFromInline
class ScheduledCore: EndingConduit {

  @usableFromInline
  final let unrequested = UnrequestedDeliveryMark()

  /// Guards the events that wait, and the properties that follow. It is taken inside ``lock`` or without it.
  @usableFromInline
  final let eventsLock = Lock()

  /// The connection from the actions to this conduit. It holds the conduit while there are actions.
  private final let relay: ActionRelay

  /// The actions of the events that wait.
  @exclusivity(unchecked)  // These four: only with `eventsLock` held.
  private final var actions = PendingActions()

  /// Whether the last event that waits is the end. No event follows it.
  @exclusivity(unchecked)
  @usableFromInline
  final var hasEnd = false

  /// The places of the values that wait and were not requested.
  @exclusivity(unchecked)
  private final var unrequestedPlaces: [Int] = []

  @usableFromInline
  init(relay: ActionRelay) {
    self.relay = relay
  }

  @inline(never)  // Otherwise the compiler (6.3) retains and releases the object that is being deinitialized.
  deinit {}

  @usableFromInline
  final func lockEvents() { eventsLock.lock() }

  @usableFromInline
  final func unlockEvents() { eventsLock.unlock() }

  /// Takes the lock and adds an action for a value, which is added next, unless the connection has ended.
  ///
  /// - Returns: Its number, or none if the connection is ending; `nil` if it has ended, with the lock free.
  @usableFromInline
  final func lockAddingActionIfOpen() -> UInt64? {
    eventsLock.lock()
    if isOpen { return hasEnd ? PendingActions.none : addActionLocked() }
    eventsLock.unlock()
    return nil
  }

  /// Adds an action for an event that was added behind the others.
  ///
  /// - Returns: Its number.
  @usableFromInline
  final func addActionLocked() -> UInt64 {
    if actions.isEmpty { relay.hold(self) }
    return actions.add()
  }

  /// Removes an action that runs or was dropped. It keeps this conduit alive until it ends.
  ///
  /// - Returns: The place of the event that it stands for, or `nil` if it does not count.
  @usableFromInline
  final func removeActionLocked(_ number: UInt64) -> Int? {
    let place = actions.remove(number)
    if place != nil, actions.isEmpty { relay.release() }
    return place
  }

  /// Removes all actions, at the end of the connection. The caller keeps this conduit alive.
  @usableFromInline
  final func removeAllActionsLocked() {
    actions.removeAll()
    relay.end()
  }

  /// Returns an action for a scheduler.
  @usableFromInline
  final func action(_ number: UInt64) -> () -> Void { relay.action(number) }

  /// Notes that the next value was not requested.
  ///
  /// - Parameter place: The number of values in front of it.
  @usableFromInline
  final func noteUnrequestedLocked(at place: Int) {
    unrequestedPlaces.append(place)
  }

  /// Notes that a value was taken, or dropped with its action.
  ///
  /// - Parameter place: The number of values in front of it.
  /// - Returns: Whether it was not requested.
  @usableFromInline
  final func didTakeLocked(at place: Int = 0) -> Bool {
    guard unrequestedPlaces.count > 0 else { return false }  // `isEmpty` calls four functions in a debug build.
    let isUnrequested = unrequestedPlaces.contains(place)
    // Those behind it move up.
    unrequestedPlaces = unrequestedPlaces.compactMap { $0 == place ? nil : $0 > place ? $0 - 1 : $0 }
    return isUnrequested
  }

  /// Forgets what is noted about the values that wait.
  @usableFromInline
  final func didDropAllLocked() {
    hasEnd = false
    unrequestedPlaces = []
  }

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
/// scheduler keeps its place between the events. An action that the scheduler drops drops an event: ``PendingActions``.
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

  /// - Parameter relay: The relay of the events' actions. It calls ``deliverOldest(for:)`` and ``dropEvent(of:)``.
  @inlinable
  init(downstream: Downstream, relay: ActionRelay) {
    self.downstream = downstream
    super.init(relay: relay)
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

  /// Adds a value, unless the connection has ended or is ending. A value after the end is dropped, but costs its action.
  ///
  /// - Returns: The number of the value's action.
  @inlinable
  final func appendIfOpen(_ value: Downstream.Input) -> UInt64? {
    guard let number = lockAddingActionIfOpen() else { return nil }
    if number != PendingActions.none { events.values.append(value) }
    unlockEvents()
    return number
  }

  /// Adds a value.
  ///
  /// - Returns: The number of the value's action.
  @inlinable
  final func append(_ value: Downstream.Input) -> UInt64 {
    lockEvents()
    let number = appendLocked(value)
    unlockEvents()
    return number
  }

  @inlinable
  final func appendLocked(_ value: Downstream.Input) -> UInt64 {
    events.values.append(value)
    return addActionLocked()
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

  /// Adds the end. Only the first one counts, but each costs an action.
  ///
  /// - Parameter last: A value that was not requested, to be delivered with the completion.
  /// - Returns: The number of the action of the end.
  @inlinable
  final func append(_ completion: Completion, after last: Downstream.Input? = nil) -> UInt64 {
    eventsLock.withLock { appendLocked(completion, after: last) }
  }

  /// Adds the end, unless the connection has ended or is ending.
  @inlinable
  final func appendIfOpen(_ completion: Completion) -> UInt64? {
    eventsLock.withLock { isOpen ? appendLocked(completion, after: nil) : nil }
  }

  @inlinable
  final func appendLocked(_ completion: Completion, after last: Downstream.Input?) -> UInt64 {
    guard !exchange(&hasEnd, with: true) else { return PendingActions.none }
    events.completion = completion
    events.last = last
    return addActionLocked()
  }

  /// Drops the event of an action that the scheduler has dropped. It is released with no lock held.
  @usableFromInline
  final func dropEvent(of number: UInt64) {
    lockEvents()
    guard let place = removeActionLocked(number) else { return unlockEvents() }
    var dropped = Events()
    if place < events.values.count {
      dropped.last = events.values.remove(at: place)
      _ = didTakeLocked(at: place)
    } else {
      swap(&events, &dropped)
      swap(&events.values, &dropped.values)
      hasEnd = false
    }
    unlockEvents()
    _ = consume dropped
  }

  // MARK: Delivery

  /// Delivers the oldest event, if the action counts.
  ///
  /// - Parameter number: The number of the action that runs.
  /// - Returns: The demand that the downstream has returned, for the caller to pass to the upstream. The conduit may be
  ///   ending, so it does not call the conduit's own `request`.
  @inlinable
  final func deliverOldest(for number: UInt64) -> Subscribers.Demand {
    let entry = enterToDeliver()
    if case .refused = entry { return .none }
    lockEvents()
    guard removeActionLocked(number) != nil else {
      unlockEvents()
      leaveGate(after: entry)
      return .none
    }
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
    let isUnrequested = didTakeLocked()
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
  @usableFromInline
  final func deliverEndLocked(leavingAfter entry: Gate.Entry) {
    let (completion, last) = (exchange(&events.completion, with: nil), exchange(&events.last, with: nil))
    hasEnd = false
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
    lockEvents()
    swap(&events, &dropped)
    didDropAllLocked()
    removeAllActionsLocked()
    unlockEvents()
    _ = consume dropped
  }
}
