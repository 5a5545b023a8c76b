extension Publisher {

  /// Gathers all values, and publishes them as one array when the upstream finishes.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "b", "c"]]) {
  ///   "a--b--c--|"
  ///   $0[0].collect()
  ///   "---------(x|)"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of one array, which is empty if the upstream has no value. It is sent when it is asked for
  ///   and the upstream has finished; a failure of the upstream is sent instead, and the values are lost. The upstream
  ///   is asked for everything at once, and memory grows with each value.
  @inlinable
  public func collect() -> Publishers.Collect<Self> {
    Publishers.Collect(upstream: self)
  }
}

extension Publishers {

  /// A publisher of one array of all values that its upstream publishes.
  public struct Collect<Upstream: Publisher>: Publisher {

    /// An array of the upstream's values.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are collected.
    public let upstream: Upstream

    /// Creates a publisher that gathers all values of another one.
    ///
    /// - Parameter upstream: The publisher whose elements are collected.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// Each subscription starts from an empty array.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == [Upstream.Output], S.Failure == Failure {
      let step = ReducingSteps.Collect<Upstream.Output>()
      upstream.attach(Conduits.Reducing("Collect", downstream: subscriber, step: step))
    }
  }
}

extension Publishers.Collect: Equatable where Upstream: Equatable {}

extension Publishers.Collect: Sendable where Upstream: Sendable {}

// MARK: Step

extension ReducingSteps {

  @usableFromInline
  struct Collect<Input>: ReducingStep {

    @inlinable
    init() {}

    @inlinable
    var initial: [Input]? { [] }

    @inlinable
    func reduce(_ input: Input, into reduction: some Reduction<[Input]>) -> ReducingProgress {
      reduction.result!.append(input)
      return .unfinished
    }

    @usableFromInline
    func reflectedChildren(downstream: Any, result: [Input]?, status: Any) -> KeyValuePairs<String, Any> {
      ["count": result?.count ?? 0]
    }
  }
}
