/// How a delivery is handed to a scheduler: the one step in which `receive(on:)` and `delay` differ.
@usableFromInline
protocol DeliverySchedule {

  /// Whether actions may run in another order than that in which they were scheduled, though the scheduler runs one at
  /// a time. Then each delivers the oldest event that waits, rather than one of its own.
  static var mayReorder: Bool { get }

  /// Makes a scheduler run `action`, once.
  func schedule(_ action: @escaping () -> Void)
}

extension Conduits {

  /// Delivers each value and the completion from an action of a scheduler; the subscription and requests pass at once.
  ///
  /// An action keeps the conduit alive. It looks at the state only when it runs, inside the gate: what a cancel
  /// overtook is dropped, and on a scheduler with many threads no value follows the completion. Where actions wait for
  /// long, as those of a schedule that may reorder them do, a cancel releases what they keep alive.
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
    let unasked = UnaskedDeliveryMemory()

    @exclusivity(unchecked)  // These three: only with the lock held.
    @usableFromInline
    var handover = SubscriptionHandover<Subscribers.Completion<Failure>>()

    /// What is to be delivered, the oldest first, where the schedule may reorder actions.
    @exclusivity(unchecked)
    @usableFromInline
    var waiting = Deque<Event>()

    /// What the actions hold where the schedule may reorder them.
    @exclusivity(unchecked)
    @usableFromInline
    var relayReference = ActionRelayReference()

    @usableFromInline
    enum Event {
      case value(Input)
      case completion(Subscribers.Completion<Failure>)
    }

    @inlinable
    init(downstream: Downstream, schedule: Schedule) {
      self.downstream = downstream
      self.schedule = schedule
    }

    @inlinable
    func receive(subscription: any Subscription) {
      let isFirst = lock.withLock {
        handover.begin()
        return acceptLocked(subscription)
      }
      guard isFirst else { return subscription.cancel() }
      downstream.receive(subscription: self)
      if let held = lock.withLock({ handover.end() }) { receive(completion: held) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard isOpen else { return .none }
      unasked.note()
      if Schedule.mayReorder {
        scheduleInOrder(.value(input))
      } else {
        schedule.schedule { self.deliver(input) }
      }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let isDue = lock.withLock { isOpen && !handover.holds(completion) && beginEndingLocked() }
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
      let more = unasked.mark { gate.pass(input, to: downstream, unless: phase != .subscribed) }
      // While ending as well, so not by `request`.
      if more != .none { subscription?.request(more) }
    }

    /// Delivers the oldest of the events that wait.
    @usableFromInline
    override func runAction() {
      var event: Event?
      var ended: (any Subscription)?
      // Taken inside the gate, so that nobody overtakes. Released outside.
      var more = Subscribers.Demand.none
      gate.pass(unless: { phase != .subscribed }) {
        event = lock.withLock { waiting.popFirst() }
        switch event {
        case .value(let input):
          if phase == .subscribed { more = unasked.mark { downstream.receive(input) } }
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

    // While ending a cancel is ignored: the completion cannot be stopped, nor what precedes it.
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
