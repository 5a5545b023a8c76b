import CombineCore

extension Publisher {

  /// Publishes an element before those of this publisher.
  ///
  /// It is `prepend(element)`, under the name that other reactive libraries use. This publisher is subscribed to when the
  /// element has been published.
  ///
  /// ```swift
  /// marbles(outputs: ["x": "loading", "a": "a"]) {
  ///   "--a--|"
  ///   $0[0].startWith("loading")
  ///   "x-a--|"
  /// }
  /// ```
  ///
  /// - Parameter element: The element to publish first.
  /// - Returns: A publisher of the element and then those of this publisher.
  @inlinable
  public func startWith(
    _ element: Output
  ) -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self> {
    prepend(element)
  }
}
