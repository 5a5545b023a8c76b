extension Publisher {

  /// Joins the values of this publisher and another one into pairs: first with first, second with second.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .zip(["a", "b"].publisher)
  ///   .sink { print($0) }  // prints (1, "a"), (2, "b")
  /// ```
  ///
  /// - Parameter other: The publisher of the second values.
  /// - Returns: A publisher of pairs. A value waits, in a queue without limit, until its counterpart arrives. It
  ///   finishes as soon as one upstream has finished and all its values are used up, and fails with either upstream;
  ///   the other one is then cancelled. Demand goes to both upstreams unchanged.
  @inlinable
  public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where P.Failure == Failure {
    Publishers.Zip(self, other)
  }

  /// Joins the values of this publisher and another one into pairs, and transforms each pair.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .zip([10, 20].publisher) { $0 + $1 }
  ///   .sink { print($0) }  // prints 11, 22
  /// ```
  ///
  /// - Parameters:
  ///   - other: The publisher of the second values.
  ///   - transform: Makes the new value of a pair.
  /// - Returns: A publisher of the new values, which otherwise behaves like ``zip(_:)``.
  @inlinable
  public func zip<P: Publisher, T>(
    _ other: P,
    _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where P.Failure == Failure {
    Publishers.Map(upstream: zip(other)) { transform($0.0, $0.1) }
  }
}

extension Publishers {

  /// A publisher that joins the values of two others into pairs: first with first, second with second.
  public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {

    /// One value of each upstream.
    public typealias Output = (A.Output, B.Output)

    /// The kind of errors: that of both upstreams.
    public typealias Failure = A.Failure

    /// The publisher of the first values.
    public let a: A

    /// The publisher of the second values.
    public let b: B

    /// Creates a publisher that joins the values of two others.
    ///
    /// - Parameters:
    ///   - a: The publisher of the first values.
    ///   - b: The publisher of the second values.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Attaches a subscriber, which gets its subscription once both upstreams have sent theirs.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      typealias Row = Row2<Deque<A.Output>, Deque<B.Output>>
      let conduit = Conduits.Zip<Row, S>(downstream: subscriber)
      a.subscribe(Conduits.RowSide(of: conduit, index: 0) { $0.row.a.put($1) })
      b.subscribe(Conduits.RowSide(of: conduit, index: 1) { $0.row.b.put($1) })
    }
  }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
