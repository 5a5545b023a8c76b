import CombineCore

extension Publisher {

  /// Publishes each element together with the elements before it, in windows of a fixed size that overlap.
  ///
  /// The first window is published with the element that completes it. A publisher of fewer elements publishes nothing.
  /// For each element that completes no window the operator requests one more.
  ///
  /// ```swift
  /// marbles(outputs: ["p": "abc", "q": "bcd"]) {
  ///   "a-b-c-d-|"
  ///   $0[0].nwise(3).map { $0.joined() }
  ///   "----p-q-|"
  /// }
  /// ```
  ///
  /// - Parameter count: The number of elements of each window, at least two.
  /// - Returns: A publisher of windows, the oldest element first.
  @inlinable
  public func nwise(_ count: Int) -> AnyPublisher<[Output], Failure> {
    require(count, atLeast: 2, "nwise: count")
    return Deferred {
      var window: [Output] = []
      return self.compactMap { element -> [Output]? in
        if window.count == count { window.removeFirst() }
        window.append(element)
        return window.count == count ? window : nil
      }
    }
    .eraseToAnyPublisher()
  }

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
