extension Publisher {

  /// Joins the values of this publisher and another one into pairs: first with first, second with second.
  ///
  /// The result keeps a value, in an unlimited queue, until its counterpart arrives. It finishes as soon as one
  /// upstream has finished and all values of that upstream are used. It fails as soon as one upstream fails, and
  /// cancels the other. Demand passes to both upstreams unchanged.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ("a", "1"), "y": ("b", "2")]) {
  ///   "a--b-----c--d--|"
  ///   "----1--2---|"
  ///   $0[0].zip($0[1])
  ///   "----x--y---|"
  ///   "^----------!"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .zip(["a", "b"].publisher)
  ///   .sink { print($0) }  // prints (1, "a"), (2, "b")
  /// ```
  ///
  /// - Parameter other: The publisher that supplies the second value of each pair.
  /// - Returns: A publisher of pairs.
  @inlinable
  public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where P.Failure == Failure {
    Publishers.Zip(self, other)
  }

  /// Joins the values of this publisher and another one into pairs, and transforms each pair.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2-----3--4--|"
  ///   "----5--6---|"
  ///   $0[0].zip($0[1]) { $0 + $1 }
  ///   "----6--8---|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .zip([10, 20].publisher) { $0 + $1 }
  ///   .sink { print($0) }  // prints 11, 22
  /// ```
  ///
  /// - Parameters:
  ///   - other: The publisher that supplies the second value of each pair.
  ///   - transform: A closure that transforms each pair.
  /// - Returns: A publisher of the new values. It otherwise behaves like ``zip(_:)``.
  @inlinable
  public func zip<P: Publisher, T>(
    _ other: P,
    _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where P.Failure == Failure {
    Publishers.Map(upstream: zip(other)) { transform($0.0, $0.1) }
  }

  /// Joins the values of this publisher and two others into tuples: first with first, second with second.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ("a", "1", "p"), "y": ("b", "2", "q")]) {
  ///   "a-b------c--|"
  ///   "--1--2------|"
  ///   "----p--q-|"
  ///   $0[0].zip($0[1], $0[2])
  ///   "----x--y-|"
  ///   "^--------!"
  ///   "^--------!"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - second: The publisher that supplies the second value of each tuple.
  ///   - third: The publisher that supplies the third value of each tuple.
  /// - Returns: A publisher of tuples of three values. It otherwise behaves like ``zip(_:)``.
  @inlinable
  public func zip<P: Publisher, Q: Publisher>(
    _ second: P,
    _ third: Q
  ) -> Publishers.Zip3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
    Publishers.Zip3(self, second, third)
  }

  /// Joins the values of this publisher and two others into tuples, and transforms each tuple.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1-2------3--|"
  ///   "--1--2------|"
  ///   "----1--2-|"
  ///   $0[0].zip($0[1], $0[2]) { $0 + $1 + $2 }
  ///   "----3--6-|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - second: The publisher that supplies the second value of each tuple.
  ///   - third: The publisher that supplies the third value of each tuple.
  ///   - transform: A closure that transforms three values.
  /// - Returns: A publisher of the new values. It otherwise behaves like ``zip(_:)``.
  @inlinable
  public func zip<P: Publisher, Q: Publisher, T>(
    _ second: P,
    _ third: Q,
    _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
    Publishers.Map(upstream: zip(second, third)) { transform($0.0, $0.1, $0.2) }
  }

  /// Joins the values of this publisher and three others into tuples: first with first, second with second.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ("a", "1", "p", "k"), "y": ("b", "2", "q", "l")]) {
  ///   "a-b---------|"
  ///   "-1-2--------|"
  ///   "--p---q-----|"
  ///   "----k---l-|"
  ///   $0[0].zip($0[1], $0[2], $0[3])
  ///   "----x---y-|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - second: The publisher that supplies the second value of each tuple.
  ///   - third: The publisher that supplies the third value of each tuple.
  ///   - fourth: The publisher that supplies the fourth value of each tuple.
  /// - Returns: A publisher of tuples of four values. It otherwise behaves like ``zip(_:)``.
  @inlinable
  public func zip<P: Publisher, Q: Publisher, R: Publisher>(
    _ second: P,
    _ third: Q,
    _ fourth: R
  ) -> Publishers.Zip4<Self, P, Q, R> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.Zip4(self, second, third, fourth)
  }

  /// Joins the values of this publisher and three others into tuples, and transforms each tuple.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1-2---------|"
  ///   "-1-2--------|"
  ///   "--1---2-----|"
  ///   "----1---2-|"
  ///   $0[0].zip($0[1], $0[2], $0[3]) { $0 + $1 + $2 + $3 }
  ///   "----4---8-|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - second: The publisher that supplies the second value of each tuple.
  ///   - third: The publisher that supplies the third value of each tuple.
  ///   - fourth: The publisher that supplies the fourth value of each tuple.
  ///   - transform: A closure that transforms four values.
  /// - Returns: A publisher of the new values. It otherwise behaves like ``zip(_:)``.
  @inlinable
  public func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ second: P,
    _ third: Q,
    _ fourth: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.Map(upstream: zip(second, third, fourth)) { transform($0.0, $0.1, $0.2, $0.3) }
  }
}

