import Synchronization

extension Publisher {

  /// Publishes a value if this publisher finishes without one.
  ///
  /// ```swift
  /// marbles {
  ///   "------|"
  ///   $0[0].replaceEmpty(with: "z")
  ///   "------(z|)"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = Empty<Int, Never>()
  ///   .replaceEmpty(with: 0)
  ///   .sink { print($0) }  // prints 0
  /// ```
  ///
  /// All values are requested from this publisher, and published as they come, whatever the subscriber requests.
  ///
  /// - Parameter output: The value to publish.
  /// - Returns: A publisher of the same values, or of the one given. That one, and the finish after it, wait until the
  ///   subscriber has requested anything. A failure is passed on.
  @inlinable
  public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    Publishers.ReplaceEmpty(upstream: self, output: output)
  }
}

extension Publishers {

  /// A publisher that sends a value if its upstream finishes without one.
  public struct ReplaceEmpty<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The value that is sent if there is no other.
    public let output: Upstream.Output

    /// The publisher that may finish without a value.
    public let upstream: Upstream

    /// Creates a publisher that sends a value if another one finishes without one.
    ///
    /// - Parameters:
    ///   - upstream: The publisher that may finish without a value.
    ///   - output: The value that is sent if there is no other.
    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.attach(Conduits.ReplaceEmpty(downstream: subscriber, output: output))
    }
  }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension Publishers.ReplaceEmpty: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

// MARK: Conduit

extension Conduits {

  // The result that waits for demand is the replacement; it is complete when the upstream finishes without a value.
  @usableFromInline
  final class ReplaceEmpty<Downstream: Subscriber>: DeferredResultConduit, ConnectingConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let output: Input

    @usableFromInline
    let hasValue = Atomic<Bool>(false)

    /// Whether the downstream has asked for all there is.
    @usableFromInline
    let hasRequestedAll = Atomic<Bool>(false)

    @usableFromInline
    init(downstream: Downstream, output: Input) {
      self.downstream = downstream
      self.output = output
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      downstream.receive(subscription: self)
      if !wasCancelled { subscription.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard phase == .subscribed else { return .none }
      if !hasValue.load(ordering: .relaxed) { hasValue.store(true, ordering: .releasing) }
      // The upstream was asked for all it has, whatever the downstream's demand.
      if hasRequestedAll.load(ordering: .relaxed) { return downstream.receive(input) }
      return UnaskedDelivery.value.mark { downstream.receive(input) }
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      if case .finished = completion, !hasValue.load(ordering: .acquiring) {
        if complete()?.isRequested == true { replace() }
      } else if disconnect() != nil {
        downstream.receive(completion: completion)
      }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      if demand == .unlimited { hasRequestedAll.store(true, ordering: .relaxed) }
      if takeRequest(demand) { replace() } else { super.request(demand) }
    }

    private func replace() {
      _ = downstream.receive(output)
      if !wasCancelled { downstream.receive(completion: .finished) }
    }

    @usableFromInline
    var description: String { "ReplaceEmpty" }
  }
}
