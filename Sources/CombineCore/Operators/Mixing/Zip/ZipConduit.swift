import Synchronization

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
