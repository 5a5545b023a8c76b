extension Publisher {

  /// Keeps values until the downstream requests them.
  ///
  /// The buffer keeps a completion as well. It delivers `.finished` when it has delivered all values and there is further
  /// demand. It delivers a failure as soon as no demand is left, and then drops the values that it still keeps.
  ///
  /// With ``Publishers/BufferingStrategy/customError(_:)`` it cancels the upstream when a value does not fit. The
  /// downstream receives the error after its next request, when that request is satisfied or the buffer is empty.
  ///
  /// ```swift
  /// marbles { inputs in
  ///   "abcd---|"
  ///   inputs[0]
  ///     .buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
  ///     .flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 3, scheduler: inputs.scheduler) }
  ///   "---a--c--(d|)"
  /// }
  /// ```
  ///
  /// ```swift
  /// let numbers = PassthroughSubject<Int, Never>()
  /// let cancellable = numbers
  ///   .buffer(size: 100, prefetch: .byRequest, whenFull: .dropOldest)
  ///   .flatMap(maxPublishers: .max(1)) { Just($0) }  // Asks for one value at a time.
  ///   .sink { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - size: The maximum number of values that the buffer keeps.
  ///   - prefetch: The demand that the buffer requests from the upstream.
  ///   - whenFull: The strategy for a value that does not fit.
  /// - Returns: A publisher of the values that fit.
  @inlinable
  public func buffer(
    size: Int,
    prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
  }
}

extension Publishers {

  /// The demand that a buffer requests from its upstream.
  public enum PrefetchStrategy: Sendable {

    /// The size of the buffer at first, and then one value for each value delivered.
    case keepFull

    /// Unlimited demand. The ``Publishers/BufferingStrategy`` decides about values that do not fit.
    case byRequest
  }

  /// The strategy of a buffer for a value that does not fit.
  public enum BufferingStrategy<Failure: Error> {

    /// Drops that value.
    case dropNewest

    /// Drops the oldest value in the buffer, and keeps the new one.
    case dropOldest

    /// Drops that value, cancels the upstream, and fails with the error that the closure returns.
    ///
    /// The closure must not send to the buffer, request from it or cancel it. That traps.
    case customError(() -> Failure)
  }

  /// A publisher that keeps its upstream's values until its downstream requests them.
  public struct Buffer<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values the buffer keeps.
    public let upstream: Upstream

    /// The maximum number of values that the buffer keeps.
    public let size: Int

    /// The demand that the buffer requests from the upstream.
    public let prefetch: Publishers.PrefetchStrategy

    /// The strategy for a value that does not fit.
    public let whenFull: Publishers.BufferingStrategy<Failure>

    /// Creates a publisher that keeps another publisher's values until its downstream requests them.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose values the buffer keeps.
    ///   - size: The maximum number of values that the buffer keeps.
    ///   - prefetch: The demand that the buffer requests from the upstream.
    ///   - whenFull: The strategy for a value that does not fit.
    @inlinable
    public init(
      upstream: Upstream,
      size: Int,
      prefetch: Publishers.PrefetchStrategy,
      whenFull: Publishers.BufferingStrategy<Failure>
    ) {
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        Conduits.Buffer(downstream: subscriber, size: size, prefetch: prefetch, whenFull: whenFull)
      )
    }
  }
}
