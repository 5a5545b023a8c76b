extension Publisher where Output: Equatable {

  /// Publishes whether one of the values equals another.
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
  /// - Returns: A publisher of one answer, sent when it is asked for: `true` as soon as the value is found, and the
  ///   upstream is cancelled; `false` when the upstream has finished. A failure of the upstream is sent instead. The
  ///   upstream is asked for everything at once.
  @inlinable
  public func contains(_ output: Output) -> Publishers.Contains<Self> {
    Publishers.Contains(upstream: self, output: output)
  }
}

extension Publisher {

  /// Publishes whether a predicate holds for one of the values.
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
  /// - Parameter predicate: What is asked of each value, until it holds.
  /// - Returns: A publisher of one answer, sent when it is asked for: `true` as soon as the predicate holds, and the
  ///   upstream is cancelled; `false` when the upstream has finished. A failure of the upstream is sent instead. The
  ///   upstream is asked for everything at once.
  @inlinable
  public func contains(where predicate: @escaping (Output) -> Bool) -> Publishers.ContainsWhere<Self> {
    Publishers.ContainsWhere(upstream: self, predicate: predicate)
  }

  /// Publishes whether a predicate, which may throw, holds for one of the values.
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
  /// - Parameter predicate: What is asked of each value, until it holds or throws.
  /// - Returns: A publisher of one answer, sent when it is asked for. When the predicate throws, the upstream is
  ///   cancelled and the error sent, asked for or not.
  @inlinable
  public func tryContains(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryContainsWhere<Self> {
    Publishers.TryContainsWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher of whether one of its upstream's values equals another.
  public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {

    /// Whether the value is found.
    public typealias Output = Bool

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// The value that is looked for.
    public let output: Upstream.Output

    /// Creates a publisher of whether another one publishes a value.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are examined.
    ///   - output: The value to look for.
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
      upstream.attach(Conduits.Reducing("Contains", downstream: subscriber, step: step))
    }
  }

  /// A publisher of whether a predicate holds for one of its upstream's values.
  public struct ContainsWhere<Upstream: Publisher>: Publisher {

    /// Whether the predicate holds for a value.
    public typealias Output = Bool

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher of whether a predicate holds for a value of another one.
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
      upstream.attach(Conduits.Reducing("ContainsWhere", downstream: subscriber, step: step))
    }
  }

  /// A publisher of whether a predicate, which may throw, holds for one of its upstream's values.
  public struct TryContainsWhere<Upstream: Publisher>: Publisher {

    /// Whether the predicate holds for a value.
    public typealias Output = Bool

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher of whether a predicate, which may throw, holds for a value of another one.
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
      upstream.attach(
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
