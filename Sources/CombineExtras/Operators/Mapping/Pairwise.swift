import CombineCore

extension Publisher {

  /// Publishes each element together with the element before it.
  ///
  /// The first element is published only as part of the first pair. For it the operator requests one more.
  ///
  /// ```swift
  /// marbles(outputs: ["p": "ab", "q": "bc"]) {
  ///   "a--b--c--|"
  ///   $0[0].pairwise().map { $0.0 + $0.1 }
  ///   "---p--q--|"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of pairs, the older element first.
  @inlinable
  public func pairwise() -> AnyPublisher<(Output, Output), Failure> {
    Deferred {
      var previous: Output?
      return self.compactMap { element -> (Output, Output)? in
        let before = exchange(&previous, with: element)
        return before.map { ($0, element) }
      }
    }
    .eraseToAnyPublisher()
  }
}
