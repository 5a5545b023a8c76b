/// The pure state of a flat-map, but for the values that wait: upstream, children, demand and how far its life is.
@usableFromInline
struct FlatMapState: ~Copyable {

  let maxPublishers: Subscribers.Demand
  private(set) var demand = Subscribers.Demand.none
  private var upstream: (any Subscription)?
  private(set) var children = ChildTable()

  /// How many values wait for demand.
  private(set) var waitingCount = 0

  private var isUpstreamFinished = false

  /// Whether it has completed or was cancelled.
  private(set) var isEnded = false
  private(set) var isCancelled = false

  /// The thread that delivers values that waited, or zero.
  private var drainingThread: UInt = 0

  /// Whether it is asking a child for more: what comes now goes to the end of the queue.
  private var isRequesting = false

  /// Whether the value that it took used up demand.
  private var isCounted = false

  /// Whether the children know of all unlimited demand.
  private var hasRequestedUnlimited = false

  /// The thread on which a failure of the upstream is cancelling the children, or zero.
  private var failingThread: UInt = 0

  /// What to do with a child's value.
  @usableFromInline
  enum Arrival {

    /// Deliver it; demand is unlimited.
    case deliver

    /// Deliver it, as one element of the demand.
    case deliverCounted

    /// Keep it until there is demand.
    case keep
    case drop
  }

  init(maxPublishers: Subscribers.Demand) {
    self.maxPublishers = maxPublishers
  }

  // MARK: Upstream

  /// - Returns: Whether the subscription is kept. If not, the caller cancels it.
  mutating func accept(_ subscription: any Subscription) -> Bool {
    guard !isEnded, upstream == nil else { return false }
    upstream = subscription
    return true
  }

  /// A child is about to be subscribed to.
  mutating func addChild() -> ChildTable.Key? {
    isEnded ? nil : children.add()
  }

  /// The upstream has finished; its subscription is let go.
  mutating func finishUpstream() -> (any Subscription)? {
    isUpstreamFinished = true
    return exchange(&upstream, with: nil)
  }

  /// The upstream has failed; its subscription is let go.
  ///
  /// Traps when the upstream fails again in a cancel that its first failure caused.
  ///
  /// - Returns: The children to cancel before the downstream is told; `nil` if it had ended before.
  mutating func failUpstream(thread: UInt, dropped: inout (any Subscription)?) -> [any Subscription]? {
    if failingThread == thread { Misuse.trap("FlatMap", .failureInsideFailure) }
    dropped = exchange(&upstream, with: nil)
    guard !isEnded else { return nil }
    isEnded = true
    failingThread = thread
    return removeChildren()
  }

  /// The children were cancelled after a failure of the upstream.
  mutating func didCancelChildren() {
    failingThread = 0
  }

  private mutating func removeChildren() -> [any Subscription] {
    waitingCount = 0
    return children.removeAll()
  }

  // MARK: Children

  /// A child's subscription has arrived.
  ///
  /// - Returns: The demand to ask it for; `nil` if it is to be cancelled.
  mutating func accept(_ subscription: any Subscription, for key: ChildTable.Key) -> Subscribers.Demand? {
    guard !isEnded, children.accept(subscription, for: key) else { return nil }
    return demand.isUnlimited ? .unlimited : .max(1)
  }

  @usableFromInline
  mutating func receiveValue() -> Arrival {
    if demand.isUnlimited { return .deliver }
    if demand == .none || isRequesting {
      guard !isEnded else { return .drop }
      waitingCount += 1
      return .keep
    }
    demand -= 1
    return .deliverCounted
  }

  /// A counted value was delivered.
  ///
  /// - Parameters:
  ///   - more: The demand returned.
  ///   - isOutermost: Whether that was not inside another delivery, whose end will look after the rest.
  /// - Returns: Whether the caller is to drain.
  mutating func didDeliver(_ more: Subscribers.Demand, isOutermost: Bool) -> Bool {
    demand += more
    return isOutermost && drainingThread == 0 && !isEnded
      && (waitingCount > 0 && demand > .none || demand.isUnlimited && !hasRequestedUnlimited)
  }

