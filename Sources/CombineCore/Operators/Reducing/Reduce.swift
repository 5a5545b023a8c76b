extension Publisher {

  /// Combines all elements into one result, and publishes it when the upstream finishes.
  ///
  /// The result waits for demand. If the upstream fails, the operator fails instead, without waiting for demand.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2--3--|"
  ///   $0[0].reduce(0) { $0 + $1 }
  ///   "---------(6|)"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first element. It is published if there are no elements.
  ///   - nextPartialResult: A closure that combines the result so far with an element.
  /// - Returns: A publisher of one result.
  @inlinable
  public func reduce<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Reduce<Self, T> {
    Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Combines all elements into one result, with a closure that may throw, and publishes it when the upstream finishes.
  ///
  /// The result waits for demand. If the closure throws, the operator cancels the upstream and fails with that error,
  /// without waiting for demand.
  ///
  /// ```swift
  /// struct TooLarge: Error {}
  /// marbles(of: Int.self, failure: TooLarge()) {
  ///   "1--9--2--|"
  ///   $0[0].tryReduce(0) { sum, number in
  ///     guard number < 9 else { throw TooLarge() }
  ///     return sum + number
  ///   }
  ///   "---#"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first element. It is published if there are no elements.
  ///   - nextPartialResult: A closure that combines the result so far with an element, or throws.
  /// - Returns: A publisher of one result.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryReduce<Self, T> {
    Publishers.TryReduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
  }
}

extension Publishers {

  /// A publisher that combines all elements of its upstream into one result.
  public struct Reduce<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are combined.
    public let upstream: Upstream

    /// The result before the first element.
    public let initial: Output

    /// A closure that combines the result so far with an element.
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    /// Creates a publisher that combines all elements of another publisher into one result.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are combined.
    ///   - initial: The result before the first element.
    ///   - nextPartialResult: A closure that combines the result so far with an element.
    @inlinable
    public init(
      upstream: Upstream,
      initial: Output,
      nextPartialResult: @escaping (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// Each subscription starts from the initial result.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let step = ReducingSteps.Reduce(initial: initial, nextPartialResult: nextPartialResult)
      upstream.subscribeConduit(Conduits.Reducing("Reduce", downstream: subscriber, step: step))
    }
  }

  /// A publisher that combines all elements of its upstream into one result, with a closure that may throw.
  public struct TryReduce<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are combined.
    public let upstream: Upstream

    /// The result before the first element.
    public let initial: Output

    /// A closure that combines the result so far with an element, or throws.
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    /// Creates a publisher that combines all elements of another publisher, with a closure that may throw.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are combined.
    ///   - initial: The result before the first element.
    ///   - nextPartialResult: A closure that combines the result so far with an element, or throws.
    @inlinable
    public init(
      upstream: Upstream,
      initial: Output,
      nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// Each subscription starts from the initial result.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let step = ReducingSteps.TryReduce(initial: initial, nextPartialResult: nextPartialResult)
      upstream.subscribeConduit(
        Conduits.TryReducing<Upstream.Failure, _, _>("TryReduce", downstream: subscriber, step: step)
      )
    }
  }
}

// MARK: Steps

extension ReducingSteps {

  @usableFromInline
  struct Reduce<Input, Output>: ReducingStep {

    @usableFromInline
    let initial: Output?

    @usableFromInline
    let nextPartialResult: (Output, Input) -> Output

    @inlinable
    init(initial: Output, nextPartialResult: @escaping (Output, Input) -> Output) {
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    func reduce(_ input: Input, into reduction: some Reduction<Output>) -> ReducingProgress {
      reduction.result = nextPartialResult(reduction.result!, input)
      return .unfinished
    }
  }

  @usableFromInline
  struct TryReduce<Input, Output>: ReducingStep {

    @usableFromInline
    let initial: Output?

    @usableFromInline
    let nextPartialResult: (Output, Input) throws -> Output

    @inlinable
    init(initial: Output, nextPartialResult: @escaping (Output, Input) throws -> Output) {
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    func reduce(_ input: Input, into reduction: some Reduction<Output>) throws -> ReducingProgress {
      reduction.result = try nextPartialResult(reduction.result!, input)
      return .unfinished
    }
  }
}
