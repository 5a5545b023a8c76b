// Code for early versions of Combine, or for OpenCombine, declares some of these itself. Disfavoring all of them alike
// prefers the client's own, and leaves the choice among these as it is.
extension Publisher {

  /// Combines the latest values of this publisher and another one, each time one of them emits.
  ///
  /// The result publishes the first pair once both upstreams have emitted. It keeps the latest value of an upstream if
  /// values arrive without demand, or while a pair is being delivered.
  ///
  /// It finishes once both upstreams have finished. It fails as soon as one fails, and cancels the other. Demand passes
  /// to both upstreams unchanged.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ("a", "1"), "y": ("b", "1"), "z": ("b", "2")]) {
  ///   "a----b----|"
  ///   "--1-----2----|"
  ///   $0[0].combineLatest($0[1])
  ///   "--x--y--z----|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let name = CurrentValueSubject<String, Never>("Ada")
  /// let age = CurrentValueSubject<Int, Never>(36)
  /// let cancellable = name.combineLatest(age).sink { print($0) }  // prints ("Ada", 36)
  /// age.send(37)  // prints ("Ada", 37)
  /// ```
  ///
  /// - Parameter other: The publisher that supplies the second value of each pair.
  /// - Returns: A publisher of pairs.
  @_disfavoredOverload
  @inlinable
  public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P> where P.Failure == Failure {
    Publishers.CombineLatest(self, other)
  }

  /// Combines the latest values of this publisher and another one, and transforms them.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "2----1----|"
  ///   "--3-----4----|"
  ///   $0[0].combineLatest($0[1]) { $0 * $1 }
  ///   "--6--3--4----|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let width = CurrentValueSubject<Int, Never>(2)
  /// let height = CurrentValueSubject<Int, Never>(3)
  /// let cancellable = width.combineLatest(height) { $0 * $1 }.sink { print($0) }  // prints 6
  /// ```
  ///
  /// - Parameters:
  ///   - other: The publisher that supplies the second value of each pair.
  ///   - transform: A closure that transforms the latest values.
  /// - Returns: A publisher of the new values. It otherwise behaves like ``combineLatest(_:)``.
  @_disfavoredOverload
  @inlinable
  public func combineLatest<P: Publisher, T>(
    _ other: P,
    _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
    Publishers.Map(upstream: combineLatest(other)) { transform($0.0, $0.1) }
  }

  /// Combines the latest values of this publisher and two others, each time one of them emits.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ("a", "1", "p"), "y": ("a", "1", "q"), "z": ("b", "1", "q")]) {
  ///   "a-------b--|"
  ///   "--1----------|"
  ///   "----p-q--|"
  ///   $0[0].combineLatest($0[1], $0[2])
  ///   "----x-y-z----|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - second: The publisher that supplies the second value of each tuple.
  ///   - third: The publisher that supplies the third value of each tuple.
  /// - Returns: A publisher of tuples of three values. It otherwise behaves like ``combineLatest(_:)``.
  @_disfavoredOverload
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher>(
    _ second: P,
    _ third: Q
  ) -> Publishers.CombineLatest3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
    Publishers.CombineLatest3(self, second, third)
  }

  /// Combines the latest values of this publisher and two others, and transforms them.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1-------2--|"
  ///   "--1----------|"
  ///   "----3-4--|"
  ///   $0[0].combineLatest($0[1], $0[2]) { $0 + $1 + $2 }
  ///   "----5-6-7----|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - second: The publisher that supplies the second value of each tuple.
  ///   - third: The publisher that supplies the third value of each tuple.
  ///   - transform: A closure that transforms three values.
  /// - Returns: A publisher of the new values. It otherwise behaves like ``combineLatest(_:)``.
  @_disfavoredOverload
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher, T>(
    _ second: P,
    _ third: Q,
    _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
    Publishers.Map(upstream: combineLatest(second, third)) { transform($0.0, $0.1, $0.2) }
  }

  /// Combines the latest values of this publisher and three others, each time one of them emits.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ("a", "1", "p", "k"), "y": ("a", "1", "q", "k"), "z": ("b", "1", "q", "k")]) {
  ///   "a---------b--|"
  ///   "-1-----------|"
  ///   "---p---q-----|"
  ///   "-----k-------|"
  ///   $0[0].combineLatest($0[1], $0[2], $0[3])
  ///   "-----x-y--z--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - second: The publisher that supplies the second value of each tuple.
  ///   - third: The publisher that supplies the third value of each tuple.
  ///   - fourth: The publisher that supplies the fourth value of each tuple.
  /// - Returns: A publisher of tuples of four values. It otherwise behaves like ``combineLatest(_:)``.
  @_disfavoredOverload
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
    _ second: P,
    _ third: Q,
    _ fourth: R
  ) -> Publishers.CombineLatest4<Self, P, Q, R> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.CombineLatest4(self, second, third, fourth)
  }

  /// Combines the latest values of this publisher and three others, and transforms them.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1---------2--|"
  ///   "-1-----------|"
  ///   "---2---3-----|"
  ///   "-----3-------|"
  ///   $0[0].combineLatest($0[1], $0[2], $0[3]) { $0 + $1 + $2 + $3 }
  ///   "-----7-8--9--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - second: The publisher that supplies the second value of each tuple.
  ///   - third: The publisher that supplies the third value of each tuple.
  ///   - fourth: The publisher that supplies the fourth value of each tuple.
  ///   - transform: A closure that transforms four values.
  /// - Returns: A publisher of the new values. It otherwise behaves like ``combineLatest(_:)``.
  @_disfavoredOverload
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ second: P,
    _ third: Q,
    _ fourth: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.Map(upstream: combineLatest(second, third, fourth)) { transform($0.0, $0.1, $0.2, $0.3) }
  }
}

