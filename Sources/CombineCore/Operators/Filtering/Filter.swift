// Some publishers have their own operator of the same name, which always wins. Disfavoring the general operator changes
// no outcome. It saves the type checker two choices for each operator of a chain, which are 2ⁿ in all.
extension Publisher {

  /// Publishes only the elements that satisfy a predicate.
  ///
  /// For each dropped element, the operator requests one more from the upstream. Otherwise demand, completion and
  /// subscription pass through unchanged.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--7--3--8--|"
  ///   $0[0].filter { $0 > 5 }
  ///   "---7-----8--|"
  /// }
  /// ```
  ///
  /// - Parameter isIncluded: A closure that returns whether to publish an element.
  /// - Returns: A publisher of the elements that satisfy the predicate.
  @_disfavoredOverload
  @inlinable
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }

  /// Publishes only the elements that satisfy a predicate that may throw.
  ///
  /// For each dropped element, the operator requests one more from the upstream. If the predicate throws, the operator
  /// cancels the upstream and fails with that error.
  ///
  /// ```swift
  /// struct Zero: Error {}
  /// marbles(of: Int.self, failure: Zero()) {
  ///   "1--7--0--8--|"
  ///   $0[0].tryFilter { number in
  ///     if number == 0 { throw Zero() }
  ///     return number > 5
  ///   }
  ///   "---7--#"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// - Parameter isIncluded: A closure that returns whether to publish an element, or throws.
  /// - Returns: A publisher of the elements that satisfy the predicate.
  @_disfavoredOverload
  @inlinable
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Self> {
    Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
  }
}

extension Publishers {

  /// A publisher of the elements of its upstream that satisfy a predicate.
  public struct Filter<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are filtered.
    public let upstream: Upstream

    /// A closure that returns whether to publish an element.
    public let isIncluded: (Upstream.Output) -> Bool

    /// Creates a publisher of the elements of another publisher that satisfy a predicate.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are filtered.
    ///   - isIncluded: A closure that returns whether to publish an element.
    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.Filter(downstream: subscriber, isIncluded: isIncluded))
    }
  }

  /// A publisher of the elements of its upstream that satisfy a predicate that may throw.
  public struct TryFilter<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are filtered.
    public let upstream: Upstream

    /// A closure that returns whether to publish an element, or throws.
    public let isIncluded: (Upstream.Output) throws -> Bool

    /// Creates a publisher of the elements of another publisher that satisfy a predicate.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are filtered.
    ///   - isIncluded: A closure that returns whether to publish an element, or throws.
    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribeConduit(Conduits.TryFilter<Upstream.Failure, S>(downstream: subscriber, isIncluded: isIncluded))
    }
  }
}

// MARK: Fusing

extension Publishers.Filter {

  /// Adds another predicate.
  ///
  /// The result is one publisher over the same upstream. It calls the second predicate only if the first returns
  /// `true`.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--7--3--8--|"
  ///   $0[0].filter { $0 > 2 }.filter { $0 < 8 }
  ///   "---7--3-----|"
  /// }
  /// ```
  @inlinable
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Upstream> {
    let first = self.isIncluded
    return Publishers.Filter(upstream: upstream) { first($0) && isIncluded($0) }
  }

  /// Adds another predicate.
  ///
  /// The result is one publisher over the same upstream. It calls the second predicate only if the first returns
  /// `true`.
  ///
  /// ```swift
  /// struct Zero: Error {}
  /// marbles(of: Int.self, failure: Zero()) {
  ///   "1--7--9--0--|"
  ///   $0[0].filter { $0 < 9 }.tryFilter { number in
  ///     if number == 0 { throw Zero() }
  ///     return number > 5
  ///   }
  ///   "---7-----#"
  /// }
  /// ```
  @inlinable
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}

extension Publishers.TryFilter {

  /// Adds another predicate.
  ///
  /// The result is one publisher over the same upstream. It calls the second predicate only if the first returns
  /// `true`.
  ///
  /// ```swift
  /// struct Zero: Error {}
  /// marbles(of: Int.self, failure: Zero()) {
  ///   "1--7--9--0--|"
  ///   $0[0].tryFilter { number in
  ///     if number == 0 { throw Zero() }
  ///     return number > 5
  ///   }
  ///   .filter { $0 < 9 }
  ///   "---7-----#"
  /// }
  /// ```
  @inlinable
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.TryFilter<Upstream> {
    tryFilter(isIncluded)
  }

  /// Adds another predicate.
  ///
  /// The result is one publisher over the same upstream. It calls the second predicate only if the first returns
  /// `true`.
  ///
  /// ```swift
  /// struct Zero: Error {}
  /// struct Nine: Error {}
  /// marbles(of: Int.self, failure: Nine()) {
  ///   "1--7--9--0--|"
  ///   $0[0].tryFilter { number in
  ///     if number == 0 { throw Zero() }
  ///     return number > 5
  ///   }
  ///   .tryFilter { number in
  ///     if number == 9 { throw Nine() }
  ///     return true
  ///   }
  ///   "---7--#"
  /// }
  /// ```
  @inlinable
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}

// MARK: Conduits

extension Conduits {

  @usableFromInline
  struct Filter<Downstream: Subscriber>: TransparentConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let isIncluded: (Input) -> Bool

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(downstream: Downstream, isIncluded: @escaping (Input) -> Bool) {
      combineIdentifier = CombineIdentifier()
      self.downstream = downstream
      self.isIncluded = isIncluded
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      isIncluded(input) ? downstream.receive(input) : .max(1)
    }

    @usableFromInline
    var description: String { "Filter" }
  }

  @usableFromInline
  final class TryFilter<Failure: Error, Downstream: Subscriber>: StrictConduit, FilteringConduit
  where Downstream.Failure == any Error {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let isIncluded: (Input) throws -> Bool

    @inlinable
    init(downstream: Downstream, isIncluded: @escaping (Input) throws -> Bool) {
      self.downstream = downstream
      self.isIncluded = isIncluded
    }

    @inlinable
    func filter(_ input: Input) throws -> Input? {
      try isIncluded(input) ? input : nil
    }

    @usableFromInline
    var description: String { "TryFilter" }
  }
}
