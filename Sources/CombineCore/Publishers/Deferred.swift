/// A publisher that creates a new publisher for each subscriber, at the moment of subscription.
///
/// ```swift
/// marbles {
///   "a--b--|"
///   Deferred { [context = $0] in context[0] }
///   "a--b--|"
/// }
/// ```
///
/// A ``Future`` inside a `Deferred` starts its work once for each subscriber, instead of once for all of them:
///
/// ```swift
/// let publisher = Deferred {
///   Future<Int, Never> { promise in promise(.success(42)) }
/// }
/// let cancellable = publisher.sink { print($0) }  // prints 42
/// ```
public struct Deferred<DeferredPublisher: Publisher>: Publisher {

  /// The kind of values this publisher publishes.
  public typealias Output = DeferredPublisher.Output

  /// The kind of errors this publisher can fail with.
  public typealias Failure = DeferredPublisher.Failure

  /// A closure that creates the publisher for a subscriber.
  public let createPublisher: () -> DeferredPublisher

  /// Creates a publisher that creates a publisher for each subscriber.
  ///
  /// - Parameter createPublisher: A closure that creates the publisher for a subscriber. It is called once for each
  ///   subscriber.
  @inlinable
  public init(createPublisher: @escaping () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  /// Creates a publisher and subscribes `subscriber` to it.
  ///
  /// Subscription, demand, elements and completion pass directly between that publisher and the subscriber.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().subscribe(subscriber)
  }
}
