extension Publisher {

  /// Drops values as long as a closure holds for them, and publishes all that follow.
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
  /// A value that is dropped does not count against the demand: one more is asked for in its place.
  ///
  /// - Parameter predicate: Whether to drop a value. It is not called again once it has returned `false`.
  /// - Returns: A publisher of the values from the first for which the closure does not hold; it completes with the
  ///   upstream.
  @inlinable
  public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> {
    Publishers.DropWhile(upstream: self, predicate: predicate)
  }

  /// Drops values as long as a closure that may throw holds for them, and publishes all that follow.
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
  /// A value that is dropped does not count against the demand: one more is asked for in its place.
  ///
  /// - Parameter predicate: Whether to drop a value, or throws. It is not called again once it has returned `false` or
  ///   thrown.
  /// - Returns: A publisher of the values from the first for which the closure does not hold; it completes with the
  ///   upstream. When the closure throws, the upstream is cancelled and the error sent.
  @inlinable
  public func tryDrop(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> {
    Publishers.TryDropWhile(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher that drops the values of its upstream as long as a closure holds for them.
  public struct DropWhile<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose first elements are dropped.
    public let upstream: Upstream

    /// Whether to drop a value.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher that drops the values of another one as long as a closure holds for them.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose first elements are dropped.
    ///   - predicate: Whether to drop a value.
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
      upstream.attach(Conduits.DropWhile(downstream: subscriber, predicate: predicate))
    }
  }

  /// A publisher that drops the values of its upstream as long as a closure that may throw holds for them.
  public struct TryDropWhile<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose first elements are dropped.
    public let upstream: Upstream

    /// Whether to drop a value; or throws.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher that drops the values of another one as long as a closure that may throw holds for them.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose first elements are dropped.
    ///   - predicate: Whether to drop a value; or throws.
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
      upstream.attach(Conduits.TryDropWhile<Upstream.Failure, S>(downstream: subscriber, predicate: predicate))
    }
  }
}

// MARK: Conduits

/// The part of the conduits of `drop(while:)` and `tryDrop(while:)` that knows no types.
@usableFromInline
class DropWhileConduit: Conduit {

  // Only touched by elements, of which an upstream sends one at a time; no access lasts while the predicate runs.
  @exclusivity(unchecked)
  @usableFromInline
  final var isDropping = true

  @usableFromInline
  override init() {
    super.init()
  }

  /// Lets the predicate go.
  @usableFromInline
  func forgetPredicate() {}

  /// Ends a connection, and lets the predicate go with it.
  ///
  /// - Returns: The subscription if connected.
  @usableFromInline
  final func disconnectAndForget() -> (any Subscription)? {
    let subscription = disconnect()
    if subscription != nil { forgetPredicate() }
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
    forgetPredicate()
    subscription.cancel()
  }
}

/// Such a conduit with its predicate, which is let go at the end though an element may be with it on another thread:
/// hence a lease, which is used only while elements are dropped.
@usableFromInline
protocol DroppingConduit: DropWhileConduit, FilteringConduit where Input == Downstream.Input {

  /// Asks the predicate. If it has been let go the answer does not matter.
  func mustDrop(_ input: Input) throws(Downstream.Failure) -> Bool
}

extension DroppingConduit {

  @inlinable
  func filter(_ input: Input) throws(Downstream.Failure) -> Input? {
    if isDropping {
      do throws(Downstream.Failure) {
        if try mustDrop(input) { return nil }
      } catch {
        forgetPredicate()
        throw error
      }
      // Before the downstream is called: what it sends from there is not dropped.
      isDropping = false
    }
    return input
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard disconnectAndForget() != nil else { return }
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
    let predicate: Lease<(Input) -> Bool>

    @inlinable
    init(downstream: Downstream, predicate: @escaping (Input) -> Bool) {
      self.downstream = downstream
      self.predicate = Lease(predicate)
    }

    @inlinable
    func mustDrop(_ input: Input) -> Bool {
      predicate.use { $0(input) } ?? true
    }

    @usableFromInline
    override func forgetPredicate() { predicate.end() }

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
    let predicate: Lease<(Input) throws -> Bool>

    @inlinable
    init(downstream: Downstream, predicate: @escaping (Input) throws -> Bool) {
      self.downstream = downstream
      self.predicate = Lease(predicate)
    }

    @inlinable
    func mustDrop(_ input: Input) throws -> Bool {
      try predicate.use { predicate in Result { try predicate(input) } }?.get() ?? true
    }

    @usableFromInline
    override func forgetPredicate() { predicate.end() }

    @usableFromInline
    var description: String { "TryDropWhile" }
  }
}
