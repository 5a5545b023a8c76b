import Synchronization

/// A protocol for types that send values over time to subscribers.
///
/// A publisher sends nothing until a subscriber subscribes. It then sends a ``Subscription``, at most as many values as
/// the subscriber requests, and at most one completion.
public protocol Publisher<Output, Failure> {

  /// The kind of values this publisher publishes.
  associatedtype Output

  /// The kind of errors this publisher can fail with, or `Never` if it cannot fail.
  associatedtype Failure: Error

  /// Subscribes `subscriber` to this publisher.
  ///
  /// Implementations of ``Publisher`` define this method. To subscribe, call ``subscribe(_:)->()`` instead.
  ///
  /// - Parameter subscriber: The subscriber. Its `Input` and `Failure` are this publisher's `Output` and `Failure`.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {

  /// Subscribes `subscriber` to this publisher.
  ///
  /// - Parameter subscriber: The subscriber. It receives a subscription first, and then values as it requests them.
  @inlinable
  @inline(never)  // The chain stays out of the function that makes it: with both in one, the compiler (6.3) may trap.
  public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscribeLater(subscriber)
  }

  /// Subscribes an operator's conduit, while the operator receives its subscriber.
  ///
  /// It is inlined so that the whole chain is in one function. Calls from one stage to the next would have ever longer
  /// types, and would not be specialized.
  ///
  /// While a handler observes, ``subscribe(_:)`` calls code that is not specialized, in which each stage reports. A chain that
  /// is specialized has the metadata and the call for that once, and not for each stage: that halves its size.
  @inlinable
  @inline(__always)
  package func subscribeConduit<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    if _isConcrete(S.self) {
      receive(subscriber: subscriber)
    } else {
      subscribeLater(subscriber)
    }
  }

  /// Subscribes to a publisher that comes later, such as an inner one: a handler may observe since the chain was made.
  @inlinable
  @inline(__always)
  package func subscribeLater<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    if Introspection.isActive.load(ordering: .relaxed) {
      Introspection.subscribe(subscriber, to: self)
    } else {
      receive(subscriber: subscriber)
    }
  }

  /// Subscribes a subject to this publisher, which then republishes what this publisher emits.
  ///
  /// - Parameter subject: The subject. It decides how much to request. The subscription does not keep it alive.
  /// - Returns: A cancellable. Cancelling or releasing it unsubscribes the subject.
  @inlinable
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
    subscribe(subject, as: .subject)
  }

  /// Does the same, and says whether a subscription is cancelled that comes after the cancel.
  @inlinable
  package func subscribe<S: Subject>(_ subject: S, as connection: SubjectConnection) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    AnyCancellable(connect(subject, as: connection))
  }

  /// Does the same, and returns the subscriber.
  @inlinable
  @inline(__always)
  func connect<S: Subject>(_ subject: S, as connection: SubjectConnection) -> SubjectSubscriber<S>
  where S.Output == Output, S.Failure == Failure {
    let subscriber = SubjectSubscriber(subject, as: connection)
    subscribe(subscriber)
    return subscriber
  }
}

/// A namespace for the publishers that operators return.
public enum Publishers {}
