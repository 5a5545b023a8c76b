import CombineCore

extension Publisher {

  /// Collects consecutive elements into arrays, and begins an array every few elements.
  ///
  /// The arrays overlap if `step` is less than `count`. If it is greater, elements between two arrays are dropped. When
  /// the upstream finishes, the operator publishes the arrays that have begun. When the upstream fails, it drops them.
  ///
  /// The operator requests as many elements as the requested arrays need. Arrays without demand wait, and the completion
  /// waits for them.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "b", "c"], "y": ["b", "c", "d"], "z": ["c", "d"], "w": ["d"]]) {
  ///   "a-b-c-d-|"
  ///   $0[0].collect(3, every: 1)
  ///   "----x-y-(zw|)"
  /// }
  /// marbles(outputs: ["x": ["a", "b"], "y": ["d", "e"]]) {
  ///   "a-b-c-d-e-f-|"
  ///   $0[0].collect(2, every: 3)
  ///   "--x-----y---|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: The number of elements in each array but the last ones. It must be positive.
  ///   - step: The number of elements from the beginning of an array to that of the next one. It must be positive.
  /// - Returns: A publisher of arrays.
  @inlinable
  public func collect(_ count: Int, every step: Int) -> ExtraPublishers.CollectByStep<Self> {
    ExtraPublishers.CollectByStep(upstream: self, count: count, step: step)
  }
}

extension ExtraPublishers {

  /// A publisher of consecutive elements of its upstream in arrays, one begun every few elements.
  public struct CollectByStep<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: arrays of the upstream's elements.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are collected.
    public let upstream: Upstream

    /// The number of elements in each array but the last ones.
    public let count: Int

    /// The number of elements from the beginning of an array to that of the next one.
    public let step: Int

    /// Creates a publisher of another publisher's consecutive elements in arrays.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are collected.
    ///   - count: The number of elements in each array but the last ones. It must be positive.
    ///   - step: The number of elements from the beginning of an array to that of the next one. It must be positive.
    @inlinable
    public init(upstream: Upstream, count: Int, step: Int) {
      requirePositive(count, "CollectByStep: count")
      requirePositive(step, "CollectByStep: step")
      self.upstream = upstream
      self.count = count
      self.step = step
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        ExtraConduits.CollectWindows<Upstream.Output, S>(
          downstream: subscriber,
          count: count,
          opening: .everyElements(step)
        )
      )
    }
  }
}
