extension Publisher {

  /// Publishes a value in place of each `nil`, and the others unwrapped.
  ///
  /// ```swift
  /// marbles(values: ["1": 1, "2": 2, "n": nil]) {
  ///   "1--n--2--|"
  ///   $0[0].replaceNil(with: 0)
  ///   "1--0--2--|"
  /// }
  /// ```
  ///
  /// - Parameter output: The value to publish in place of `nil`.
  /// - Returns: A publisher of the values, none of them optional; demand, completion and subscription are the upstream's.
  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    Publishers.Map(upstream: self) { $0 ?? output }
  }
}
