import Synchronization

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
  ///
  /// (Publishers of this package, which never show it to anybody, get it in a box.)
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if let attach = box.attach, !Introspection.isActive.load(ordering: .relaxed) {
      attach(box, subscriber as? ErasedSubscriber<Output, Failure> ?? SubscriberBox(subscriber))
    } else {
      box.receive(subscriber: subscriber)
    }
  }
}

/// A publisher that never shows its subscriber to anybody else's code: it hands values to it, or a conduit of its own
/// further upstream.
@usableFromInline
package protocol SubscriberHiding: Publisher {}

@usableFromInline
class PublisherBoxBase<Output, Failure: Error> {

  @usableFromInline
  typealias Attach = (PublisherBoxBase<Output, Failure>, ErasedSubscriber<Output, Failure>) -> Void

  /// Attaches a subscriber of one type that goes for all; only with a ``SubscriberHiding`` publisher.
  ///
  /// Made where the publisher's type is known, it is specialised, and so is every stage between that publisher and the
  /// next erased one. ``receive(subscriber:)``, which is generic and overridden, never is: each value would pass through
  /// code that looks up every type at run time.
  @usableFromInline
  final let attach: Attach?

  @inlinable
  init(attach: Attach?) {
    self.attach = attach
  }

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
    super.init(
      attach: Base.self is any SubscriberHiding.Type
        ? { box, subscriber in unsafeDowncast(box, to: PublisherBox<Base>.self).base.receive(subscriber: subscriber) }
        : nil
    )
  }

  @usableFromInline
  override func receive<S: Subscriber>(subscriber: S) where S.Input == Base.Output, S.Failure == Base.Failure {
    base.receive(subscriber: subscriber)
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
