import CombineExtras

extension Publisher {

  /// Publishes the latest element of another publisher for each element of this one.
  ///
  /// This publisher is subscribed to first. Its elements are dropped until the other one has published an element.
  ///
  /// - Parameter other: The publisher whose latest element is published.
  /// - Returns: A publisher of latest elements.
  public func withLatest<P: Publisher>(
    from other: P
  ) -> Publishers.WithLatestFrom<Self, P, P.Output> where P.Failure == Failure {
    withLatest(from: other) { $1 }
  }

  /// Combines each element of this publisher with the latest element of another one.
  ///
  /// This publisher is subscribed to first. Its elements are dropped until the other one has published an element.
  ///
  /// - Parameters:
  ///   - other: The publisher whose latest element is used.
  ///   - transform: A closure that combines an element with the latest one.
  /// - Returns: A publisher of the combinations.
  public func withLatest<P: Publisher, T>(
    from other: P,
    transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.WithLatestFrom<Self, P, T> where P.Failure == Failure {
    Publishers.WithLatestFrom(upstream: self, other: other, transform: transform)
  }
}

extension Publishers {

  /// A publisher that combines each element of its upstream with the latest element of another publisher.
  public struct WithLatestFrom<Upstream: Publisher, Other: Publisher, Output>: Publisher
  where Upstream.Failure == Other.Failure {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    private let publisher: ExtraPublishers.WithLatest<Upstream, Other, Output>

    /// Creates a publisher that combines each element of another publisher with the latest element of a third.
    ///
    /// - Parameters:
    ///   - upstream: The publisher to whose elements the others are added.
    ///   - other: The publisher whose latest element is used.
    ///   - transform: A closure that combines an element with the latest one.
    public init(
      upstream: Upstream,
      other: Other,
      transform: @escaping (Upstream.Output, Other.Output) -> Output
    ) {
      publisher = ExtraPublishers.WithLatest(
        upstream: upstream,
        other: other,
        subscribesUpstreamFirst: true,
        transform: transform
      )
    }

    /// Subscribes to the upstream, and then to the other publisher.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Other.Failure {
      publisher.receive(subscriber: subscriber)
    }
  }
}
