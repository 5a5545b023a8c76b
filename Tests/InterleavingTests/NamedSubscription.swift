import CombineCore

/// A subscription that only has a number.
final class NumberedSubscription: Subscription, Sendable {

  let number: Int

  init(_ number: Int) {
    self.number = number
  }

  static let all = (0..<16).map(NumberedSubscription.init)

  func request(_ demand: Subscribers.Demand) {}

  func cancel() {}
}

/// The number of a subscription.
func number(_ subscription: (any Subscription)?) -> Int? {
  (subscription as? NumberedSubscription)?.number
}

/// The numbers of subscriptions.
func numbers(_ subscriptions: [any Subscription]) -> [Int] {
  subscriptions.compactMap { number($0) }
}
