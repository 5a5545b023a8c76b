import CombineThreads
import CombineCore

extension Publisher {

  /// Publishes all elements but a number of the last ones.
  ///
  /// Each element is published when the given number of further elements has arrived. When the upstream completes, the
  /// remaining elements are dropped.
  ///
  /// The elements that only fill the buffer are requested in addition to the downstream's demand, one for each of them.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--d--|"
  ///   $0[0].dropLast(2)
  ///   "------a--b--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = (1...5).publisher
  ///   .dropLast(2)
  ///   .sink { print($0) }  // prints 1, 2, 3
  /// ```
  ///
  /// - Parameter count: The number of elements to drop. It must not be negative.
  /// - Returns: A publisher of the other elements.
  @inlinable
  public func dropLast(_ count: Int = 1) -> ExtraPublishers.DropLast<Self> {
    ExtraPublishers.DropLast(upstream: self, count: count)
  }
}

extension ExtraPublishers {

  /// A publisher of all elements of its upstream but a number of the last ones.
  public struct DropLast<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher of the elements.
    public let upstream: Upstream

    /// The number of elements to drop.
    public let count: Int

    /// Creates a publisher of all elements of another publisher but a number of the last ones.
    ///
    /// - Parameters:
    ///   - upstream: The publisher of the elements.
    ///   - count: The number of elements to drop. It must not be negative.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      requireNonNegative(count, "DropLast: count")
      self.upstream = upstream
      self.count = count
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = ExtraConduits.DropLast(downstream: subscriber, count: count)
      if conduit.open() { upstream.subscribeConduit(conduit) }
    }
  }
}

extension ExtraPublishers.DropLast: Equatable where Upstream: Equatable {}

extension ExtraPublishers.DropLast: Sendable where Upstream: Sendable {}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class DropLast<Downstream: Subscriber>: PassingConduit<Downstream>, CustomStringConvertible {

    @exclusivity(unchecked)  // Only with the lock held, after `init`.
    @usableFromInline
    var last: LastElements<Input>

    @inlinable
    init(downstream: Downstream, count: Int) {
      last = LastElements(count)
      super.init(downstream: downstream)
    }

    @inlinable
    override func receive(_ input: Input) -> Subscribers.Demand {
      let (delivery, isKept) = lock.withLock { () -> (Machine.Delivery, Bool) in
        if queue.isClosed { return (.nothing, false) }
        guard let oldest = last.append(input) else { return (.nothing, true) }
        return (queue.send(oldest), false)
      }
      return isKept ? .max(1) : deliver(delivery)
    }

    @inlinable
    override func didEnd() {
      super.didEnd()
      let dropped = lock.withLock { last.removeAll() }
      withExtendedLifetime(dropped) {}
    }

    @usableFromInline
    var description: String { "DropLast" }
  }
}
