import Synchronization

extension Publisher where Output: Publisher, Output.Failure == Failure {

  /// Publishes the elements of the latest publisher that the upstream has sent.
  ///
  /// A new inner publisher cancels the previous one, and receives the outstanding demand. The result finishes once the
  /// upstream and the latest inner publisher have finished. It fails if either fails.
  ///
  /// ```swift
  /// marbles {
  ///   "-x-----y---|"
  ///   "--a-b-c-d-e-|"
  ///   "---1-2-3-4-5-|"
  ///   $0[0, values: ["x": $0[1], "y": $0[2]]].switchToLatest()
  ///   "--a-b-c3-4-5-|"
  ///   "^"
  ///   "-^-----!"
  ///   "-------^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let searches = PassthroughSubject<Just<String>, Never>()
  /// let cancellable = searches.switchToLatest().sink { print($0) }
  /// searches.send(Just("combine"))  // prints combine
  /// ```
  ///
  /// - Returns: A publisher of the latest inner publisher's elements.
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Failure == Never {

  /// Publishes the elements of the latest publisher that the upstream has sent.
  ///
  /// The upstream cannot fail.
  ///
  /// - Returns: A publisher of the latest inner publisher's elements. It fails if that publisher fails.
  @inlinable
  public func switchToLatest()
    -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
  {
    Publishers.SwitchToLatest(upstream: Publishers.SetFailureType(upstream: self))
  }
}

extension Publisher where Output: Publisher, Failure == Never, Output.Failure == Never {

  /// Publishes the elements of the latest publisher that the upstream has sent.
  ///
  /// None of the publishers can fail.
  ///
  /// - Returns: A publisher of the latest inner publisher's elements.
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {

  /// Publishes the elements of the latest publisher that the upstream has sent.
  ///
  /// That publisher cannot fail.
  ///
  /// - Returns: A publisher of the latest inner publisher's elements. It fails if the upstream fails.
  @inlinable
  public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Publishers.SetFailureType<Output, Failure>, Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
    >
  {
    Publishers.SwitchToLatest(
      upstream: Publishers.Map(upstream: self) { Publishers.SetFailureType(upstream: $0) }
    )
  }
}

extension Publishers {

  /// A publisher that publishes the elements of the latest publisher that its upstream has sent.
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where P == Upstream.Output, P.Failure == Upstream.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = P.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = P.Failure

    /// The publisher of inner publishers.
    public let upstream: Upstream

    /// Creates a publisher that publishes the elements of the latest publisher that another one has sent.
    ///
    /// - Parameter upstream: The publisher of inner publishers.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Subscribes to the upstream, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.SwitchToLatest<P, S>(downstream: subscriber)
      subscriber.receive(subscription: conduit)
      upstream.attach(conduit)
    }
  }
}

extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}

// MARK: State

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

// MARK: Conduit

/// The part of a switch-to-latest's conduit that knows no types.
@usableFromInline
class SwitchToLatestCore: Subscription {

  @usableFromInline
  final let lock = Lock()

  @usableFromInline
  final let gate = Gate()

  @exclusivity(unchecked)  // Only with the lock held.
  private final var state = SwitchToLatestState()

  /// For the sides that children send to.
  @exclusivity(unchecked)  // Only with the lock held.
  private final var identifiers = CombineIdentifierStock()

  /// Whether demand is unlimited, and the number of the child whose values are passed on: for a value to see without
  /// the lock. Set with the lock held.
  @usableFromInline
  final let isUnlimited = Atomic<Bool>(false)

  @usableFromInline
  final let current = Atomic<Int>(0)

  /// The number of the latest child that sends without a subscription. Only on the thread that the child sends on.
  @usableFromInline
  final let unsubscribed = Atomic<Int>(0)

  /// Whether the downstream has cancelled: a completion that waits for the gate is then not told.
  @usableFromInline
  final let isCancelled = Atomic<Bool>(false)

  @usableFromInline
  final let end = EndThread()

  /// The number of the child whose value is being delivered; zero between deliveries. Only inside the gate.
  @exclusivity(unchecked)
  @usableFromInline
  final var delivering = 0

  /// Requested by the downstream from within a delivery, for a child that has taken over meanwhile on another thread.
  /// Only inside the gate.
  ///
  /// That child may be a merge, or anything else with a gate of its own, in which that thread waits for ours. So it is
  /// asked when the gate is free again.
  @exclusivity(unchecked)
  @usableFromInline
  final var deferred = Subscribers.Demand.none

  @usableFromInline
  init() {}

