/// The pure state of a merge without its values: the upstreams, the demand, and the phase.
@usableFromInline
struct MergeMachine: SteppedMachine {

  private(set) var upstreams: UpstreamSlots
  @usableFromInline
  private(set) var demand = Subscribers.Demand.none
  private var phase = Phase.running

  /// How many upstreams have finished.
  private var finishCount = 0

  /// The upstreams whose values wait for demand.
  private var waiting: SlotSet

  /// The upstream that is served next: the one after the upstream served last. So no upstream starves another.
  private var turn = 0

  /// How many values were taken out of `waiting` and not delivered yet.
  private var flushingCount = 0

  /// Whether unlimited demand was requested from the upstreams.
  private var hasRequestedUnlimited = false

  private enum Phase {
    case running, completed, cancelled
  }

  init(count: Int) {
    upstreams = UpstreamSlots(count: count)
    waiting = SlotSet(capacity: count)
  }

  /// Whether the merge has completed or was cancelled.
  var isTerminated: Bool { phase != .running }

  @usableFromInline
  var mirror: MixingMirror {
    MixingMirror(isUnlimited: demand.isUnlimited && phase != .cancelled, hasEnded: isTerminated)
  }

  /// Takes the subscription of an upstream.
  ///
  /// - Returns: The demand to request from it; `nil` if it is to be cancelled.
  mutating func accept(_ subscription: any Subscription, at index: Int) -> Subscribers.Demand? {
    guard phase == .running, upstreams.accept(subscription, at: index) else { return nil }
    return demand.isUnlimited ? .unlimited : .max(1)
  }

  /// Adds demand of the downstream.
  ///
  /// - Returns: Whether there is something to flush.
  mutating func request(_ more: Subscribers.Demand) -> Bool {
    guard phase == .running, !demand.isUnlimited, more > .none else { return false }
    demand += more
    return mustFlush || isFinished
  }

  private var mustFlush: Bool {
    phase == .running && (!waiting.isEmpty && demand > .none || demand.isUnlimited && !hasRequestedUnlimited)
  }

  private var isFinished: Bool {
    finishCount >= upstreams.count && waiting.isEmpty && flushingCount == 0
  }

  /// Takes a value of an upstream. One that is kept may replace another.
  @usableFromInline
  mutating func receive(from index: Int) -> ValueArrival {
    if phase == .cancelled { return .drop }
    if demand.isUnlimited { return .deliver }
    if demand > .none {
      demand -= 1
      return .deliverCounted
    }
    if phase == .completed { return .drop }
    waiting.insert(index)
    return .keep
  }

  /// Adds the demand that the delivery of a counted value has brought.
  ///
  /// - Returns: Whether there is something to flush.
  @usableFromInline
  mutating func didDeliver(_ more: Subscribers.Demand) -> Bool {
    demand += more
    return mustFlush
  }

  /// Takes one waiting value, if there is demand for it.
  ///
  /// Unlimited demand takes all of them in the order of the upstreams, as in Combine.
  ///
  /// - Returns: The upstream of that value.
  @usableFromInline
  mutating func takeWaiting() -> Int? {
    guard demand > .none, let index = waiting.next(from: demand.isUnlimited ? 0 : turn) else { return nil }
    if !demand.isUnlimited { demand -= 1 }
    waiting.remove(index)
    flushingCount += 1
    turn = index + 1 < upstreams.count ? index + 1 : 0
    return index
  }

  /// Ends a series of ``takeWaiting()``.
  ///
  /// - Parameter first: The upstream whose value was taken first. If demand is left over, that upstream is also asked
  ///   first, and its next values may use the demand up. Then the next turn is another upstream's.
  @usableFromInline
  mutating func didTakeWaiting(first: Int) {
    if demand > .none { turn = first + 1 < upstreams.count ? first + 1 : 0 }
  }

  /// Ends the delivery of the values taken.
  ///
  /// - Parameters:
  ///   - count: The number of these values.
  ///   - isCounted: Whether they used up demand.
  ///   - more: The demand that they have brought.
  /// - Returns: Whether one more value is to be requested from each of their upstreams.
  @usableFromInline
  mutating func didFlush(_ count: Int, isCounted: Bool = true, _ more: Subscribers.Demand) -> Bool {
    flushingCount -= count
    // After the last values demand is of no use, and would admit a value after the end.
    if !isFinished { demand += more }
    return isCounted && phase == .running
  }

  /// The upstreams to request unlimited demand from: all of them, once, when the downstream has requested it.
  mutating func takeUnlimitedRequest() -> UpstreamSlots.Live {
    guard demand.isUnlimited, !hasRequestedUnlimited else { return .none }
    hasRequestedUnlimited = true
    return upstreams.live
  }

  /// Counts the finish of an upstream.
  ///
  /// - Returns: Its subscription, to be released.
  mutating func finish(at index: Int) -> (any Subscription)? {
    if phase == .running { finishCount += 1 }
    return upstreams.remove(at: index)
  }

  /// Completes the merge if every upstream has finished and no value waits.
  ///
  /// - Returns: The upstreams to cancel before the downstream completes; `nil` if the merge goes on.
  @usableFromInline
  mutating func terminateIfFinished() -> [any Subscription]? {
    isFinished ? terminate() : nil
  }

  /// Completes the merge.
  ///
  /// - Returns: The upstreams to cancel; `nil` if it had completed before, or was cancelled.
  mutating func terminate() -> [any Subscription]? {
    guard phase == .running else { return nil }
    phase = .completed
    waiting = SlotSet(capacity: 0)
    return upstreams.removeAll()
  }

  /// - Returns: The upstreams to cancel.
  mutating func cancel() -> [any Subscription] {
    defer { phase = .cancelled }
    return terminate() ?? []
  }
}
