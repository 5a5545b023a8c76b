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
class ScheduledConduit<Downstream: Subscriber>: EndingConduit {

  @usableFromInline
  typealias Completion = Subscribers.Completion<Downstream.Failure>

  @usableFromInline
  enum Event {
    case value(Downstream.Input)

    /// A value that was not requested. The demand that the downstream returns for it is ignored.
    case unrequested(Downstream.Input)

    /// The completion, and a last value that was not requested.
    case completion(Completion, after: Downstream.Input? = nil)
  }

  @usableFromInline
  final let gate = Gate()

  @usableFromInline
  final var _gate: UnsafeRawPointer? { gate.address }

  @usableFromInline
  final let downstream: Downstream

  @usableFromInline
  final let unrequested = UnrequestedDeliveryMark()

  @exclusivity(unchecked)  // Only with `lock` held.
  @usableFromInline
  final var announcement = Announcement<Completion>()

  /// Guards the two properties that follow. It is taken inside ``lock`` or without it.
  @usableFromInline
  final let eventsLock = ValueLock()

  /// The pending events, the oldest first.
  @exclusivity(unchecked)  // These two: only with `eventsLock` held.
  @usableFromInline
  final var events = Deque<Event>()

  /// The object that the actions hold.
  @exclusivity(unchecked)
  @usableFromInline
  final var relayReference = ActionRelayReference()

  /// A function that calls ``deliverOldest(_:)``. It is made where the types are known, and is therefore specialized.
  /// ``runAction()``, which is reached through the class, never is.
  @usableFromInline
  final let runSpecialized: (ScheduledConduit) -> Void

  /// - Parameter run: A function that calls ``deliverOldest(_:)``.
  @inlinable
  init(downstream: Downstream, run: @escaping (ScheduledConduit) -> Void) {
    self.downstream = downstream
    runSpecialized = run
  }

  @usableFromInline
  final override func runAction() {
    runSpecialized(self)
  }

  @usableFromInline
  override func removeRelay(_ relay: UnsafeMutableRawPointer) {
    eventsLock.withLock { relayReference.remove(relay) }
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

  /// Adds an event, unless the connection has ended or is ending.
  ///
  /// - Returns: The relay for the event's action.
  @inlinable
  final func appendIfOpen(_ event: Event) -> ActionRelay? {
    var dropped = Deque<Event>()
    return eventsLock.withLock { isOpen ? appendLocked(event, dropping: &dropped) : nil }
  }

  /// Adds an event.
  ///
  /// - Parameter dropped: Takes events whose actions the scheduler has dropped, to be released with no lock held.
  /// - Returns: The relay for the event's action.
  @inlinable
  final func append(_ event: Event, dropping dropped: inout Deque<Event>) -> ActionRelay {
    eventsLock.withLock { appendLocked(event, dropping: &dropped) }
  }

  @inlinable
  final func appendLocked(_ event: Event, dropping dropped: inout Deque<Event>) -> ActionRelay {
    let (relay, isShared) = relayReference.relay(for: self)
    if !isShared { swap(&events, &dropped) }
    events.append(event)
    return relay
  }

  /// Removes and returns the oldest event.
  ///
  /// - Parameter new: An event to add before that, for an action that was scheduled without one.
  @inlinable
  final func takeOldest(adding new: Event? = nil) -> Event? {
    eventsLock.withLock {
      if let new { events.append(new) }
      let event = events.popFirst()
      if events.isEmpty { relayReference.rest() }
      return event
    }
  }

  /// Delivers the oldest event.
  ///
  /// - Parameter request: A closure that passes the demand that the downstream has returned to the upstream. The conduit
  ///   may be ending, so it does not call the conduit's own `request`.
  @inlinable
  final func deliverOldest(_ request: (Subscribers.Demand) -> Void) {
    deliver(taking: { takeOldest() }, request)
  }

  /// Delivers the event that `take` returns, if any. `take` is called inside the gate.
  @inlinable
  final func deliver(taking take: () -> Event?, _ request: (Subscribers.Demand) -> Void) {
    var event: Event?
    var ended: (any Subscription)?
    // Taken inside the gate, so that no other event overtakes it. Released outside.
    var more = Subscribers.Demand.none
    gate.pass(unless: { phase != .subscribed }) {
      event = take()
      switch event {
      case .value(let value):
        if phase == .subscribed { more = unrequested.mark { downstream.receive(value) } }
      case .unrequested(let value):
        if phase == .subscribed { UnrequestedDelivery.value.mark { _ = downstream.receive(value) } }
      case .completion(let completion, let last):
        ended = disconnect()
        guard ended != nil else { return }
        gate.releaseWaiting()
        if let last { UnrequestedDelivery.value.mark { _ = downstream.receive(last) } }
        downstream.receive(completion: completion)
      case nil:
        break
      }
    }
    if more != .none { request(more) }
    withExtendedLifetime((event, ended)) {}
  }

  /// The subscription to cancel, and the relay to release, with the lock free.
  @usableFromInline
  typealias Ended = (subscription: (any Subscription)?, relay: ActionRelay?)

  /// Takes what waits, after the end of the connection.
  ///
  /// - Parameter dropped: Takes the events that wait, to be released with no lock held.
  /// - Returns: The relay, to be released with no lock held.
  @usableFromInline
  final func dropEvents(to dropped: inout Deque<Event>) -> ActionRelay? {
    eventsLock.withLock {
      swap(&events, &dropped)
      return relayReference.take()
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
    var dropped = Deque<Event>()
    dropEvents(to: &dropped)?.release()
    _ = consume dropped
  }
}