extension Publishers {

  /// A publisher that combines the latest values of two others.
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {

    /// The kind of values this publisher publishes: a tuple of the latest value of each upstream.
    public typealias Output = (A.Output, B.Output)

    /// The kind of errors this publisher can fail with.
    public typealias Failure = A.Failure

    /// The publisher that supplies the first value of each tuple.
    public let a: A

    /// The publisher that supplies the second value of each tuple.
    public let b: B

    /// Creates a publisher that combines the latest values of two others.
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
    /// `subscriber` receives its subscription afterwards.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      typealias Values = Slots2<LatestValue<A.Output>, LatestValue<B.Output>>
      let conduit = Conduits.CombineLatest<Values, S>(downstream: subscriber)
      a.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 0) { $0.values.a.put($1) })
      b.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 1) { $0.values.b.put($1) })
      conduit.announce()
    }
  }
}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}

extension Publishers.CombineLatest: Sendable where A: Sendable, B: Sendable {}

extension Publishers {

  /// A publisher that combines the latest values of three others.
  public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
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

    /// Creates a publisher that combines the latest values of three others.
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
      typealias Values = Slots3<LatestValue<A.Output>, LatestValue<B.Output>, LatestValue<C.Output>>
      let conduit = Conduits.CombineLatest<Values, S>(downstream: subscriber)
      a.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 0) { $0.values.a.put($1) })
      b.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 1) { $0.values.b.put($1) })
      c.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 2) { $0.values.c.put($1) })
      conduit.announce()
    }
  }
}

extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}

extension Publishers.CombineLatest3: Sendable where A: Sendable, B: Sendable, C: Sendable {}

extension Publishers {

  /// A publisher that combines the latest values of four others.
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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

    /// Creates a publisher that combines the latest values of four others.
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
      typealias Values = Slots4<
        LatestValue<A.Output>, LatestValue<B.Output>, LatestValue<C.Output>, LatestValue<D.Output>
      >
      let conduit = Conduits.CombineLatest<Values, S>(downstream: subscriber)
      a.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 0) { $0.values.a.put($1) })
      b.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 1) { $0.values.b.put($1) })
      c.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 2) { $0.values.c.put($1) })
      d.subscribeConduit(Conduits.SlotConstituent(of: conduit, index: 3) { $0.values.d.put($1) })
      conduit.announce()
    }
  }
}

extension Publishers.CombineLatest4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publishers.CombineLatest4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}
