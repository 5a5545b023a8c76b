import CombineCore
import TestSupport

/// A subscriber that records the events that arrive on any thread, and requests when the test says so.
final class AsyncProbe<Input: Sendable, Failure: Error>: Subscriber, Sendable {

  let log = AsyncLog<Event<Input>>()

  private let initialDemand: Subscribers.Demand

  // Subscriptions are thread-safe, although their existential is not declared as Sendable.
  private let held = Guarded<(any Subscription)?>(nil)
  private let onValue: Guarded<@Sendable (AsyncProbe, Input) -> Subscribers.Demand>

  init(
    requesting initialDemand: Subscribers.Demand = .none,
    onValue: @escaping @Sendable (AsyncProbe, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    self.initialDemand = initialDemand
    self.onValue = Guarded(onValue)
  }

  var values: [Input] { log.values.compactMap { if case .value(let value) = $0 { value } else { nil } } }

  func request(_ demand: Subscribers.Demand) {
    nonisolated(unsafe) let subscription = held.withLock { $0 }  // Thread-safe, as above.
    subscription?.request(demand)
  }

  func cancel() {
    nonisolated(unsafe) let subscription = held.withLock { $0 }  // Thread-safe, as above.
    subscription?.cancel()
  }

  func receive(subscription: any Subscription) {
    held.withLock { $0 = subscription }
    if initialDemand > .none { subscription.request(initialDemand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    log.append(.value(input))
    return onValue.withLock { $0 }(self, input)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    log.append(Event(completion))
  }
}
