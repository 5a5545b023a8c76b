import CombineExtras

extension Publisher {

  /// Replaces a failure by a finish, or by silence, and lets the publisher stand where another failure type is expected.
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// marbles {
  ///   "a--b--#"
  ///   $0[0].ignoreFailure(setFailureType: Refused.self, completeImmediately: false)
  ///   "a--b---"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - newFailureType: The failure type of the returned publisher, which never fails.
  ///   - completeImmediately: Whether a failure becomes a finish. With `false` the publisher never completes after a
  ///     failure. The default is `true`.
  /// - Returns: A publisher that does not fail.
  public func ignoreFailure<NewFailure: Error>(
    setFailureType newFailureType: NewFailure.Type,
    completeImmediately: Bool = true
  ) -> AnyPublisher<Output, NewFailure> {
    self.catch { _ in Empty<Output, NewFailure>(completeImmediately: completeImmediately) }.eraseToAnyPublisher()
  }
}
