import Combine

extension Optional {

  /// A declaration as in code for early versions of Combine. For `nil` it sends no events, not even a completion.
  public var publisher: AnyPublisher<Wrapped, Never> {
    map { Just($0).eraseToAnyPublisher() } ?? Empty(completeImmediately: false).eraseToAnyPublisher()
  }
}
