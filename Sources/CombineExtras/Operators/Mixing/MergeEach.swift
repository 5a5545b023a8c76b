import CombineCore

extension ExtraPublishers {

  /// A publisher that merges the elements of any number of others, in the order of their arrival.
  ///
  /// The upstreams may be of different types. Their elements and errors have one type. The publisher follows the rules of
  /// `merge`: without demand it keeps the latest element of each upstream, and a request serves the upstreams in turn. It
  /// finishes when all upstreams have finished. If one upstream fails, the publisher fails and cancels the others.
  ///
  /// For up to eight publishers, use `merge`. For many publishers of one type, use `Publishers.MergeMany`.
  ///
  /// ```swift
  /// marbles {
  ///   "a----f|"
  ///   "-b----|"
  ///   "--c---|"
  ///   "---d----g---|"
  ///   "----e-|"
  ///   ExtraPublishers.MergeEach($0[0], $0[1].map { $0 }, $0[2].filter { _ in true }, $0[3].share(), $0[4])
  ///   "abcdef--g---|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = ExtraPublishers.MergeEach(Just(1), [2, 3].publisher, Just(4).map { $0 * 10 })
  ///   .sink { print($0) }  // prints 1, 2, 3, 40
  /// cancellable.cancel()
  /// ```
  public struct MergeEach<Output, Failure: Error>: Publisher {

    /// The upstreams.
    public let upstreams: [AnyPublisher<Output, Failure>]

    /// Creates a publisher that merges the elements of others.
    ///
    /// - Parameter upstream: The upstreams. Without any, the publisher finishes at once.
    @inlinable
    public init(_ upstream: any Publisher<Output, Failure>...) {
      upstreams = upstream.map { AnyPublisher($0) }
    }

    /// Subscribes to the upstreams in order, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if upstreams.isEmpty { return Empty().receive(subscriber: subscriber) }
      Publishers.MergeMany(upstreams).receive(subscriber: subscriber)
    }
  }
}
