extension Publisher {

  /// Publishes elements as long as they satisfy a predicate, and then finishes.
  ///
  /// At the first element that does not satisfy the predicate, the operator cancels the upstream and finishes
  /// immediately. It does not publish that element.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2--3--2--1--|"
  ///   $0[0].prefix { $0 < 3 }
  ///   "1--2--|"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3, 2, 1].publisher
  ///   .prefix { $0 < 3 }
  ///   .sink { print($0) }  // prints 1, 2
  /// ```
  ///
  /// - Parameter predicate: A closure that returns whether to publish an element and continue. It is not called again
  ///   after it has returned `false`.
  /// - Returns: A publisher of the elements before the first one that does not satisfy the predicate.
  @inlinable
  public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
    Publishers.PrefixWhile(upstream: self, predicate: predicate)
  }

  /// Publishes elements as long as they satisfy a predicate that may throw, and then finishes.
  ///
  /// At the first element that does not satisfy the predicate, the operator cancels the upstream and finishes
  /// immediately. It does not publish that element. If the predicate throws, the operator cancels the upstream and
  /// fails with that error immediately.
  ///
  /// ```swift
  /// struct Zero: Error {}
  /// marbles(of: Int.self, failure: Zero()) {
  ///   "1--2--0--3--|"
  ///   $0[0].tryPrefix { number in
  ///     if number == 0 { throw Zero() }
  ///     return number < 3
  ///   }
  ///   "1--2--#"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that returns whether to publish an element and continue, or throws. It is not
  ///   called again after it has returned `false` or thrown.
  /// - Returns: A publisher of the elements before the first one that does not satisfy the predicate.
  @inlinable
  public func tryPrefix(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryPrefixWhile<Self> {
    Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher of the elements of its upstream as long as they satisfy a predicate.
  public struct PrefixWhile<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are passed on.
    public let upstream: Upstream

    /// A closure that returns whether to publish an element and continue.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher of the elements of another publisher as long as they satisfy a predicate.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are passed on.
    ///   - predicate: A closure that returns whether to publish an element and continue.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.PrefixWhile(downstream: subscriber, predicate: predicate))
    }
  }

  /// A publisher of the elements of its upstream as long as they satisfy a predicate that may throw.
  public struct TryPrefixWhile<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are passed on.
    public let upstream: Upstream

    /// A closure that returns whether to publish an element and continue, or throws.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher of the elements of another publisher as long as they satisfy a predicate that may throw.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are passed on.
    ///   - predicate: A closure that returns whether to publish an element and continue, or throws.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribeConduit(
        Conduits.TryPrefixWhile<Upstream.Failure, S>(downstream: subscriber, predicate: predicate)
      )
    }
  }
}

// MARK: Conduits

/// The conduit of an operator that finishes where other filtering operators drop an element.
@usableFromInline
protocol PrefixConduit: FilteringConduit {}

extension PrefixConduit {

  @inlinable
  func drop() -> Subscribers.Demand {
    end(with: .finished)
    return .none
  }
}

extension Conduits {

  @usableFromInline
  final class PrefixWhile<Downstream: Subscriber>: StrictConduit, PrefixConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let predicate: (Input) -> Bool

    @inlinable
    init(downstream: Downstream, predicate: @escaping (Input) -> Bool) {
      self.downstream = downstream
      self.predicate = predicate
    }

    @inlinable
    func filter(_ input: Input) -> Input? {
      predicate(input) ? input : nil
    }

    @usableFromInline
    var description: String { "PrefixWhile" }
  }

  @usableFromInline
  final class TryPrefixWhile<Failure: Error, Downstream: Subscriber>: StrictConduit, PrefixConduit
  where Downstream.Failure == any Error {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let predicate: (Input) throws -> Bool

    @inlinable
    init(downstream: Downstream, predicate: @escaping (Input) throws -> Bool) {
      self.downstream = downstream
      self.predicate = predicate
    }

    @inlinable
    func filter(_ input: Input) throws -> Input? {
      try predicate(input) ? input : nil
    }

    @usableFromInline
    var description: String { "TryPrefixWhile" }
  }
}
