import CombineThreads

extension Publisher {

  /// Drops the given number of elements from the beginning, and publishes all later elements.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--d--|"
  ///   $0[0].dropFirst(2)
  ///   "------c--d--|"
  /// }
  /// ```
  ///
  /// The operator requests the elements to drop at the start, in addition to the downstream's demand, and even if there
  /// is none.
  ///
  /// - Parameter count: The number of elements to drop. A negative number traps when a subscriber subscribes.
  /// - Returns: A publisher of the later elements. It completes with the upstream.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    Publishers.Drop(upstream: self, count: count)
  }
}

extension Publishers {

  /// A publisher that drops the first elements of its upstream.
  public struct Drop<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose first elements are dropped.
    public let upstream: Upstream

    /// The number of elements to drop.
    public let count: Int

    /// Creates a publisher that drops the first elements of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose first elements are dropped.
    ///   - count: The number of elements to drop. A negative number traps when a subscriber subscribes.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// The subscriber receives its subscription before the upstream is subscribed to.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Drop(downstream: subscriber, count: count)
      subscriber.receive(subscription: conduit)
      upstream.subscribeConduit(conduit)
    }
  }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}

extension Publishers.Drop: Sendable where Upstream: Sendable {}

// MARK: Machine

/// The pure state of a dropping subscription: its upstream, and the demand from the time before it had one.
@usableFromInline
struct DropMachine {

  private var upstream: (any Subscription)?

  /// The total demand requested while there was no upstream.
  ///
  /// It is kept, and a later upstream receives the same request again.
  private var pending = Subscribers.Demand.none

  /// Handles a subscription that arrives.
  ///
  /// - Parameter count: The number of elements still to drop.
  /// - Returns: The demand to request from it. `nil` if there is a subscription already, so that the caller must cancel
  ///   this one.
  mutating func accept(_ subscription: any Subscription, dropping count: Int) -> Subscribers.Demand? {
    guard upstream == nil else { return nil }
    if count < 0 { Misuse.trap("Drop", .negativeCount) }
    upstream = subscription
    return pending + count
  }

  /// Handles demand of the downstream.
  ///
  /// - Returns: The upstream to request it from. If there is none, the demand is kept.
  mutating func request(_ demand: Subscribers.Demand) -> (any Subscription)? {
    if upstream == nil { pending += demand }
    return upstream
  }

  /// Drops the reference to the upstream, which has completed or will be cancelled.
  mutating func disconnect() -> (any Subscription)? {
    exchange(&upstream, with: nil)
  }
}

// MARK: Conduit

/// The part of a dropping conduit that is not generic.
@usableFromInline
class DropConduit: Subscription {

  private final let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private final var state = DropMachine()

  /// The number of elements still to drop.
  // Only elements and an arriving subscription touch it, and an upstream sends one event at a time.
  @exclusivity(unchecked)
  @usableFromInline
  final var remaining: Int

  @usableFromInline
  init(count: Int) {
    remaining = count
  }

  @usableFromInline
  final func receive(subscription: any Subscription) {
    let demand = lock.withLock { state.accept(subscription, dropping: remaining) }
    guard let demand else { return subscription.cancel() }
    if demand > .none { subscription.request(demand) }
  }

  /// Releases the upstream, which has completed.
  @usableFromInline
  final func disconnect() {
    _ = lock.withLock { state.disconnect() }
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero("Drop")
    lock.withLock { state.request(demand) }?.request(demand)
  }

  @usableFromInline
  final func cancel() {
    lock.withLock { state.disconnect() }?.cancel()
  }
}

extension Conduits {

  @usableFromInline
  final class Drop<Downstream: Subscriber>: DropConduit, Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @inlinable
    init(downstream: Downstream, count: Int) {
      self.downstream = downstream
      super.init(count: count)
    }

    // Elements and completions pass whether or not there is a subscription.
    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      if remaining > 0 {
        remaining -= 1
        return .none
      }
      return downstream.receive(input)
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      disconnect()
      downstream.receive(completion: completion)
    }

    @usableFromInline
    var description: String { "Drop" }
  }
}
