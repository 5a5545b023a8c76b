import CombineCore
import TestSupport
import Testing

@testable import CombineExtras

/// The queue in front of a downstream, and subscribing again, each beside a model of its rules.
@Suite struct ExtrasModelTests {

  private typealias Demand = Subscribers.Demand

  // MARK: Deliverer

  private enum DeliveryEvent {
    case open, request(Subscribers.Demand), value, finish, lastValue, replaceAll, cancel

    /// The downstream returns from a value.
    case returns(Subscribers.Demand)
  }

  private final class DeliveryReplay {
    private var machine: Deliverer<Int, TestError>
    private var valueCount = 0

    init(_ order: CompletionOrder) {
      machine = Deliverer(order)
    }

    private func text(_ delivery: Deliverer<Int, TestError>.Delivery) -> String {
      switch delivery {
      case .value(let value): "value \(value)"
      case .completion(let completion): "\(completion)"
      case .nothing, .queued: "-"
      case .release: "release"
      }
    }

    func step(_ event: DeliveryEvent) -> String {
      switch event {
      case .open:
        return text(machine.open())
      case .request(let demand):
        let (isNew, delivery) = machine.request(demand)
        return "\(isNew), \(text(delivery))"
      case .value:
        valueCount += 1
        return text(machine.send(valueCount))
      case .finish:
        return text(machine.send(completion: .finished))
      case .lastValue:
        valueCount += 1
        return text(machine.send(last: valueCount, .finished))
      case .replaceAll:
        let (delivery, dropped) = machine.replaceAll(by: .failure("x"))
        return "\(text(delivery)), drops \(dropped)"
      case .cancel:
        let (isFirst, delivery, dropped) = machine.cancel()
        return "\(isFirst), \(text(delivery)), drops \(dropped)"
      case .returns(let demand):
        return "\(machine.add(demand)), \(text(machine.next()))"
      }
    }
  }

  /// All accepted values, of which the demand so far covers a beginning.
  private struct DeliveryModel {
    let order: CompletionOrder
    var valueCount = 0
    var accepted: [Int] = []
    var deliveredCount = 0
    var completion: String?

    /// The sum of all requests, or `nil` if there was none.
    var demand: Demand?
    var isOpen = false
    var isDelivering = false
    var hasEnded = false

    var events: [DeliveryEvent] {
      [
        .open, .request(.none), .request(.max(1)), .request(.unlimited), .value, .finish, .lastValue, .replaceAll,
        .cancel,
      ]
        + (isDelivering ? [.returns(.none), .returns(.max(2))] : [])
    }

    private mutating func take() -> String {
      guard isOpen, !isDelivering, !hasEnded else { return "-" }
      let total = demand ?? .none
      if deliveredCount < accepted.count, total > deliveredCount {
        isDelivering = true
        deliveredCount += 1
        return "value \(accepted[deliveredCount - 1])"
      }
      let isServed = order == .overtaking ? demand != nil : false
      guard let completion, deliveredCount == accepted.count || isServed else { return "-" }
      hasEnded = true
      return completion
    }

    private mutating func add(_ more: Demand) -> Bool {
      let isNew = !hasEnded && more > .none && demand != .unlimited
      demand = (demand ?? .none) + more
      return isNew && completion == nil
    }

    private mutating func dropped() -> [Int] {
      defer { accepted.removeLast(accepted.count - deliveredCount) }
      return Array(accepted.dropFirst(deliveredCount))
    }

    mutating func step(_ event: DeliveryEvent) -> String {
      let isClosed = hasEnded || completion != nil
      switch event {
      case .open:
        isOpen = true
        return take()
      case .request(let more):
        // Who requests has its subscription.
        isOpen = true
        let isNew = add(more)
        return "\(isNew), \(take())"
      case .value, .lastValue:
        valueCount += 1
        if isClosed { return "-" }
        accepted.append(valueCount)
        if case .lastValue = event { completion = "finished" }
        return take()
      case .finish:
        if isClosed { return "-" }
        completion = "finished"
        return take()
      case .replaceAll:
        if isClosed { return "-, drops []" }
        completion = "failure(x)"
        let dropped = dropped()
        return "\(take()), drops \(dropped)"
      case .cancel:
        if hasEnded { return "false, -, drops []" }
        hasEnded = true
        return "true, \(isDelivering ? "-" : "release"), drops \(dropped())"
      case .returns(let more):
        isDelivering = false
        let isNew = add(more)
        return "\(isNew), \(hasEnded ? "release" : take())"
      }
    }
  }

  @Test(arguments: [CompletionOrder.afterValues, .overtaking]) func delivers(order: CompletionOrder) {
    expectSameAnswers(
      "Deliverer, \(order)",
      machine: Replayed<DeliveryReplay, DeliveryEvent, String>(make: { DeliveryReplay(order) }) { $0.step($1) },
      model: DeliveryModel(order: order),
      depth: 6,
      alphabet: \.events,
      answer: { $0.step($1) },
      expect: { $0.step($1) },
      invariants: [
        (
          "what may be delivered is being delivered",
          { _, model in
            model.hasEnded || model.isDelivering || !model.isOpen || model.deliveredCount == model.accepted.count
              || model.demand ?? .none <= model.deliveredCount
          }
        )
      ]
    )
  }

  // MARK: Resubscription

  private enum ResubscriptionEvent {
    case request(Subscribers.Demand), value, again, subscribed
  }

  @Test func subscribesInALoop() {
    expectSameAnswers(
      "Resubscription",
      machine: (outstanding: OutstandingDemand(), loop: Resubscription()),
      model: (requested: Demand.none, valueCount: 0, orders: 0),
      depth: 7,
      alphabet: { model in
        // Two subscriptions that complete during one call ask twice for the next one, and get one.
        var events = [ResubscriptionEvent.request(.max(2)), .again]
        if model.orders > 0 { events.append(.subscribed) }
        if model.requested > model.valueCount { events.append(.value) }
        if model.requested != .unlimited { events.append(.request(.unlimited)) }
        return events
      },
      answer: { machine, event -> String in
        switch event {
        case .request(let demand): machine.outstanding.request(demand)
        case .value: machine.outstanding.receiveValue()
        case .again: return "\(machine.loop.begin()), \(machine.outstanding.demand)"
        case .subscribed: return "\(machine.loop.didSubscribe()), \(machine.outstanding.demand)"
        }
        return "\(machine.outstanding.demand)"
      },
      // The next subscription is asked for all that was requested and has not come.
      expect: { model, event in
        var isCaller: String?
        switch event {
        case .request(let demand): model.requested += demand
        case .value: model.valueCount += 1
        case .again:
          isCaller = "\(model.orders == 0), "
          model.orders = min(model.orders + 1, 2)
        case .subscribed:
          model.orders -= 1
          isCaller = "\(model.orders > 0), "
        }
        return "\(isCaller ?? "")\(model.requested - model.valueCount)"
      }
    )
  }
}
