import CombineThreads
import CombineCore

extension Publisher {

  /// Publishes the latest element of another publisher for each element of this one.
  ///
  /// The other publisher is subscribed to first. This publisher is subscribed to when the other one has published its
  /// first element, so a publisher that starts with its subscription loses nothing. Demand goes to this publisher one
  /// for one; the other one is asked for everything. After its completion, even a failure, its latest element stays in
  /// use. If it has published none, this publisher is subscribed to for its end alone: its elements are dropped, and
  /// need no demand.
  ///
  /// ```swift
  /// marbles {
  ///   "-1-2---3-4---5-|"
  ///   "-----a-----b---"
  ///   $0[0].withLatest(of: $0[1])
  ///   "-------a-a---b-|"
  /// }
  /// ```
  ///
  /// - Parameter other: The publisher whose latest element is published.
  /// - Returns: A publisher of latest elements.
  @inlinable
  public func withLatest<Other: Publisher>(
    of other: Other
  ) -> ExtraPublishers.WithLatest<Self, Other, Other.Output> where Other.Failure == Failure {
    withLatest(of: other) { $1 }
  }

  /// Combines each element of this publisher with the latest element of another one.
  ///
  /// The other publisher is subscribed to first. This publisher is subscribed to when the other one has published its
  /// first element, so a publisher that starts with its subscription loses nothing. Demand goes to this publisher one
  /// for one; the other one is asked for everything. After its completion, even a failure, its latest element stays in
  /// use. If it has published none, this publisher is subscribed to for its end alone: its elements are dropped, and
  /// need no demand.
  ///
  /// ```swift
  /// marbles(outputs: ["p": "3a", "q": "5b"]) {
  ///   "-1-2---3----5-|"
  ///   "-----a----b---"
  ///   $0[0].withLatest(of: $0[1]) { $0 + $1 }
  ///   "-------p----q-|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - other: The publisher whose latest element is used.
  ///   - transform: A closure that combines an element of this publisher with the latest element of the other one.
  /// - Returns: A publisher of the combinations.
  @inlinable
  public func withLatest<Other: Publisher, Result>(
    of other: Other,
    _ transform: @escaping (Output, Other.Output) -> Result
  ) -> ExtraPublishers.WithLatest<Self, Other, Result> where Other.Failure == Failure {
    ExtraPublishers.WithLatest(upstream: self, other: other, transform: transform)
  }
}

extension ExtraPublishers {

  /// A publisher that combines each element of its upstream with the latest element of another publisher.
  public struct WithLatest<Upstream: Publisher, Other: Publisher, Output>: Publisher
  where Upstream.Failure == Other.Failure {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher to whose elements the others are added.
    public let upstream: Upstream

    /// The publisher whose latest element is used.
    public let other: Other

    /// A closure that combines an element of the upstream with the latest element of the other publisher.
    public let transform: (Upstream.Output, Other.Output) -> Output

    /// Whether the upstream is subscribed to before the other publisher. Its elements are then dropped until the other
    /// publisher has published one.
    ///
    /// With `false`, the upstream is subscribed to when the other publisher has published its first element.
    public let subscribesUpstreamFirst: Bool

    /// Whether each subscription retains the upstream until it is cancelled or has completed.
    @usableFromInline
    let retainsUpstream: Bool

    /// Creates a publisher that combines each element of another publisher with the latest element of a third.
    ///
    /// - Parameters:
    ///   - upstream: The publisher to whose elements the others are added.
    ///   - other: The publisher whose latest element is used.
    ///   - subscribesUpstreamFirst: Whether the upstream is subscribed to before the other publisher, and drops elements
    ///     until the other publisher has published one. The default is `false`.
    ///   - transform: A closure that combines an element of the upstream with the latest element of the other publisher.
    @inlinable
    public init(
      upstream: Upstream,
      other: Other,
      subscribesUpstreamFirst: Bool = false,
      transform: @escaping (Upstream.Output, Other.Output) -> Output
    ) {
      self.upstream = upstream
      self.other = other
      self.subscribesUpstreamFirst = subscribesUpstreamFirst
      self.transform = transform
      retainsUpstream = false
    }

    /// Creates a publisher each of whose subscriptions retains the upstream until it is cancelled or has completed.
    ///
    /// A relay as the upstream therefore does not finish while a subscription exists, even if its owner has released it.
    ///
    /// - Parameters:
    ///   - upstream: The publisher to whose elements the others are added.
    ///   - other: The publisher whose latest element is used.
    ///   - transform: A closure that combines an element of the upstream with the latest element of the other publisher.
    @_spi(Companions)
    @inlinable
    public init(
      retaining upstream: Upstream,
      other: Other,
      transform: @escaping (Upstream.Output, Other.Output) -> Output
    ) {
      self.upstream = upstream
      self.other = other
      self.subscribesUpstreamFirst = false
      self.transform = transform
      retainsUpstream = true
    }

    /// Subscribes to one of the two publishers, which leads to the subscription to the other one.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Other.Failure {
      let conduit = ExtraConduits.WithLatest(downstream: subscriber, transform: transform)
      if retainsUpstream { conduit.retained = upstream }
      if subscribesUpstreamFirst {
        conduit.subscribeNext = { [other] in other.subscribeLater(Conduits.Constituent(of: $0, key: ())) }
        upstream.subscribeConduit(conduit)
      } else {
        conduit.subscribeNext = { [upstream] in upstream.subscribeLater($0) }
        other.subscribeConduit(Conduits.Constituent(of: conduit, key: ()))
      }
      conduit.open()
    }
  }
}

