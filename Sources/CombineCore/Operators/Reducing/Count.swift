extension Publisher {

  /// Counts the elements, and publishes their number when the upstream finishes.
  ///
  /// The number waits for demand. If the upstream fails, the operator fails instead, without waiting for demand.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--|"
  ///   $0[0].count()
  ///   "---------(3|)"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of one number.
  @inlinable
  public func count() -> Publishers.Count<Self> {
    Publishers.Count(upstream: self)
  }
}

extension Publishers {

  /// A publisher of the number of elements that its upstream publishes.
  public struct Count<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: numbers of elements.
    public typealias Output = Int

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are counted.
    public let upstream: Upstream

    /// Creates a publisher that counts the elements of another publisher.
    ///
    /// - Parameter upstream: The publisher whose elements are counted.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// Each subscription counts from zero.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Failure {
      let step = ReducingSteps.Count<Upstream.Output>()
      upstream.subscribeConduit(Conduits.Reducing("Count", downstream: subscriber, step: step))
    }
  }
}

extension Publishers.Count: Equatable where Upstream: Equatable {}

extension Publishers.Count: Sendable where Upstream: Sendable {}

// MARK: Step

extension ReducingSteps {

  @usableFromInline
  struct Count<Input>: ReducingStep {

    @inlinable
    init() {}

    @inlinable
    var initial: Int? { 0 }

    @inlinable
    func reduce(_ input: Input, into reduction: some Reduction<Int>) -> ReducingProgress {
      reduction.result! += 1
      return .unfinished
    }
  }
}
