import Synchronization

extension Publisher {

  /// Drops values until another publisher has sent one, and publishes all that follow.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--d--|"
  ///   "----x--y--"
  ///   $0[0].drop(untilOutputFrom: $0[1])
  ///   "------c--d--|"
  /// }
  /// ```
  ///
  /// The values that are dropped use up demand; nothing is asked for in their place.
  ///
  /// - Parameter publisher: The publisher whose first value ends the dropping; it is asked for one. If it completes
  ///   before, the upstream is cancelled and the completion passed on; what it does afterwards does not matter.
  /// - Returns: A publisher of the values that follow; it completes with the upstream.
  @inlinable
  public func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
  where Failure == P.Failure {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {

  /// A publisher that drops the values of its upstream until another publisher has sent one.
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose first elements are dropped.
    public let upstream: Upstream

    /// The publisher whose first value ends the dropping.
    public let other: Other

    /// Creates a publisher that drops the values of one publisher until another one has sent a value.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose first elements are dropped.
    ///   - other: The publisher whose first value ends the dropping.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Attaches a subscriber to the other publisher and to the upstream, in this order. It gets its subscription first.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.DropUntilOutput(downstream: subscriber)
      subscriber.receive(subscription: conduit)
      other.attach(Conduits.UntilOutputSide(of: conduit))
      upstream.attach(conduit)
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

// MARK: State

/// The pure state of a subscription that drops until another publisher sends: the two subscriptions and what has
/// happened, but for the demand.
@usableFromInline
struct DropUntilOutputState {

  @usableFromInline
  struct Flags: OptionSet {

    @usableFromInline
    let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The other publisher has sent a value.
    @inlinable
    static var triggered: Flags { Flags(rawValue: 1) }

    /// The upstream has completed.
    @inlinable
    static var completed: Flags { Flags(rawValue: 2) }

    /// The downstream has cancelled.
    @inlinable
    static var cancelled: Flags { Flags(rawValue: 4) }
  }

  private(set) var flags: Flags = []
  private(set) var upstream: (any Subscription)?
  private var other: (any Subscription)?

  /// Takes a subscription of the upstream.
  ///
  /// - Returns: Whether it is to be asked for the demand so far. If not, it is to be cancelled.
  mutating func acceptUpstream(_ subscription: any Subscription) -> Bool {
    guard upstream == nil, flags.isDisjoint(with: [.completed, .cancelled]) else { return false }
    upstream = subscription
    return true
  }

  /// Takes a subscription of the other publisher.
  ///
  /// - Returns: Whether it is to be asked for a value. If not, it is to be cancelled.
  mutating func acceptOther(_ subscription: any Subscription) -> Bool {
    guard other == nil else { return false }
    other = subscription
    return true
  }

  /// The other publisher has sent a value.
  ///
  /// - Returns: Its subscription, to be let go.
  mutating func trigger() -> (any Subscription)? {
    flags.insert(.triggered)
    return exchange(&other, with: nil)
  }

  enum OtherCompletion {

    /// Nothing is to be done but letting go of the other publisher's subscription.
    case ignore((any Subscription)?)

    /// The upstream is to be cancelled if it is there, and the downstream to be told.
    case end((any Subscription)?)
  }

  /// The other publisher has completed. A completion that comes after a cancel is not told; one that comes after the
  /// upstream's is, as it is in Combine.
  mutating func completeOther() -> OtherCompletion {
    if flags.contains(.triggered) { return .ignore(exchange(&other, with: nil)) }
    let upstream = exchange(&upstream, with: nil)
    return flags.contains(.cancelled) ? .ignore(nil) : .end(upstream)
  }

  /// The upstream has completed.
  ///
  /// - Returns: Whether the downstream is to be told.
  mutating func completeUpstream() -> Bool {
    guard flags.isDisjoint(with: [.completed, .cancelled]) else { return false }
    flags.insert(.completed)
    return true
  }

  /// The downstream cancels.
  ///
  /// - Returns: The subscriptions to cancel, in this order.
  mutating func cancel() -> (upstream: (any Subscription)?, other: (any Subscription)?) {
    flags.insert(.cancelled)
    return (exchange(&upstream, with: nil), exchange(&other, with: nil))
  }
}

// MARK: Conduit

/// The part of the conduit that knows no types.
@usableFromInline
class DropUntilOutputConduit: Subscription {

  private final let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private final var state = DropUntilOutputState()

  /// The flags of the state, so that an element can be checked against them by one load. Written with the lock held.
  @usableFromInline
  final let flagWord = Atomic<UInt8>(0)

  /// Everything that the downstream has requested, less the elements dropped. Raised with the lock held, so that an
  /// upstream that arrives is either asked for a request as a part of this, or gets that request itself.
  @usableFromInline
  final let pending = DemandCounter()

  /// Passed by whatever enters the downstream: the upstream and the other publisher may be on different threads.
  @usableFromInline
  final let gate = Gate()

  @usableFromInline
  init() {}

  private final func step<Result>(_ body: (inout DropUntilOutputState) -> Result) -> Result {
    lock.withLock {
      let result = body(&state)
      flagWord.store(state.flags.rawValue, ordering: .releasing)
      return result
    }
  }

  /// Whether elements are delivered: neither before the other publisher's first value nor after the end.
  @inlinable
  final var isOpen: Bool {
    flagWord.load(ordering: .acquiring) == DropUntilOutputState.Flags.triggered.rawValue
  }

  /// Whether the downstream has cancelled.
  @usableFromInline
  final var wasCancelled: Bool {
    DropUntilOutputState.Flags(rawValue: flagWord.load(ordering: .acquiring)).contains(.cancelled)
  }

  /// Drops an element.
  @inline(never)
  @usableFromInline
  final func drop() {
    if pending.take() { return }
    // After the end elements may still be on their way from another thread, more than there was demand for as those
    // that were delivered have not been counted.
    let flags = DropUntilOutputState.Flags(rawValue: flagWord.load(ordering: .acquiring))
    // A value may also come from a publisher of ours that sends without demand.
    if flags.isDisjoint(with: [.triggered, .completed, .cancelled]), !UnaskedDelivery.isCurrent {
      Misuse.trap("DropUntilOutput", .valueBeyondDemand)
    }
  }

  @usableFromInline
  final func receive(subscription: any Subscription) {
    let demand = step { $0.acceptUpstream(subscription) ? pending.value : nil }
    guard let demand else { return subscription.cancel() }
    if demand > .none { subscription.request(demand) }
  }

  /// Takes the upstream's completion.
  ///
  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func completeUpstream() -> Bool {
    let isDue = step { $0.completeUpstream() }
    gate.releaseWaiting()
    return isDue
  }

  @usableFromInline
  final func receiveOther(subscription: any Subscription) {
    if step({ $0.acceptOther(subscription) }) {
      subscription.request(.max(1))
    } else {
      subscription.cancel()
    }
  }

  @usableFromInline
  final func receiveOtherValue() -> Bool {
    if let other = step({ $0.trigger() }) { leaveList(of: other) }
    return true
  }

  /// Takes the other publisher's completion; cancels the upstream if it ends the subscription.
  ///
  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func completeOther() -> Bool {
    guard case .end(let upstream) = step({ $0.completeOther() }) else { return false }
    gate.releaseWaiting()
    upstream?.cancel()
    // The downstream may have cancelled from inside that.
    return !wasCancelled
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    let upstream = step { state in
      pending.add(demand)
      return state.upstream
    }
    upstream?.request(demand)
  }

  @usableFromInline
  final func cancel() {
    let (upstream, other) = step { $0.cancel() }
    gate.releaseWaiting()
    upstream?.cancel()
    other?.cancel()
  }
}

extension Conduits {

  @usableFromInline
  final class DropUntilOutput<Downstream: Subscriber>: DropUntilOutputConduit, Subscriber, UntilOutputParent,
    DescribedByName
  {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @inlinable
    init(downstream: Downstream) {
      self.downstream = downstream
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard isOpen else {
        drop()
        return .none
      }
      // Looked at again inside the gate, so that nothing follows the end.
      return gate.pass(input, to: downstream, unless: !isOpen)
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      if completeUpstream() { complete(completion) }
    }

    @usableFromInline
    func receiveOther(completion: Subscribers.Completion<Failure>) {
      if completeOther() { complete(completion) }
    }

    private func complete(_ completion: Subscribers.Completion<Failure>) {
      gate.pass(unless: { wasCancelled }) {
        if !wasCancelled { downstream.receive(completion: completion) }
      }
    }

    @usableFromInline
    var description: String { "DropUntilOutput" }
  }
}
