extension Publisher {

  /// Drops all elements and publishes only the completion.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--|"
  ///   $0[0].ignoreOutput()
  ///   "---------|"
  /// }
  /// ```
  ///
  /// The operator requests unlimited demand, regardless of the downstream's demand. Completion and subscription pass
  /// through unchanged.
  ///
  /// - Returns: A publisher without elements.
  @inlinable
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    Publishers.IgnoreOutput(upstream: self)
  }
}

extension Publishers {

  /// A publisher that publishes only the completion of its upstream.
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: none.
    public typealias Output = Never

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are dropped.
    public let upstream: Upstream

    /// Creates a publisher that publishes only the completion of another publisher.
    ///
    /// - Parameter upstream: The publisher whose elements are dropped.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Subscribes to the upstream with unlimited demand, and drops all elements.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Never, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.IgnoreOutput<Upstream.Output, S>(downstream: subscriber))
    }
  }
}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}

extension Publishers.IgnoreOutput: Sendable where Upstream: Sendable {}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  struct IgnoreOutput<Input, Downstream: Subscriber>: TransparentConduit where Downstream.Input == Never {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(downstream: Downstream) {
      combineIdentifier = CombineIdentifier()
      self.downstream = downstream
    }

    @inlinable
    func receive(subscription: any Subscription) {
      downstream.receive(subscription: subscription)
      subscription.request(.unlimited)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand { .none }

    @usableFromInline
    var description: String { "IgnoreOutput" }
  }
}
