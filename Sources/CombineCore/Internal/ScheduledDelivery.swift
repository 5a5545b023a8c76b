/// How a delivery is handed to a scheduler: the one step in which `receive(on:)` and `delay` differ.
@usableFromInline
protocol DeliverySchedule {

  /// Makes a scheduler run `action`, once.
  func schedule(_ action: @escaping () -> Void)
}

extension Conduits {

  /// Delivers each value and the completion from an action of a scheduler; the subscription and requests pass at once.
  ///
  /// An action keeps the conduit alive. It looks at the state only when it runs, inside the gate: what a cancel
  /// overtook is dropped, and on a scheduler with many threads no value follows the completion.
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

    @inlinable
    init(downstream: Downstream, schedule: Schedule) {
      self.downstream = downstream
      self.schedule = schedule
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      gate.pass { downstream.receive(subscription: self) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      if isOpen { schedule.schedule { self.deliver(input) } }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if beginEnding() { schedule.schedule { self.deliver(completion) } }
    }

    @inlinable
    func deliver(_ input: Input) {
      let more = gate.pass { phase == .subscribed ? downstream.receive(input) : .none }
      // While ending as well, so not by `request`.
      if more != .none { subscription?.request(more) }
    }

    @inlinable
    func deliver(_ completion: Subscribers.Completion<Failure>) {
      guard disconnect() != nil else { return }
      gate.pass { downstream.receive(completion: completion) }
    }
  }
}
