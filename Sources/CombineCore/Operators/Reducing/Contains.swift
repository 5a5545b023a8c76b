extension Publisher where Output: Equatable {

  /// Publishes whether any element equals a value.
  ///
  /// The operator publishes `true` and cancels the upstream as soon as an element equals the value. It publishes
  /// `false` when the upstream finishes. The result waits for demand. If the upstream fails, the operator fails
  /// instead, without waiting for demand.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// let answers: [Character: Bool] = ["t": true, "f": false]
  /// marbles(outputs: answers) {
  ///   "a--b--c--|"
  ///   $0[0].contains("b")
  ///   "---(t|)"
  ///   "^--!"
  /// }
  /// marbles(outputs: answers) {
  ///   "a--b--c--|"
  ///   $0[0].contains("z")
  ///   "---------(f|)"
  /// }
  /// ```
  ///
  /// - Parameter output: The value to search for.
  /// - Returns: A publisher of one Boolean value.
  @inlinable
  public func contains(_ output: Output) -> Publishers.Contains<Self> {
    Publishers.Contains(upstream: self, output: output)
  }
}

extension Publisher {

  /// Publishes whether any element satisfies a predicate.
  ///
  /// The operator publishes `true` and cancels the upstream as soon as an element satisfies the predicate. It publishes
  /// `false` when the upstream finishes. The result waits for demand. If the upstream fails, the operator fails
  /// instead, without waiting for demand.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// marbles(of: Int.self, outputs: ["t": true]) {
  ///   "1--3--2--|"
  ///   $0[0].contains { $0 > 2 }
  ///   "---(t|)"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that tests each element, until it returns `true`.
  /// - Returns: A publisher of one Boolean value.
  @inlinable
  public func contains(where predicate: @escaping (Output) -> Bool) -> Publishers.ContainsWhere<Self> {
    Publishers.ContainsWhere(upstream: self, predicate: predicate)
  }

  /// Publishes whether any element satisfies a predicate that may throw.
  ///
  /// The result waits for demand. If the predicate throws, the operator cancels the upstream and fails with that error,
  /// without waiting for demand.
  ///
  /// ```swift
  /// struct Zero: Error {}
  /// marbles(of: Int.self, failure: Zero()) {
  ///   "1--0--3--|"
  ///   $0[0].tryContains { number in
  ///     if number == 0 { throw Zero() }
  ///     return number > 2
  ///   }
  ///   "---#"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that tests each element, until it returns `true` or throws.
  /// - Returns: A publisher of one Boolean value.
  @inlinable
  public func tryContains(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryContainsWhere<Self> {
    Publishers.TryContainsWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher of whether any element of its upstream equals a value.
  public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {

    /// The kind of values this publisher publishes: whether the value was found.
    public typealias Output = Bool

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// The value to search for.
    public let output: Upstream.Output

    /// Creates a publisher of whether any element of another publisher equals a value.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are examined.
    ///   - output: The value to search for.
    @inlinable
    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Bool, S.Failure == Failure {
      let step = ReducingSteps.Contains(output)
      upstream.subscribeConduit(Conduits.Reducing("Contains", downstream: subscriber, step: step))
    }
  }

  /// A publisher of whether any element of its upstream satisfies a predicate.
  public struct ContainsWhere<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: whether an element satisfies the predicate.
    public typealias Output = Bool

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher of whether any element of another publisher satisfies a predicate.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are examined.
    ///   - predicate: A closure that tests each element.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Bool, S.Failure == Failure {
      let step = ReducingSteps.Matching(ReducingSteps.AnyMatch.self, predicate: predicate)
      upstream.subscribeConduit(Conduits.Reducing("ContainsWhere", downstream: subscriber, step: step))
    }
  }

  /// A publisher of whether any element of its upstream satisfies a predicate that may throw.
  public struct TryContainsWhere<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: whether an element satisfies the predicate.
    public typealias Output = Bool

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher of whether any element of another publisher satisfies a predicate that may throw.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are examined.
    ///   - predicate: A closure that tests each element.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Bool, S.Failure == any Error {
      let step = ReducingSteps.TryMatching(ReducingSteps.AnyMatch.self, predicate: predicate)
      upstream.subscribeConduit(
        Conduits.TryReducing<Upstream.Failure, _, _>("TryContainsWhere", downstream: subscriber, step: step)
      )
    }
  }
}

extension Publishers.Contains: Equatable where Upstream: Equatable {}

extension Publishers.Contains: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

// MARK: Step and rule

extension ReducingSteps {

  @usableFromInline
  struct Contains<Input: Equatable>: ReducingStep {

    @usableFromInline
    let output: Input

    @inlinable
    init(_ output: Input) {
      self.output = output
    }

    @inlinable
    var initial: Bool? { AnyMatch<Input>.initial }

    @inlinable
    func reduce(_ input: Input, into reduction: some Reduction<Bool>) -> ReducingProgress {
      AnyMatch.take(input, answer: input == output, into: reduction)
    }
  }

  @usableFromInline
  enum AnyMatch<Input>: MatchingRule {

    @inlinable
    static var initial: Bool? { false }

    @inlinable
    static func result(of input: Input, answer: Bool) -> Bool? {
      answer ? true : nil
    }
  }
}
