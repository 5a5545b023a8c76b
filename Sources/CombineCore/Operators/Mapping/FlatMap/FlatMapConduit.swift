import Synchronization

/// The part of a flat-map's conduit that knows no types.
@usableFromInline
class FlatMapCore: Subscription {

  @usableFromInline
  final let lock = Lock()

  @usableFromInline
  final let gate = Gate()

  @exclusivity(unchecked)  // Only with the lock held.
  private final var state: FlatMapState

  /// For the sides that children send to.
  @exclusivity(unchecked)  // Only with the lock held.
  private final var identifiers = CombineIdentifierStock()

  /// Whether a value may pass without a look at the state, and whether a new child may be made. Set with the lock held.
  @usableFromInline
  final let isUnlimited = Atomic<Bool>(false)

  @usableFromInline
  final let isEnded = Atomic<Bool>(false)

  /// Whether the downstream has cancelled: a completion that waits for the gate is then not told.
  @usableFromInline
  final let isCancelled = Atomic<Bool>(false)

  @usableFromInline
  final let end = EndThread()

  private final let isLimited: Bool

  /// Whether the downstream is being told of a completion. Only inside the gate.
  @exclusivity(unchecked)
  @usableFromInline
  final var isCompleting = false

  /// Delivers the values that wait. Made where the types are known: called as a method, through the existential that
  /// the downstream holds, it would look up every type at run time.
  private final let drain: (FlatMapCore) -> Void

  @usableFromInline
  init(maxPublishers: Subscribers.Demand, drain: @escaping (FlatMapCore) -> Void) {
    state = FlatMapState(maxPublishers: maxPublishers)
    isLimited = !maxPublishers.isUnlimited
    self.drain = drain
  }

  /// One step of the state, and of what is kept beside it.
  @usableFromInline
  final func step<Result>(_ body: (inout FlatMapState) -> Result) -> Result {
    lock.withLock {
      let result = body(&state)
      isUnlimited.store(state.demand.isUnlimited, ordering: .releasing)
      isEnded.store(state.isEnded, ordering: .releasing)
      return result
    }
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription) {
    if lock.withLock({ state.accept(subscription) }) {
      subscription.request(state.maxPublishers)
    } else {
      subscription.cancel()
    }
  }

  @usableFromInline
  final func addChild() -> (key: ChildTable.Key, identifier: CombineIdentifier)? {
    lock.withLock { state.addChild().map { ($0, identifiers.take()) } }
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription, for key: ChildTable.Key) {
    if let demand = keep(subscription, for: key) {
      subscription.request(demand)
    } else {
      subscription.cancel()
    }
  }

  /// Keeps a child's subscription.
  ///
  /// - Returns: The demand to ask it for; `nil` if it is to be cancelled.
  @usableFromInline
  final func keep(_ subscription: any Subscription, for key: ChildTable.Key) -> Subscribers.Demand? {
    lock.withLock { state.accept(subscription, for: key) }
  }

  /// - Returns: Whether the downstream is to be told that all has finished.
  @usableFromInline
  final func finishUpstream() -> Bool {
    var dropped: (any Subscription)?
    let isFinished = step { state in
      dropped = state.finishUpstream()
      return state.endIfFinished()
    }
    _ = dropped  // Released with the lock free.
    return isFinished
  }

  /// - Returns: Whether the downstream is to be told that the upstream has failed.
  @usableFromInline
  final func failUpstream() -> Bool {
    var dropped: (any Subscription)?
    let cancelled = step { state in
      let cancelled = state.failUpstream(thread: Platform.currentThread, dropped: &dropped)
      if cancelled != nil { end.note() }
      return cancelled
    }
    _ = dropped  // Released with the lock free.
    guard let cancelled else { return false }
    gate.releaseWaiting()
    for child in cancelled { child.cancel() }
    // The downstream may have cancelled from within.
    return lock.withLock {
      state.didCancelChildren()
      return !state.isCancelled
    }
  }

  /// - Returns: Whether the downstream is to be told that all has finished.
  @usableFromInline
  final func finishChild(_ key: ChildTable.Key) -> Bool {
    lock.lock()
    let isFinished: Bool
    if let place = state.finishChild(key) {
      let dropped = place.move()
      isFinished = endIfFinished()
      lock.unlock()
      _ = dropped  // Released with the lock free.
    } else {
      isFinished = endIfFinished()
      lock.unlock()
    }
    if !isFinished && isLimited { requestChild() }
    return isFinished
  }