extension Publishers {

  /// A publisher that joins the values of two others into pairs: first with first, second with second.
  public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {

    /// The kind of values this publisher publishes: a tuple of one value of each upstream.
    public typealias Output = (A.Output, B.Output)

    /// The kind of errors this publisher can fail with.
    public typealias Failure = A.Failure

    /// The publisher that supplies the first value of each tuple.
    public let a: A

    /// The publisher that supplies the second value of each tuple.
    public let b: B

    /// Creates a publisher that joins the values of two others.
    ///
    /// - Parameters:
    ///   - a: The publisher that supplies the first value of each tuple.
    ///   - b: The publisher that supplies the second value of each tuple.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Subscribes to both upstreams.
    ///
    /// `subscriber` receives its subscription once both upstreams have sent theirs.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      typealias Values = Slots2<Deque<A.Output>, Deque<B.Output>>
      let conduit = Conduits.Zip<Values, S>(downstream: subscriber)
      a.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 0) { $0.values.a.put($1) })
      b.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 1) { $0.values.b.put($1) })
    }
  }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}

extension Publishers.Zip: Sendable where A: Sendable, B: Sendable {}

extension Publishers {

  /// A publisher that joins the values of three others into tuples: first with first, second with second.
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Failure == B.Failure, A.Failure == C.Failure {

    /// The kind of values this publisher publishes: a tuple of one value of each upstream.
    public typealias Output = (A.Output, B.Output, C.Output)

    /// The kind of errors this publisher can fail with.
    public typealias Failure = A.Failure

    /// The publisher that supplies the first value of each tuple.
    public let a: A

    /// The publisher that supplies the second value of each tuple.
    public let b: B

    /// The publisher that supplies the third value of each tuple.
    public let c: C

    /// Creates a publisher that joins the values of three others into tuples: first with first, second with second.
    ///
    /// - Parameters:
    ///   - a: The publisher that supplies the first value of each tuple.
    ///   - b: The publisher that supplies the second value of each tuple.
    ///   - c: The publisher that supplies the third value of each tuple.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    /// Subscribes to the upstreams, as the publisher of two upstreams does.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      typealias Values = Slots3<Deque<A.Output>, Deque<B.Output>, Deque<C.Output>>
      let conduit = Conduits.Zip<Values, S>(downstream: subscriber)
      a.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 0) { $0.values.a.put($1) })
      b.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 1) { $0.values.b.put($1) })
      c.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 2) { $0.values.c.put($1) })
    }
  }
}

extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}

extension Publishers.Zip3: Sendable where A: Sendable, B: Sendable, C: Sendable {}

extension Publishers {

  /// A publisher that joins the values of four others into tuples: first with first, second with second.
  public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where A.Failure == B.Failure, A.Failure == C.Failure, A.Failure == D.Failure {

    /// The kind of values this publisher publishes: a tuple of one value of each upstream.
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)

    /// The kind of errors this publisher can fail with.
    public typealias Failure = A.Failure

    /// The publisher that supplies the first value of each tuple.
    public let a: A

    /// The publisher that supplies the second value of each tuple.
    public let b: B

    /// The publisher that supplies the third value of each tuple.
    public let c: C

    /// The publisher that supplies the fourth value of each tuple.
    public let d: D

    /// Creates a publisher that joins the values of four others into tuples: first with first, second with second.
    ///
    /// - Parameters:
    ///   - a: The publisher that supplies the first value of each tuple.
    ///   - b: The publisher that supplies the second value of each tuple.
    ///   - c: The publisher that supplies the third value of each tuple.
    ///   - d: The publisher that supplies the fourth value of each tuple.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    /// Subscribes to the upstreams, as the publisher of two upstreams does.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      typealias Values = Slots4<Deque<A.Output>, Deque<B.Output>, Deque<C.Output>, Deque<D.Output>>
      let conduit = Conduits.Zip<Values, S>(downstream: subscriber)
      a.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 0) { $0.values.a.put($1) })
      b.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 1) { $0.values.b.put($1) })
      c.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 2) { $0.values.c.put($1) })
      d.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 3) { $0.values.d.put($1) })
    }
  }
}

extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publishers.Zip4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}
