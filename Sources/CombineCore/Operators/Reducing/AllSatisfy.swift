extension Publisher {

  /// Publishes whether all elements satisfy a predicate.
  ///
  /// The operator publishes `false` and cancels the upstream as soon as an element does not satisfy the predicate. It
  /// publishes `true` when the upstream finishes, even without elements. The result waits for demand. If the upstream
  /// fails, the operator fails instead, without waiting for demand.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// let answers: [Character: Bool] = ["t": true, "f": false]
  /// marbles(of: Int.self, outputs: answers) {
  ///   "2--4--6--|"
  ///   $0[0].allSatisfy { $0.isMultiple(of: 2) }
  ///   "---------(t|)"
  /// }
  /// marbles(of: Int.self, outputs: answers) {
  ///   "2--5--6--|"
  ///   $0[0].allSatisfy { $0.isMultiple(of: 2) }
  ///   "---(f|)"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that tests each element, until it returns `false`.
  /// - Returns: A publisher of one Boolean value.
  @inlinable
  public func allSatisfy(_ predicate: @escaping (Output) -> Bool) -> Publishers.AllSatisfy<Self> {
    Publishers.AllSatisfy(upstream: self, predicate: predicate)
  }

  /// Publishes whether all elements satisfy a predicate that may throw.
  ///
  /// The result waits for demand. If the predicate throws, the operator cancels the upstream and fails with that error,
  /// without waiting for demand.
  ///
  /// ```swift
  /// struct Zero: Error {}
  /// marbles(of: Int.self, failure: Zero()) {
  ///   "2--0--4--|"
  ///   $0[0].tryAllSatisfy { number in
  ///     if number == 0 { throw Zero() }
  ///     return number.isMultiple(of: 2)
  ///   }
  ///   "---#"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that tests each element, until it returns `false` or throws.
  /// - Returns: A publisher of one Boolean value.
  @inlinable
  public func tryAllSatisfy(_ predicate: @escaping (Output) throws -> Bool) -> Publishers.TryAllSatisfy<Self> {
    Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher of whether all elements of its upstream satisfy a predicate.
  public struct AllSatisfy<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: whether the predicate is satisfied.
    public typealias Output = Bool

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher of whether all elements of another publisher satisfy a predicate.
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
      let step = ReducingSteps.Matching(ReducingSteps.AllMatch.self, predicate: predicate)
      upstream.subscribeConduit(Conduits.Reducing("AllSatisfy", downstream: subscriber, step: step))
    }
  }

  /// A publisher of whether all elements of its upstream satisfy a predicate that may throw.
  public struct TryAllSatisfy<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: whether the predicate is satisfied.
    public typealias Output = Bool

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher of whether all elements of another publisher satisfy a predicate that may throw.
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
      let step = ReducingSteps.TryMatching(ReducingSteps.AllMatch.self, predicate: predicate)
      upstream.subscribeConduit(
        Conduits.TryReducing<Upstream.Failure, _, _>("TryAllSatisfy", downstream: subscriber, step: step)
      )
    }
  }
}

// MARK: Rule

extension ReducingSteps {

  @usableFromInline
  enum AllMatch<Input>: MatchingRule {

    @inlinable
    static var initial: Bool? { true }

    @inlinable
    static func result(of input: Input, answer: Bool) -> Bool? {
      answer ? nil : false
    }
  }
}
