/// The way in which an action is passed to a scheduler. `receive(on:)` and `delay` differ only in this step.
@usableFromInline
protocol DeliverySchedule {

  /// Makes a scheduler run `action` once.
  func schedule(_ action: @escaping () -> Void)
}

extension Conduits {

  /// The conduit of `receive(on:)` and `delay`. The subscription and requests pass immediately.
  @usableFromInline
  final class ScheduledDelivery<Downstream: Subscriber, Schedule: DeliverySchedule>: ScheduledConduit<Downstream>,
    Subscriber
  {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let schedule: Schedule

    @inlinable
    init(downstream: Downstream, schedule: Schedule) {
      self.schedule = schedule
      super.init(downstream: downstream) { conduit in
        conduit.deliverOldest { conduit.subscription?.request($0) }
      }
    }

    @inlinable
    func receive(subscription: any Subscription) {
      if let held = announce(subscription) { receive(completion: held) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard isOpen else { return .none }
      unrequested.note()
      var dropped = Deque<Event>()
      let relay = lock.withLock { isOpen ? appendLocked(.value(input), dropping: &dropped) : nil }
      if let relay { schedule.schedule(relay.action) }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      var dropped = Deque<Event>()
      let relay = lock.withLock { () -> ActionRelay? in
        guard isOpen, !announcement.holds(completion), beginEndingLocked() else { return nil }
        return appendLocked(.completion(completion), dropping: &dropped)
      }
      if let relay { schedule.schedule(relay.action) }
    }
  }
}
