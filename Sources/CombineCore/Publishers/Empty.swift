/// A publisher that sends no value: it finishes at once, or never.
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

  /// Whether `.finished` is sent right after the subscription; if not, nothing ever follows it.
  public let completeImmediately: Bool

  /// Creates a publisher without values.
  ///
  /// - Parameter completeImmediately: Whether it finishes at once rather than never.
  @inlinable
  public init(completeImmediately: Bool = true) {
    self.completeImmediately = completeImmediately
  }

  /// Creates a publisher without values, of types that the context does not tell.
  ///
  /// ```swift
  /// let never = Empty(completeImmediately: false, outputType: Int.self, failureType: Never.self)
  /// ```
  ///
  /// - Parameters:
  ///   - completeImmediately: Whether it finishes at once rather than never.
  ///   - outputType: The kind of values.
  ///   - failureType: The kind of errors.
  @inlinable
  public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
    self.init(completeImmediately: completeImmediately)
  }

  /// Attaches a subscriber, which gets a subscription and, if so configured, `.finished`, whatever its demand.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    if completeImmediately { subscriber.receive(completion: .finished) }
  }
}

// Its only part is a Bool.
extension Empty: Sendable {}
