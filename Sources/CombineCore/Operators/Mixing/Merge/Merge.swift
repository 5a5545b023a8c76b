extension Publisher {

  /// Merges the elements of this publisher and another one of the same type, in the order of their arrival.
  ///
  /// ```swift
  /// marbles {
  ///   "a-----b-----|"
  ///   "---x-----y|"
  ///   $0[0].merge(with: $0[1])
  ///   "a--x--b--y--|"
  /// }
  /// ```
  ///
  /// - Parameter other: Another publisher of the same type.
  /// - Returns: A publisher of the elements of both upstreams. It behaves like ``Publishers/MergeMany``.
  @inlinable
  public func merge(with other: Self) -> Publishers.MergeMany<Self> {
    Publishers.MergeMany([self, other])
  }

  /// Merges the elements of this publisher and another one, in the order of their arrival.
  ///
  /// The result finishes once both upstreams have finished. It fails as soon as one fails, and cancels the other.
  /// Without demand it keeps the latest element of each upstream.
  ///
  /// ```swift
  /// marbles {
  ///   "a-----b-----|"
  ///   "---x----#"
  ///   $0[0].merge(with: $0[1].map { $0.uppercased() })
  ///   "a--X--b-#"
  ///   "^-------!"
  /// }
  /// ```
  ///
  /// - Parameter other: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of both upstreams.
  @inlinable
  public func merge<P: Publisher>(
    with other: P
  ) -> Publishers.Merge<Self, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge(self, other)
  }

  /// Merges the elements of this publisher and two others, in the order of their arrival.
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @inlinable
  public func merge<B: Publisher, C: Publisher>(
    with b: B,
    _ c: C
  ) -> Publishers.Merge3<Self, B, C>
  where B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure {
    Publishers.Merge3(self, b, c)
  }

  /// Merges the elements of this publisher and three others, in the order of their arrival.
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  ///   - d: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher>(
    with b: B,
    _ c: C,
    _ d: D
  ) -> Publishers.Merge4<Self, B, C, D>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure
  {
    Publishers.Merge4(self, b, c, d)
  }

  /// Merges the elements of this publisher and four others, in the order of their arrival.
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  ///   - d: Another publisher, with the same kinds of values and errors.
  ///   - e: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
    with b: B,
    _ c: C,
    _ d: D,
    _ e: E
  ) -> Publishers.Merge5<Self, B, C, D, E>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure, E.Output == Output, E.Failure == Failure
  {
    Publishers.Merge5(self, b, c, d, e)
  }

  /// Merges the elements of this publisher and five others, in the order of their arrival.
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  ///   - d: Another publisher, with the same kinds of values and errors.
  ///   - e: Another publisher, with the same kinds of values and errors.
  ///   - f: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
    with b: B,
    _ c: C,
    _ d: D,
    _ e: E,
    _ f: F
  ) -> Publishers.Merge6<Self, B, C, D, E, F>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure, E.Output == Output, E.Failure == Failure, F.Output == Output, F.Failure == Failure
  {
    Publishers.Merge6(self, b, c, d, e, f)
  }

  /// Merges the elements of this publisher and six others, in the order of their arrival.
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  ///   - d: Another publisher, with the same kinds of values and errors.
  ///   - e: Another publisher, with the same kinds of values and errors.
  ///   - f: Another publisher, with the same kinds of values and errors.
  ///   - g: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
    with b: B,
    _ c: C,
    _ d: D,
    _ e: E,
    _ f: F,
    _ g: G
  ) -> Publishers.Merge7<Self, B, C, D, E, F, G>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure, E.Output == Output, E.Failure == Failure, F.Output == Output, F.Failure == Failure,
    G.Output == Output, G.Failure == Failure
  {
    Publishers.Merge7(self, b, c, d, e, f, g)
  }

  /// Merges the elements of this publisher and seven others, in the order of their arrival.
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  ///   - d: Another publisher, with the same kinds of values and errors.
  ///   - e: Another publisher, with the same kinds of values and errors.
  ///   - f: Another publisher, with the same kinds of values and errors.
  ///   - g: Another publisher, with the same kinds of values and errors.
  ///   - h: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
    with b: B,
    _ c: C,
    _ d: D,
    _ e: E,
    _ f: F,
    _ g: G,
    _ h: H
  ) -> Publishers.Merge8<Self, B, C, D, E, F, G, H>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure, E.Output == Output, E.Failure == Failure, F.Output == Output, F.Failure == Failure,
    G.Output == Output, G.Failure == Failure, H.Output == Output, H.Failure == Failure
  {
    Publishers.Merge8(self, b, c, d, e, f, g, h)
  }
}

