import CombineThreads
import CombineCore

extension Publisher {

  /// Publishes the last elements, up to a number of them, after the publisher has finished.
  ///
  /// The elements are published in order as the downstream requests them, and then the completion. A failure is passed
  /// on at once, without elements. Nothing is requested from the upstream before the downstream has requested something.
  /// All elements are then requested.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--|"
  ///   $0[0].suffix(2)
  ///   "---------(bc|)"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = (1...5).publisher
  ///   .suffix(2)
  ///   .sink { print($0) }  // prints 4, 5
  /// ```
  ///
  /// - Parameter maxLength: The maximum number of elements. It must not be negative.
  /// - Returns: A publisher of the last elements.
  @inlinable
  public func suffix(_ maxLength: Int) -> ExtraPublishers.Suffix<Self> {
    ExtraPublishers.Suffix(upstream: self, maxLength: maxLength)
  }
}

extension ExtraPublishers {

  /// A publisher of the last elements of its upstream.
  public struct Suffix<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose last elements are published.
    public let upstream: Upstream

    /// The maximum number of elements.
    public let maxLength: Int

    /// Creates a publisher of the last elements of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose last elements are published.
    ///   - maxLength: The maximum number of elements. It must not be negative.
    @inlinable
    public init(upstream: Upstream, maxLength: Int) {
      requireNonNegative(maxLength, "Suffix: maxLength")
      self.upstream = upstream
      self.maxLength = maxLength
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = ExtraConduits.Suffix(downstream: subscriber, maxLength: maxLength)
      if conduit.open() { upstream.subscribeConduit(conduit) }
    }
  }
}

extension ExtraPublishers.Suffix: Equatable where Upstream: Equatable {}

extension ExtraPublishers.Suffix: Sendable where Upstream: Sendable {}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class Suffix<Downstream: Subscriber>: PassingConduit<Downstream>, CustomStringConvertible {

    @exclusivity(unchecked)  // These two: only with the lock held, after `init`.
    @usableFromInline
    var last: LastElements<Input>

    @exclusivity(unchecked)
    @usableFromInline
    var hasRequested = false

    @inlinable
    init(downstream: Downstream, maxLength: Int) {
      last = LastElements(maxLength)
      super.init(downstream: downstream)
    }

    @inlinable
    override func receive(_ input: Input) -> Subscribers.Demand {
      let dropped = lock.withLock { upstream.isSubscribed ? last.append(input) : input }
      withExtendedLifetime(dropped) {}
      return .none
    }

    @inlinable
    override func receive(completion: Subscribers.Completion<Failure>) {
      guard finishUpstream() else { return }
      if case .failure = completion { return send(completion: completion) }
      while let value = lock.withLock({ last.popFirst() }) { send(value) }
      send(completion: completion)
    }

    /// Requests all elements from the upstream, at the first request of the downstream.
    @inlinable
    override func receive(demand: Subscribers.Demand) {
      let isFirst = lock.withLock { !exchange(&hasRequested, with: true) }
      if isFirst { requestUpstream(.unlimited) }
    }

    @inlinable
    override func didEnd() {
      super.didEnd()
      let dropped = lock.withLock { last.removeAll() }
      withExtendedLifetime(dropped) {}
    }

    @usableFromInline
    var description: String { "Suffix" }
  }
}
