import Synchronization

// MARK: State

/// The pure state of a zip, but for the values: its upstreams, and how far its life has come.
@usableFromInline
struct ZipState {

  private(set) var upstreams: UpstreamSlots
  private(set) var phase = Phase.gathering

  /// The upstreams that have sent a subscription, one bit each.
  private var arrived: UInt64 = 0

  /// The upstreams that have finished, one bit each.
  @usableFromInline
  private(set) var finished: UInt64 = 0

  /// A completion that was decided before the downstream had its subscription, and waits for that.
  private(set) var held: Subscribers.Completion<any Error>?

  /// Requested before the upstreams may be asked: while the downstream is being given its subscription.
  private var early = Subscribers.Demand.none

  /// Whether values are still taken.
  @usableFromInline
  private(set) var isOpen = true

  enum Phase {

    /// Some upstream has not sent its subscription.
    case gathering

    /// The downstream is being given its subscription.
    case announcing
    case running
    case ended
  }

  /// What to do with a subscription that has arrived.
  enum Arrival {
    case keep
    case cancel

    /// Keep it, and give the downstream its own, as this was the last.
    case announce
  }

  /// How a zip ends: what to cancel before the downstream is told, and what to let go of after that.
  struct Ending {
    var completion: Subscribers.Completion<any Error>
    var cancelled: [any Subscription]
    var released: [any Subscription]
  }

  @usableFromInline
  init(count: Int) {
    upstreams = UpstreamSlots(count: count)
  }

  private func bit(_ index: Int) -> UInt64 { 1 << UInt64(index) }

  mutating func accept(_ subscription: any Subscription, at index: Int) -> Arrival {
    guard phase == .gathering, upstreams.accept(subscription, at: index) else { return .cancel }
    arrived |= bit(index)
    guard arrived.nonzeroBitCount == upstreams.count else { return .keep }
    phase = .announcing
    return .announce
  }

  /// The downstream has its subscription.
  ///
  /// - Returns: An ending that was held until now.
  mutating func didAnnounce() -> Ending? {
    guard phase == .announcing else { return nil }
    phase = .running
    return held.flatMap { end($0) }
  }

  /// An upstream has finished.
  ///
  /// - Parameter isDrained: Whether none of its values waits to be joined.
  mutating func finish(at index: Int, isDrained: Bool) -> Ending? {
    guard isOpen else { return nil }
    finished |= bit(index)
    return isDrained ? end(.finished) : nil
  }

  mutating func fail(_ error: any Error) -> Ending? {
    isOpen ? end(.failure(error)) : nil
  }

  /// The row just delivered took the last value of an upstream that has finished.
  mutating func finishAfterRow() -> Ending? {
    isOpen ? end(.finished) : nil
  }

  private mutating func end(_ completion: Subscribers.Completion<any Error>) -> Ending? {
    isOpen = false
    guard phase == .running else {
      held = completion
      return nil
    }
    phase = .ended
    let cancelled = upstreams.live { finished & bit($0) == 0 }
    return Ending(completion: completion, cancelled: cancelled, released: upstreams.removeAll())
  }

  /// The upstreams that a request goes to; none yet while the downstream is being given its subscription.
  mutating func request(_ demand: Subscribers.Demand) -> UpstreamSlots.Live {
    guard phase != .announcing else {
      early += demand
      return .none
    }
    return isOpen ? upstreams.live : .none
  }

  /// What was requested while the downstream was being given its subscription.
  mutating func takeEarlyRequest() -> Subscribers.Demand {
    exchange(&early, with: .none)
  }

  /// The upstreams that the demand there is after a row goes to: all but the one whose value completed the row, which
  /// gets it as the demand returned.
  func requestedAfterRow(from index: Int) -> UpstreamSlots.Live {
    isOpen ? upstreams.live(except: index) : .none
  }

  /// Ends the zip.
  ///
  /// - Returns: The upstreams to cancel; none if it had ended before.
  mutating func cancel() -> [any Subscription] {
    isOpen = false
    phase = .ended
    return upstreams.removeAll()
  }
}

// MARK: Conduit

/// The part of a zip's conduit that knows no types.
@usableFromInline
class ZipCore: Subscription {

  @usableFromInline
  final let lock = Lock()

  @usableFromInline
  final let gate = Gate()

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  final var state: ZipState

  /// Whether values are no longer taken, and whether the downstream has cancelled: for threads that wait for the gate.
  /// Set with the lock held.
  @usableFromInline
  final let hasEnded = Atomic<Bool>(false)

  @usableFromInline
  final let isCancelled = Atomic<Bool>(false)

  /// Requested by the downstream from within a call to it. Only inside the gate.
  @exclusivity(unchecked)
  @usableFromInline
  final var pending = Subscribers.Demand.none

  @usableFromInline
  init(count: Int) {
    state = ZipState(count: count)
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero("Zip")
    if gate.isEntered {
      pending += demand
    } else {
      requestUpstreams(demand)
    }
  }

