/// The subscriptions of an operator with several upstreams, one slot for each, in index order.
///
/// It has no lock. It returns what it drops, to be released with the operator's lock free.
@usableFromInline
struct UpstreamSlots {

  /// The subscription in each slot.
  private(set) var subscriptions: [(any Subscription)?]

  init(count: Int) {
    subscriptions = Array(repeating: nil, count: count)
  }

  var count: Int { subscriptions.count }

  /// Takes a subscription.
  ///
  /// - Returns: Whether the slot was free. If not, the caller cancels the subscription.
  mutating func accept(_ subscription: any Subscription, at index: Int) -> Bool {
    guard subscriptions[index] == nil else { return false }
    subscriptions[index] = subscription
    return true
  }

  @usableFromInline
  subscript(index: Int) -> (any Subscription)? { subscriptions[index] }

  /// The subscriptions, in index order.
  var live: Live { Live(subscriptions, except: nil) }

  /// The subscriptions except one, in index order.
  func live(except index: Int) -> Live { Live(subscriptions, except: index) }

  /// The subscriptions of some slots, in index order.
  func live(where isIncluded: (Int) -> Bool) -> [any Subscription] {
    subscriptions.indices.compactMap { isIncluded($0) ? subscriptions[$0] : nil }
  }

  /// Empties a slot.
  mutating func remove(at index: Int) -> (any Subscription)? {
    exchange(&subscriptions[index], with: nil)
  }

  /// Empties all slots.
  ///
  /// - Returns: The subscriptions, in index order.
  mutating func removeAll() -> [any Subscription] {
    let live = Array(live)
    for index in subscriptions.indices { subscriptions[index] = nil }
    return live
  }

  /// A snapshot of the subscriptions, in index order. It shares the storage of the slots, so iterating over it for each
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
