import CombineThreads
import Synchronization

extension Publisher {

  /// Drops elements until another publisher emits one, and publishes all later elements.
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
  /// Dropped elements use up demand. The operator requests no others in their place.
  ///
  /// - Parameter publisher: The publisher whose first element ends the dropping. The operator requests one element from
  ///   it. If this publisher completes first, the operator cancels the upstream and passes the completion on. Later
  ///   events of this publisher have no effect.
  /// - Returns: A publisher of the later elements. It completes with the upstream.
  @inlinable
  public func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
  where Failure == P.Failure {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {

  /// A publisher that drops the elements of its upstream until another publisher emits one.
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose first elements are dropped.
    public let upstream: Upstream

    /// The publisher whose first element ends the dropping.
    public let other: Other

    /// Creates a publisher that drops the elements of one publisher until another emits one.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose first elements are dropped.
    ///   - other: The publisher whose first element ends the dropping.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Subscribes to the other publisher and then to the upstream.
    ///
    /// `subscriber` receives its subscription before that.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.DropUntilOutput(downstream: subscriber)
      subscriber.receive(subscription: conduit)
      other.subscribeConduit(Conduits.UntilOutputTrigger(of: conduit))
      upstream.subscribeConduit(conduit)
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

// MARK: Machine

/// The pure state of a subscription that drops elements until another publisher emits.
///
/// It holds the two subscriptions and the past events, but not the demand.
@usableFromInline
struct DropUntilOutputMachine: SteppedMachine {

  @usableFromInline
  struct Flags: OptionSet, MachineMirror {

    @usableFromInline
    let rawValue: Int

    @inlinable
    init(rawValue: Int) { self.rawValue = rawValue }

    /// The other publisher has emitted an element.
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

  @usableFromInline
  var mirror: Flags { flags }

  private(set) var upstream: (any Subscription)?
  private var other: (any Subscription)?

  /// Handles a subscription of the upstream.
  ///
  /// - Returns: Whether to request the demand so far from it. If not, the caller must cancel it.
  mutating func acceptUpstream(_ subscription: any Subscription) -> Bool {
    guard upstream == nil, flags.isDisjoint(with: [.completed, .cancelled]) else { return false }
    upstream = subscription
    return true
  }

  /// Handles a subscription of the other publisher.
  ///
  /// - Returns: Whether to request an element from it. If not, the caller must cancel it.
  mutating func acceptOther(_ subscription: any Subscription) -> Bool {
    guard other == nil else { return false }
    other = subscription
    return true
  }

  /// The other publisher has emitted an element.
  ///
  /// - Returns: Its subscription, which the caller must release.
  mutating func trigger() -> (any Subscription)? {
    flags.insert(.triggered)
    return exchange(&other, with: nil)
  }

  enum OtherCompletion {

    /// The caller must only release the other publisher's subscription.
    case ignore((any Subscription)?)

    /// The caller must cancel the upstream, if there is one, and notify the downstream.
    case end((any Subscription)?)
  }

  /// Handles the completion of the other publisher.
  ///
  /// A completion after a cancellation is dropped. A completion after the upstream's is delivered, as in Combine.
  mutating func completeOther() -> OtherCompletion {
    if flags.contains(.triggered) { return .ignore(exchange(&other, with: nil)) }
    let upstream = exchange(&upstream, with: nil)
    return flags.contains(.cancelled) ? .ignore(nil) : .end(upstream)
  }

  /// The upstream has completed.
  ///
  /// - Returns: Whether the caller must notify the downstream.
  mutating func completeUpstream() -> Bool {
    guard flags.isDisjoint(with: [.completed, .cancelled]) else { return false }
    flags.insert(.completed)
    return true
  }

  /// Handles a cancellation by the downstream.
  ///
  /// - Returns: The subscriptions to cancel, in this order.
  mutating func cancel() -> [any Subscription] {
    flags.insert(.cancelled)
    return [exchange(&upstream, with: nil), exchange(&other, with: nil)].compactMap { $0 }
  }
}

// MARK: Conduit

/// The part of the conduit that is not generic.
@usableFromInline
class DropUntilOutputConduit: GatedConduit<DropUntilOutputMachine> {

  /// The total demand of the downstream, less the dropped elements.
  ///
  /// It is raised with the lock held. A new upstream therefore receives each request exactly once: as part of this
  /// demand, or by itself.
  @usableFromInline
  final let outstanding = DemandCounter()

  @usableFromInline
  init() {
    super.init(DropUntilOutputMachine())
  }

  /// Whether elements are delivered. They are not before the other publisher's first element, nor after the end.
  @inlinable
  final var isOpen: Bool {
    mirror == .triggered
  }

  /// Drops an element.
  @inline(never)
  @usableFromInline
  final func drop() {
    if outstanding.take() { return }
    // After the end, another thread may still deliver elements. There can be more of them than there is demand, because
    // delivered elements are not counted.
    // A publisher of this package that sends without demand may also have sent the element.
    if mirror.isDisjoint(with: [.triggered, .completed, .cancelled]), !UnrequestedDelivery.isCurrent {
      Misuse.trap("DropUntilOutput", .valueBeyondDemand)
    }
  }

  @usableFromInline
  final func receive(subscription: any Subscription) {
    let demand = step { $0.acceptUpstream(subscription) ? outstanding.value : nil }
    guard let demand else { return subscription.cancel() }
    if demand > .none { subscription.request(demand) }
  }

  /// Handles the upstream's completion.
  ///
  /// - Returns: Whether the caller must notify the downstream.
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
    if let other = step({ $0.trigger() }) { leaveSubject(of: other) }
    return true
  }

  /// Handles the other publisher's completion. It cancels the upstream if that completion ends the subscription.
  ///
  /// - Returns: Whether the caller must notify the downstream.
  @usableFromInline
  final func completeOther() -> Bool {
    guard case .end(let upstream) = step({ $0.completeOther() }) else { return false }
    gate.releaseWaiting()
    upstream?.cancel()
    // The downstream may have cancelled in a nested call.
    return !isCancelled.load(ordering: .acquiring)
  }

  @usableFromInline
  final override func request(_ demand: Subscribers.Demand) {
    let upstream = step { state in
      outstanding.add(demand)
      return state.upstream
    }
    upstream?.request(demand)
  }

  @usableFromInline
  final override func cancel() {
    cancelUpstreams { $0.cancel() }
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
      // Checked again inside the gate, so that nothing follows the end.
      return gate.pass(input, to: downstream, unless: !isOpen) { completeIfDue() }
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      if completeUpstream() { complete(downstream, with: completion) }
    }

    @usableFromInline
    func receiveOther(completion: Subscribers.Completion<Failure>) {
      if completeOther() { complete(downstream, with: completion) }
    }

    @usableFromInline
    var description: String { "DropUntilOutput" }
  }
}
