/// A publisher that sends one value to each subscriber and then finishes.
///
/// ```swift
/// marbles { _ in
///   Just("a")
///   "(a|)"
/// }
/// ```
///
/// ```swift
/// let cancellable = Just(42).sink { print($0) }  // prints 42
/// ```
public struct Just<Output>: Publisher {

  /// The kind of errors this publisher can fail with: none.
  public typealias Failure = Never

  /// The value that the publisher sends.
  public let output: Output

  /// Creates a publisher of one value.
  ///
  /// - Parameter output: The value.
  @inlinable
  public init(_ output: Output) {
    self.output = output
  }

  /// Subscribes `subscriber`, which receives the value and `.finished` at its first request.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    SingleValueSource.just.send(output, to: subscriber)
  }
}

extension Just: Equatable where Output: Equatable {}

extension Just: Sendable where Output: Sendable {}
