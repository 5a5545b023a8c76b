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
      a.attach(Conduits.Side(of: conduit, key: 0))
      b.attach(Conduits.Side(of: conduit, key: 1))
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

// MARK: Merge3

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
      a.attach(Conduits.Side(of: conduit, key: 0))
      b.attach(Conduits.Side(of: conduit, key: 1))
      c.attach(Conduits.Side(of: conduit, key: 2))
    }
  }
}

extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}

extension Publishers.Merge3: Sendable where A: Sendable, B: Sendable, C: Sendable {}

extension Publishers.Merge3 {
  /// Merges the elements of another publisher into this publisher.
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

// MARK: Merge4

extension Publishers {

  /// A publisher that merges the elements of four others, in the order of their arrival.
  public struct Merge4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure, A.Output == D.Output,
    A.Failure == D.Failure
  {

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

    /// The fourth upstream.
    public let d: D

    /// Creates a publisher that merges the elements of four others.
    ///
    /// - Parameters:
    ///   - a: The first upstream.
    ///   - b: The second upstream.
    ///   - c: The third upstream.
    ///   - d: The fourth upstream.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    /// Subscribes to the upstreams in order, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: 4, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      a.attach(Conduits.Side(of: conduit, key: 0))
      b.attach(Conduits.Side(of: conduit, key: 1))
      c.attach(Conduits.Side(of: conduit, key: 2))
      d.attach(Conduits.Side(of: conduit, key: 3))
    }
  }
}

extension Publishers.Merge4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publishers.Merge4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}

extension Publishers.Merge4 {
  /// Merges the elements of another publisher into this publisher.
  ///
  /// - Parameter other: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the other.
  @inlinable
  public func merge<P: Publisher>(
    with other: P
  ) -> Publishers.Merge5<A, B, C, D, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge5(a, b, c, d, other)
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
  ) -> Publishers.Merge6<A, B, C, D, Z, Y>
  where Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure {
    Publishers.Merge6(a, b, c, d, z, y)
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
  ) -> Publishers.Merge7<A, B, C, D, Z, Y, X>
  where
    Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
    X.Failure == Failure
  {
    Publishers.Merge7(a, b, c, d, z, y, x)
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
  ) -> Publishers.Merge8<A, B, C, D, Z, Y, X, W>
  where
    Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
    X.Failure == Failure, W.Output == Output, W.Failure == Failure
  {
    Publishers.Merge8(a, b, c, d, z, y, x, w)
  }
}

// MARK: Merge5

extension Publishers {

  /// A publisher that merges the elements of five others, in the order of their arrival.
  public struct Merge5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher>: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure, A.Output == D.Output,
    A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure
  {

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

    /// The fourth upstream.
    public let d: D

    /// The fifth upstream.
    public let e: E

    /// Creates a publisher that merges the elements of five others.
    ///
    /// - Parameters:
    ///   - a: The first upstream.
    ///   - b: The second upstream.
    ///   - c: The third upstream.
    ///   - d: The fourth upstream.
    ///   - e: The fifth upstream.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
    }

    /// Subscribes to the upstreams in order, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: 5, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      a.attach(Conduits.Side(of: conduit, key: 0))
      b.attach(Conduits.Side(of: conduit, key: 1))
      c.attach(Conduits.Side(of: conduit, key: 2))
      d.attach(Conduits.Side(of: conduit, key: 3))
      e.attach(Conduits.Side(of: conduit, key: 4))
    }
  }
}

extension Publishers.Merge5: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable {}

extension Publishers.Merge5: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable {}

extension Publishers.Merge5 {
  /// Merges the elements of another publisher into this publisher.
  ///
  /// - Parameter other: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the other.
  @inlinable
  public func merge<P: Publisher>(
    with other: P
  ) -> Publishers.Merge6<A, B, C, D, E, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge6(a, b, c, d, e, other)
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
  ) -> Publishers.Merge7<A, B, C, D, E, Z, Y>
  where Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure {
    Publishers.Merge7(a, b, c, d, e, z, y)
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
  ) -> Publishers.Merge8<A, B, C, D, E, Z, Y, X>
  where
    Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
    X.Failure == Failure
  {
    Publishers.Merge8(a, b, c, d, e, z, y, x)
  }
}

// MARK: Merge6

extension Publishers {

  /// A publisher that merges the elements of six others, in the order of their arrival.
  public struct Merge6<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure, A.Output == D.Output,
    A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure, A.Output == F.Output, A.Failure == F.Failure
  {

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

    /// The fourth upstream.
    public let d: D

    /// The fifth upstream.
    public let e: E

    /// The sixth upstream.
    public let f: F

    /// Creates a publisher that merges the elements of six others.
    ///
    /// - Parameters:
    ///   - a: The first upstream.
    ///   - b: The second upstream.
    ///   - c: The third upstream.
    ///   - d: The fourth upstream.
    ///   - e: The fifth upstream.
    ///   - f: The sixth upstream.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
    }

    /// Subscribes to the upstreams in order, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: 6, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      a.attach(Conduits.Side(of: conduit, key: 0))
      b.attach(Conduits.Side(of: conduit, key: 1))
      c.attach(Conduits.Side(of: conduit, key: 2))
      d.attach(Conduits.Side(of: conduit, key: 3))
      e.attach(Conduits.Side(of: conduit, key: 4))
      f.attach(Conduits.Side(of: conduit, key: 5))
    }
  }
}

extension Publishers.Merge6: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable {}

extension Publishers.Merge6: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable {}

