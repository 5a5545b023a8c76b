/// A publisher that sends no elements.
///
/// It finishes immediately, or never.
///
/// ```swift
/// marbles { _ in
///   Empty<String, Never>()
///   "|"
/// }
/// marbles { _ in
///   Empty<String, Never>(completeImmediately: false)
///   "-----"
/// }
/// ```
///
/// ```swift
/// let cancellable = Empty<Int, Never>().sink(
///   receiveCompletion: { print($0) },  // prints finished
///   receiveValue: { print($0) }
/// )
/// ```
public struct Empty<Output, Failure: Error>: Publisher, Equatable {

  /// Whether `.finished` follows the subscription immediately.
  ///
  /// If not, nothing ever follows it.
  public let completeImmediately: Bool

  /// Creates a publisher without elements.
  ///
  /// - Parameter completeImmediately: Whether the publisher finishes immediately. If not, it never completes.
  @inlinable
  public init(completeImmediately: Bool = true) {
    self.completeImmediately = completeImmediately
  }

  /// Creates a publisher without elements, with explicit types where the context does not determine them.
  ///
  /// ```swift
  /// let never = Empty(completeImmediately: false, outputType: Int.self, failureType: Never.self)
  /// ```
  ///
  /// - Parameters:
  ///   - completeImmediately: Whether the publisher finishes immediately. If not, it never completes.
  ///   - outputType: The kind of values.
  ///   - failureType: The kind of errors.
  @inlinable
  public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
    self.init(completeImmediately: completeImmediately)
  }

  /// Sends `subscriber` a subscription and then, if so configured, `.finished`, without waiting for demand.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    if completeImmediately { subscriber.receive(completion: .finished) }
  }
}

// Its only stored property is a `Bool`.
extension Empty: Sendable {}
