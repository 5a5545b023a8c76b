import CombineThreads

extension Publisher {

  /// Publishes elements until another publisher emits one, and then finishes.
  ///
  /// When the other publisher emits, the operator cancels the upstream and finishes, without waiting for demand.
  /// Otherwise it completes with the upstream.
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
  /// - Parameter publisher: The publisher whose first element ends this one. The operator requests one element from it.
  ///   Its completion has no effect, whether it finishes or fails.
  /// - Returns: A publisher of the elements before the other publisher's first one.
  @inlinable
  public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {

  /// A publisher of the elements of its upstream until another publisher emits one.
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are passed on.
    public let upstream: Upstream

    /// The publisher whose first element ends this one.
    public let other: Other

    /// Creates a publisher of the elements of one publisher until another emits one.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are passed on.
    ///   - other: The publisher whose first element ends this one.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Subscribes to the other publisher and then to the upstream.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.PrefixUntilOutput<Other.Failure, S>(downstream: subscriber)
      other.subscribeConduit(Conduits.UntilOutputTrigger(of: conduit))
      upstream.subscribeConduit(conduit)
      conduit.didSubscribe()
    }
  }
}

extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

// MARK: Conduit

/// The part of the conduit that is not generic.
@usableFromInline
class PrefixUntilOutputConduit: EndingConduit {

  /// The subscription to the other publisher.
  ///
  /// Once the upstream's phase is terminal, there is none, and no new one is accepted.
  @exclusivity(unchecked)  // Only with the lock held.
  private final var otherState = UpstreamState.awaiting

  /// The other publisher may emit on another thread before the downstream has its subscription. The completion waits for
  /// that, as a timer may be faster than this thread, and `switchToLatest` traps if it gets a completion without a
  /// subscription:
  ///
  ///     this thread                          the timer's thread
  ///     subscribes to the timer
  ///                                          emits: the completion is held
  ///     subscribes to the upstream
  ///     delivers the subscription
  ///     delivers the completion
  @exclusivity(unchecked)  // Only with the lock held.
  private final var announcement = Announcement(causedBy: Platform.currentThread)

  @usableFromInline
  override init() {}

  /// Accepts the upstream's subscription, unless the other publisher has emitted, and notes that this thread is delivering
  /// the downstream's.
  ///
  /// The delivery happens outside the gate, because the downstream may request elements in that call. The upstream may
  /// be sending one on another thread and wait at the gate, while it holds something that the request needs.
  @usableFromInline
  final func beginAnnouncing(_ subscription: any Subscription) -> Bool {
    let (isAccepted, isFirst) = lock.withLock {
      let isAccepted = acceptLocked(subscription)
      return (isAccepted, (isAccepted || announcement.isHolding) && announcement.begin())
    }
    if !isAccepted { subscription.cancel() }
    return isFirst
  }

  /// Notes that the downstream has received its subscription.
  ///
  /// - Returns: Whether the other publisher has ended the subscription meanwhile, so that the caller must notify the
  ///   downstream.
  @usableFromInline
  final func endAnnouncing() -> Bool {
    lock.withLock { announcement.end() }
  }

  /// Notes that both publishers were subscribed to.
  ///
  /// - Returns: Whether the other publisher has ended the subscription meanwhile and the upstream has sent none, so that
  ///   the caller must notify the downstream.
  @usableFromInline
  final func endSubscribing() -> Bool {
    lock.withLock { !announcement.hasBegun && announcement.stopHolding() }
  }

  /// Handles the upstream's completion and cancels the other publisher.
  ///
  /// - Returns: Whether the caller must notify the downstream.
  @usableFromInline
  final func completeUpstream() -> Bool {
    // A cancellation stays one. The completion that another thread is about to send after a trigger is dropped.
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

  /// Releases the other publisher, which has no further effect.
  @usableFromInline
  final func completeOther() {
    _ = lock.withLock { otherState.terminate() }
  }

  /// Handles an element of the other publisher. It cancels the upstream if that element ends the subscription.
  ///
  /// - Returns: Whether the element counts, and whether the caller must notify the downstream now.
  @usableFromInline
  final func trigger() -> (counts: Bool, isNow: Bool) {
    let (upstream, other, isNow) = lock.withLock {
      let other = otherState.disconnect()
      guard other != nil else { return ((any Subscription)?.none, other, false) }
      return (terminateLocked().subscription, other, !announcement.holds())
    }
    guard let other else { return (false, false) }
    gate.releaseWaiting()
    leaveSubject(of: other)
    upstream?.cancel()
    return (true, isNow && !wasCancelled)
  }

  @usableFromInline
  override final func cancel() {
    let (upstream, other) = lock.withLock {
      announcement.withdraw()
      return (terminateLocked(.cancelled).subscription, otherState.terminate())
    }
    gate.releaseWaiting()
    upstream?.cancel()
    other?.cancel()
  }
}

extension Conduits {

  /// Its mirror shows nothing but its type.
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

    /// The completion that waits for the gate.
    @exclusivity(unchecked)  // Only with the lock held.
    private var dueCompletion: Subscribers.Completion<Failure>?

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
      // The phase is checked inside the gate, so that no element follows the completion.
      gate.pass(input, to: downstream, unless: phase != .subscribed) { completeIfDue() }
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

    @usableFromInline
    func didSubscribe() {
      if endSubscribing() { complete(.finished) }
    }

    /// Completes the downstream, unless it cancels first. While another thread is inside it, that thread does it, for the
    /// other publisher must not wait for an element; see ``GatedConduit/complete(_:)``.
    private func complete(_ completion: Subscribers.Completion<Failure>) {
      lock.withLock { dueCompletion = completion }
      completeIfDue()
    }

    @inline(never)
    @usableFromInline
    func completeIfDue() {
      gate.passOrDelegate {
        let completion = lock.withLock { exchange(&dueCompletion, with: nil) }
        if let completion, !wasCancelled { downstream.receive(completion: completion) }
      }
    }

    @usableFromInline
    func receiveOther(completion: Subscribers.Completion<OtherFailure>) {
      completeOther()
    }
  }
}
