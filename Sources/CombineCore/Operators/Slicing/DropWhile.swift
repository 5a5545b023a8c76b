extension Publisher {

  /// Drops elements from the beginning, as long as they satisfy a predicate, and publishes all later elements.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2--3--2--1--|"
  ///   $0[0].drop { $0 < 3 }
  ///   "------3--2--1--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3, 2, 1].publisher
  ///   .drop { $0 < 3 }
  ///   .sink { print($0) }  // prints 3, 2, 1
  /// ```
  ///
  /// For each dropped element, the operator requests one more from the upstream.
  ///
  /// - Parameter predicate: A closure that returns whether to drop an element. It is not called again after it has
  ///   returned `false`.
  /// - Returns: A publisher of the elements from the first one that does not satisfy the predicate. It completes with
  ///   the upstream.
  @inlinable
  public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> {
    Publishers.DropWhile(upstream: self, predicate: predicate)
  }

  /// Drops elements from the beginning, as long as they satisfy a predicate that may throw, and publishes all later
  /// elements.
  ///
  /// If the predicate throws, the operator cancels the upstream and fails with that error.
  ///
  /// ```swift
  /// struct Zero: Error {}
  /// marbles(of: Int.self, failure: Zero()) {
  ///   "1--0--3--|"
  ///   $0[0].tryDrop { number in
  ///     if number == 0 { throw Zero() }
  ///     return number < 3
  ///   }
  ///   "---#"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// For each dropped element, the operator requests one more from the upstream.
  ///
  /// - Parameter predicate: A closure that returns whether to drop an element, or throws. It is not called again after
  ///   it has returned `false` or thrown.
  /// - Returns: A publisher of the elements from the first one that does not satisfy the predicate. It completes with
  ///   the upstream.
  @inlinable
  public func tryDrop(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> {
    Publishers.TryDropWhile(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher that drops the elements of its upstream as long as they satisfy a predicate.
  public struct DropWhile<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose first elements are dropped.
    public let upstream: Upstream

    /// A closure that returns whether to drop an element.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher that drops the elements of another publisher as long as they satisfy a predicate.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose first elements are dropped.
    ///   - predicate: A closure that returns whether to drop an element.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// Each subscription starts by dropping elements.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.DropWhile(downstream: subscriber, predicate: predicate))
    }
  }

  /// A publisher that drops the elements of its upstream as long as they satisfy a predicate that may throw.
  public struct TryDropWhile<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose first elements are dropped.
    public let upstream: Upstream

    /// A closure that returns whether to drop an element, or throws.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher that drops the elements of another publisher as long as they satisfy a predicate that may
    /// throw.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose first elements are dropped.
    ///   - predicate: A closure that returns whether to drop an element, or throws.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// Each subscription starts by dropping elements.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribeConduit(
        Conduits.TryDropWhile<Upstream.Failure, S>(downstream: subscriber, predicate: predicate)
      )
    }
  }
}

// MARK: Conduits

/// The part of the conduits of `drop(while:)` and `tryDrop(while:)` that is not generic.
@usableFromInline
class DropWhileConduit: Conduit {

  // Only elements touch it, and an upstream sends one at a time. No access is in progress while the predicate runs.
  @exclusivity(unchecked)
  @usableFromInline
  final var isDropping = true

  @usableFromInline
  override init() {
    super.init()
  }

  /// Releases the predicate.
  @usableFromInline
  func releasePredicate() {}

  /// Disconnects from the upstream and releases the predicate, if subscribed.
  ///
  /// - Returns: The subscription, if there was one.
  @usableFromInline
  final func disconnectAndRelease() -> SubscriptionObject? {
    let subscription = disconnect()
    if subscription != nil { releasePredicate() }
    return subscription
  }

  @usableFromInline
  override final func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero(String(describing: self))
    super.request(demand)
  }

  @usableFromInline
  override final func cancel() {
    guard let subscription = acceptCancel() else { return }
    releasePredicate()
    subscription.cancel()
  }
}

/// A conduit with a predicate.
///
/// It releases the predicate when it ends, while another thread may still be calling it. The predicate is therefore in
/// a `Releasable`, which is used only while elements are dropped.
@usableFromInline
protocol DroppingConduit: DropWhileConduit, FilteringConduit where Input == Downstream.Input {

  /// Calls the predicate. If the predicate was released, the result has no effect.
  func mustDrop(_ input: Input) throws(Downstream.Failure) -> Bool
}

extension DroppingConduit {

  @inlinable
  func filter(_ input: Input) throws(Downstream.Failure) -> Input? {
    if isDropping {
      do throws(Downstream.Failure) {
        if try mustDrop(input) { return nil }
      } catch {
        releasePredicate()
        throw error
      }
      // This precedes the call of the downstream, so that elements sent in a reentrant call are not dropped.
      isDropping = false
    }
    return input
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard disconnectAndRelease() != nil else { return }
    downstream.receive(completion: completion.mapFailure(Self.downstreamFailure))
  }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> { [:] }
}

extension Conduits {

  @usableFromInline
  final class DropWhile<Downstream: Subscriber>: DropWhileConduit, DroppingConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let predicate: Releasable<(Input) -> Bool>

    @inlinable
    init(downstream: Downstream, predicate: @escaping (Input) -> Bool) {
      self.downstream = downstream
      self.predicate = Releasable(predicate)
    }

    @inlinable
    func mustDrop(_ input: Input) -> Bool {
      predicate.use { $0(input) } ?? true
    }

    @usableFromInline
    override func releasePredicate() { predicate.end() }

    @usableFromInline
    var description: String { "DropWhile" }
  }

  @usableFromInline
  final class TryDropWhile<Failure: Error, Downstream: Subscriber>: DropWhileConduit, DroppingConduit
  where Downstream.Failure == any Error {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let predicate: Releasable<(Input) throws -> Bool>

    @inlinable
    init(downstream: Downstream, predicate: @escaping (Input) throws -> Bool) {
      self.downstream = downstream
      self.predicate = Releasable(predicate)
    }

    @inlinable
    func mustDrop(_ input: Input) throws -> Bool {
      try predicate.use { predicate in Result { try predicate(input) } }?.get() ?? true
    }

    @usableFromInline
    override func releasePredicate() { predicate.end() }

    @usableFromInline
    var description: String { "TryDropWhile" }
  }
}
