extension Publisher {

  /// Publishes values until another publisher has sent one, and then finishes.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--d--|"
  ///   "----x--y--"
  ///   $0[0].prefix(untilOutputFrom: $0[1])
  ///   "a--b|"
  ///   "^---!"
  /// }
  /// ```
  ///
  /// - Parameter publisher: The publisher whose first value ends this one; it is asked for one. Its completion, of
  ///   whatever kind, does not matter.
  /// - Returns: A publisher of the values before that. When the other publisher sends, the upstream is cancelled and
  ///   the publisher finishes, with no regard to demand; otherwise it completes with the upstream.
  @inlinable
  public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {

  /// A publisher of the values of its upstream until another publisher has sent one.
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are passed on.
    public let upstream: Upstream

    /// The publisher whose first value ends this one.
    public let other: Other

    /// Creates a publisher of the values of one publisher until another one has sent a value.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are passed on.
    ///   - other: The publisher whose first value ends this one.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Attaches a subscriber to the other publisher and to the upstream, in this order.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.PrefixUntilOutput<Other.Failure, S>(downstream: subscriber)
      other.attach(Conduits.UntilOutputSide(of: conduit))
      upstream.attach(conduit)
    }
  }
}

extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

// MARK: Conduit

/// The part of the conduit that knows no types.
@usableFromInline
class PrefixUntilOutputConduit: Conduit {

  /// The subscription to the other publisher. There is none, and none is taken, once the upstream's phase is terminal.
  @exclusivity(unchecked)  // Only with the lock held.
  private final var otherState = UpstreamState.awaiting

  /// The thread that is handing the subscription over; zero before and after.
  @exclusivity(unchecked)  // Only with the lock held.
  private final var announcer: UInt = 0

  /// Whether the other publisher has sent a value meanwhile, on another thread.
  @exclusivity(unchecked)  // Only with the lock held.
  private final var isDue = false

  /// Passed by whatever enters the downstream: the upstream and the other publisher may be on different threads.
  @usableFromInline
  final let gate = Gate()

  @usableFromInline
  override init() {
    super.init()
  }

  /// Takes the upstream's subscription, and notes that it is being handed over if it is the first.
  ///
  /// That is done outside the gate, as the downstream may ask for values in that call: the upstream may be sending
  /// one on another thread, and wait at the gate with something held that the request needs.
  @usableFromInline
  final func beginAnnouncing(_ subscription: any Subscription) -> Bool {
    let isFirst = lock.withLock {
      guard acceptLocked(subscription) else { return false }
      announcer = Platform.currentThread
      return true
    }
    if !isFirst { subscription.cancel() }
    return isFirst
  }

  /// Notes that the downstream has its subscription.
  ///
  /// - Returns: Whether the other publisher has ended it meanwhile, and the downstream is to be told.
  @usableFromInline
  final func endAnnouncing() -> Bool {
    lock.withLock {
      announcer = 0
      return exchange(&isDue, with: false)
    }
  }

  /// Takes the upstream's completion and cancels the other publisher.
  ///
  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func completeUpstream() -> Bool {
    // A cancel stays one: the completion that a trigger has under way is not told.
    let (upstream, other) = lock.withLock {
      (terminateLocked(wasCancelled ? .cancelled : .terminal), otherState.terminate())
    }
    gate.releaseWaiting()
    other?.cancel()
    return upstream.previous == .subscribed && !wasCancelled
  }

  @usableFromInline
  final func receiveOther(subscription: any Subscription) {
    if lock.withLock({ otherState.accept(subscription) }) {
      subscription.request(.max(1))
    } else {
      subscription.cancel()
    }
  }

  /// Lets the other publisher go: it does not matter any more.
  @usableFromInline
  final func completeOther() {
    _ = lock.withLock { otherState.terminate() }
  }

  /// Takes a value of the other publisher; cancels the upstream if it ends the subscription.
  ///
  /// - Returns: Whether it counts, and whether the downstream is to be told, now and by the caller.
  @usableFromInline
  final func trigger() -> (counts: Bool, isNow: Bool) {
    let (upstream, other, isNow) = lock.withLock {
      let other = otherState.disconnect()
      guard other != nil else { return ((any Subscription)?.none, other, false) }
      isDue = announcer != 0 && announcer != Platform.currentThread
      return (terminateLocked().subscription, other, !isDue)
    }
    guard let other else { return (false, false) }
    gate.releaseWaiting()
    leaveList(of: other)
    upstream?.cancel()
    return (true, isNow && !wasCancelled)
  }

  @usableFromInline
  override final func cancel() {
    let (upstream, other) = lock.withLock {
      isDue = false
      return (terminateLocked(.cancelled).subscription, otherState.terminate())
    }
    gate.releaseWaiting()
    upstream?.cancel()
    other?.cancel()
  }
}

extension Conduits {

  /// Shows nothing of itself but its type.
  @usableFromInline
  final class PrefixUntilOutput<OtherFailure: Error, Downstream: Subscriber>: PrefixUntilOutputConduit, Subscriber,
    UntilOutputParent
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

    @usableFromInline
    func receive(subscription: any Subscription) {
      guard beginAnnouncing(subscription) else { return }
      downstream.receive(subscription: self)
      if endAnnouncing() { complete(.finished) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      // Checked inside the gate, so that nothing follows the completion.
      gate.pass(input, to: downstream, unless: phase != .subscribed)
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      if completeUpstream() { complete(completion) }
    }

    @usableFromInline
    func receiveOtherValue() -> Bool {
      let (counts, isNow) = trigger()
      if isNow { complete(.finished) }
      return counts
    }

    private func complete(_ completion: Subscribers.Completion<Failure>) {
      gate.pass(unless: { wasCancelled }) {
        if !wasCancelled { downstream.receive(completion: completion) }
      }
    }

    @usableFromInline
    func receiveOther(completion: Subscribers.Completion<OtherFailure>) {
      completeOther()
    }
  }
}