  /// Called with the lock held.
  private final func endIfFinished() -> Bool {
    let isFinished = state.endIfFinished()
    if isFinished { isEnded.store(true, ordering: .releasing) }
    return isFinished
  }

  private final func requestChild() {
    lock.withLock { state.limitedUpstream() }?.request(.max(1))
  }

  /// - Returns: Whether the downstream is to be told that a child has failed.
  @usableFromInline
  final func failChild(_ key: ChildTable.Key) -> Bool {
    var dropped: (child: (any Subscription)?, upstream: (any Subscription)?)
    let cancelled = step { state in
      let cancelled = state.failChild(key, dropped: &dropped)
      if cancelled != nil { end.note() }
      return cancelled
    }
    // What was dropped is released with the lock free.
    guard let cancelled else { return false }
    gate.releaseWaiting()
    for child in cancelled { child.cancel() }
    guard lock.withLock({ state.isCancelled }) else { return true }
    // The downstream has cancelled from within: that goes for the upstream, too.
    dropped.upstream?.cancel()
    return false
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero("FlatMap")
    let isInsideDelivery = gate.isEntered && !isCompleting
    if step({ $0.request(demand, isInsideDelivery: isInsideDelivery) }) { drain(self) }
  }

  @usableFromInline
  func cancel() {
    let cancelled = step { state in
      if !state.isEnded { end.note() }
      isCancelled.store(true, ordering: .releasing)
      return state.cancel()
    }
    gate.releaseWaiting()
    for subscription in cancelled { subscription.cancel() }
  }

  @usableFromInline
  final func didDeliver(_ more: Subscribers.Demand, isOutermost: Bool) -> Bool {
    step { $0.didDeliver(more, isOutermost: isOutermost) }
  }

  /// Enters the gate to deliver a value that waits. Never waits: while another thread is inside the downstream, what
  /// remains is left to that one.
  @usableFromInline
  final func enterToDrain() -> Bool {
    if gate.enterIfFree() { return true }
    step { $0.stopDraining() }
    return gate.enterOrDelegate()
  }

  /// A value that waited was delivered: asks its child for the next.
  @usableFromInline
  final func didDrain(_ key: ChildTable.Key, _ more: Subscribers.Demand) {
    step { $0.didDrain(key, more) }?.request(.max(1))
  }

  /// All values that waited were delivered, as far as there was demand.
  ///
  /// - Returns: Whether the downstream is to be told that all has finished.
  @usableFromInline
  final func endDrain() -> Bool {
    for child in step({ $0.takeUnlimitedRequest() }) { child.request(.unlimited) }
    return step { $0.endIfFinished() }
  }
}

extension Conduits {

  /// The downstream half of a flat-map's conduit, to which the children send.
  @usableFromInline
  class FlatMapMerge<Downstream: Subscriber>: FlatMapCore, SideParent {

    @usableFromInline
    typealias SideInput = Downstream.Input

    @usableFromInline
    typealias SideFailure = Downstream.Failure

    @usableFromInline
    typealias SideKey = ChildTable.Key

    @usableFromInline
    final let downstream: Downstream

    /// The values that wait for demand, in the order in which they came, and whose they are.
    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    final var waiting = Deque<(key: ChildTable.Key, value: Downstream.Input)>()

    @inlinable
    init(downstream: Downstream, maxPublishers: Subscribers.Demand) {
      self.downstream = downstream
      super.init(maxPublishers: maxPublishers) { unsafeDowncast($0, to: FlatMapMerge<Downstream>.self).drain() }
    }

    @inlinable
    final func receive(subscription: any Subscription, at key: ChildTable.Key) {
      accept(subscription, for: key)
    }

    @inlinable
    @inline(__always)
    final func receiveAll(
      at key: ChildTable.Key,
      until subscription: () -> SubscriptionObject?,
      _ send: () -> Void
    ) -> Bool {
      // Demand that is unlimited stays so.
      guard isUnlimited.load(ordering: .acquiring), !isEnded.load(ordering: .acquiring) else { return false }
      if let subscription = subscription(), keep(subscription, for: key) == nil {
        subscription.cancel()
      } else {
        send()
      }
      return true
    }

