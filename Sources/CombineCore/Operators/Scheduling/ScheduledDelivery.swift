import CombineThreads

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
      let relay = ActionRelay { conduit, number, outcome in
        let conduit = _unsafeUncheckedDowncast(conduit, to: ScheduledDelivery.self)
        guard case .ran = outcome else { return conduit.dropEvent(of: number) }
        let more = conduit.deliverOldest(for: number)
        if more != .none { conduit.subscription?.request(more) }
      }
      super.init(downstream: downstream, relay: relay)
    }

    @inlinable
    func receive(subscription: any Subscription) {
      if let held = announce(subscription) { receive(completion: held) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      unrequested.note()
      if let number = appendIfOpen(input) { schedule.schedule(action(number)) }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard lock.withLock({ isOpen && !announcement.holds(completion) && beginEndingLocked() }) else { return }
      schedule.schedule(action(append(completion)))
    }
  }
}
