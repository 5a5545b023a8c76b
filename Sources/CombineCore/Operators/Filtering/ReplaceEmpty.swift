import Synchronization

extension Publisher {

  /// Publishes a value if this publisher finishes without one.
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

    /// The kind of values: that of the upstream.
    public typealias Output = Upstream.Output

    /// The kind of errors: that of the upstream.
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

    /// Attaches a subscriber to the upstream, with the replacement in between.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Conduits.ReplaceEmpty(downstream: subscriber, output: output))
    }
  }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension Publishers.ReplaceEmpty: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

// MARK: State

/// When the replacement is sent: the upstream has finished without a value, and the downstream has requested something.
struct ReplaceEmptyState {

  private var hasRequest = false

  /// Whether the upstream has finished and the replacement waits for a request.
  private var isWaiting = false

  /// Takes a request.
  ///
  /// - Returns: Whether the replacement is to be sent now.
  mutating func request() -> Bool {
    hasRequest = true
    return exchange(&isWaiting, with: false)
  }

  /// Takes a finish without a value.
  ///
  /// - Returns: Whether the replacement is to be sent now.
  mutating func finish() -> Bool {
    isWaiting = !hasRequest
    return hasRequest
  }

  mutating func cancel() {
    isWaiting = false
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class ReplaceEmpty<Downstream: Subscriber>: Conduit, ConnectingConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let output: Input

    @exclusivity(unchecked)  // Only with the lock held.
    private var state = ReplaceEmptyState()

    @usableFromInline
    let hasValue = Atomic<Bool>(false)

    @usableFromInline
    init(downstream: Downstream, output: Input) {
      self.downstream = downstream
      self.output = output
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      downstream.receive(subscription: self)
      // Not if the downstream has cancelled meanwhile.
      self.subscription?.request(.unlimited)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard phase == .subscribed else { return .none }
      if !hasValue.load(ordering: .relaxed) { hasValue.store(true, ordering: .releasing) }
      return downstream.receive(input)
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      if case .finished = completion, !hasValue.load(ordering: .acquiring) {
        finishEmpty()
      } else if disconnect() != nil {
        downstream.receive(completion: completion)
      }
    }

    private func finishEmpty() {
      let (subscription, isDue) = lock.withLock {
        let subscription = disconnectLocked()
        return (subscription, subscription != nil && state.finish())
      }
      withExtendedLifetime(subscription) {}  // Released with the lock free.
      if isDue { replace() }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero()
      let isDue = lock.withLock { state.request() }
      if isDue { replace() } else { super.request(demand) }
    }

    @usableFromInline
    override func cancel() {
      let subscription = lock.withLock {
        state.cancel()
        return disconnectLocked()
      }
      subscription?.cancel()
    }

    private func replace() {
      _ = downstream.receive(output)
      downstream.receive(completion: .finished)
    }

    @usableFromInline
    var description: String { "ReplaceEmpty" }
  }
}
