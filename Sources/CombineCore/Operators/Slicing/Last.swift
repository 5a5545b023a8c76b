extension Publisher {

  /// Publishes the last element when the upstream finishes.
  ///
  /// The element waits for demand. If the upstream finishes without elements, the operator finishes, too. If the
  /// upstream fails, the operator fails instead, without waiting for demand.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--|"
  ///   $0[0].last()
  ///   "---------(c|)"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the last element.
  @inlinable
  public func last() -> Publishers.Last<Self> {
    Publishers.Last(upstream: self)
  }

  /// Publishes the last element that satisfies a predicate, when the upstream finishes.
  ///
  /// The element waits for demand. If no element satisfies the predicate, the operator finishes with the upstream. If
  /// the upstream fails, the operator fails instead, without waiting for demand.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2--3--|"
  ///   $0[0].last { $0 < 3 }
  ///   "---------(2|)"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that tests every element.
  /// - Returns: A publisher of the last element that satisfies the predicate.
  @inlinable
  public func last(where predicate: @escaping (Output) -> Bool) -> Publishers.LastWhere<Self> {
    Publishers.LastWhere(upstream: self, predicate: predicate)
  }

  /// Publishes the last element that satisfies a predicate that may throw, when the upstream finishes.
  ///
  /// The element waits for demand. If the predicate throws, the operator cancels the upstream and fails with that
  /// error, without waiting for demand.
  ///
  /// ```swift
  /// struct Zero: Error {}
  /// marbles(of: Int.self, failure: Zero()) {
  ///   "1--0--2--|"
  ///   $0[0].tryLast { number in
  ///     if number == 0 { throw Zero() }
  ///     return number < 3
  ///   }
  ///   "---#"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that tests every element, until it throws.
  /// - Returns: A publisher of the last element that satisfies the predicate.
  @inlinable
  public func tryLast(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryLastWhere<Self> {
    Publishers.TryLastWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher of the last element of its upstream.
  public struct Last<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose last element is published.
    public let upstream: Upstream

    /// Creates a publisher of the last element of another publisher.
    ///
    /// - Parameter upstream: The publisher whose last element is published.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let step = ReducingSteps.Last<Output>()
      upstream.subscribeConduit(Conduits.Reducing("Last", downstream: subscriber, step: step))
    }
  }

  /// A publisher of the last element of its upstream that satisfies a predicate.
  public struct LastWhere<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Output) -> Bool

    /// Creates a publisher of the last element of another publisher that satisfies a predicate.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are examined.
    ///   - predicate: A closure that tests each element.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let step = ReducingSteps.Matching(ReducingSteps.LastMatch.self, predicate: predicate)
      upstream.subscribeConduit(Conduits.Reducing("LastWhere", downstream: subscriber, step: step))
    }
  }

  /// A publisher of the last element of its upstream that satisfies a predicate that may throw.
  public struct TryLastWhere<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Output) throws -> Bool

    /// Creates a publisher of the last element of another publisher that satisfies a predicate that may throw.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are examined.
    ///   - predicate: A closure that tests each element.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let step = ReducingSteps.TryMatching(ReducingSteps.LastMatch.self, predicate: predicate)
      upstream.subscribeConduit(
        Conduits.TryReducing<Upstream.Failure, _, _>("TryLastWhere", downstream: subscriber, step: step)
      )
    }
  }
}

extension Publishers.Last: Equatable where Upstream: Equatable {}

extension Publishers.Last: Sendable where Upstream: Sendable {}

// MARK: Step and rule

extension ReducingSteps {

  @usableFromInline
  struct Last<Input>: ReducingStep {

    @usableFromInline
    typealias Output = Input

    @inlinable
    init() {}

    @inlinable
    func reduce(_ input: Input, into reduction: some Reduction<Input>) -> ReducingProgress {
      reduction.result = input
      return .unfinished
    }
  }

  @usableFromInline
  enum LastMatch<Input>: MatchingRule {

    @inlinable
    static var isFirstFinal: Bool { false }

    @inlinable
    static func result(of input: Input, answer: Bool) -> Input? {
      answer ? input : nil
    }
  }
}
