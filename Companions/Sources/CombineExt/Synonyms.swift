import CombineExtras

extension Publisher {

  /// Transforms an element into a publisher and publishes its elements, and drops the elements that arrive meanwhile.
  ///
  /// It is `exhaustMap(transform)`.
  ///
  /// - Parameter transform: A closure that makes the inner publisher of an element.
  /// - Returns: A publisher of the inner publishers' elements.
  public func flatMapFirst<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> ExtraPublishers.ExhaustMap<Self, P> where P.Failure == Failure {
    exhaustMap(transform)
  }

  /// Drops each element that duplicates any element published before, according to a predicate.
  ///
  /// It is `distinct(by: comparator)`.
  ///
  /// - Parameter comparator: A closure that returns whether its second argument duplicates its first, an earlier element.
  /// - Returns: A publisher of the elements that duplicate none before them.
  public func removeAllDuplicates(
    by comparator: @escaping (Output, Output) -> Bool
  ) -> Deferred<Publishers.Filter<Self>> {
    distinct(by: comparator)
  }
}

extension Publisher where Output: Equatable {

  /// Drops each element that was published before.
  ///
  /// - Returns: A publisher of the elements that differ from all before them. A lookup takes time linear in their number.
  public func removeAllDuplicates() -> Deferred<Publishers.Filter<Self>> {
    distinct(by: ==)
  }
}

extension Publisher where Output: Hashable {

  /// Drops each element that was published before.
  ///
  /// - Returns: A publisher of the elements that differ from all before them. A lookup takes constant time.
  public func removeAllDuplicates() -> Deferred<Publishers.Filter<Self>> {
    distinct()
  }
}
