/// A publisher that makes a new publisher for each subscriber, at the moment it subscribes.
///
/// ```swift
/// marbles {
///   "a--b--|"
///   Deferred { [context = $0] in context[0] }
///   "a--b--|"
/// }
/// ```
///
/// Put around a ``Future``, it starts the future's work once for each subscriber instead of once for all:
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

  /// Makes the publisher for a subscriber.
  public let createPublisher: () -> DeferredPublisher

  /// Creates a publisher that makes publishers.
  ///
  /// - Parameter createPublisher: Makes the publisher for a subscriber; called once for each.
  @inlinable
  public init(createPublisher: @escaping () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  /// Makes a publisher and attaches the subscriber to it: all that the subscriber sees and asks for is that one's.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().subscribe(subscriber)
  }
}
