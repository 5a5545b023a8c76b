import CombineCore

extension Publisher where Output: Collection {

  /// Transforms the members of each collection.
  ///
  /// ```swift
  /// let names = Just(["ada", "alan"]).mapMany { $0.uppercased() }
  /// let cancellable = names.sink { print($0) }  // prints ["ADA", "ALAN"]
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameter transform: A closure that transforms one member of a collection.
  /// - Returns: A publisher of an array for each collection.
  @inlinable
  public func mapMany<Result>(_ transform: @escaping (Output.Element) -> Result) -> Publishers.Map<Self, [Result]> {
    map { $0.map(transform) }
  }

  /// Removes members of each collection.
  ///
  /// A collection of which no member remains is published as an empty array.
  ///
  /// ```swift
  /// let even = Just([1, 2, 3, 4]).filterMany { $0.isMultiple(of: 2) }
  /// let cancellable = even.sink { print($0) }  // prints [2, 4]
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameter isIncluded: A closure that returns whether to keep a member of a collection.
  /// - Returns: A publisher of an array for each collection.
  @inlinable
  public func filterMany(_ isIncluded: @escaping (Output.Element) -> Bool) -> AnyPublisher<[Output.Element], Failure> {
    map { $0.filter(isIncluded) }.eraseToAnyPublisher()
  }
}
