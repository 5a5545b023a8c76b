import Synchronization

// MARK: State

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

// MARK: Conduit

/// The part of a merge's conduit that knows no types.
@usableFromInline
class MergeCore: Subscription {

  @usableFromInline
  final let lock = Lock()

  @usableFromInline
  final let gate = Gate()

  @exclusivity(unchecked)  // Only with the lock held.
  final var state: MergeState

  /// Whether a value may pass without a look at the state. Set with the lock held.
  @usableFromInline
  final let isUnlimited = Atomic<Bool>(false)

  /// Whether the merge has completed or was cancelled, and whether it was cancelled: for threads that wait for the gate.
  /// Set with the lock held.
  @usableFromInline
  final let isTerminated = Atomic<Bool>(false)

  @usableFromInline
  final let isCancelled = Atomic<Bool>(false)

  @usableFromInline
  final let end = EndThread()

  /// Requested by the downstream from within the delivery of a value. Only inside the gate.
  @exclusivity(unchecked)
  @usableFromInline
  final var pending = Subscribers.Demand.none

  /// Delivers the values that wait. Made where the types are known: called as a method, through the existential that
  /// the downstream holds, it would look up every type at run time.
  private final let flush: (MergeCore) -> Void

  @usableFromInline
  init(count: Int, flush: @escaping (MergeCore) -> Void) {
    state = MergeState(count: count)
    self.flush = flush
  }

  /// One step of the state, and of what is kept beside it.
  @usableFromInline
  final func step<Result>(_ body: (inout MergeState) -> Result) -> Result {
    lock.withLock {
      let result = body(&state)
      isUnlimited.store(state.demand.isUnlimited && !state.isCancelled, ordering: .releasing)
      isTerminated.store(state.isTerminated, ordering: .releasing)
      return result
    }
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription, at index: Int) {
    if let demand = step({ $0.accept(subscription, at: index) }) {
      subscription.request(demand)
    } else {
      subscription.cancel()
    }
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    if gate.isEntered {
      if !isTerminated.load(ordering: .acquiring) { pending += demand }
    } else if step({ $0.request(demand) }) {
      flush(self)
    }
  }

  @usableFromInline
  func cancel() {
    let upstreams = step { state in
      if !state.isTerminated { end.note() }
      isCancelled.store(true, ordering: .releasing)
      return state.cancel()
    }
    gate.releaseWaiting()
    for upstream in upstreams { upstream.cancel() }
  }

  @usableFromInline
  final func requestUnlimited() {
    for upstream in step({ $0.takeUnlimitedRequest() }) { upstream.request(.unlimited) }
  }

  /// The values taken were delivered: asks for their successors.
  ///
  /// - Parameters:
  ///   - first: Whose value was the first.
  ///   - others: Whose were the others.
  ///   - isCounted: Whether they used up demand.
  ///   - more: The demand that came from it.
  /// - Returns: Whether that was all: every upstream had finished. The downstream is to be told so.
  @usableFromInline
  final func didFlush(_ first: Int?, _ others: [Int], isCounted: Bool, _ more: Subscribers.Demand) -> Bool {
    // The subscriptions are taken one by one. A copy of all slots would make the first upstream that then finishes copy
    // them too, at the cost of all upstreams for each value.
    var firstUpstream: (any Subscription)?
    var otherUpstreams: [any Subscription] = []
    let cancelled = step { state in
      if state.didFlush((first == nil ? 0 : 1) + others.count, isCounted: isCounted, more) {
        firstUpstream = first.flatMap { state.upstreams[$0] }
        otherUpstreams = others.compactMap { state.upstreams[$0] }
      }
      return state.terminateIfFinished()
    }
    if let cancelled { return cancelBeforeCompletion(cancelled) }
    firstUpstream?.request(.max(1))
    for upstream in otherUpstreams { upstream.request(.max(1)) }
    return false
  }

  /// Cancels what is left before the downstream is told of the end.
  ///
  /// - Returns: Whether it is still to be told: it may have cancelled from within.
  @usableFromInline
  final func cancelBeforeCompletion(_ upstreams: [any Subscription]) -> Bool {
    gate.releaseWaiting()
    for upstream in upstreams { upstream.cancel() }
    return !isCancelled.load(ordering: .acquiring)
  }

  /// The demand requested from within the delivery of a value. Only inside the gate.
  @inlinable
  final func takePending() -> Subscribers.Demand {
    let demand = pending
    if demand.rawValue != 0 { pending = .none }
    return demand
  }
}

extension Conduits {

  /// The subscription of a merge: passes the values of all upstreams on, and keeps one of each that has no demand.
  @usableFromInline
  final class Merge<Downstream: Subscriber>: MergeCore, SideParent {

    @usableFromInline
    typealias SideInput = Downstream.Input

    @usableFromInline
    typealias SideFailure = Downstream.Failure

    @usableFromInline
    typealias SideKey = Int

    @usableFromInline
    let downstream: Downstream

