extension Publisher {

  /// Publishes a replacement for each `nil`, and unwraps the other elements.
  ///
  /// Demand, completion and subscription pass through unchanged.
  ///
  /// ```swift
  /// marbles(values: ["1": 1, "2": 2, "n": nil]) {
  ///   "1--n--2--|"
  ///   $0[0].replaceNil(with: 0)
  ///   "1--0--2--|"
  /// }
  /// ```
  ///
  /// - Parameter output: The element to publish in place of `nil`.
  /// - Returns: A publisher of elements that are not optional.
  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    Publishers.Map(upstream: self) { $0 ?? output }
  }
}
