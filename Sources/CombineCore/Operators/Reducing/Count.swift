extension Publisher {

  /// Counts the values, and publishes their number when the upstream finishes.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--|"
  ///   $0[0].count()
  ///   "---------(3|)"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of one number, sent when it is asked for and the upstream has finished. A failure of the
  ///   upstream is sent instead. The upstream is asked for everything at once.
  @inlinable
  public func count() -> Publishers.Count<Self> {
    Publishers.Count(upstream: self)
  }
}

extension Publishers {

  /// A publisher of the number of values that its upstream publishes.
  public struct Count<Upstream: Publisher>: Publisher {

    /// A number of values.
    public typealias Output = Int

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are counted.
    public let upstream: Upstream

    /// Creates a publisher that counts the values of another one.
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
      upstream.attach(Conduits.Reducing("Count", downstream: subscriber, step: step))
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
