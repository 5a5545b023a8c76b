import CombineCore

extension Publisher {

  /// Replaces a failure by a finish, or by silence.
  ///
  /// Elements and demand pass unchanged.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--#"
  ///   $0[0].ignoreFailure()
  ///   "a--b--|"
  /// }
  /// ```
  ///
  /// - Parameter completeImmediately: Whether a failure becomes a finish. With `false` the publisher never completes after
  ///   a failure. The default is `true`.
  /// - Returns: A publisher that does not fail.
  @inlinable
  public func ignoreFailure(completeImmediately: Bool = true) -> AnyPublisher<Output, Never> {
    self.catch { _ in Empty(completeImmediately: completeImmediately) }.eraseToAnyPublisher()
  }
}