// MARK: Merge

extension Publishers {

  /// A publisher that merges the elements of two others, in the order of their arrival.
  public struct Merge<A: Publisher, B: Publisher>: Publisher
  where A.Output == B.Output, A.Failure == B.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = A.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = A.Failure

    /// The first upstream.
    public let a: A

    /// The second upstream.
    public let b: B

    /// Creates a publisher that merges the elements of two others.
    ///
    /// - Parameters:
    ///   - a: The first upstream.
    ///   - b: The second upstream.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Subscribes to the upstreams in order, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: 2, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      a.subscribeConduit(Conduits.Constituent(of: conduit, key: 0))
      b.subscribeConduit(Conduits.Constituent(of: conduit, key: 1))
    }
  }
}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}

extension Publishers.Merge: Sendable where A: Sendable, B: Sendable {}

extension Publishers.Merge {
  /// Merges the elements of another publisher into this publisher.
  ///
  /// - Parameter other: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the other.
  @inlinable
  public func merge<P: Publisher>(
    with other: P
  ) -> Publishers.Merge3<A, B, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge3(a, b, other)
  }

  /// Merges the elements of two other publishers into this publisher.
  ///
  /// - Parameters:
  ///   - z: Another publisher, with the same kinds of values and errors.
  ///   - y: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the others.
  @inlinable
  public func merge<Z: Publisher, Y: Publisher>(
    with z: Z,
    _ y: Y
  ) -> Publishers.Merge4<A, B, Z, Y>
  where Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure {
    Publishers.Merge4(a, b, z, y)
  }

  /// Merges the elements of three other publishers into this publisher.
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
  ) -> Publishers.Merge5<A, B, Z, Y, X>
  where
    Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
    X.Failure == Failure
  {
    Publishers.Merge5(a, b, z, y, x)
  }

  /// Merges the elements of four other publishers into this publisher.
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
  ) -> Publishers.Merge6<A, B, Z, Y, X, W>
  where
    Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
    X.Failure == Failure, W.Output == Output, W.Failure == Failure
  {
    Publishers.Merge6(a, b, z, y, x, w)
  }

  /// Merges the elements of five other publishers into this publisher.
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
  ) -> Publishers.Merge7<A, B, Z, Y, X, W, V>
  where
    Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
    X.Failure == Failure, W.Output == Output, W.Failure == Failure, V.Output == Output, V.Failure == Failure
  {
    Publishers.Merge7(a, b, z, y, x, w, v)
  }

  /// Merges the elements of six other publishers into this publisher.
  ///
  /// - Parameters:
  ///   - z: Another publisher, with the same kinds of values and errors.
  ///   - y: Another publisher, with the same kinds of values and errors.
  ///   - x: Another publisher, with the same kinds of values and errors.
  ///   - w: Another publisher, with the same kinds of values and errors.
  ///   - v: Another publisher, with the same kinds of values and errors.
  ///   - u: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the others.
  @inlinable
  public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher, V: Publisher, U: Publisher>(
    with z: Z,
    _ y: Y,
    _ x: X,
    _ w: W,
    _ v: V,
    _ u: U
  ) -> Publishers.Merge8<A, B, Z, Y, X, W, V, U>
  where
    Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
    X.Failure == Failure, W.Output == Output, W.Failure == Failure, V.Output == Output, V.Failure == Failure,
    U.Output == Output, U.Failure == Failure
  {
    Publishers.Merge8(a, b, z, y, x, w, v, u)
  }
}
