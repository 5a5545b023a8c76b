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
      a.subscribeConduit(Conduits.Constituent(of: conduit, key: 0))
      b.subscribeConduit(Conduits.Constituent(of: conduit, key: 1))
      c.subscribeConduit(Conduits.Constituent(of: conduit, key: 2))
      d.subscribeConduit(Conduits.Constituent(of: conduit, key: 3))
      e.subscribeConduit(Conduits.Constituent(of: conduit, key: 4))
      f.subscribeConduit(Conduits.Constituent(of: conduit, key: 5))
      g.subscribeConduit(Conduits.Constituent(of: conduit, key: 6))
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
  ///   Publishers.Merge7($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]).merge(with: $0[7])
  ///   "abcdefgh--|"
  /// }
  /// ```
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
