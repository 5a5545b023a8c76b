extension Publisher {

  /// Publishes the first element, and then finishes.
  ///
  /// The element waits for demand. The operator cancels the upstream as soon as the upstream has sent an element. If
  /// the upstream finishes without elements, the operator finishes, too.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// marbles {
  ///   "---a--b--c--|"
  ///   $0[0].first()
  ///   "---(a|)"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the first element.
  @inlinable
  public func first() -> Publishers.First<Self> {
    Publishers.First(upstream: self)
  }

  /// Publishes the first element that satisfies a predicate, and then finishes.
  ///
  /// The element waits for demand. The operator cancels the upstream as soon as the element is found. If the upstream
  /// finishes without it, the operator finishes, too.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2--3--4--|"
  ///   $0[0].first { $0 > 2 }
  ///   "------(3|)"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that tests each element, until it returns `true`.
  /// - Returns: A publisher of the first element that satisfies the predicate.
  @inlinable
  public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> {
    Publishers.FirstWhere(upstream: self, predicate: predicate)
  }

  /// Publishes the first element that satisfies a predicate that may throw, and then finishes.
  ///
  /// The element waits for demand. If the predicate throws, the operator cancels the upstream and fails with that
  /// error, without waiting for demand.
  ///
  /// ```swift
  /// struct Zero: Error {}
  /// marbles(of: Int.self, failure: Zero()) {
  ///   "1--0--3--|"
  ///   $0[0].tryFirst { number in
  ///     if number == 0 { throw Zero() }
  ///     return number > 2
  ///   }
  ///   "---#"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that tests each element, until it returns `true` or throws.
  /// - Returns: A publisher of the first element that satisfies the predicate.
  @inlinable
  public func tryFirst(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryFirstWhere<Self> {
    Publishers.TryFirstWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher of the first element of its upstream.
  public struct First<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose first element is published.
    public let upstream: Upstream

    /// Creates a publisher of the first element of another publisher.
    ///
    /// - Parameter upstream: The publisher whose first element is published.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let step = ReducingSteps.First<Output>()
      upstream.subscribeConduit(Conduits.Reducing("First", downstream: subscriber, step: step))
    }
  }

  /// A publisher of the first element of its upstream that satisfies a predicate.
  public struct FirstWhere<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Output) -> Bool

    /// Creates a publisher of the first element of another publisher that satisfies a predicate.
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
      let step = ReducingSteps.Matching(ReducingSteps.FirstMatch.self, predicate: predicate)
      // This is Combine's name for it, although it does not throw.
      upstream.subscribeConduit(Conduits.Reducing("TryFirst", downstream: subscriber, step: step))
    }
  }

  /// A publisher of the first element of its upstream that satisfies a predicate that may throw.
  public struct TryFirstWhere<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Output) throws -> Bool

    /// Creates a publisher of the first element of another publisher that satisfies a predicate that may throw.
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
      let step = ReducingSteps.TryMatching(ReducingSteps.FirstMatch.self, predicate: predicate)
      upstream.subscribeConduit(
        Conduits.TryReducing<Upstream.Failure, _, _>("TryFirstWhere", downstream: subscriber, step: step)
      )
    }
  }
}

extension Publishers.First: Equatable where Upstream: Equatable {}

extension Publishers.First: Sendable where Upstream: Sendable {}

// MARK: Step and rule

extension ReducingSteps {

  @usableFromInline
  struct First<Input>: ReducingStep {

    @usableFromInline
    typealias Output = Input

    @inlinable
    init() {}

    @inlinable
    func reduce(_ input: Input, into reduction: some Reduction<Input>) -> ReducingProgress {
      reduction.result = input
      return .finished
    }
  }

  @usableFromInline
  enum FirstMatch<Input>: MatchingRule {

    @inlinable
    static func result(of input: Input, answer: Bool) -> Input? {
      answer ? input : nil
    }
  }
}
