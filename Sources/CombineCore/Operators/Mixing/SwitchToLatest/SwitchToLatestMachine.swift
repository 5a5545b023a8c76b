/// What to do with a child's value.
@usableFromInline
enum SwitchToLatestArrival {

  /// Delivered, and counted.
  case deliver

  /// Delivered beyond the demand.
  case deliverUnasked

  /// Dropped: the child is not the latest.
  case drop
}

/// The pure state of a switch-to-latest: upstream, current child, demand, and how far its life has come.
struct SwitchToLatestState {

  private(set) var demand = Subscribers.Demand.none
  private var upstream: SubscriptionObject?
  private var child: SubscriptionObject?

  /// The number of the latest child; zero before the first.
  private(set) var current = 0

  /// The thread on which it was sent.
  private var switcher: UInt = 0

  /// Whether the latest child was subscribed to and has not answered; one without a subscription answers by finishing.
  private var isAwaitingChild = false
  private var isOuterFinished = false
  private var isCompletionSent = false

  /// Whether the downstream has cancelled or a child has failed: children are cut off.
  private(set) var isCancelled = false

  // MARK: Upstream

  /// - Returns: Whether the subscription is kept. If not, the caller cancels it.
  mutating func accept(_ subscription: any Subscription) -> Bool {
    guard !isCancelled, upstream == nil else { return false }
    upstream = subscription.object
    return true
  }

  /// The upstream has sent a child.
  ///
  /// - Parameters:
  ///   - thread: The thread on which it was sent.
  ///   - replaced: Takes the subscription of the child before, to be cancelled first.
  /// - Returns: The child's number; `nil` if it is not to be subscribed to.
  mutating func nextChild(
    on thread: UInt = Platform.currentThread,
    replaced: inout SubscriptionObject?
  ) -> Int? {
    guard !isCancelled, !isOuterFinished else { return nil }
    replaced = exchange(&child, with: nil)
    current += 1
    switcher = thread
    isAwaitingChild = true
    return current
  }

  /// The upstream has finished; its subscription is let go.
  ///
  /// - Returns: Whether the downstream is to be told.
  mutating func finishUpstream(dropped: inout SubscriptionObject?) -> Bool {
    dropped = exchange(&upstream, with: nil)
    isOuterFinished = true
    guard !isCancelled, !isAwaitingChild, child == nil else { return false }
    isCompletionSent = true
    return true
  }

  /// The upstream has failed; its subscription is let go.
  ///
  /// - Parameter cancelled: Takes the child's subscription, to be cancelled first.
  /// - Returns: Whether the downstream is to be told.
  mutating func failUpstream(
    dropped: inout SubscriptionObject?,
    cancelled: inout SubscriptionObject?
  ) -> Bool {
    dropped = exchange(&upstream, with: nil)
    isOuterFinished = true
    guard !isCancelled else { return false }
    isCompletionSent = true
    cancelled = exchange(&child, with: nil)
    return true
  }

  // MARK: Children

  private func isCurrent(_ number: Int) -> Bool { !isCancelled && number == current }

  /// Whether the latest child is another one, which was sent on another thread.
  func isReplaced(_ number: Int, elsewhereThanOn thread: UInt = Platform.currentThread) -> Bool {
    number != current && switcher != thread
  }

  /// A child's subscription has arrived.
  ///
  /// - Returns: The demand to ask it for; `nil` if it is to be cancelled.
  mutating func accept(_ subscription: any Subscription, of number: Int) -> Subscribers.Demand? {
    guard isCurrent(number), child == nil else { return nil }
    child = subscription.object
    isAwaitingChild = false
    return demand
  }

  /// A child has sent a value; traps if there is no demand for it, unless a publisher of ours may send it all the same.
  mutating func receiveValue(of number: Int) -> SwitchToLatestArrival {
    guard isCurrent(number) else { return .drop }
    if demand == .none {
      if !UnaskedDelivery.isCurrent { Misuse.trap("SwitchToLatest", .valueBeyondDemand) }
      return .deliverUnasked
    }
    demand -= 1
    return .deliver
  }

  /// A child's value was delivered.
  ///
  /// - Returns: The child that the demand is to be requested from, as the sender is no longer the latest.
  mutating func didDeliver(_ more: Subscribers.Demand, of number: Int) -> SubscriptionObject? {
    demand += more
    return isCurrent(number) ? nil : child
  }

  /// A child has finished; its subscription is let go. Traps if that has not come yet.
  ///
  /// - Parameter mayBeAwaited: Whether the child has none.
  /// - Returns: Whether the downstream is to be told.
  mutating func finishChild(
    _ number: Int,
    mayBeAwaited: Bool = false,
    dropped: inout SubscriptionObject?
  ) -> Bool {
    guard isCurrent(number) else { return false }
    if isAwaitingChild && !mayBeAwaited { Misuse.trap("SwitchToLatest", .completionOfAwaitedPublisher) }
    isAwaitingChild = false
    dropped = exchange(&child, with: nil)
    guard isOuterFinished, !isCompletionSent else { return false }
    isCompletionSent = true
    return true
  }

  /// A child has failed; its subscription is let go. Traps if it has none yet.
  ///
  /// - Parameter cancelled: Takes the upstream's subscription, to be cancelled first.
  /// - Returns: Whether the downstream is to be told.
  mutating func failChild(
    _ number: Int,
    dropped: inout SubscriptionObject?,
    cancelled: inout SubscriptionObject?
  ) -> Bool {
    guard isCurrent(number) else { return false }
    if isAwaitingChild { Misuse.trap("SwitchToLatest", .completionOfAwaitedPublisher) }
    dropped = exchange(&child, with: nil)
    guard !isCompletionSent else { return false }
    isCancelled = true
    isCompletionSent = true
    cancelled = exchange(&upstream, with: nil)
    return true
  }

  // MARK: Downstream

  /// Adds demand.
  ///
  /// - Returns: The child that it is to be requested from.
  mutating func request(_ more: Subscribers.Demand) -> SubscriptionObject? {
    demand += more
    return child
  }

  /// - Returns: The child and the upstream, to be cancelled in this order.
  mutating func cancel() -> [any Subscription] {
    isCancelled = true
    return [exchange(&child, with: nil), exchange(&upstream, with: nil)].compactMap { $0 }
  }
}
