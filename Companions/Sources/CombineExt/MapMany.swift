import CombineExtras

extension Publisher where Output: Collection {

  /// Transforms the members of each collection.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["A", "B"], "y": ["C", "D"]]) {
  ///   "a--b--c--d--|"
  ///   $0[0].collect(2).mapMany { $0.uppercased() }
  ///   "---x-----y--|"
  /// }
  /// ```
  ///
  /// - Parameter transform: A closure that transforms one member of a collection.
  /// - Returns: A publisher of an array for each collection.
  public func mapMany<Result>(_ transform: @escaping (Output.Element) -> Result) -> Publishers.Map<Self, [Result]> {
    map { $0.map(transform) }
  }

  /// Removes members of each collection.
  ///
  /// A collection of which no member remains is published as an empty array.
  ///
  /// ```swift
  /// marbles(of: Int.self, outputs: ["x": [2], "y": [] as [Int]]) {
  ///   "1--2--3--5--|"
  ///   $0[0].collect(2).filterMany { $0.isMultiple(of: 2) }
  ///   "---x-----y--|"
  /// }
  /// ```
  ///
  /// - Parameter isIncluded: A closure that returns whether to keep a member of a collection.
  /// - Returns: A publisher of an array for each collection.
  public func filterMany(_ isIncluded: @escaping (Output.Element) -> Bool) -> AnyPublisher<[Output.Element], Failure> {
    map { $0.filter(isIncluded) }.eraseToAnyPublisher()
  }
}
