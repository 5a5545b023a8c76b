/// The upstream subscriptions that an object keeps for life, each found and dropped in constant time when it ends.
///
/// It has no lock. What it gives up is returned, to be released with the owner's lock free.
struct UpstreamSubscriptions {

  /// Names one subscription; no later one has the same token.
  struct Token: Hashable, Sendable {
    fileprivate let number: Int
  }

  private var subscriptions: [Token: any Subscription] = [:]
  private var lastNumber = 0

  /// How many there are.
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
  /// - Returns: The subscription; nothing if it was dropped before.
  mutating func remove(_ token: Token) -> (any Subscription)? {
    let removed = subscriptions.removeValue(forKey: token)
    // What a thousand finished pipelines took is given back.
    if subscriptions.isEmpty, subscriptions.capacity > 16 { subscriptions = [:] }
    return removed
  }

  /// Cancels all, the oldest first; with no lock held.
  func cancelAll() {
    for (_, subscription) in subscriptions.sorted(by: { $0.key.number < $1.key.number }) { subscription.cancel() }
  }
}
