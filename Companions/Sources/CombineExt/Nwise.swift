import CombineExtras

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
  public func nwise(_ count: Int) -> AnyPublisher<[Output], Failure> {
    precondition(count > 1, "nwise: count must be at least 2, is \(count)")
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
}
