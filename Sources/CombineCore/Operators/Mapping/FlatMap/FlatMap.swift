extension Publisher {

  /// Makes a publisher of each value, and passes on the values of all of them as they arrive.
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
  ///   - maxPublishers: How many of the publishers made may be subscribed to at a time; unlimited by default.
  ///   - transform: Makes a publisher of a value.
  /// - Returns: A publisher of the values of all publishers made. It finishes when the upstream and all of them have
  ///   finished, and fails with the first failure; the other publishers made are then cancelled. Values that arrive
  ///   without demand wait, at most one of each publisher.
  @inlinable
  public func flatMap<T, P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where T == P.Output, P.Failure == Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }

  /// Makes a publisher that cannot fail of each value, and passes on the values of all of them as they arrive.
  ///
  /// - Parameters:
  ///   - maxPublishers: How many of the publishers made may be subscribed to at a time; unlimited by default.
  ///   - transform: Makes a publisher of a value.
  /// - Returns: A publisher of the values of all publishers made, which fails when the upstream does.
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

  /// Makes a publisher of each value, and passes on the values of all of them as they arrive.
  ///
  /// - Parameters:
  ///   - maxPublishers: How many of the publishers made may be subscribed to at a time; unlimited by default.
  ///   - transform: Makes a publisher of a value.
  /// - Returns: A publisher of the values of all publishers made, which fails when one of them does.
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

  /// Makes a publisher of each value, and passes on the values of all of them as they arrive. Nothing can fail.
  ///
  /// - Parameters:
  ///   - maxPublishers: How many of the publishers made may be subscribed to at a time; unlimited by default.
  ///   - transform: Makes a publisher of a value.
  /// - Returns: A publisher of the values of all publishers made.
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

extension Publishers {

  /// A publisher that makes a publisher of each value of its upstream, and passes on the values of all of them.
  public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {

    /// The kind of values: that of the publishers made.
    public typealias Output = NewPublisher.Output

    /// The kind of errors: that of the upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher of whose values publishers are made.
    public let upstream: Upstream

    /// How many of the publishers made may be subscribed to at a time.
    public let maxPublishers: Subscribers.Demand

    /// Makes a publisher of a value.
    public let transform: (Upstream.Output) -> NewPublisher

    /// Creates a publisher that makes a publisher of each value of another one.
    ///
    /// - Parameters:
    ///   - upstream: The publisher of whose values publishers are made.
    ///   - maxPublishers: How many of the publishers made may be subscribed to at a time.
    ///   - transform: Makes a publisher of a value.
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

    /// Attaches a subscriber: it gets its subscription, and then the upstream is subscribed to.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.FlatMap(downstream: subscriber, maxPublishers: maxPublishers, transform: transform)
      subscriber.receive(subscription: conduit)
      upstream.attach(conduit)
    }
  }
}
