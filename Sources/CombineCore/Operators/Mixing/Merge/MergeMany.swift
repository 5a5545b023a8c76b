extension Publishers {

  /// A publisher that merges the elements of any number of publishers of one type, in the order of their arrival.
  ///
  /// Without demand it keeps the latest element of each upstream. A request then serves the upstreams in turn,
  /// beginning after the one that was served last. The cost of a request does not grow with the number of upstreams.
  public struct MergeMany<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The upstreams.
    public let publishers: [Upstream]

    /// Creates a publisher that merges the elements of several publishers.
    ///
    /// - Parameter upstream: The upstreams.
    @inlinable
    public init(_ upstream: Upstream...) {
      publishers = upstream
    }

    /// Creates a publisher that merges the elements of the publishers in a sequence.
    ///
    /// - Parameter upstream: The upstreams.
    @inlinable
    public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream {
      publishers = Array(upstream)
    }

    /// Subscribes to the upstreams in order, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Merge(count: publishers.count, downstream: subscriber)
      subscriber.receive(subscription: conduit)
      for (index, publisher) in publishers.enumerated() {
        publisher.subscribeConduit(Conduits.Constituent(of: conduit, key: index))
      }
    }

    /// Merges the elements of another publisher into this publisher.
    ///
    /// ```swift
    /// marbles {
    ///   "a----b--|"
    ///   "--1-2|"
    ///   "---x--y-|"
    ///   Publishers.MergeMany($0[0], $0[1]).merge(with: $0[2])
    ///   "a-1x2by-|"
    /// }
    /// ```
    ///
    /// - Parameter other: Another publisher of the upstreams' type.
    /// - Returns: A publisher that merges all upstreams: the existing ones first, then the other.
    @inlinable
    public func merge(with other: Upstream) -> MergeMany<Upstream> {
      MergeMany(publishers + [other])
    }
  }
}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}

extension Publishers.MergeMany: Sendable where Upstream: Sendable {}
