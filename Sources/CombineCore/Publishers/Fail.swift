/// A publisher that fails at once.
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

  /// The error that is sent.
  public let error: Failure

  /// Creates a publisher that fails.
  ///
  /// - Parameter error: The error that each subscriber gets.
  @inlinable
  public init(error: Failure) {
    self.error = error
  }

  /// Creates a publisher that fails, with a kind of values that the context does not tell.
  ///
  /// - Parameters:
  ///   - outputType: The kind of values.
  ///   - failure: The error that each subscriber gets.
  @inlinable
  public init(outputType: Output.Type, failure: Failure) {
    self.init(error: failure)
  }

  /// Attaches a subscriber, which gets a subscription and the failure, whatever its demand.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    subscriber.receive(completion: .failure(error))
  }
}

extension Fail: Equatable where Failure: Equatable {}

// Its only part is an error, and errors are Sendable.
extension Fail: Sendable {}
