import Combine

/// A subscriber that counts its values, and that requests them in one of several ways.
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

/// The way in which a subscriber requests values.
enum Appetite: CaseIterable, Sendable {

  /// Requests unlimited demand at once.
  case unlimited

  /// Requests one value, and returns demand for the next.
  case oneReturned

  /// Requests one value, and the next one while it receives that.
  case oneRequested
}