    @inlinable
    final func receive(_ input: Downstream.Input, at key: ChildTable.Key) -> Subscribers.Demand {
      guard isUnlimited.load(ordering: .acquiring) else { return receiveCounted(input, at: key) }
      _ = gate.pass(input, to: downstream, unless: end.isElsewhere) { drain() }
      return .none
    }

    @inlinable
    @inline(never)
    final func receiveCounted(_ input: Downstream.Input, at key: ChildTable.Key) -> Subscribers.Demand {
      let arrival = step { state in
        let arrival = state.receiveValue()
        if case .keep = arrival { waiting.append((key, input)) }
        return arrival
      }
      switch arrival {
      case .deliver:
        _ = gate.pass(input, to: downstream, unless: end.isElsewhere) { drain() }
        return .none
      case .deliverCounted:
        let entry = gate.enter(unless: { end.isElsewhere })
        if entry == .refused { return .max(1) }
        let demand = end.isElsewhere ? .none : downstream.receive(input)
        let isDelegated = entry == .outermost && gate.leave()
        if didDeliver(demand, isOutermost: entry == .outermost) || isDelegated { drain() }
        return .max(1)
      case .keep, .drop:
        return .none
      }
    }

    /// Delivers the values that wait, as far as there is demand. Only one thread does it at a time.
    @inlinable
    final func drain() {
      while enterToDrain() {
        let (next, taken) = takeWaiting()
        var demand = Subscribers.Demand.none
        if let taken, !end.isElsewhere { demand = downstream.receive(taken.value) }
        let isDelegated = gate.leave()
        if let taken { didDrain(taken.key, demand) }
        switch next {
        case .deliver: break
        case .leave: return
        case .end:
          if isDelegated { break }
          if endDrain() { complete(.finished) }
          return
        }
      }
    }

    /// Called inside the gate.
    @inlinable
    final func takeWaiting() -> (FlatMapState.DrainStep, (key: ChildTable.Key, value: Downstream.Input)?) {
      step { state in
        let next = state.takeWaiting()
        return (next, next == .deliver ? waiting.popFirst() : nil)
      }
    }

    @inlinable
    final func receive(completion: Subscribers.Completion<Downstream.Failure>, at key: ChildTable.Key) {
      switch completion {
      case .finished:
        if finishChild(key) { complete(.finished) }
      case .failure:
        if failChild(key) { fail(completion) }
      }
    }

    @inlinable
    final func complete(_ completion: Subscribers.Completion<Downstream.Failure>) {
      gate.pass(unless: { isCancelled.load(ordering: .acquiring) }) {
        guard !isCancelled.load(ordering: .acquiring) else { return }
        isCompleting = true
        downstream.receive(completion: completion)
        isCompleting = false
      }
    }

    @usableFromInline
    final func fail(_ completion: Subscribers.Completion<Downstream.Failure>) {
      dropWaiting()
      complete(completion)
    }

    @usableFromInline
    final override func cancel() {
      super.cancel()
      dropWaiting()
    }

    private func dropWaiting() {
      var dropped = Deque<(key: ChildTable.Key, value: Downstream.Input)>()
      step { state in
        if state.isEnded { swap(&waiting, &dropped) }
      }
      _ = consume dropped  // With the lock free.
    }
  }

  /// The subscription of a flat-map: subscribes to a child for each value of the upstream.
  @usableFromInline
  final class FlatMap<Input, Child: Publisher, Downstream: Subscriber>: FlatMapMerge<Downstream>, Subscriber
  where Child.Output == Downstream.Input, Child.Failure == Downstream.Failure {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let transform: (Input) -> Child

    @inlinable
    init(downstream: Downstream, maxPublishers: Subscribers.Demand, transform: @escaping (Input) -> Child) {
      self.transform = transform
      super.init(downstream: downstream, maxPublishers: maxPublishers)
    }

    @inlinable
    func receive(subscription: any Subscription) {
      accept(subscription)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard !isEnded.load(ordering: .acquiring) else { return .none }
      let child = transform(input)
      guard let (key, identifier) = addChild() else { return .none }
      child.attach(Side(of: self as FlatMapMerge<Downstream>, key: key, identifier: identifier))
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
      switch completion {
      case .finished:
        if finishUpstream() { complete(.finished) }
      case .failure:
        if failUpstream() { fail(completion) }
      }
    }
  }
}

extension Conduits.FlatMapMerge: DescribedByName {

  @usableFromInline
  var description: String { "FlatMap" }
}
