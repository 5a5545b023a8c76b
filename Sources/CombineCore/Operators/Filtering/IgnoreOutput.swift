extension Publisher {

  /// Drops all values and passes only the completion on.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--|"
  ///   $0[0].ignoreOutput()
  ///   "---------|"
  /// }
  /// ```
  ///
  /// The values are all requested, whatever the subscriber requests.
  ///
  /// - Returns: A publisher of no values; completion and subscription are the upstream's.
  @inlinable
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    Publishers.IgnoreOutput(upstream: self)
  }
}

extension Publishers {

  /// A publisher that passes only the completion of its upstream on.
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {

    /// No value is ever published.
    public typealias Output = Never

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are dropped.
    public let upstream: Upstream

    /// Creates a publisher that passes only the completion of another one on.
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
      upstream.attach(Conduits.IgnoreOutput<Upstream.Output, S>(downstream: subscriber))
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
