import CombineThreads

extension Publisher {

  /// Collects elements, and publishes them as arrays of a fixed length.
  ///
  /// For each array requested, the operator requests `count` elements from the upstream. When the upstream finishes,
  /// the operator publishes the remaining elements without waiting for demand. When the upstream fails, the operator
  /// drops them.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "b"], "y": ["c"]]) {
  ///   "a--b--c--|"
  ///   $0[0].collect(2)
  ///   "---x-----(y|)"
  /// }
  /// ```
  ///
  /// - Parameter count: The number of elements in each array. The last array may be shorter.
  /// - Returns: A publisher of arrays.
  @inlinable
  public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    Publishers.CollectByCount(upstream: self, count: count)
  }
}

extension Publishers {

  /// A publisher of the elements of its upstream in arrays of a fixed length.
  public struct CollectByCount<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: arrays of the upstream's elements.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are collected.
    public let upstream: Upstream

    /// The number of elements in each array but the last.
    public let count: Int

    /// Creates a publisher of another publisher's elements in arrays of a fixed length.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are collected.
    ///   - count: The number of elements in each array but the last.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == [Upstream.Output], S.Failure == Failure {
      upstream.subscribeConduit(Conduits.CollectByCount<Upstream.Output, S>(downstream: subscriber, count: count))
    }
  }
}

extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}

extension Publishers.CollectByCount: Sendable where Upstream: Sendable {}

// MARK: Machine

/// The pure state of `collect(_:)`: the elements of the incomplete array.
@usableFromInline
struct CountedBatch<Element> {

  @usableFromInline
  var elements: [Element] = []

  @inlinable
  init() {}

  /// Adds an element.
  ///
  /// - Parameter count: The length of a complete array. A length that is not positive is never reached.
  /// - Returns: The array, if it is complete now.
  @inlinable
  mutating func append(_ element: Element, completingAt count: Int) -> [Element]? {
    elements.append(element)
    return elements.count == count ? removeAll() : nil
  }

  /// Removes and returns the collected elements.
  @inlinable
  mutating func removeAll() -> [Element] {
    exchange(&elements, with: [])
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class CollectByCount<Input, Downstream: Subscriber>: Conduit, ConnectingConduit
  where Downstream.Input == [Input] {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let count: Int

    // Touched only with the lock held, because a cancellation on another thread empties it.
    @exclusivity(unchecked)
    @usableFromInline
    var batch = CountedBatch<Input>()

    @inlinable
    init(downstream: Downstream, count: Int) {
      self.downstream = downstream
      self.count = count
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      let elements = lock.withLock { phase == .subscribed ? batch.append(input, completingAt: count) : nil }
      guard let elements else { return .none }
      return downstream.receive(elements) * count
    }

    // As in Combine, every completion passes, even if an invalid upstream sends it early or again.
    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let (subscription, elements) = lock.withLock { (terminateLocked().subscription, batch.removeAll()) }
      withExtendedLifetime(subscription) {}  // Released with the lock free.
      if case .finished = completion, !elements.isEmpty {
        // The downstream has not requested these elements if they arrived unrequested themselves.
        UnrequestedDelivery.value.mark { _ = downstream.receive(elements) }
        if wasCancelled { return }
      }
      downstream.receive(completion: completion)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero("CollectByCount")
      guard let subscription else { return }
      if count < 0 && demand != .unlimited { Misuse.trap("CollectByCount", .negativeCount) }
      subscription.request(demand * count)
    }

    @usableFromInline
    override func cancel() {
      let (subscription, elements) = lock.withLock { (acceptCancelLocked(), batch.removeAll()) }
      withExtendedLifetime(elements) {}  // Released with the lock free.
      subscription?.cancel()
    }

    @usableFromInline
    var description: String { "CollectByCount" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> {
      let elements = lock.withLock { batch.elements }
      return [
        "downstream": downstream, "upstreamSubscription": subscription as Any, "buffer": elements, "count": count,
      ]
    }
  }
}
