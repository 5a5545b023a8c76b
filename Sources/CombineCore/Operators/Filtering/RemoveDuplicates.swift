extension Publisher where Output: Equatable {

  /// Drops each value that equals the one published before it.
  ///
  /// ```swift
  /// marbles {
  ///   "a--a--b--b--a--|"
  ///   $0[0].removeDuplicates()
  ///   "a-----b-----a--|"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the values that differ from their predecessor. For one that is dropped, one more is
  ///   asked for.
  @inlinable
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> {
    removeDuplicates(by: ==)
  }
}

extension Publisher {

  /// Drops each value that a predicate takes for a duplicate of the one published before it.
  ///
  /// ```swift
  /// marbles {
  ///   "a--A--b--B--a--|"
  ///   $0[0].removeDuplicates { $0.lowercased() == $1.lowercased() }
  ///   "a-----b-----a--|"
  /// }
  /// ```
  ///
  /// - Parameter predicate: Whether a value, its second argument, duplicates the one published last, its first. The
  ///   first value is published without asking.
  /// - Returns: A publisher of the values that are no duplicates. For one that is dropped, one more is asked for.
  @inlinable
  public func removeDuplicates(
    by predicate: @escaping (Output, Output) -> Bool
  ) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
  }

  /// Drops each value that a predicate, which may throw, takes for a duplicate of the one published before it.
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
  /// - Parameter predicate: Whether a value, its second argument, duplicates the one published last, its first; or
  ///   throws. The first value is published without asking.
  /// - Returns: A publisher of the values that are no duplicates. For one that is dropped, one more is asked for. When
  ///   the predicate throws, the upstream is cancelled and the error sent.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryRemoveDuplicates<Self> {
    Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher of those values of its upstream that do not duplicate their predecessor.
  public struct RemoveDuplicates<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose repeated elements are dropped.
    public let upstream: Upstream

    /// Whether a value, the second, duplicates the one published last, the first.
    public let predicate: (Upstream.Output, Upstream.Output) -> Bool

    /// Creates a publisher of those values of another one that do not duplicate their predecessor.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose repeated elements are dropped.
    ///   - predicate: Whether a value, the second, duplicates the one published last, the first.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.attach(Conduits.RemoveDuplicates(downstream: subscriber, predicate: predicate))
    }
  }

  /// A publisher of those values of its upstream that do not duplicate their predecessor, by a predicate that may throw.
  public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose repeated elements are dropped.
    public let upstream: Upstream

    /// Whether a value, the second, duplicates the one published last, the first; or throws.
    public let predicate: (Upstream.Output, Upstream.Output) throws -> Bool

    /// Creates a publisher of those values of another one that do not duplicate their predecessor.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose repeated elements are dropped.
    ///   - predicate: Whether a value, the second, duplicates the one published last, the first; or throws.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.attach(
        Conduits.TryRemoveDuplicates<Upstream.Failure, S>(downstream: subscriber, predicate: predicate)
      )
    }
  }
}

// MARK: Conduits

/// What the two conduits share: the value published last, and its comparison with the next.
@usableFromInline
protocol DuplicateFilteringConduit: FilteringConduit where Input == Downstream.Input {

  /// The value published last.
  var last: Input? { get set }

  func isDuplicate(_ previous: Input, _ input: Input) throws(Downstream.Failure) -> Bool
}

extension DuplicateFilteringConduit {

  @inlinable
  func filter(_ input: Input) throws(Downstream.Failure) -> Input? {
    if let last, try isDuplicate(last, input) { return nil }
    // Before the downstream is called: what it sends from there is compared with this value.
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

    // An upstream sends one value at a time, and no access lasts while the predicate or the downstream runs.
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

    // An upstream sends one value at a time, and no access lasts while the predicate or the downstream runs.
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
