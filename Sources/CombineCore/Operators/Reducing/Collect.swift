extension Publisher {

  /// Collects all elements, and publishes them as one array when the upstream finishes.
  ///
  /// The array is empty if the upstream has no elements. It waits for demand. If the upstream fails, the operator fails
  /// instead and drops the elements, without waiting for demand.
  ///
  /// The operator requests unlimited demand from the upstream immediately. Memory grows with each element.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "b", "c"]]) {
  ///   "a--b--c--|"
  ///   $0[0].collect()
  ///   "---------(x|)"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of one array.
  @inlinable
  public func collect() -> Publishers.Collect<Self> {
    Publishers.Collect(upstream: self)
  }
}

extension Publishers {

  /// A publisher of one array of all elements that its upstream publishes.
  public struct Collect<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: arrays of the upstream's elements.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are collected.
    public let upstream: Upstream

    /// Creates a publisher that collects all elements of another publisher.
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
      upstream.subscribeConduit(Conduits.Reducing("Collect", downstream: subscriber, step: step))
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