  /// One step of the state, and of what is kept beside it.
  private final func step<Result>(_ body: (inout SwitchToLatestState) -> Result) -> Result {
    lock.withLock {
      let result = body(&state)
      isUnlimited.store(state.demand.isUnlimited, ordering: .releasing)
      current.store(state.isCancelled ? 0 : state.current, ordering: .releasing)
      return result
    }
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription) {
    if step({ $0.accept(subscription) }) {
      subscription.request(.unlimited)
    } else {
      subscription.cancel()
    }
  }

  /// Cancels the current child.
  ///
  /// - Returns: The number of the next, and its side's identifier; `nil` if it is not to be subscribed to.
  @usableFromInline
  final func nextChild() -> (number: Int, identifier: CombineIdentifier)? {
    var replaced: SubscriptionObject?
    let next = step { state in state.nextChild(replaced: &replaced).map { ($0, identifiers.take()) } }
    // Values of the child before are of no use any more.
    gate.releaseWaiting()
    replaced?.cancel()
    return next
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription, of number: Int) {
    guard let demand = keep(subscription, of: number) else {
      subscription.cancel()
      return
    }
    if demand > .none { subscription.request(demand) }
  }

  /// Keeps a child's subscription.
  ///
  /// - Returns: The demand to ask it for; `nil` if it is to be cancelled.
  @usableFromInline
  final func keep(_ subscription: any Subscription, of number: Int) -> Subscribers.Demand? {
    step { $0.accept(subscription, of: number) }
  }

  @usableFromInline
  final func takeDemand(of number: Int) -> SwitchToLatestArrival {
    step { $0.receiveValue(of: number) }
  }

  /// Takes the demand for a value that was delivered; inside the gate unless that was the outermost delivery.
  @usableFromInline
  final func didDeliver(_ more: Subscribers.Demand, of number: Int, isOutermost: Bool) {
    request(more, inside: isOutermost ? nil : number) { $0.didDeliver(more, of: number) }
  }

  /// Adds demand by a step of the state, which says what child to ask for it; later if we are inside a delivery of a
  /// child and another has taken over on another thread.
  private final func request(
    _ more: Subscribers.Demand,
    inside number: Int?,
    _ add: (inout SwitchToLatestState) -> SubscriptionObject?
  ) {
    let (child, isDeferred) = step { state in
      if let number, number != 0, state.isReplaced(number) { return (nil as SubscriptionObject?, true) }
      return (add(&state), false)
    }
    if isDeferred { deferred += more } else { child?.request(more) }
  }

  /// Leaves the gate, and does what was put off until then.
  @inlinable
  final func leaveGate() {
    if deferred.rawValue == 0 { gate.leave() } else { leaveGateAndRequest() }
  }

  @inline(never)
  @usableFromInline
  final func leaveGateAndRequest() {
    let demand = exchange(&deferred, with: .none)
    gate.leave()
    request(demand, inside: nil) { $0.request(demand) }
  }

  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func finishUpstream() -> Bool {
    var dropped: SubscriptionObject?
    return step { $0.finishUpstream(dropped: &dropped) }
  }

  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func failUpstream() -> Bool {
    var dropped: SubscriptionObject?
    var cancelled: SubscriptionObject?
    let isFirst = step { state in
      let isFirst = state.failUpstream(dropped: &dropped, cancelled: &cancelled)
      if isFirst { end.note() }
      return isFirst
    }
    return cancelBeforeCompletion(cancelled) && isFirst
  }

  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func finishChild(_ number: Int) -> Bool {
    var dropped: SubscriptionObject?
    let mayBeAwaited = unsubscribed.load(ordering: .relaxed) == number
    return step { $0.finishChild(number, mayBeAwaited: mayBeAwaited, dropped: &dropped) }
  }

  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func failChild(_ number: Int) -> Bool {
    var dropped: SubscriptionObject?
    var cancelled: SubscriptionObject?
    let isFirst = step { $0.failChild(number, dropped: &dropped, cancelled: &cancelled) }
    return cancelBeforeCompletion(cancelled) && isFirst
  }

  /// Cancels what goes before the downstream is told of a failure.
  ///
  /// - Returns: Whether it is still to be told: it may have cancelled from within.
  private final func cancelBeforeCompletion(_ subscription: SubscriptionObject?) -> Bool {
    gate.releaseWaiting()
    guard let subscription else { return true }
    subscription.cancel()
    return !isCancelled.load(ordering: .acquiring)
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero("SwitchToLatest")
    request(demand, inside: gate.isEntered ? delivering : nil) { $0.request(demand) }
  }

