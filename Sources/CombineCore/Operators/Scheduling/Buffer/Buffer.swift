extension Publisher {

  /// Keeps values until the downstream asks for them.
  ///
  /// A completion is kept as well. A finish is delivered when all values have been and more is asked for; a failure as
  /// soon as no demand is left, though values may still be kept, which are then dropped.
  ///
  /// With ``Publishers/BufferingStrategy/customError(_:)`` the upstream is cancelled when a value does not fit. The
  /// downstream gets the error at its next request, once that is satisfied or nothing is left.
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
  ///   - size: How many values are kept at most.
  ///   - prefetch: What the upstream is asked for.
  ///   - whenFull: What happens to a value that does not fit.
  /// - Returns: A publisher of the same values, as far as they fit.
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

  /// What a buffer asks its upstream for.
  public enum PrefetchStrategy: Sendable {

    /// As many values as fit at first, and then one for each that was delivered.
    case keepFull

    /// Everything, at once: what does not fit is treated as the buffer's other strategy says.
    case byRequest
  }

  /// What a buffer does with a value that does not fit.
  public enum BufferingStrategy<Failure: Error> {

    /// Drops that value.
    case dropNewest

    /// Drops the value that has been kept longest, and keeps the new one.
    case dropOldest

    /// Drops that value, cancels the upstream, and fails with an error of the closure.
    ///
    /// The closure must not send to the buffer, ask it for values or cancel it: that traps.
    case customError(() -> Failure)
  }

  /// A publisher that keeps its upstream's values until its downstream asks for them.
  public struct Buffer<Upstream: Publisher>: Publisher {

    /// The kind of values: that of the upstream.
    public typealias Output = Upstream.Output

    /// The kind of errors: that of the upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are kept.
    public let upstream: Upstream

    /// How many values are kept at most.
    public let size: Int

    /// What the upstream is asked for.
    public let prefetch: Publishers.PrefetchStrategy

    /// What happens to a value that does not fit.
    public let whenFull: Publishers.BufferingStrategy<Failure>

    /// Creates a publisher that keeps another one's values until its downstream asks for them.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose values are kept.
    ///   - size: How many values are kept at most.
    ///   - prefetch: What the upstream is asked for.
    ///   - whenFull: What happens to a value that does not fit.
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

    /// Attaches a subscriber to the upstream, with the buffer in between.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        Conduits.Buffer(downstream: subscriber, size: size, prefetch: prefetch, whenFull: whenFull)
      )
    }
  }
}
