import CombineCore

extension Publisher {

  /// Publishes each element with its index.
  ///
  /// Demand and completion pass unchanged. Each subscription counts for itself.
  ///
  /// ```swift
  /// marbles(outputs: ["p": "0a", "q": "1b", "r": "2c"]) {
  ///   "a--b--c--|"
  ///   $0[0].enumerated().map { "\($0.index)\($0.element)" }
  ///   "p--q--r--|"
  /// }
  /// ```
  ///
  /// - Parameter initial: The index of the first element. The default is zero.
  /// - Returns: A publisher of pairs of an index and an element.
  @inlinable
  public func enumerated(initial: Int = 0) -> ExtraPublishers.Enumerated<Self> {
    ExtraPublishers.Enumerated(upstream: self, initial: initial)
  }
}

extension ExtraPublishers {

  /// A publisher of the elements of its upstream, each with its index.
  public struct Enumerated<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: an index and an element.
    public typealias Output = (index: Int, element: Upstream.Output)

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are counted.
    public let upstream: Upstream

    /// The index of the first element.
    public let initial: Int

    /// Creates a publisher of the elements of another publisher, each with its index.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are counted.
    ///   - initial: The index of the first element. The default is zero.
    @inlinable
    public init(upstream: Upstream, initial: Int = 0) {
      self.upstream = upstream
      self.initial = initial
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == (index: Int, element: Upstream.Output), S.Failure == Upstream.Failure {
      upstream.subscribeConduit(ExtraConduits.Enumerated(downstream: subscriber, initial: initial))
    }
  }
}

extension ExtraPublishers.Enumerated: Equatable where Upstream: Equatable {}

extension ExtraPublishers.Enumerated: Sendable where Upstream: Sendable {}

extension ExtraConduits {

  @usableFromInline
  final class Enumerated<Input, Downstream: Subscriber>: TransparentConduit
  where Downstream.Input == (index: Int, element: Input) {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    /// Only the upstream's calls read and write it, which come one after the other.
    @exclusivity(unchecked)
    @usableFromInline
    var next: Int

    @inlinable
    init(downstream: Downstream, initial: Int) {
      self.downstream = downstream
      next = initial
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      let index = next
      next = index &+ 1  // Before the delivery, in which the upstream may send the next element.
      return downstream.receive((index, input))
    }

    @usableFromInline
    var description: String { "Enumerated" }
  }
}
