extension Publisher {

  /// Publishes a value in place of each `nil`, and the others unwrapped.
  ///
  /// ```swift
  /// let texts = PassthroughSubject<String?, Never>()
  /// let cancellable = texts
  ///   .replaceNil(with: "none")
  ///   .sink { print($0) }
  /// texts.send("a")  // prints a
  /// texts.send(nil)  // prints none
  /// ```
  ///
  /// - Parameter output: The value to publish in place of `nil`.
  /// - Returns: A publisher of the values, none of them optional; demand, completion and subscription are the upstream's.
  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    Publishers.Map(upstream: self) { $0 ?? output }
  }
}
