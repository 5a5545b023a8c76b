extension Publisher {

  /// Transforms the error with which the publisher fails.
  ///
  /// Demand and subscription pass through unchanged.
  ///
  /// ```swift
  /// struct Unavailable: Error {}
  /// marbles(failure: Unavailable()) {
  ///   "a--b--#"
  ///   $0[0].mapError { _ in Unavailable() }
  ///   "a--b--#"
  /// }
  /// ```
  ///
  /// ```swift
  /// struct Unavailable: Error { let cause: any Error }
  /// let cancellable = [1, 2].publisher
  ///   .tryMap { 6 / $0 }
  ///   .mapError { Unavailable(cause: $0) }
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })  // prints 6, 3, finished
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the error.
  /// - Returns: A publisher of the same elements.
  @inlinable
  public func mapError<E: Error>(_ transform: @escaping (Failure) -> E) -> Publishers.MapError<Self, E> {
    Publishers.MapError(upstream: self, transform: transform)
  }
}

extension Publishers {

  /// A publisher that transforms the error of its upstream.
  public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The publisher whose error is transformed.
    public let upstream: Upstream

    /// A closure that transforms the error.
    public let transform: (Upstream.Failure) -> Failure

    /// Creates a publisher that transforms the error of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose error is transformed.
    ///   - transform: A closure that transforms the error.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Failure) -> Failure) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Creates a publisher that transforms the error of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose error is transformed.
    ///   - map: A closure that transforms the error.
    @inlinable
    public init(upstream: Upstream, _ map: @escaping (Upstream.Failure) -> Failure) {
      self.init(upstream: upstream, transform: map)
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.MapError(downstream: subscriber, transform: transform))
    }
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  struct MapError<Failure: Error, Downstream: Subscriber>: TransparentConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let transform: (Failure) -> Downstream.Failure

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(downstream: Downstream, transform: @escaping (Failure) -> Downstream.Failure) {
      combineIdentifier = CombineIdentifier()
      self.downstream = downstream
      self.transform = transform
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      downstream.receive(completion: completion.mapFailure(transform))
    }

    @usableFromInline
    var description: String { "MapError" }
  }
}
