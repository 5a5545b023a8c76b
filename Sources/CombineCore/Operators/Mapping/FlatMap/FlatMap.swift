// Code for early versions of Combine, or for OpenCombine, declares some of these itself. Disfavoring all of them alike
// prefers the client's own, and leaves the choice among these as it is.
extension Publisher {

  /// Transforms each element into a publisher and merges what those publishers emit.
  ///
  /// The result finishes once the upstream and all inner publishers have finished. It fails as soon as one of them
  /// fails, and then cancels the other inner publishers. Without demand it keeps at most one element of each inner
  /// publisher.
  ///
  /// ```swift
  /// marbles {
  ///   "x--y-----|"
  ///   "-a-b-c|"
  ///   "-1-2-3|"
  ///   $0[0, values: ["x": $0.cold(1), "y": $0.cold(2)]].flatMap { $0 }
  ///   "-a-b1c2-3|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .flatMap { number in Array(repeating: number, count: number).publisher }
  ///   .sink { print($0) }  // prints 1, 2, 2, 3, 3, 3
  /// ```
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of inner publishers that are subscribed at the same time. The default is
  ///     unlimited.
  ///   - transform: A closure that transforms each element into a publisher.
  /// - Returns: A publisher of the elements of all inner publishers.
  @_disfavoredOverload
  @inlinable
  public func flatMap<T, P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where T == P.Output, P.Failure == Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }

  /// Transforms each element into a publisher that cannot fail and merges what those publishers emit.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b-#"
  ///   "-1-2|"
  ///   $0[0].flatMap { [inner = $0.cold(1).assertNoFailure()] _ in inner }
  ///   "-1-21#"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of inner publishers that are subscribed at the same time. The default is
  ///     unlimited.
  ///   - transform: A closure that transforms each element into a publisher.
  /// - Returns: A publisher of the elements of all inner publishers. It fails if the upstream fails.
  @_disfavoredOverload
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers) {
      Publishers.SetFailureType(upstream: transform($0))
    }
  }
}

extension Publisher where Failure == Never {

  /// Transforms each element into a publisher and merges what those publishers emit.
  ///
  /// The result finishes once the upstream and all inner publishers have finished. It fails as soon as one of them
  /// fails, and then cancels the other inner publishers. Without demand it keeps at most one element of each inner
  /// publisher.
  ///
  /// ```swift
  /// marbles {
  ///   "-a-b|"
  ///   "-1-#"
  ///   [$0.cold(0), $0.cold(1)].publisher.flatMap(maxPublishers: .max(1)) { $0 }
  ///   "-a-b-1-#"
  ///   "^"
  ///   "----^"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of inner publishers that are subscribed at the same time. The default is
  ///     unlimited.
  ///   - transform: A closure that transforms each element into a publisher.
  /// - Returns: A publisher of the elements of all inner publishers. It fails if one of them fails.
  @_disfavoredOverload
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    Publishers.FlatMap(
      upstream: Publishers.SetFailureType(upstream: self),
      maxPublishers: maxPublishers,
      transform: transform
    )
  }

  /// Transforms each element into a publisher and merges what those publishers emit.
  ///
  /// None of the publishers can fail.
  ///
  /// ```swift
  /// marbles {
  ///   "a-b---|"
  ///   "-1--2|"
  ///   $0[0].assertNoFailure()
  ///     .flatMap { [inner = $0.cold(1).assertNoFailure()] _ in inner }
  ///   "-1-12-2|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of inner publishers that are subscribed at the same time. The default is
  ///     unlimited.
  ///   - transform: A closure that transforms each element into a publisher.
  /// - Returns: A publisher of the elements of all inner publishers.
  @_disfavoredOverload
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

extension Publishers {

  /// A publisher that transforms each element of its upstream into a publisher and merges what those publishers emit.
  public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = NewPublisher.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are transformed into publishers.
    public let upstream: Upstream

    /// The maximum number of inner publishers that are subscribed at the same time.
    public let maxPublishers: Subscribers.Demand

    /// A closure that transforms each element into a publisher.
    public let transform: (Upstream.Output) -> NewPublisher

    /// Creates a publisher that transforms each element of another one into a publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed into publishers.
    ///   - maxPublishers: The maximum number of inner publishers that are subscribed at the same time.
    ///   - transform: A closure that transforms each element into a publisher.
    @inlinable
    public init(
      upstream: Upstream,
      maxPublishers: Subscribers.Demand,
      transform: @escaping (Upstream.Output) -> NewPublisher
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    /// Subscribes to the upstream, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.FlatMap(downstream: subscriber, maxPublishers: maxPublishers, transform: transform)
      subscriber.receive(subscription: conduit)
      upstream.subscribeConduit(conduit)
    }
  }
}
