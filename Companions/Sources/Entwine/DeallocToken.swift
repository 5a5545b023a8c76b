import CombineExtras

/// An object whose publisher tells that it is deallocated.
public class DeallocToken {

  private let subject = PassthroughSubject<Void, Never>()

  /// Creates a token.
  public init() {}

  deinit {
    subject.send()
    subject.send(completion: .finished)
  }

  /// A publisher of one `Void` value when this object is deallocated. Then it finishes.
  public var publisher: AnyPublisher<Void, Never> { subject.eraseToAnyPublisher() }
}
