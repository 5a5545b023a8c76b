/// A publisher that fails immediately.
///
/// ```swift
/// struct Offline: Error {}
/// marbles(failure: Offline()) { _ in
///   Fail<String, Offline>(error: Offline())
///   "#"
/// }
/// ```
///
/// ```swift
/// struct Offline: Error {}
/// let cancellable = Fail<Int, Offline>(error: Offline()).sink(
///   receiveCompletion: { print($0) },  // prints failure(Offline())
///   receiveValue: { print($0) }
/// )
/// ```
public struct Fail<Output, Failure: Error>: Publisher {

  /// The error with which the publisher fails.
  public let error: Failure

  /// Creates a publisher that fails with an error.
  ///
  /// - Parameter error: The error that each subscriber receives.
  @inlinable
  public init(error: Failure) {
    self.error = error
  }

  /// Creates a publisher that fails, with an explicit kind of values where the context does not determine it.
  ///
  /// - Parameters:
  ///   - outputType: The kind of values.
  ///   - failure: The error that each subscriber receives.
  @inlinable
  public init(outputType: Output.Type, failure: Failure) {
    self.init(error: failure)
  }

  /// Sends `subscriber` a subscription and then the failure, without waiting for demand.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    subscriber.receive(completion: .failure(error))
  }
}

extension Fail: Equatable where Failure: Equatable {}

// Its only stored property is an error, and errors are `Sendable`.
extension Fail: Sendable {}
