import CombineCore

extension SpecModels {

  /// The place of one upstream's subscription: awaiting → subscribed → ended.
  enum Slot {
    case awaiting
    case subscribed(any Subscription)
    case ended

    var subscription: (any Subscription)? {
      guard case .subscribed(let subscription) = self else { return nil }
      return subscription
    }

    /// - Returns: Whether the subscription was taken. If not, it is to be cancelled.
    mutating func accept(_ subscription: any Subscription) -> Bool {
      guard case .awaiting = self else { return false }
      self = .subscribed(subscription)
      return true
    }

    /// - Returns: The subscription, if there was one.
    mutating func end() -> (any Subscription)? {
      defer { self = .ended }
      return subscription
    }
  }
}
