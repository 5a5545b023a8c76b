/// The way in which a delivery is passed to a scheduler. `receive(on:)` and `delay` differ only in this step.
@usableFromInline
protocol DeliverySchedule {

  /// Whether actions may run in another order than they were scheduled in, even on a scheduler that runs one at a time.
  ///
  /// Each action then delivers the oldest pending event, rather than its own.
  static var mayReorder: Bool { get }

  /// Makes a scheduler run `action` once.
  func schedule(_ action: @escaping () -> Void)
}

extension Conduits {

  /// A conduit that delivers each element and the completion from an action of a scheduler.
  ///
  /// The subscription and requests pass immediately.
  ///
  /// An action keeps the conduit alive. It checks the state only when it runs, inside the gate. Events that a
  /// cancellation has overtaken are therefore dropped. On a scheduler with many threads, no element follows the
  /// completion. The actions of a schedule that may reorder them can wait for a long time. A cancellation then releases
  /// the objects that they keep alive.
  @usableFromInline
  final class ScheduledDelivery<Downstream: Subscriber, Schedule: DeliverySchedule>: EndingConduit, Subscriber {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let gate = Gate()

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let schedule: Schedule

    @usableFromInline
    let unrequested = UnrequestedDeliveryMark()

    @exclusivity(unchecked)  // These three: only with the lock held.
    @usableFromInline
    var subscriptionDelivery = SubscriptionDelivery<Subscribers.Completion<Failure>>()

    /// The pending events, the oldest first, if the schedule may reorder actions.
    @exclusivity(unchecked)
    @usableFromInline
    var waiting = Deque<Event>()

    /// The object that the actions hold, if the schedule may reorder them.
    @exclusivity(unchecked)
    @usableFromInline
    var relayReference = ActionRelayReference()

    /// A function that delivers the oldest pending event. It is made where the types are known, and is therefore
    /// specialized. ``runAction()``, which is reached through the class, never is.
    @usableFromInline
    let deliverOldest: (ScheduledDelivery) -> Void

    @usableFromInline
    enum Event {
      case value(Input)
      case completion(Subscribers.Completion<Failure>)
    }

    @inlinable
    init(downstream: Downstream, schedule: Schedule) {
      self.downstream = downstream
      self.schedule = schedule
      deliverOldest = { $0.deliverOldestEvent() }
    }

    @inlinable
    func receive(subscription: any Subscription) {
      let isFirst = lock.withLock {
        subscriptionDelivery.begin()
        return acceptLocked(subscription)
      }
      guard isFirst else { return subscription.cancel() }
      downstream.receive(subscription: self)
      if let held = lock.withLock({ subscriptionDelivery.end() }) { receive(completion: held) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard isOpen else { return .none }
      unrequested.note()
      if Schedule.mayReorder {
        scheduleInOrder(.value(input))
      } else {
        schedule.schedule { self.deliver(input) }
      }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let isDue = lock.withLock { isOpen && !subscriptionDelivery.holds(completion) && beginEndingLocked() }
      guard isDue else { return }
      if Schedule.mayReorder {
        scheduleInOrder(.completion(completion))
      } else {
        schedule.schedule { self.deliver(completion) }
      }
    }

    @inlinable
    func scheduleInOrder(_ event: Event) {
      let relay = lock.withLock { () -> ActionRelay? in
        guard phase == .subscribed else { return nil }
        waiting.append(event)
        return relayReference.relay(for: self)
      }
      if let relay { schedule.schedule(relay.action) }
    }

    @inlinable
    func deliver(_ input: Input) {
      let more = unrequested.mark { gate.pass(input, to: downstream, unless: phase != .subscribed) }
      // The conduit may be ending, so this does not call its own `request`.
      if more != .none { subscription?.request(more) }
    }

    @usableFromInline
    override func runAction() {
      deliverOldest(self)
    }

    @inlinable
    func deliverOldestEvent() {
      var event: Event?
      var ended: (any Subscription)?
      // Taken inside the gate, so that no other event overtakes it. Released outside.
      var more = Subscribers.Demand.none
      gate.pass(unless: { phase != .subscribed }) {
        event = lock.withLock { waiting.popFirst() }
        switch event {
        case .value(let input):
          if phase == .subscribed { more = unrequested.mark { downstream.receive(input) } }
        case .completion(let completion):
          ended = disconnect()
          guard ended != nil else { return }
          gate.releaseWaiting()
          downstream.receive(completion: completion)
        case nil:
          break
        }
      }
      if more != .none { subscription?.request(more) }
      withExtendedLifetime((event, ended)) {}
    }

    @inlinable
    func deliver(_ completion: Subscribers.Completion<Failure>) {
      guard disconnect() != nil else { return }
      gate.releaseWaiting()
      gate.pass { downstream.receive(completion: completion) }
    }

    // A cancellation while ending is ignored. Neither the completion nor the events before it can be stopped.
    @usableFromInline
    override func cancel() {
      var dropped = Deque<Event>()
      let (subscription, relay) = lock.withLock { () -> ((any Subscription)?, ActionRelay?) in
        guard !isEnding, phase == .subscribed else { return (nil, nil) }
        swap(&waiting, &dropped)
        return (disconnectLocked(), relayReference.take())
      }
      gate.releaseWaiting()
      subscription?.cancel()
      relay?.release()
      _ = consume dropped
    }
  }
}