  /// A child has finished; its subscription is let go.
  ///
  /// - Returns: Where that is, to be moved out at once.
  mutating func finishChild(_ key: ChildTable.Key) -> UnsafeMutablePointer<any Subscription>? {
    children.remove(key)
  }

  /// The upstream, to be asked for another child after one has finished.
  func limitedUpstream() -> (any Subscription)? {
    maxPublishers.isUnlimited ? nil : upstream
  }

  /// A child has failed. The upstream is not cancelled, as in Combine, but let go: nothing else would ever untie the two.
  ///
  /// - Parameter dropped: Takes the child's subscription and the upstream's.
  /// - Returns: The children to cancel before the downstream is told; `nil` if it had ended before.
  mutating func failChild(
    _ key: ChildTable.Key,
    dropped: inout (child: (any Subscription)?, upstream: (any Subscription)?)
  ) -> [any Subscription]? {
    guard !isEnded else { return nil }
    isEnded = true
    dropped = (children.remove(key)?.move(), exchange(&upstream, with: nil))
    return removeChildren()
  }

  // MARK: Downstream

  /// Adds demand.
  ///
  /// - Parameter isInsideDelivery: Whether a value is just being delivered on this thread, whose end does the rest.
  /// - Returns: Whether the caller is to drain.
  mutating func request(_ more: Subscribers.Demand, isInsideDelivery: Bool) -> Bool {
    if isInsideDelivery {
      demand += more
      return false
    }
    guard !isEnded else { return false }
    demand += more
    if more.isUnlimited { hasRequestedUnlimited = false }
    return drainingThread == 0
  }

  /// What a drain is to do next.
  @usableFromInline
  enum DrainStep {

    /// Deliver the first value that waits.
    case deliver

    /// Nothing more, as there is no value or no demand.
    case end

    /// Nothing, as another thread drains; it sees what there is.
    case leave
  }

  /// Takes one value that waits, if there is demand for it.
  @usableFromInline
  mutating func takeWaiting(on thread: UInt = Platform.currentThread) -> DrainStep {
    guard drainingThread == 0 || drainingThread == thread else { return .leave }
    isRequesting = false
    guard !isEnded, waitingCount > 0, demand > .none else {
      drainingThread = 0
      return .end
    }
    drainingThread = thread
    waitingCount -= 1
    isCounted = !demand.isUnlimited
    if isCounted { demand -= 1 }
    return .deliver
  }

  /// The thread that drains leaves what remains to another one.
  mutating func stopDraining(on thread: UInt = Platform.currentThread) {
    guard drainingThread == thread else { return }
    drainingThread = 0
    isRequesting = false
  }

  /// A value that waited was delivered.
  ///
  /// - Returns: The child to ask for its next one.
  mutating func didDrain(_ key: ChildTable.Key, _ more: Subscribers.Demand) -> (any Subscription)? {
    demand += more
    guard isCounted, !isEnded, let child = children[key] else { return nil }
    isRequesting = true
    return child
  }

  /// The children to ask for unlimited demand: all, each time the downstream has.
  mutating func takeUnlimitedRequest() -> [any Subscription] {
    guard demand.isUnlimited, !hasRequestedUnlimited else { return [] }
    hasRequestedUnlimited = true
    return children.live
  }

  /// Ends the flat-map if nothing more can come.
  ///
  /// - Parameter thread: The calling thread. While another one drains, it may have taken the last value and not delivered
  ///   it yet; then the end is left to it.
  /// - Returns: Whether it did, so that the downstream is told.
  mutating func endIfFinished(on thread: @autoclosure () -> UInt = Platform.currentThread) -> Bool {
    guard !isEnded, isUpstreamFinished, waitingCount == 0, children.count == 0,
      drainingThread == 0 || drainingThread == thread()
    else { return false }
    isEnded = true
    return true
  }

  /// - Returns: The children and then the upstream, to be cancelled; nothing if it had ended before.
  mutating func cancel() -> [any Subscription] {
    isCancelled = true
    guard !isEnded else { return [] }
    isEnded = true
    let children = removeChildren()
    return children + (exchange(&upstream, with: nil).map { [$0] } ?? [])
  }
}
