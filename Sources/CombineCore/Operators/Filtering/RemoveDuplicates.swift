extension Publisher where Output: Equatable {

  /// Drops each element that equals the element published before it.
  ///
  /// For each dropped element, the operator requests one more from the upstream.
  ///
  /// ```swift
  /// marbles {
  ///   "a--a--b--b--a--|"
  ///   $0[0].removeDuplicates()
  ///   "a-----b-----a--|"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the elements that differ from their predecessor.
  @inlinable
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> {
    removeDuplicates(by: ==)
  }
}

extension Publisher {

  /// Drops each element that duplicates the element published before it, according to a predicate.
  ///
  /// For each dropped element, the operator requests one more from the upstream. It publishes the first element without
  /// calling the predicate.
  ///
  /// ```swift
  /// marbles {
  ///   "a--A--b--B--a--|"
  ///   $0[0].removeDuplicates { $0.lowercased() == $1.lowercased() }
  ///   "a-----b-----a--|"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that returns whether an element, its second argument, duplicates the last
  ///   published element, its first argument.
  /// - Returns: A publisher of the elements that are not duplicates.
  @inlinable
  public func removeDuplicates(
    by predicate: @escaping (Output, Output) -> Bool
  ) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
  }

  /// Drops each element that duplicates the element published before it, according to a predicate that may throw.
  ///
  /// For each dropped element, the operator requests one more from the upstream. It publishes the first element without
  /// calling the predicate. If the predicate throws, the operator cancels the upstream and fails with that error.
  ///
  /// ```swift
  /// struct Descending: Error {}
  /// marbles(of: Int.self, failure: Descending()) {
  ///   "1--2--2--1--3--|"
  ///   $0[0].tryRemoveDuplicates { previous, number in
  ///     if number < previous { throw Descending() }
  ///     return number == previous
  ///   }
  ///   "1--2-----#"
  ///   "^--------!"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that returns whether an element, its second argument, duplicates the last
  ///   published element, its first argument. It may throw.
  /// - Returns: A publisher of the elements that are not duplicates.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryRemoveDuplicates<Self> {
    Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher of the elements of its upstream that do not duplicate their predecessor.
  public struct RemoveDuplicates<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose repeated elements are dropped.
    public let upstream: Upstream

    /// A closure that returns whether the second argument duplicates the first, the last published element.
    public let predicate: (Upstream.Output, Upstream.Output) -> Bool

    /// Creates a publisher of the elements of another publisher that do not duplicate their predecessor.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose repeated elements are dropped.
    ///   - predicate: A closure that returns whether the second argument duplicates the first, the last published
    ///     element.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.RemoveDuplicates(downstream: subscriber, predicate: predicate))
    }
  }

  /// A publisher of the elements of its upstream that do not duplicate their predecessor, by a predicate that may
  /// throw.
  public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose repeated elements are dropped.
    public let upstream: Upstream

    /// A closure that returns whether the second argument duplicates the first, the last published element.
    ///
    /// It may throw.
    public let predicate: (Upstream.Output, Upstream.Output) throws -> Bool

    /// Creates a publisher of the elements of another publisher that do not duplicate their predecessor.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose repeated elements are dropped.
    ///   - predicate: A closure that returns whether the second argument duplicates the first, the last published
    ///     element. It may throw.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribeConduit(
        Conduits.TryRemoveDuplicates<Upstream.Failure, S>(downstream: subscriber, predicate: predicate)
      )
    }
  }
}

// MARK: Conduits

/// The part that the two conduits share: the last published element, and its comparison with the next.
@usableFromInline
protocol DuplicateFilteringConduit: FilteringConduit where Input == Downstream.Input {

  /// The last published element.
  var last: Input? { get set }

  func isDuplicate(_ previous: Input, _ input: Input) throws(Downstream.Failure) -> Bool
}

extension DuplicateFilteringConduit {

  @inlinable
  func filter(_ input: Input) throws(Downstream.Failure) -> Input? {
    if let last, try isDuplicate(last, input) { return nil }
    // This precedes the call of the downstream, so that an element sent in a reentrant call is compared with this one.
    last = input
    return input
  }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> { ["downstream": downstream, "last": last as Any] }
}

extension Conduits {

  @usableFromInline
  final class RemoveDuplicates<Downstream: Subscriber>: StrictConduit, DuplicateFilteringConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let predicate: (Input, Input) -> Bool

    // An upstream sends one element at a time. No access is in progress while the predicate or the downstream runs.
    @exclusivity(unchecked)
    @usableFromInline
    var last: Input?

    @inlinable
    init(downstream: Downstream, predicate: @escaping (Input, Input) -> Bool) {
      self.downstream = downstream
      self.predicate = predicate
    }

    @inlinable
    func isDuplicate(_ previous: Input, _ input: Input) -> Bool {
      predicate(previous, input)
    }

    @usableFromInline
    var description: String { "RemoveDuplicates" }
  }

  @usableFromInline
  final class TryRemoveDuplicates<Failure: Error, Downstream: Subscriber>: StrictConduit, DuplicateFilteringConduit
  where Downstream.Failure == any Error {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let predicate: (Input, Input) throws -> Bool

    // An upstream sends one element at a time. No access is in progress while the predicate or the downstream runs.
    @exclusivity(unchecked)
    @usableFromInline
    var last: Input?

    @inlinable
    init(downstream: Downstream, predicate: @escaping (Input, Input) throws -> Bool) {
      self.downstream = downstream
      self.predicate = predicate
    }

    @inlinable
    func isDuplicate(_ previous: Input, _ input: Input) throws -> Bool {
      try predicate(previous, input)
    }

    @usableFromInline
    var description: String { "TryRemoveDuplicates" }
  }
}
