extension Publisher where Output: Comparable {

  /// Publishes the smallest element when the upstream finishes.
  ///
  /// Of equal elements it publishes the earliest. It publishes none if the upstream has none. The result waits for
  /// demand. If the upstream fails, the operator fails instead, without waiting for demand.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "3--1--2--|"
  ///   $0[0].min()
  ///   "---------(1|)"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the smallest element.
  @inlinable
  public func min() -> Publishers.Comparison<Self> {
    max(by: >)
  }

  /// Publishes the largest element when the upstream finishes.
  ///
  /// Of equal elements it publishes the earliest. It publishes none if the upstream has none. The result waits for
  /// demand. If the upstream fails, the operator fails instead, without waiting for demand.
  ///
  /// The operator requests unlimited demand from the upstream immediately.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--3--2--|"
  ///   $0[0].max()
  ///   "---------(3|)"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the largest element.
  @inlinable
  public func max() -> Publishers.Comparison<Self> {
    max(by: <)
  }
}

extension Publisher {

  /// Publishes the smallest element, according to a closure, when the upstream finishes.
  ///
  /// Of equal elements it publishes the earliest. It publishes none if the upstream has none. The result waits for
  /// demand.
  ///
  /// ```swift
  /// marbles(values: ["a": "three", "b": "one", "c": "two"]) {
  ///   "a--b--c--|"
  ///   $0[0].min { $0.count < $1.count }
  ///   "---------(b|)"
  /// }
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is smaller than its second. It
  ///   is called once for each element but the first.
  /// - Returns: A publisher of the smallest element.
  @inlinable
  public func min(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
    max { areInIncreasingOrder($1, $0) }
  }

  /// Publishes the largest element, according to a closure, when the upstream finishes.
  ///
  /// Of equal elements it publishes the earliest. It publishes none if the upstream has none. The result waits for
  /// demand.
  ///
  /// ```swift
  /// marbles(values: ["a": "one", "b": "three", "c": "seven"]) {
  ///   "a--b--c--|"
  ///   $0[0].max { $0.count < $1.count }
  ///   "---------(b|)"
  /// }
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is smaller than its second. It
  ///   is called once for each element but the first.
  /// - Returns: A publisher of the largest element.
  @inlinable
  public func max(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
    Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }

  /// Publishes the smallest element, according to a closure that may throw, when the upstream finishes.
  ///
  /// Of equal elements it publishes the earliest. The result waits for demand. If the closure throws, the operator
  /// cancels the upstream and fails with that error, without waiting for demand.
  ///
  /// ```swift
  /// struct NotANumber: Error {}
  /// marbles(values: ["1": 1, "2": 2, "n": Double.nan], failure: NotANumber()) {
  ///   "2--1--n--1--|"
  ///   $0[0].tryMin { first, second in
  ///     if first.isNaN || second.isNaN { throw NotANumber() }
  ///     return first < second
  ///   }
  ///   "------#"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is smaller than its second, or
  ///   throws. It is called once for each element but the first.
  /// - Returns: A publisher of the smallest element.
  @inlinable
  public func tryMin(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    tryMax { try areInIncreasingOrder($1, $0) }
  }

  /// Publishes the largest element, according to a closure that may throw, when the upstream finishes.
  ///
  /// Of equal elements it publishes the earliest. The result waits for demand. If the closure throws, the operator
  /// cancels the upstream and fails with that error, without waiting for demand.
  ///
  /// ```swift
  /// struct NotANumber: Error {}
  /// marbles(values: ["1": 1, "2": 2, "n": Double.nan], failure: NotANumber()) {
  ///   "1--2--n--1--|"
  ///   $0[0].tryMax { first, second in
  ///     if first.isNaN || second.isNaN { throw NotANumber() }
  ///     return first < second
  ///   }
  ///   "------#"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is smaller than its second, or
  ///   throws. It is called once for each element but the first.
  /// - Returns: A publisher of the largest element.
  @inlinable
  public func tryMax(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }
}

extension Publishers {

  /// A publisher of the largest element of its upstream, according to a closure.
  public struct Comparison<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are compared.
    public let upstream: Upstream

    /// A closure that returns whether the second argument, an element, replaces the first, the largest element so far.
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) -> Bool

    /// Creates a publisher of the largest element of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are compared.
    ///   - areInIncreasingOrder: A closure that returns whether the second argument, an element, replaces the first,
    ///     the largest element so far.
    @inlinable
    public init(upstream: Upstream, areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let step = ReducingSteps.Comparison(areInIncreasingOrder: areInIncreasingOrder)
      upstream.subscribeConduit(Conduits.Reducing("Comparison", downstream: subscriber, step: step))
    }
  }

  /// A publisher of the largest element of its upstream, according to a closure that may throw.
  public struct TryComparison<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are compared.
    public let upstream: Upstream

    /// A closure that returns whether the second argument, an element, replaces the first, the largest element so far.
    ///
    /// It may throw.
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) throws -> Bool

    /// Creates a publisher of the largest element of another publisher, according to a closure that may throw.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are compared.
    ///   - areInIncreasingOrder: A closure that returns whether the second argument, an element, replaces the first,
    ///     the largest element so far. It may throw.
    @inlinable
    public init(upstream: Upstream, areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let step = ReducingSteps.TryComparison(areInIncreasingOrder: areInIncreasingOrder)
      upstream.subscribeConduit(
        Conduits.TryReducing<Upstream.Failure, _, _>("TryComparison", downstream: subscriber, step: step)
      )
    }
  }
}

// MARK: Steps

extension ReducingSteps {

  @usableFromInline
  struct Comparison<Input>: ReducingStep {

    @usableFromInline
    typealias Output = Input

    @usableFromInline
    let areInIncreasingOrder: (Input, Input) -> Bool

    @inlinable
    init(areInIncreasingOrder: @escaping (Input, Input) -> Bool) {
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable
    func reduce(_ input: Input, into reduction: some Reduction<Input>) -> ReducingProgress {
      if let largest = reduction.result, !areInIncreasingOrder(largest, input) { return .unfinished }
      reduction.result = input
      return .unfinished
    }
  }

  @usableFromInline
  struct TryComparison<Input>: ReducingStep {

    @usableFromInline
    typealias Output = Input

    @usableFromInline
    let areInIncreasingOrder: (Input, Input) throws -> Bool

    @inlinable
    init(areInIncreasingOrder: @escaping (Input, Input) throws -> Bool) {
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable
    func reduce(_ input: Input, into reduction: some Reduction<Input>) throws -> ReducingProgress {
      if let largest = reduction.result, try !areInIncreasingOrder(largest, input) { return .unfinished }
      reduction.result = input
      return .unfinished
    }
  }
}
