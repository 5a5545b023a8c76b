import Synchronization

/// A publisher that erases the type of another publisher.
///
/// Use it where the type of a pipeline should not be visible, such as in a module's interface. The publisher otherwise
/// behaves like the one it erases.
@frozen
public struct AnyPublisher<Output, Failure: Error>: CustomStringConvertible, CustomPlaygroundDisplayConvertible {

  @usableFromInline
  let box: PublisherBoxBase<Output, Failure>

  /// Erases the type of a publisher.
  ///
  /// An `AnyPublisher` is not wrapped again.
  ///
  /// - Parameter publisher: The publisher to erase.
  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      box = erased.box
    } else {
      box = PublisherBox(publisher)
    }
  }

  /// The word `AnyPublisher`.
  public var description: String { "AnyPublisher" }

  /// The word `AnyPublisher`.
  public var playgroundDescription: Any { description }

  /// The type of the publisher that is erased.
  package var erasedType: any Publisher.Type { box.publisherType }
}

extension AnyPublisher: Publisher {

  /// Passes the subscriber itself to the erased publisher.
  ///
  /// Publishers of this package that show their subscriber to no other code receive it in a box.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if let subscribe = box.subscribe, !Introspection.isActive.load(ordering: .relaxed) {
      subscribe(box, subscriber as? ErasedSubscriber<Output, Failure> ?? SubscriberBox(subscriber))
    } else {
      box.receive(subscriber: subscriber)
    }
  }
}

/// A publisher that shows its subscriber to no code outside this package.
///
/// It sends elements to the subscriber itself, or passes its own conduit to its upstream.
@usableFromInline
package protocol SubscriberConfining: Publisher {}

@usableFromInline
class PublisherBoxBase<Output, Failure: Error> {

  @usableFromInline
  typealias Subscribe = (PublisherBoxBase<Output, Failure>, ErasedSubscriber<Output, Failure>) -> Void

  /// A function that subscribes a type-erased subscriber. It exists only for a ``SubscriberConfining`` publisher.
  ///
  /// It is made where the publisher's type is known, and is therefore specialized. So is every stage between that
  /// publisher and the next erased one. The generic, overridden ``receive(subscriber:)`` is never specialized: each
  /// element would pass through code that looks up every type at run time.
  @usableFromInline
  final let subscribe: Subscribe?

  @inlinable
  init(subscribe: Subscribe?) {
    self.subscribe = subscribe
  }

  @usableFromInline
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    fatalError("PublisherBoxBase is abstract")
  }

  var publisherType: any Publisher.Type { fatalError("PublisherBoxBase is abstract") }
}

@usableFromInline
final class PublisherBox<Base: Publisher>: PublisherBoxBase<Base.Output, Base.Failure> {

  @usableFromInline
  let base: Base

  @inlinable
  init(_ base: Base) {
    self.base = base
    super.init(
      subscribe: Base.self is any SubscriberConfining.Type
        ? { box, subscriber in unsafeDowncast(box, to: PublisherBox<Base>.self).base.receive(subscriber: subscriber) }
        : nil
    )
  }

  @usableFromInline
  override func receive<S: Subscriber>(subscriber: S) where S.Input == Base.Output, S.Failure == Base.Failure {
    base.receive(subscriber: subscriber)
  }

  override var publisherType: any Publisher.Type { Base.self }
}

extension Publisher {

  /// Erases the type of this publisher.
  ///
  /// - Returns: An ``AnyPublisher`` around this publisher.
  @inlinable
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
    AnyPublisher(self)
  }
}
