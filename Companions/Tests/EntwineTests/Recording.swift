import Entwine
import EntwineTest

extension Publisher {

  /// Subscribes to this publisher, and requests `demand`.
  func received(requesting demand: Subscribers.Demand = .unlimited) -> Received<Output, Failure> {
    let received = Received<Output, Failure>(requesting: demand)
    subscribe(received)
    return received
  }
}

/// A subscriber that notes its signals after the subscription.
final class Received<Input, Failure: Error>: Subscriber, Cancellable {

  private(set) var signals: [Signal<Input, Failure>] = []
  private(set) var subscription: (any Subscription)?
  private let initialDemand: Subscribers.Demand

  /// Called with each value.
  var onValue: (Input) -> Void = { _ in }

  /// Called before the first request.
  var onSubscription: () -> Void = {}

  init(requesting demand: Subscribers.Demand = .unlimited) {
    initialDemand = demand
  }

  var values: [Input] { signals.compactMap(\.value) }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    onSubscription()
    if initialDemand > .none { subscription.request(initialDemand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    signals.append(.input(input))
    onValue(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    signals.append(.completion(completion))
  }

  func request(_ demand: Subscribers.Demand) {
    subscription?.request(demand)
  }

  func cancel() {
    subscription?.cancel()
    subscription = nil
  }

  func dropSubscription() {
    subscription = nil
  }
}
