extension Publisher {

  /// Publishes the first value, and finishes.
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
  /// - Returns: A publisher of the first value, sent when it is asked for. The upstream is cancelled as soon as it has
  ///   sent one; if it finishes without, so does this publisher. The upstream is asked for everything at once.
  @inlinable
  public func first() -> Publishers.First<Self> {
    Publishers.First(upstream: self)
  }

  /// Publishes the first value for which a predicate holds, and finishes.
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
  /// - Parameter predicate: What is asked of each value, until it holds.
  /// - Returns: A publisher of the first value for which the predicate holds, sent when it is asked for. The upstream
  ///   is cancelled as soon as it is found; if it finishes without, so does this publisher. The upstream is asked for
  ///   everything at once.
  @inlinable
  public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> {
    Publishers.FirstWhere(upstream: self, predicate: predicate)
  }

  /// Publishes the first value for which a predicate, which may throw, holds, and finishes.
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
  /// - Parameter predicate: What is asked of each value, until it holds or throws.
  /// - Returns: A publisher of the first value for which the predicate holds, sent when it is asked for. When the
  ///   predicate throws, the upstream is cancelled and the error sent, asked for or not.
  @inlinable
  public func tryFirst(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryFirstWhere<Self> {
    Publishers.TryFirstWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {

  /// A publisher of the first value of its upstream.
  public struct First<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose first element is published.
    public let upstream: Upstream

    /// Creates a publisher of the first value of another one.
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
      upstream.attach(Conduits.Reducing("First", downstream: subscriber, step: step))
    }
  }

  /// A publisher of the first value of its upstream for which a predicate holds.
  public struct FirstWhere<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Output) -> Bool

    /// Creates a publisher of the first value of another one for which a predicate holds.
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
      // The name that Combine gives it, though it does not throw.
      upstream.attach(Conduits.Reducing("TryFirst", downstream: subscriber, step: step))
    }
  }

  /// A publisher of the first value of its upstream for which a predicate, which may throw, holds.
  public struct TryFirstWhere<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are examined.
    public let upstream: Upstream

    /// A closure that tests each element.
    public let predicate: (Output) throws -> Bool

    /// Creates a publisher of the first value of another one for which a predicate, which may throw, holds.
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
      upstream.attach(
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
