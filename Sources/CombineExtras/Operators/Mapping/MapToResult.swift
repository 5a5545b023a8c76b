import CombineCore

extension Publisher {

  /// Publishes each element as a success, and a failure as a last element.
  ///
  /// The returned publisher never fails. The element for a failure needs demand like any other, and then the publisher
  /// finishes.
  ///
  /// ```swift
  /// marbles(outputs: ["a": .success("a"), "b": .success("b"), "x": .failure(MarbleError())]) {
  ///   "a--b--#"
  ///   $0[0].mapToResult()
  ///   "a--b--(x|)"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of results.
  @inlinable
  public func mapToResult() -> AnyPublisher<Result<Output, Failure>, Never> {
    map(Result.success).catch { Just(.failure($0)) }.eraseToAnyPublisher()
  }
}