  @usableFromInline
  final func cancel() {
    let cancelled = step { state in
      isCancelled.store(true, ordering: .releasing)
      return state.cancel()
    }
    gate.releaseWaiting()
    for subscription in cancelled { subscription.cancel() }
  }

  /// Whether the values of a child are dropped. Asked by threads that wait for the gate, and inside it.
  @inlinable
  @inline(__always)
  final func dropsValues(of number: Int) -> Bool {
    current.load(ordering: .acquiring) != number || end.isElsewhere
  }
}

extension Conduits {

  /// The downstream half of a switch-to-latest's conduit, to which the children send.
  @usableFromInline
  class SwitchToLatestMerge<Downstream: Subscriber>: SwitchToLatestCore, SideParent {

    @usableFromInline
    typealias SideInput = Downstream.Input

    @usableFromInline
    typealias SideFailure = Downstream.Failure

    @usableFromInline
    typealias SideKey = Int

    @usableFromInline
    final let downstream: Downstream

    @inlinable
    init(downstream: Downstream) {
      self.downstream = downstream
    }

    @inlinable
    final func receive(subscription: any Subscription, at number: Int) {
      accept(subscription, of: number)
    }

    @inlinable
    @inline(__always)
    final func receiveAll(
      at number: Int,
      until subscription: () -> SubscriptionObject?,
      _ send: () -> Void
    ) -> Bool {
      // Demand that is unlimited stays so.
      guard isUnlimited.load(ordering: .acquiring), current.load(ordering: .acquiring) == number else { return false }
      if let subscription = subscription() {
        if keep(subscription, of: number) == nil {
          subscription.cancel()
          return true
        }
      } else {
        unsubscribed.store(number, ordering: .relaxed)
      }
      send()
      return true
    }

    // Whether the child is still the latest is looked at inside the gate: no value of it follows one of the next.
    @inlinable
    final func receive(_ input: Downstream.Input, at number: Int) -> Subscribers.Demand {
      let entry = gate.enter(unless: { dropsValues(of: number) })
      if entry == .refused { return .none }
      let isOutermost = entry == .outermost
      if isUnlimited.load(ordering: .acquiring) {
        let returned = dropsValues(of: number) ? .none : deliver(input, of: number)
        if isOutermost { leaveGate() }
        return returned
      }
      let arrival = end.isElsewhere ? .drop : takeDemand(of: number)
      guard arrival != .drop else {
        if isOutermost { leaveGate() }
        return .none
      }
      let answer = deliver(input, of: number)
      let returned = arrival == .deliverUnasked ? answer.afterUnaskedValue : answer
      if isOutermost { leaveGate() }
      if returned.rawValue != 0 { didDeliver(returned, of: number, isOutermost: isOutermost) }
      return returned
    }

    @inlinable
    @inline(__always)
    final func deliver(_ input: Downstream.Input, of number: Int) -> Subscribers.Demand {
      let outer = exchange(&delivering, with: number)
      defer { delivering = outer }
      return downstream.receive(input)
    }

    @inlinable
    final func receive(completion: Subscribers.Completion<Downstream.Failure>, at number: Int) {
      let isFirst =
        switch completion {
        case .finished: finishChild(number)
        case .failure: failChild(number)
        }
      if isFirst { complete(completion) }
    }

    @inlinable
    final func complete(_ completion: Subscribers.Completion<Downstream.Failure>) {
      gate.pass(unless: { isCancelled.load(ordering: .acquiring) }) {
        if !isCancelled.load(ordering: .acquiring) { downstream.receive(completion: completion) }
      }
    }
  }

  /// The subscription of a switch-to-latest: subscribes to each child that the upstream sends.
  @usableFromInline
  final class SwitchToLatest<Child: Publisher, Downstream: Subscriber>: SwitchToLatestMerge<Downstream>, Subscriber
  where Child.Output == Downstream.Input, Child.Failure == Downstream.Failure {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @inlinable
    override init(downstream: Downstream) {
      super.init(downstream: downstream)
    }

    @inlinable
    func receive(subscription: any Subscription) {
      accept(subscription)
    }

    @inlinable
    func receive(_ input: Child) -> Subscribers.Demand {
      guard let (number, identifier) = nextChild() else { return .none }
      input.attach(Side(of: self as SwitchToLatestMerge<Downstream>, key: number, identifier: identifier))
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
      let isFirst =
        switch completion {
        case .finished: finishUpstream()
        case .failure: failUpstream()
        }
      if isFirst { complete(completion) }
    }
  }
}

extension Conduits.SwitchToLatestMerge: DescribedByName {

  @usableFromInline
  var description: String { "SwitchToLatest" }
}
