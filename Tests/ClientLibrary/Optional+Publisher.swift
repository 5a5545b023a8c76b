import Combine

extension Optional {

  /// What code for early versions of Combine declares itself, and means: nothing is sent for `nil`, not even an end.
  public var publisher: AnyPublisher<Wrapped, Never> {
    map { Just($0).eraseToAnyPublisher() } ?? Empty(completeImmediately: false).eraseToAnyPublisher()
  }
}