  final func requestUpstreams(_ demand: Subscribers.Demand) {
    for upstream in lock.withLock({ state.request(demand) }) { upstream.request(demand) }
  }

  /// Passes on the demand that is there after a row.
  @usableFromInline
  final func requestAfterRow(_ demand: Subscribers.Demand, from index: Int) {
    for upstream in lock.withLock({ state.requestedAfterRow(from: index) }) { upstream.request(demand) }
  }

  @usableFromInline
  func cancel() {
    let upstreams = lock.withLock {
      hasEnded.store(true, ordering: .releasing)
      isCancelled.store(true, ordering: .releasing)
      return state.cancel()
    }
    gate.releaseWaiting()
    for upstream in upstreams { upstream.cancel() }
  }

  /// The demand requested from within a call to the downstream. Only inside the gate.
  @inlinable
  final func takePending() -> Subscribers.Demand {
    let demand = pending
    if demand.rawValue != 0 { pending = .none }
    return demand
  }
}

extension Conduits {

  /// The subscription of a zip: keeps the values of each upstream in a queue, and joins their heads.
  @usableFromInline
  final class Zip<Row: MixingRow & ~Copyable, Downstream: Subscriber>: ZipCore, RowParent
  where Downstream.Input == Row.Output {

    @usableFromInline
    typealias SideFailure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var row = Row()

    @inlinable
    init(downstream: Downstream) {
      self.downstream = downstream
      super.init(count: Row.width)
    }

    @usableFromInline
    func receive(subscription: any Subscription, at index: Int) {
      switch lock.withLock({ state.accept(subscription, at: index) }) {
      case .keep:
        break
      case .cancel:
        subscription.cancel()
      case .announce:
        downstream.receive(subscription: self)
        end { state, _ in state.didAnnounce() }
        let demand = lock.withLock { state.takeEarlyRequest() }
        if demand > .none { requestUpstreams(demand) }
      }
    }

    @inlinable
    func receive<Input>(_ input: Input, at index: Int, put: (Zip<Row, Downstream>, Input) -> Input?)
      -> Subscribers.Demand
    {
      lock.lock()
      guard state.isOpen else {
        lock.unlock()
        return .none
      }
      _ = put(self, input)  // A queue replaces nothing.
      guard row.isComplete else {
        lock.unlock()
        return .none
      }
      let output = row.read()
      let isLast = state.finished != 0 && row.hasEmptyCell(in: state.finished)
      // Entered in the same step: a completion, decided from now on by another thread, comes after this row.
      var isOutermost = gate.enterIfFree()
      lock.unlock()

      if !isOutermost {
        // Another thread is inside, so some upstream sends on two threads at once; that may come too late.
        let entry = gate.enter(unless: { hasEnded.load(ordering: .acquiring) })
        if entry == .refused { return .none }
        isOutermost = entry == .outermost
        if isOutermost && hasEnded.load(ordering: .acquiring) {
          gate.leave()
          return .none
        }
      }
      let returned = downstream.receive(output)
      let demand = returned + takePending()
      if isOutermost { gate.leave() }
      withExtendedLifetime(output) {}  // Released with the gate free.

      if isLast {
        finishAfterRow()
        return .none
      }
      if demand.rawValue != 0 { requestAfterRow(demand, from: index) }
      return demand
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Downstream.Failure>, at index: Int) {
      end { state, row in
        switch completion {
        case .finished: state.finish(at: index, isDrained: row.isEmpty(at: index))
        case .failure(let error): state.fail(error)
        }
      }
    }

    @usableFromInline
    override func cancel() {
      super.cancel()
      end { _, _ in nil }
    }

    @usableFromInline
    func finishAfterRow() {
      end { state, _ in state.finishAfterRow() }
    }

    /// Makes a step that may end the zip, and if it did, drops the values, cancels and tells the downstream.
    private func end(_ step: (inout ZipState, borrowing Row) -> ZipState.Ending?) {
      var discarded = Row()
      lock.lock()
      let ending = step(&state, row)
      let isOpen = state.isOpen
      if !isOpen {
        swap(&row, &discarded)
        hasEnded.store(true, ordering: .releasing)
      }
      lock.unlock()
      if !isOpen { gate.releaseWaiting() }
      _ = consume discarded  // With the lock free.

      guard let ending else { return }
      for upstream in ending.cancelled { upstream.cancel() }
      // The downstream may have cancelled from within.
      gate.pass(unless: { isCancelled.load(ordering: .acquiring) }) {
        guard !isCancelled.load(ordering: .acquiring) else { return }
        downstream.receive(completion: ending.completion.mapFailure { $0 as! Downstream.Failure })
      }
      withExtendedLifetime(ending.released) {}
    }
  }
}

extension Conduits.Zip: DescribedByName, ReflectedInSides where Row: ~Copyable {

  @usableFromInline
  var description: String { "Zip" }
}
