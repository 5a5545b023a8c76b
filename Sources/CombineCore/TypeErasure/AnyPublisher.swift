/// A publisher that hides the type of another one.
///
/// Use it where a pipeline's type should not show, such as in the interface of a module. Everything else about the
/// publisher stays as it is.
@frozen
public struct AnyPublisher<Output, Failure: Error>: CustomStringConvertible, CustomPlaygroundDisplayConvertible {

  @usableFromInline
  let box: PublisherBoxBase<Output, Failure>

  /// Hides the type of a publisher; one that is an `AnyPublisher` already is not wrapped again.
  ///
  /// - Parameter publisher: The publisher to hide.
  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      box = erased.box
    } else {
      box = PublisherBox(publisher)
    }
  }

  /// `AnyPublisher`.
  public var description: String { "AnyPublisher" }

  /// `AnyPublisher`.
  public var playgroundDescription: Any { description }
}

extension AnyPublisher: Publisher {

  /// Hands the subscriber itself to the hidden publisher.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    box.receive(subscriber: subscriber)
  }
}

@usableFromInline
class PublisherBoxBase<Output, Failure: Error> {

  @inlinable
  init() {}

  @usableFromInline
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    fatalError("PublisherBoxBase is abstract")
  }
}

@usableFromInline
final class PublisherBox<Base: Publisher>: PublisherBoxBase<Base.Output, Base.Failure> {

  @usableFromInline
  let base: Base

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  @inlinable
  override func receive<S: Subscriber>(subscriber: S) where S.Input == Base.Output, S.Failure == Base.Failure {
    LongChain.resolve(S.self)
    if MemoryLayout<S>.size > LongChain.greatestSubscriber, LongChain.isNested(S.self) {
      base.receive(subscriber: Conduits.Boxed(subscriber))
    } else {
      base.receive(subscriber: subscriber)
    }
  }
}

extension Publisher {

  /// Hides the type of this publisher.
  ///
  /// - Returns: An ``AnyPublisher`` around this publisher.
  @inlinable
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
    AnyPublisher(self)
  }
}
