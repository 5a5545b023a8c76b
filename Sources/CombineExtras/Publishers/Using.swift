import CombineCore

/// A publisher that acquires a resource for each subscription, and releases it once at the end of the subscription.
///
/// At a subscription, the publisher acquires the resource and subscribes to the publisher that a closure creates from
/// it. When that publisher completes or the subscription is cancelled, the publisher releases the resource: after the
/// downstream has received the completion, or after the cancellation has reached the inner publisher.
///
/// Demand, elements and the completion pass unchanged.
///
/// ```swift
/// marbles { test in
///   "a--b--|"
///   Using {
///     "file"
///   } publisher: { _ in
///     test[0]
///   } release: { file in
///     print("\(file) closed")
///   }
///   "a--b--|"
/// }
/// ```
///
/// ```swift
/// let lines = Using {
///   [1, 2, 3]  // Open a file here.
/// } publisher: { numbers in
///   numbers.publisher
/// } release: { _ in
///   print("closed")
/// }
/// let cancellable = lines.sink { print($0) }  // prints 1, 2, 3, closed
/// ```
public struct Using<Resource, Inner: Publisher>: Publisher {

  /// The kind of values this publisher publishes.
  public typealias Output = Inner.Output

  /// The kind of errors this publisher can fail with.
  public typealias Failure = Inner.Failure

  /// A closure that acquires the resource of a subscription.
  public let acquire: () -> Resource

  /// A closure that creates the publisher of a subscription from its resource.
  public let publisher: (Resource) -> Inner

  /// A closure that releases the resource of a subscription.
  public let release: (Resource) -> Void

  /// Creates a publisher that acquires a resource for each subscription.
  ///
  /// - Parameters:
  ///   - acquire: A closure that acquires the resource. It is called once for each subscription.
  ///   - publisher: A closure that creates the publisher to subscribe to.
  ///   - release: A closure that releases the resource. It is called once for each subscription, at its end.
  @inlinable
  public init(
    _ acquire: @escaping () -> Resource,
    publisher: @escaping (Resource) -> Inner,
    release: @escaping (Resource) -> Void
  ) {
    self.acquire = acquire
    self.publisher = publisher
    self.release = release
  }

  /// Acquires a resource and subscribes `subscriber` to the publisher that is created from it.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let resource = acquire()
    publisher(resource).finally { [release] in release(resource) }.subscribeConduit(subscriber)
  }
}