extension ExtraConduits {

  @usableFromInline
  final class WithLatest<Input, Other, Downstream: Subscriber>:
    QueuedConduit<Downstream>, Subscriber, ConstituentParent, DescribedByName
  {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let transform: (Input, Other) -> Downstream.Input

    /// A closure that subscribes this conduit to the second of the two publishers. It is set before the first
    /// subscription; from then on only with the lock held.
    @exclusivity(unchecked)
    @usableFromInline
    var subscribeNext: ((WithLatest) -> Void)?

    /// What lives until the end of the subscription. It is set before the first subscription; from then on only with the
    /// lock held.
    @exclusivity(unchecked)
    @usableFromInline
    var retained: Any?

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var latest: Other?

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var other = UpstreamState.awaiting

    @inlinable
    init(downstream: Downstream, transform: @escaping (Input, Other) -> Downstream.Input) {
      self.transform = transform
      super.init(downstream: downstream)
    }

    /// Subscribes to the second of the two publishers, once.
    @usableFromInline
    func subscribeToNext() {
      lock.withLock { isClosedLocked ? nil : exchange(&subscribeNext, with: nil) }?(self)
    }

    // MARK: Upstream

    @usableFromInline
    func receive(subscription: any Subscription) {
      guard keep(subscription) else { return }
      // First, so that the upstream's elements find one of the other publisher.
      subscribeToNext()
      requestPending()
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      // A value before the subscription, or after the completion, belongs to no subscription.
      let (isOver, latest) = lock.withLock { (isClosedLocked || !upstream.isSubscribed, self.latest) }
      if isOver { return .none }
      guard let latest else { return .max(1) }
      return pass(transform(input, latest))
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      guard finishUpstream() else { return }
      cancelOther()
      send(completion: completion)
    }

    // MARK: The other publisher

    @usableFromInline
    func receive(subscription: any Subscription, at _: Void) {
      let isKept = lock.withLock { !isClosedLocked && other.accept(subscription) }
      guard isKept else { return subscription.cancel() }
      subscription.request(.unlimited)
    }

    @inlinable
    func receive(_ input: Other, at _: Void) -> Subscribers.Demand {
      let (isFirst, replaced) = lock.withLock { () -> (Bool, Other?) in
        // A value before the subscription, or after the completion, belongs to no subscription.
        guard !isClosedLocked, other.isSubscribed else { return (false, nil) }
        return (latest == nil, exchange(&latest, with: input))
      }
      withExtendedLifetime(replaced) { if isFirst { subscribeToNext() } }
      return .none
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>, at _: Void) {
      withExtendedLifetime(lock.withLock { other.terminate() }) {}
      // Without any element of the other publisher the upstream's elements are dropped, and its end is passed on.
      subscribeToNext()
    }

    @usableFromInline
    override func didEnd() {
      cancelUpstream()
      cancelOther()
      let released = lock.withLock {
        (exchange(&latest, with: nil), exchange(&subscribeNext, with: nil), exchange(&retained, with: nil))
      }
      withExtendedLifetime(released) {}
    }

    private func cancelOther() {
      lock.withLock { other.terminate() }?.cancel()
    }

    @usableFromInline
    var description: String { "WithLatestFrom.Subscription<\(Downstream.Input.self), \(Downstream.Failure.self)>" }
  }
}
