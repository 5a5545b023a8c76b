@_spi(Companions) import CombineExtras

extension Publisher {

  /// Combines each element of this publisher with the latest element of another one.
  ///
  /// The other publisher is subscribed to first, and this one when the other has published its first element.
  ///
  /// - Parameters:
  ///   - other: The publisher whose latest element is used.
  ///   - resultSelector: A closure that combines an element with the latest one.
  /// - Returns: A publisher of the combinations.
  public func withLatestFrom<Other: Publisher, Result>(
    _ other: Other,
    resultSelector: @escaping (Output, Other.Output) -> Result
  ) -> Publishers.WithLatestFrom<Self, Other, Result> where Other.Failure == Failure {
    Publishers.WithLatestFrom(upstream: self, second: other, resultSelector: resultSelector)
  }

  /// Combines each element of this publisher with the latest elements of two others.
  ///
  /// - Parameters:
  ///   - other: A publisher whose latest element is used.
  ///   - other1: Another publisher whose latest element is used.
  ///   - resultSelector: A closure that combines an element with the pair of the latest ones.
  /// - Returns: A publisher of the combinations.
  public func withLatestFrom<Other: Publisher, Other1: Publisher, Result>(
    _ other: Other,
    _ other1: Other1,
    resultSelector: @escaping (Output, (Other.Output, Other1.Output)) -> Result
  ) -> Publishers.WithLatestFrom<Self, AnyPublisher<(Other.Output, Other1.Output), Failure>, Result>
  where Other.Failure == Failure, Other1.Failure == Failure {
    withLatestFrom(other.combineLatest(other1).eraseToAnyPublisher(), resultSelector: resultSelector)
  }

  /// Combines each element of this publisher with the latest elements of three others.
  ///
  /// - Parameters:
  ///   - other: A publisher whose latest element is used.
  ///   - other1: Another publisher whose latest element is used.
  ///   - other2: A third publisher whose latest element is used.
  ///   - resultSelector: A closure that combines an element with the tuple of the latest ones.
  /// - Returns: A publisher of the combinations.
  public func withLatestFrom<Other: Publisher, Other1: Publisher, Other2: Publisher, Result>(
    _ other: Other,
    _ other1: Other1,
    _ other2: Other2,
    resultSelector: @escaping (Output, (Other.Output, Other1.Output, Other2.Output)) -> Result
  ) -> Publishers.WithLatestFrom<Self, AnyPublisher<(Other.Output, Other1.Output, Other2.Output), Failure>, Result>
  where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure {
    withLatestFrom(other.combineLatest(other1, other2).eraseToAnyPublisher(), resultSelector: resultSelector)
  }

  /// Publishes the latest element of another publisher for each element of this one.
  ///
  /// - Parameter other: The publisher whose latest element is published.
  /// - Returns: A publisher of latest elements.
  public func withLatestFrom<Other: Publisher>(
    _ other: Other
  ) -> Publishers.WithLatestFrom<Self, Other, Other.Output> where Other.Failure == Failure {
    withLatestFrom(other) { $1 }
  }

  /// Publishes the latest elements of two other publishers for each element of this one.
  ///
  /// - Parameters:
  ///   - other: A publisher whose latest element is published.
  ///   - other1: Another publisher whose latest element is published.
  /// - Returns: A publisher of pairs of latest elements.
  public func withLatestFrom<Other: Publisher, Other1: Publisher>(
    _ other: Other,
    _ other1: Other1
  )
    -> Publishers.WithLatestFrom<
      Self, AnyPublisher<(Other.Output, Other1.Output), Failure>, (Other.Output, Other1.Output)
    >
  where Other.Failure == Failure, Other1.Failure == Failure {
    withLatestFrom(other, other1) { $1 }
  }

  /// Publishes the latest elements of three other publishers for each element of this one.
  ///
  /// - Parameters:
  ///   - other: A publisher whose latest element is published.
  ///   - other1: Another publisher whose latest element is published.
  ///   - other2: A third publisher whose latest element is published.
  /// - Returns: A publisher of tuples of latest elements.
  public func withLatestFrom<Other: Publisher, Other1: Publisher, Other2: Publisher>(
    _ other: Other,
    _ other1: Other1,
    _ other2: Other2
  )
    -> Publishers.WithLatestFrom<
      Self,
      AnyPublisher<(Other.Output, Other1.Output, Other2.Output), Failure>,
      (Other.Output, Other1.Output, Other2.Output)
    >
  where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure {
    withLatestFrom(other, other1, other2) { $1 }
  }
}

extension Publishers {

  /// A publisher that combines each element of its upstream with the latest element of another publisher.
  public struct WithLatestFrom<Upstream: Publisher, Other: Publisher, Output>: Publisher
  where Upstream.Failure == Other.Failure {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// A closure that combines an element of the upstream with the latest element of the other publisher.
    public typealias ResultSelector = (Upstream.Output, Other.Output) -> Output

    private let publisher: ExtraPublishers.WithLatest<Upstream, Other, Output>

    init(upstream: Upstream, second: Other, resultSelector: @escaping ResultSelector) {
      publisher = ExtraPublishers.WithLatest(retaining: upstream, other: second, transform: resultSelector)
    }

    /// Subscribes to the other publisher, and to the upstream when the other has published its first element.
    ///
    /// The subscription retains the upstream until it is cancelled or has completed.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Other.Failure {
      publisher.receive(subscriber: subscriber)
    }
  }
}
