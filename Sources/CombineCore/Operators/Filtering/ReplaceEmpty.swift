import Synchronization

extension Publisher {

  /// Publishes a replacement if this publisher finishes without an element.
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
  /// The operator requests unlimited demand from this publisher. It publishes all elements as they arrive, regardless
  /// of the downstream's demand. The replacement, and the finish after it, wait until the downstream has requested
  /// something. A failure is passed on.
  ///
  /// - Parameter output: The element to publish instead.
  /// - Returns: A publisher of the same elements, or of the replacement.
  @inlinable
  public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    Publishers.ReplaceEmpty(upstream: self, output: output)
  }
}

extension Publishers {

  /// A publisher that sends a replacement if its upstream finishes without an element.
  public struct ReplaceEmpty<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The element that is sent if there is no other.
    public let output: Upstream.Output

    /// The publisher that may finish without an element.
    public let upstream: Upstream

    /// Creates a publisher that sends a replacement if another publisher finishes without an element.
    ///
    /// - Parameters:
    ///   - upstream: The publisher that may finish without an element.
    ///   - output: The element that is sent if there is no other.
    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.ReplaceEmpty(downstream: subscriber, output: output))
    }
  }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension Publishers.ReplaceEmpty: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

// MARK: Conduit

extension Conduits {

  // The replacement is the result that waits for demand. It is complete when the upstream finishes without an element.
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

    /// Whether the downstream has requested unlimited demand.
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
      guard phase == .subscribed else { return DeliveryReceipt.refuse() }
      if !hasValue.load(ordering: .relaxed) { hasValue.store(true, ordering: .releasing) }
      // The upstream sends with unlimited demand, regardless of the downstream's demand.
      if hasRequestedAll.load(ordering: .relaxed) { return downstream.receive(input) }
      return UnrequestedDelivery.value.mark { downstream.receive(input) }
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
