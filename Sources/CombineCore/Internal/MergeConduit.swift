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

  /// How many values wait for demand, and how many no longer do but have not been delivered yet.
  private var waitingCount = 0
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
    !isTerminated && (waitingCount > 0 && demand > .none || demand.isUnlimited && !hasRequestedUnlimited)
  }

  private var isFinished: Bool {
    finishCount >= upstreams.count && waitingCount == 0 && flushingCount == 0
  }

  /// A value has arrived; one that is kept may replace another.
  @usableFromInline
  mutating func receive(replacing isReplacing: Bool) -> Arrival {
    if isCancelled { return .drop }
    if demand.isUnlimited { return .deliver }
    if demand > .none {
      demand -= 1
      return .deliverCounted
    }
    if isTerminated { return .drop }
    if !isReplacing { waitingCount += 1 }
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
  @usableFromInline
  mutating func takeWaiting() -> Bool {
    guard demand > .none, waitingCount > 0 else { return false }
    if !demand.isUnlimited { demand -= 1 }
    waitingCount -= 1
    flushingCount += 1
    return true
  }

  /// The values taken were delivered.
  ///
  /// - Parameters:
  ///   - count: How many there were.
  ///   - isCounted: Whether they used up demand.
  ///   - more: The demand that came from it.
  /// - Returns: The upstreams; those whose values they were are to be asked for one more. `nil` if none is.
  @usableFromInline
  mutating func didFlush(_ count: Int, isCounted: Bool = true, _ more: Subscribers.Demand) -> UpstreamSlots? {
    flushingCount -= count
    // What the last values bring is of no use, and would let a value through after the end.
    if !isFinished { demand += more }
    return isCounted && !isTerminated ? upstreams : nil
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
    waitingCount = 0
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
      if !isTerminated { pending += demand }
    } else if step({ $0.request(demand) }) {
      flush(self)
    }
  }

  @usableFromInline
  func cancel() {
    for upstream in step({ $0.cancel() }) { upstream.cancel() }
  }

  @usableFromInline
  final func requestUnlimited() {
    for upstream in step({ $0.takeUnlimitedRequest() }) { upstream.request(.unlimited) }
  }

  /// The values taken were delivered: asks for their successors.
  ///
  /// - Parameters:
  ///   - indices: Whose they were.
  ///   - isCounted: Whether they used up demand.
  ///   - more: The demand that came from it.
  /// - Returns: Whether that was all: every upstream had finished. The downstream is to be told so.
  @inlinable
  final func didFlush(_ indices: some Collection<Int>, isCounted: Bool, _ more: Subscribers.Demand) -> Bool {
    let (upstreams, cancelled) = step { state in
      let upstreams = state.didFlush(indices.count, isCounted: isCounted, more)
      return (upstreams, state.terminateIfFinished())
    }
    if let cancelled { return cancelBeforeCompletion(cancelled) }
    if let upstreams {
      for index in indices { upstreams[index]?.request(.max(1)) }
    }
    return false
  }

  /// Cancels what is left before the downstream is told of the end.
  ///
  /// - Returns: Whether it is still to be told: it may have cancelled from within.
  @usableFromInline
  final func cancelBeforeCompletion(_ upstreams: [any Subscription]) -> Bool {
    for upstream in upstreams { upstream.cancel() }
    return !lock.withLock { state.isCancelled }
  }

  @usableFromInline
  final var isTerminated: Bool { lock.withLock { state.isTerminated } }

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
      return gate.pass(input, to: downstream, unless: end.isElsewhere)
    }

    @inlinable
    @inline(never)
    func receiveCounted(_ input: Downstream.Input, at index: Int) -> Subscribers.Demand {
      var replaced: Downstream.Input?
      let arrival = step { state in
        let arrival = state.receive(replacing: waiting[index] != nil)
        if case .keep = arrival { replaced = exchange(&waiting[index], with: input) }
        return arrival
      }
      _ = replaced  // Released with the lock free.

      switch arrival {
      case .deliver:
        return gate.pass(input, to: downstream, unless: end.isElsewhere)
      case .deliverCounted:
        let isOutermost = gate.enter()
        let demand = end.isElsewhere ? .none : downstream.receive(input) + takePending()
        if isOutermost { gate.leave() }
        // Inside another delivery, that one's end flushes.
        if step({ $0.didDeliver(demand) }) && isOutermost { flush() }
        return .max(1)
      case .keep, .drop:
        return .none
      }
    }

    /// Delivers the values that wait, as far as there is demand, and asks their upstreams for more.
    @inlinable
    func flush() {
      while true {
        let taken = takeWaiting()
        var demand = Subscribers.Demand.none
        for (_, value) in taken.values {
          gate.pass(unless: { isTerminated }) {
            guard !isTerminated else { return }
            demand += downstream.receive(value)
            demand += takePending()
          }
        }
        if didFlush(taken.values.lazy.map { $0.index }, isCounted: taken.isCounted, demand) {
          gate.pass { downstream.receive(completion: .finished) }
          return
        }
        if taken.values.isEmpty { break }
      }
      requestUnlimited()
    }

    @inlinable
    func takeWaiting() -> (values: [(index: Int, value: Downstream.Input)], isCounted: Bool) {
      step { state in
        let isCounted = !state.demand.isUnlimited
        var values: [(index: Int, value: Downstream.Input)] = []
        for index in waiting.indices where waiting[index] != nil && state.takeWaiting() {
          values.append((index, exchange(&waiting[index], with: nil).unsafelyUnwrapped))
        }
        return (values, isCounted)
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
      if cancelBeforeCompletion(cancelled) { gate.pass { downstream.receive(completion: completion) } }
    }

    @usableFromInline
    override func cancel() {
      super.cancel()
      dropWaiting()
    }

    private func dropWaiting() {
      let dropped = lock.withLock {
        exchange(&waiting, with: Array(repeating: nil, count: waiting.count))
      }
      _ = dropped  // Released with the lock free.
    }
  }
}

extension Conduits.Merge: DescribedByName {

  @usableFromInline
  var description: String { "Merge" }
}
