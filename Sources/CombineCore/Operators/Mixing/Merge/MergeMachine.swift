/// The pure state of a merge, but for the values that wait: its upstreams, demand, and how far its life has come.
@usableFromInline
struct MergeState {

  private(set) var upstreams: UpstreamSlots
  @usableFromInline
  private(set) var demand = Subscribers.Demand.none

  /// How many times an upstream has finished.
  private var finishCount = 0

  /// The upstreams whose values wait for demand.
  private var waiting: SlotSet

  /// The upstream whose turn it is: the one after that whose value was the last to be taken. So none is starved by those
  /// before it.
  private var turn = 0

  /// How many values no longer wait but have not been delivered yet.
  private var flushingCount = 0

  /// Whether the upstreams know of unlimited demand.
  private var hasRequestedUnlimited = false

  /// Whether the merge has completed or was cancelled.
  private(set) var isTerminated = false
  private(set) var isCancelled = false

  /// What to do with a value.
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

  init(count: Int) {
    upstreams = UpstreamSlots(count: count)
    waiting = SlotSet(capacity: count)
  }

  /// A subscription has arrived.
  ///
  /// - Returns: The demand to ask it for; `nil` if it is to be cancelled.
  mutating func accept(_ subscription: any Subscription, at index: Int) -> Subscribers.Demand? {
    guard !isTerminated, upstreams.accept(subscription, at: index) else { return nil }
    return demand.isUnlimited ? .unlimited : .max(1)
  }

  /// Adds demand requested by the downstream.
  ///
  /// - Returns: Whether there is something to flush.
  mutating func request(_ more: Subscribers.Demand) -> Bool {
    guard !isTerminated, !demand.isUnlimited, more > .none else { return false }
    demand += more
    return mustFlush || isFinished
  }

  private var mustFlush: Bool {
    !isTerminated && (!waiting.isEmpty && demand > .none || demand.isUnlimited && !hasRequestedUnlimited)
  }

  private var isFinished: Bool {
    finishCount >= upstreams.count && waiting.isEmpty && flushingCount == 0
  }

  /// A value has arrived; one that is kept may replace another.
  @usableFromInline
  mutating func receive(from index: Int) -> Arrival {
    if isCancelled { return .drop }
    if demand.isUnlimited { return .deliver }
    if demand > .none {
      demand -= 1
      return .deliverCounted
    }
    if isTerminated { return .drop }
    waiting.insert(index)
    return .keep
  }

  /// A counted value was delivered.
  ///
  /// - Returns: Whether there is something to flush.
  @usableFromInline
  mutating func didDeliver(_ more: Subscribers.Demand) -> Bool {
    demand += more
    return mustFlush
  }

  /// Takes one waiting value, if there is demand for it.
  ///
  /// Unlimited demand takes all, in the order of the upstreams, as in Combine.
  ///
  /// - Returns: The upstream whose value it is.
  @usableFromInline
  mutating func takeWaiting() -> Int? {
    guard demand > .none, let index = waiting.next(from: demand.isUnlimited ? 0 : turn) else { return nil }
    if !demand.isUnlimited { demand -= 1 }
    waiting.remove(index)
    flushingCount += 1
    turn = index + 1 < upstreams.count ? index + 1 : 0
    return index
  }

  /// All values for which there is demand were taken.
  ///
  /// - Parameter first: The upstream whose value was taken first. With demand left over it is also asked first, and its
  ///   next values may use that up: then the next turn is not its own.
  @usableFromInline
  mutating func didTakeWaiting(first: Int) {
    if demand > .none { turn = first + 1 < upstreams.count ? first + 1 : 0 }
  }

  /// The values taken were delivered.
  ///
  /// - Parameters:
  ///   - count: How many there were.
  ///   - isCounted: Whether they used up demand.
  ///   - more: The demand that came from it.
  /// - Returns: Whether the upstreams whose values they were are to be asked for one more.
  @usableFromInline
  mutating func didFlush(_ count: Int, isCounted: Bool = true, _ more: Subscribers.Demand) -> Bool {
    flushingCount -= count
    // What the last values bring is of no use, and would let a value through after the end.
    if !isFinished { demand += more }
    return isCounted && !isTerminated
  }

  /// The upstreams to ask for unlimited demand: all, once, when the downstream has.
  mutating func takeUnlimitedRequest() -> UpstreamSlots.Live {
    guard demand.isUnlimited, !hasRequestedUnlimited else { return .none }
    hasRequestedUnlimited = true
    return upstreams.live
  }

  /// An upstream has finished; its subscription is let go.
  mutating func finish(at index: Int) -> (any Subscription)? {
    if !isTerminated { finishCount += 1 }
    return upstreams.remove(at: index)
  }

  /// Ends the merge if every upstream has finished and no value waits.
  ///
  /// - Returns: The upstreams to cancel before the downstream is told; `nil` if the merge goes on.
  @usableFromInline
  mutating func terminateIfFinished() -> [any Subscription]? {
    isFinished ? terminate() : nil
  }

  /// Ends the merge.
  ///
  /// - Returns: The upstreams to cancel; `nil` if it had ended before.
  mutating func terminate() -> [any Subscription]? {
    guard !isTerminated else { return nil }
    isTerminated = true
    waiting = SlotSet(capacity: 0)
    return upstreams.removeAll()
  }

  mutating func cancel() -> [any Subscription] {
    isCancelled = true
    return terminate() ?? []
  }
}
