extension Publishers {

  /// A publisher that mixes the values of three others, in the order in which they arrive.
  public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure {

    /// The kind of values: that of all upstreams.
    public typealias Output = A.Output

    /// The kind of errors: that of all upstreams.
    public typealias Failure = A.Failure

    /// The first upstream.
    public let a: A

    /// The second upstream.
    public let b: B

    /// The third upstream.
    public let c: C

    /// Creates a publisher that mixes the values of three others.
    ///
    /// - Parameters:
    ///   - a: The first upstream.
    ///   - b: The second upstream.
    ///   - c: The third upstream.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    /// Attaches a subscriber: it gets its subscription, and then the upstreams are subscribed to in order.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: 3, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      a.attach(Conduits.Constituent(of: conduit, key: 0))
      b.attach(Conduits.Constituent(of: conduit, key: 1))
      c.attach(Conduits.Constituent(of: conduit, key: 2))
    }
  }
}

extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}

extension Publishers.Merge3: Sendable where A: Sendable, B: Sendable, C: Sendable {}

extension Publishers.Merge3 {
  /// Mixes in the values of another publisher.
  ///
  /// - Parameter other: Another publisher of the same values and errors.
  /// - Returns: One publisher over all upstreams: these, then the other one.
  @inlinable
  public func merge<P: Publisher>(
    with other: P
  ) -> Publishers.Merge4<A, B, C, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge4(a, b, c, other)
  }

  /// Mixes in the values of two other publishers.
  ///
  /// - Parameters:
  ///   - z: Another publisher of the same values and errors.
  ///   - y: Another publisher of the same values and errors.
  /// - Returns: One publisher over all upstreams: these, then the others.
  @inlinable
  public func merge<Z: Publisher, Y: Publisher>(
    with z: Z,
    _ y: Y
  ) -> Publishers.Merge5<A, B, C, Z, Y>
  where Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure {
    Publishers.Merge5(a, b, c, z, y)
  }

  /// Mixes in the values of three other publishers.
  ///
  /// - Parameters:
  ///   - z: Another publisher of the same values and errors.
  ///   - y: Another publisher of the same values and errors.
  ///   - x: Another publisher of the same values and errors.
  /// - Returns: One publisher over all upstreams: these, then the others.
  @inlinable
  public func merge<Z: Publisher, Y: Publisher, X: Publisher>(
    with z: Z,
    _ y: Y,
    _ x: X
  ) -> Publishers.Merge6<A, B, C, Z, Y, X>
  where
    Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
    X.Failure == Failure
  {
    Publishers.Merge6(a, b, c, z, y, x)
  }

  /// Mixes in the values of four other publishers.
  ///
  /// - Parameters:
  ///   - z: Another publisher of the same values and errors.
  ///   - y: Another publisher of the same values and errors.
  ///   - x: Another publisher of the same values and errors.
  ///   - w: Another publisher of the same values and errors.
  /// - Returns: One publisher over all upstreams: these, then the others.
  @inlinable
  public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher>(
    with z: Z,
    _ y: Y,
    _ x: X,
    _ w: W
  ) -> Publishers.Merge7<A, B, C, Z, Y, X, W>
  where
    Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
    X.Failure == Failure, W.Output == Output, W.Failure == Failure
  {
    Publishers.Merge7(a, b, c, z, y, x, w)
  }

  /// Mixes in the values of five other publishers.
  ///
  /// - Parameters:
  ///   - z: Another publisher of the same values and errors.
  ///   - y: Another publisher of the same values and errors.
  ///   - x: Another publisher of the same values and errors.
  ///   - w: Another publisher of the same values and errors.
  ///   - v: Another publisher of the same values and errors.
  /// - Returns: One publisher over all upstreams: these, then the others.
  @inlinable
  public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher, V: Publisher>(
    with z: Z,
    _ y: Y,
    _ x: X,
    _ w: W,
    _ v: V
  ) -> Publishers.Merge8<A, B, C, Z, Y, X, W, V>
  where
    Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
    X.Failure == Failure, W.Output == Output, W.Failure == Failure, V.Output == Output, V.Failure == Failure
  {
    Publishers.Merge8(a, b, c, z, y, x, w, v)
  }
}
