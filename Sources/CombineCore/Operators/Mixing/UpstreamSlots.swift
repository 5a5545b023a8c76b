/// The subscriptions of an operator with several upstreams, one slot for each, in index order.
///
/// A plain value without a lock. What it gives up is returned, to be released with the operator's lock free.
@usableFromInline
struct UpstreamSlots {

  /// The subscription in each slot.
  private(set) var subscriptions: [(any Subscription)?]

  init(count: Int) {
    subscriptions = Array(repeating: nil, count: count)
  }

  var count: Int { subscriptions.count }

  /// Takes a subscription that has arrived.
  ///
  /// - Returns: Whether the slot was free. If not, the caller cancels the subscription.
  mutating func accept(_ subscription: any Subscription, at index: Int) -> Bool {
    guard subscriptions[index] == nil else { return false }
    subscriptions[index] = subscription
    return true
  }

  @usableFromInline
  subscript(index: Int) -> (any Subscription)? { subscriptions[index] }

  /// The subscriptions there are, in index order.
  var live: Live { Live(subscriptions, except: nil) }

  /// The subscriptions there are, in index order, but for one.
  func live(except index: Int) -> Live { Live(subscriptions, except: index) }

  /// The subscriptions there are, in index order, but for those of some slots.
  func live(where isIncluded: (Int) -> Bool) -> [any Subscription] {
    subscriptions.indices.compactMap { isIncluded($0) ? subscriptions[$0] : nil }
  }

  /// Empties a slot.
  mutating func remove(at index: Int) -> (any Subscription)? {
    exchange(&subscriptions[index], with: nil)
  }

  /// Empties all slots.
  ///
  /// - Returns: What was in them, in index order.
  mutating func removeAll() -> [any Subscription] {
    let live = Array(live)
    for index in subscriptions.indices { subscriptions[index] = nil }
    return live
  }

  /// Subscriptions, in index order, as they were at one time. It shares the slots' storage: to go through them with each
  /// value allocates nothing.
  struct Live: Sequence, IteratorProtocol {

    private let subscriptions: [(any Subscription)?]
    private let excluded: Int?
    private var index = 0

    static var none: Live { Live([], except: nil) }

    fileprivate init(_ subscriptions: [(any Subscription)?], except excluded: Int?) {
      self.subscriptions = subscriptions
      self.excluded = excluded
    }

    mutating func next() -> (any Subscription)? {
      while index < subscriptions.count {
        defer { index += 1 }
        if index != excluded, let subscription = subscriptions[index] { return subscription }
      }
      return nil
    }
  }
}