    /// The value of each upstream that waits for demand.
    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var waiting: [Downstream.Input?]

    @inlinable
    init(count: Int, downstream: Downstream) {
      self.downstream = downstream
      waiting = Array(repeating: nil, count: count)
      super.init(count: count) { unsafeDowncast($0, to: Merge<Downstream>.self).flush() }
    }

    @usableFromInline
    func receive(subscription: any Subscription, at index: Int) {
      accept(subscription, at: index)
    }

    @inlinable
    func receive(_ input: Downstream.Input, at index: Int) -> Subscribers.Demand {
      guard isUnlimited.load(ordering: .acquiring) else { return receiveCounted(input, at: index) }
      return gate.pass(input, to: downstream, unless: end.isElsewhere) { flush() }
    }

    @inlinable
    @inline(never)
    func receiveCounted(_ input: Downstream.Input, at index: Int) -> Subscribers.Demand {
      var replaced: Downstream.Input?
      let arrival = step { state in
        let arrival = state.receive(from: index)
        if case .keep = arrival { replaced = exchange(&waiting[index], with: input) }
        return arrival
      }
      _ = replaced  // Released with the lock free.

      switch arrival {
      case .deliver:
        return gate.pass(input, to: downstream, unless: end.isElsewhere) { flush() }
      case .deliverCounted:
        let entry = gate.enter(unless: { end.isElsewhere })
        if entry == .refused { return .max(1) }
        let demand = end.isElsewhere ? .none : downstream.receive(input) + takePending()
        let isDelegated = entry == .outermost && gate.leave()
        // Inside another delivery, that one's end flushes.
        if step({ $0.didDeliver(demand) }) && entry == .outermost || isDelegated { flush() }
        return .max(1)
      case .keep, .drop:
        return .none
      }
    }

    /// Delivers the values that wait, as far as there is demand, and asks their upstreams for more. Never waits: while
    /// another thread is inside the downstream, it is left to that one.
    @inlinable
    func flush() {
      while gate.enterOrDelegate() {
        let taken = takeWaiting()
        var demand = Subscribers.Demand.none
        if let (_, value) = taken.first { demand += deliverTaken(value) }
        for (_, value) in taken.others { demand += deliverTaken(value) }
        let isDelegated = gate.leave()
        if didFlush(taken.first?.index, taken.others.map { $0.index }, isCounted: taken.isCounted, demand) {
          complete(.finished)
          return
        }
        if taken.first == nil && !isDelegated { return requestUnlimited() }
      }
    }

    /// Called inside the gate.
    @inlinable
    func deliverTaken(_ value: Downstream.Input) -> Subscribers.Demand {
      isTerminated.load(ordering: .acquiring) ? .none : downstream.receive(value) + takePending()
    }

    @usableFromInline
    typealias Taken = (index: Int, value: Downstream.Input)

    /// Takes the values that wait, as far as there is demand: in one step, so that upstreams are asked after all of them.
    /// Called inside the gate.
    ///
    /// The first has a place of its own: a request for one value allocates nothing.
    @inlinable
    func takeWaiting() -> (first: Taken?, others: [Taken], isCounted: Bool) {
      step { state in
        let isCounted = !state.demand.isUnlimited
        guard let first = takeOne(&state) else { return (nil, [], isCounted) }
        var others: [Taken] = []
        while let other = takeOne(&state) { others.append(other) }
        state.didTakeWaiting(first: first.index)
        return (first, others, isCounted)
      }
    }

    /// Called with the lock held.
    @inlinable
    func takeOne(_ state: inout MergeState) -> Taken? {
      guard let index = state.takeWaiting() else { return nil }
      return (index, exchange(&waiting[index], with: nil).unsafelyUnwrapped)
    }

    @inlinable
    func complete(_ completion: Subscribers.Completion<Downstream.Failure>) {
      gate.pass(unless: { isCancelled.load(ordering: .acquiring) }) {
        if !isCancelled.load(ordering: .acquiring) { downstream.receive(completion: completion) }
      }
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Downstream.Failure>, at index: Int) {
      var dropped: (any Subscription)?
      let cancelled = step { state in
        switch completion {
        case .finished:
          dropped = state.finish(at: index)
          return state.terminateIfFinished()
        case .failure:
          let cancelled = state.terminate()
          if cancelled != nil { end.note() }
          return cancelled
        }
      }
      _ = dropped  // Released with the lock free.
      guard let cancelled else { return }
      dropWaiting()
      if cancelBeforeCompletion(cancelled) { complete(completion) }
    }

    @usableFromInline
    override func cancel() {
      super.cancel()
      dropWaiting()
    }

    private func dropWaiting() {
      // Nothing is kept after the end, so no room is needed.
      let dropped = lock.withLock { exchange(&waiting, with: []) }
      _ = dropped  // Released with the lock free.
    }
  }
}

extension Conduits.Merge: DescribedByName {

  @usableFromInline
  var description: String { "Merge" }
}
