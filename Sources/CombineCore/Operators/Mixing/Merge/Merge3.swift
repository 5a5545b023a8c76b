extension Publishers {

  /// A publisher that merges the elements of three others, in the order of their arrival.
  public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = A.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = A.Failure

    /// The first upstream.
    public let a: A

    /// The second upstream.
    public let b: B

    /// The third upstream.
    public let c: C

    /// Creates a publisher that merges the elements of three others.
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

    /// Subscribes to the upstreams in order, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: 3, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      a.subscribeConduit(Conduits.Constituent(of: conduit, key: 0))
      b.subscribeConduit(Conduits.Constituent(of: conduit, key: 1))
      c.subscribeConduit(Conduits.Constituent(of: conduit, key: 2))
    }
  }
}

extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}

extension Publishers.Merge3: Sendable where A: Sendable, B: Sendable, C: Sendable {}

extension Publishers.Merge3 {
  /// Merges the elements of another publisher into this publisher.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   "---d--|"
  ///   Publishers.Merge3($0[0], $0[1], $0[2]).merge(with: $0[3])
  ///   "abcd--|"
  /// }
  /// ```
  ///
  /// - Parameter other: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the other.
  @inlinable
  public func merge<P: Publisher>(
    with other: P
  ) -> Publishers.Merge4<A, B, C, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge4(a, b, c, other)
  }

  /// Merges the elements of two other publishers into this publisher.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   "---d--|"
  ///   "----e--|"
  ///   Publishers.Merge3($0[0], $0[1], $0[2]).merge(with: $0[3], $0[4])
  ///   "abcde--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - z: Another publisher, with the same kinds of values and errors.
  ///   - y: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the others.
  @inlinable
  public func merge<Z: Publisher, Y: Publisher>(
    with z: Z,
    _ y: Y
  ) -> Publishers.Merge5<A, B, C, Z, Y>
  where Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure {
    Publishers.Merge5(a, b, c, z, y)
  }

  /// Merges the elements of three other publishers into this publisher.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   "---d--|"
  ///   "----e--|"
  ///   "-----f--|"
  ///   Publishers.Merge3($0[0], $0[1], $0[2]).merge(with: $0[3], $0[4], $0[5])
  ///   "abcdef--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - z: Another publisher, with the same kinds of values and errors.
  ///   - y: Another publisher, with the same kinds of values and errors.
  ///   - x: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the others.
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

  /// Merges the elements of four other publishers into this publisher.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   "---d--|"
  ///   "----e--|"
  ///   "-----f--|"
  ///   "------g--|"
  ///   Publishers.Merge3($0[0], $0[1], $0[2]).merge(with: $0[3], $0[4], $0[5], $0[6])
  ///   "abcdefg--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - z: Another publisher, with the same kinds of values and errors.
  ///   - y: Another publisher, with the same kinds of values and errors.
  ///   - x: Another publisher, with the same kinds of values and errors.
  ///   - w: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the others.
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

  /// Merges the elements of five other publishers into this publisher.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   "---d--|"
  ///   "----e--|"
  ///   "-----f--|"
  ///   "------g--|"
  ///   "-------h--|"
  ///   Publishers.Merge3($0[0], $0[1], $0[2]).merge(with: $0[3], $0[4], $0[5], $0[6], $0[7])
  ///   "abcdefgh--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - z: Another publisher, with the same kinds of values and errors.
  ///   - y: Another publisher, with the same kinds of values and errors.
  ///   - x: Another publisher, with the same kinds of values and errors.
  ///   - w: Another publisher, with the same kinds of values and errors.
  ///   - v: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the others.
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
