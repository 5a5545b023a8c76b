extension Publishers {

  /// A publisher that mixes the values of any number of publishers of one type, in the order in which they arrive.
  ///
  /// Without demand the latest value of each upstream waits. A request then serves the upstreams in turn, beginning after
  /// the one that was served last, and its cost does not grow with their number.
  public struct MergeMany<Upstream: Publisher>: Publisher {

    /// The kind of values: that of the upstreams.
    public typealias Output = Upstream.Output

    /// The kind of errors: that of the upstreams.
    public typealias Failure = Upstream.Failure

    /// The upstreams.
    public let publishers: [Upstream]

    /// Creates a publisher that mixes the values of some publishers.
    ///
    /// - Parameter upstream: The upstreams.
    @inlinable
    public init(_ upstream: Upstream...) {
      publishers = upstream
    }

    /// Creates a publisher that mixes the values of the publishers in a sequence.
    ///
    /// - Parameter upstream: The upstreams.
    @inlinable
    public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream {
      publishers = Array(upstream)
    }

    /// Attaches a subscriber: it gets its subscription, and then the upstreams are subscribed to in order.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: publishers.count, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      for (index, publisher) in publishers.enumerated() {
        publisher.attach(Conduits.Constituent(of: conduit, key: index))
      }
    }

    /// Mixes in the values of another publisher.
    ///
    /// - Parameter other: Another publisher of the upstreams' type.
    /// - Returns: One publisher over all upstreams: these, then the other one.
    @inlinable
    public func merge(with other: Upstream) -> MergeMany<Upstream> {
      MergeMany(publishers + [other])
    }
  }
}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}

extension Publishers.MergeMany: Sendable where Upstream: Sendable {}
