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

    /// What is to be delivered, the oldest first, where the schedule may reorder actions.
    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var waiting = Deque<Event>()

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
      guard accept(subscription) else { return }
      gate.pass { downstream.receive(subscription: self) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard isOpen else { return .none }
      if Schedule.mayReorder {
        lock.withLock { waiting.append(.value(input)) }
        schedule.schedule { self.deliverOldest() }
      } else {
        schedule.schedule { self.deliver(input) }
      }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard beginEnding() else { return }
      if Schedule.mayReorder {
        lock.withLock { waiting.append(.completion(completion)) }
        schedule.schedule { self.deliverOldest() }
      } else {
        schedule.schedule { self.deliver(completion) }
      }
    }

    @inlinable
    func deliver(_ input: Input) {
      let more = gate.pass(input, to: downstream, unless: phase != .subscribed)
      // While ending as well, so not by `request`.
      if more != .none { subscription?.request(more) }
    }

    @inlinable
    func deliverOldest() {
      // Taken inside the gate, so that nobody overtakes.
      let more = gate.pass { () -> Subscribers.Demand in
        switch lock.withLock({ waiting.popFirst() }) {
        case .value(let input):
          return phase == .subscribed ? downstream.receive(input) : .none
        case .completion(let completion):
          deliver(completion)
          return .none
        case nil:
          return .none
        }
      }
      if more != .none { subscription?.request(more) }
    }

    @inlinable
    func deliver(_ completion: Subscribers.Completion<Failure>) {
      guard disconnect() != nil else { return }
      gate.pass { downstream.receive(completion: completion) }
    }
  }
}