extension Publishers.Merge6 {
  /// Merges the elements of another publisher into this publisher.
  ///
  /// - Parameter other: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the other.
  @inlinable
  public func merge<P: Publisher>(
    with other: P
  ) -> Publishers.Merge7<A, B, C, D, E, F, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge7(a, b, c, d, e, f, other)
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
  ) -> Publishers.Merge8<A, B, C, D, E, F, Z, Y>
  where Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure {
    Publishers.Merge8(a, b, c, d, e, f, z, y)
  }
}

// MARK: Merge7

extension Publishers {

  /// A publisher that merges the elements of seven others, in the order of their arrival.
  public struct Merge7<
    A: Publisher,
    B: Publisher,
    C: Publisher,
    D: Publisher,
    E: Publisher,
    F: Publisher,
    G: Publisher
  >: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure, A.Output == D.Output,
    A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure, A.Output == F.Output, A.Failure == F.Failure,
    A.Output == G.Output, A.Failure == G.Failure
  {

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

    /// The fourth upstream.
    public let d: D

    /// The fifth upstream.
    public let e: E

    /// The sixth upstream.
    public let f: F

    /// The seventh upstream.
    public let g: G

    /// Creates a publisher that merges the elements of seven others.
    ///
    /// - Parameters:
    ///   - a: The first upstream.
    ///   - b: The second upstream.
    ///   - c: The third upstream.
    ///   - d: The fourth upstream.
    ///   - e: The fifth upstream.
    ///   - f: The sixth upstream.
    ///   - g: The seventh upstream.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
      self.g = g
    }

    /// Subscribes to the upstreams in order, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: 7, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      a.attach(Conduits.Side(of: conduit, key: 0))
      b.attach(Conduits.Side(of: conduit, key: 1))
      c.attach(Conduits.Side(of: conduit, key: 2))
      d.attach(Conduits.Side(of: conduit, key: 3))
      e.attach(Conduits.Side(of: conduit, key: 4))
      f.attach(Conduits.Side(of: conduit, key: 5))
      g.attach(Conduits.Side(of: conduit, key: 6))
    }
  }
}

extension Publishers.Merge7: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable {}

extension Publishers.Merge7: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable {}

extension Publishers.Merge7 {
  /// Merges the elements of another publisher into this publisher.
  ///
  /// - Parameter other: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher that merges all upstreams: the existing ones first, then the other.
  @inlinable
  public func merge<P: Publisher>(
    with other: P
  ) -> Publishers.Merge8<A, B, C, D, E, F, G, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge8(a, b, c, d, e, f, g, other)
  }
}

// MARK: Merge8

extension Publishers {

  /// A publisher that merges the elements of eight others, in the order of their arrival.
  public struct Merge8<
    A: Publisher,
    B: Publisher,
    C: Publisher,
    D: Publisher,
    E: Publisher,
    F: Publisher,
    G: Publisher,
    H: Publisher
  >: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure, A.Output == D.Output,
    A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure, A.Output == F.Output, A.Failure == F.Failure,
    A.Output == G.Output, A.Failure == G.Failure, A.Output == H.Output, A.Failure == H.Failure
  {

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

    /// The fourth upstream.
    public let d: D

    /// The fifth upstream.
    public let e: E

    /// The sixth upstream.
    public let f: F

    /// The seventh upstream.
    public let g: G

    /// The eighth upstream.
    public let h: H

    /// Creates a publisher that merges the elements of eight others.
    ///
    /// - Parameters:
    ///   - a: The first upstream.
    ///   - b: The second upstream.
    ///   - c: The third upstream.
    ///   - d: The fourth upstream.
    ///   - e: The fifth upstream.
    ///   - f: The sixth upstream.
    ///   - g: The seventh upstream.
    ///   - h: The eighth upstream.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
      self.g = g
      self.h = h
    }

    /// Subscribes to the upstreams in order, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: 8, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      a.attach(Conduits.Side(of: conduit, key: 0))
      b.attach(Conduits.Side(of: conduit, key: 1))
      c.attach(Conduits.Side(of: conduit, key: 2))
      d.attach(Conduits.Side(of: conduit, key: 3))
      e.attach(Conduits.Side(of: conduit, key: 4))
      f.attach(Conduits.Side(of: conduit, key: 5))
      g.attach(Conduits.Side(of: conduit, key: 6))
      h.attach(Conduits.Side(of: conduit, key: 7))
    }
  }
}

extension Publishers.Merge8: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable, H: Equatable {}

extension Publishers.Merge8: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable {}

// MARK: MergeMany

extension Publishers {

  /// A publisher that merges the elements of any number of publishers of one type, in the order of their arrival.
  ///
  /// Without demand it keeps the latest element of each upstream. A request then serves the upstreams in turn,
  /// beginning after the one that was served last. The cost of a request does not grow with the number of upstreams.
  public struct MergeMany<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The upstreams.
    public let publishers: [Upstream]

    /// Creates a publisher that merges the elements of several publishers.
    ///
    /// - Parameter upstream: The upstreams.
    @inlinable
    public init(_ upstream: Upstream...) {
      publishers = upstream
    }

    /// Creates a publisher that merges the elements of the publishers in a sequence.
    ///
    /// - Parameter upstream: The upstreams.
    @inlinable
    public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream {
      publishers = Array(upstream)
    }

    /// Subscribes to the upstreams in order, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: publishers.count, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      for (index, publisher) in publishers.enumerated() {
        publisher.attach(Conduits.Side(of: conduit, key: index))
      }
    }

    /// Merges the elements of another publisher into this publisher.
    ///
    /// - Parameter other: Another publisher of the upstreams' type.
    /// - Returns: A publisher that merges all upstreams: the existing ones first, then the other.
    @inlinable
    public func merge(with other: Upstream) -> MergeMany<Upstream> {
      MergeMany(publishers + [other])
    }
  }
}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}

extension Publishers.MergeMany: Sendable where Upstream: Sendable {}
