import CombineCore

extension Publisher {

  /// Publishes each element as a success, and a failure as a last element.
  ///
  /// The returned publisher never fails. The element for a failure needs demand like any other, and then the publisher
  /// finishes.
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// let answer = Fail<Int, Refused>(error: Refused()).mapToResult()
  /// let cancellable = answer.sink { print($0) }  // prints failure(Refused())
  /// cancellable.cancel()
  /// ```
  ///
  /// - Returns: A publisher of results.
  @inlinable
  public func mapToResult() -> AnyPublisher<Result<Output, Failure>, Never> {
    map(Result.success).catch { Just(.failure($0)) }.eraseToAnyPublisher()
  }
}
