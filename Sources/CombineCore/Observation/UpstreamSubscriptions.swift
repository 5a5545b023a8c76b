/// The upstream subscriptions that an object keeps for its whole life.
///
/// Each can be found and dropped in constant time when it ends.
///
/// It has no lock. It returns the subscriptions that it drops, so that the owner can release them outside its lock.
struct UpstreamSubscriptions {

  /// An identifier of one subscription. No later subscription has the same token.
  struct Token: Hashable, Sendable {
    fileprivate let number: Int
  }

  private var subscriptions: [Token: any Subscription] = [:]
  private var lastNumber = 0

  /// The number of subscriptions.
  var count: Int { subscriptions.count }

  /// Keeps a subscription.
  mutating func add(_ subscription: any Subscription) -> Token {
    lastNumber += 1
    let token = Token(number: lastNumber)
    subscriptions[token] = subscription
    return token
  }

  /// Drops a subscription.
  ///
  /// - Returns: The subscription, or `nil` if it was dropped before.
  mutating func remove(_ token: Token) -> (any Subscription)? {
    let removed = subscriptions.removeValue(forKey: token)
    // The memory that many finished pipelines took is returned.
    if subscriptions.isEmpty, subscriptions.capacity > 16 { subscriptions = [:] }
    return removed
  }

  /// Cancels all subscriptions, the oldest first. The caller holds no lock.
  func cancelAll() {
    for (_, subscription) in subscriptions.sorted(by: { $0.key.number < $1.key.number }) { subscription.cancel() }
  }
}
