import Synchronization

/// A protocol for types that send a sequence of values over time to subscribers.
///
/// A publisher does nothing until something subscribes. It then sends a ``Subscription``, as many values as the
/// subscriber asks for, and at most one completion.
public protocol Publisher<Output, Failure> {

  /// The kind of values this publisher publishes.
  associatedtype Output

  /// The kind of errors this publisher can fail with, or `Never` if it cannot fail.
  associatedtype Failure: Error

  /// Subscribes `subscriber` to this publisher.
  ///
  /// Implementations of ``Publisher`` define this; to attach a subscriber, call ``subscribe(_:)->()``.
  ///
  /// - Parameter subscriber: The subscriber, whose input and failure are this publisher's.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {

  /// Subscribes `subscriber` to this publisher.
  ///
  /// - Parameter subscriber: The subscriber to attach. It gets a subscription, and then values as it asks for them.
  @inlinable
  @inline(never)  // The chain stays out of the function that makes it: with both in one, the compiler (6.3) may trap.
  public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    attach(subscriber)
  }

  /// Attaches an operator's conduit. Inlined, so that the whole chain is in one function: calls from one to the next
  /// would be of ever longer types, which are not specialised.
  @inlinable
  @inline(__always)
  func attach<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    if Introspection.isActive.load(ordering: .relaxed) {
      Introspection.subscribe(subscriber, to: self)
    } else {
      receive(subscriber: subscriber)
    }
  }

  /// Attaches a subject to this publisher: what the publisher sends, the subject passes on.
  ///
  /// - Parameter subject: The subject, which decides how much to request; it is not kept alive.
  /// - Returns: A cancellable; cancelling or dropping it detaches the subject.
  @inlinable
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
    let subscriber = SubjectSubscriber(subject)
    subscribe(subscriber)
    return AnyCancellable(subscriber)
  }
}

/// A namespace for the publishers that operators return.
public enum Publishers {}
