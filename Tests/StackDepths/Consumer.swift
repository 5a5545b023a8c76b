import Combine

/// A subscriber that counts, and that asks for values in one of the ways there are.
final class Consumer<Input, Failure: Error>: Subscriber {

  let appetite: Appetite

  private(set) var count = 0
  private(set) var hasCompleted = false

  private var subscription: (any Subscription)?

  init(_ appetite: Appetite) {
    self.appetite = appetite
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(appetite == .unlimited ? .unlimited : .max(1))
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    count += 1
    switch appetite {
    case .unlimited: break
    case .oneReturned: return .max(1)
    case .oneRequested: subscription?.request(.max(1))
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    hasCompleted = true
    subscription = nil
  }

  func cancel() {
    subscription?.cancel()
    subscription = nil
  }
}

/// How a subscriber asks for values.
package enum Appetite: CaseIterable, Sendable {

  /// For all of them at once.
  case unlimited

  /// For one, and for the next by what it returns for that.
  case oneReturned

  /// For one, and for the next while it has that.
  case oneRequested
}
