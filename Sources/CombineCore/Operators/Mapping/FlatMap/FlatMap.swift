import Synchronization

extension Publisher {

  /// Transforms each element into a publisher and merges what those publishers emit.
  ///
  /// The result finishes once the upstream and all inner publishers have finished. It fails as soon as one of them
  /// fails, and then cancels the other inner publishers. Without demand it keeps at most one element of each inner
  /// publisher.
  ///
  /// ```swift
  /// marbles {
  ///   "x--y-----|"
  ///   "-a-b-c|"
  ///   "-1-2-3|"
  ///   $0[0, values: ["x": $0.cold(1), "y": $0.cold(2)]].flatMap { $0 }
  ///   "-a-b1c2-3|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .flatMap { number in Array(repeating: number, count: number).publisher }
  ///   .sink { print($0) }  // prints 1, 2, 2, 3, 3, 3
  /// ```
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of inner publishers that are subscribed at the same time. The default is
  ///     unlimited.
  ///   - transform: A closure that transforms each element into a publisher.
  /// - Returns: A publisher of the elements of all inner publishers.
  @inlinable
  public func flatMap<T, P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where T == P.Output, P.Failure == Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }

  /// Transforms each element into a publisher that cannot fail and merges what those publishers emit.
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of inner publishers that are subscribed at the same time. The default is
  ///     unlimited.
  ///   - transform: A closure that transforms each element into a publisher.
  /// - Returns: A publisher of the elements of all inner publishers. It fails if the upstream fails.
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers) {
      Publishers.SetFailureType(upstream: transform($0))
    }
  }
}

extension Publisher where Failure == Never {

  /// Transforms each element into a publisher and merges what those publishers emit.
  ///
  /// The result finishes once the upstream and all inner publishers have finished. It fails as soon as one of them
  /// fails, and then cancels the other inner publishers. Without demand it keeps at most one element of each inner
  /// publisher.
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of inner publishers that are subscribed at the same time. The default is
  ///     unlimited.
  ///   - transform: A closure that transforms each element into a publisher.
  /// - Returns: A publisher of the elements of all inner publishers. It fails if one of them fails.
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    Publishers.FlatMap(
      upstream: Publishers.SetFailureType(upstream: self),
      maxPublishers: maxPublishers,
      transform: transform
    )
  }

  /// Transforms each element into a publisher and merges what those publishers emit.
  ///
  /// None of the publishers can fail.
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of inner publishers that are subscribed at the same time. The default is
  ///     unlimited.
  ///   - transform: A closure that transforms each element into a publisher.
  /// - Returns: A publisher of the elements of all inner publishers.
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

extension Publishers {

  /// A publisher that transforms each element of its upstream into a publisher and merges what those publishers emit.
  public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = NewPublisher.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are transformed into publishers.
    public let upstream: Upstream

    /// The maximum number of inner publishers that are subscribed at the same time.
    public let maxPublishers: Subscribers.Demand

    /// A closure that transforms each element into a publisher.
    public let transform: (Upstream.Output) -> NewPublisher

    /// Creates a publisher that transforms each element of another one into a publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed into publishers.
    ///   - maxPublishers: The maximum number of inner publishers that are subscribed at the same time.
    ///   - transform: A closure that transforms each element into a publisher.
    @inlinable
    public init(
      upstream: Upstream,
      maxPublishers: Subscribers.Demand,
      transform: @escaping (Upstream.Output) -> NewPublisher
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    /// Subscribes to the upstream, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.FlatMap(downstream: subscriber, maxPublishers: maxPublishers, transform: transform)
      subscriber.receive(subscription: conduit)
      upstream.attach(conduit)
    }
  }
}

// MARK: State

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

// MARK: Conduit

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
