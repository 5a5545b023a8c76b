/// A publisher that sends one value to each subscriber and finishes.
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

  /// One value cannot fail.
  public typealias Failure = Never

  /// The value that is sent.
  public let output: Output

  /// Creates a publisher of one value.
  ///
  /// - Parameter output: The value.
  @inlinable
  public init(_ output: Output) {
    self.output = output
  }

  /// Attaches a subscriber, which gets the value and `.finished` when it first asks for something.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    SingleValueSource.just.send(output, to: subscriber)
  }
}

extension Just: Equatable where Output: Equatable {}

extension Just: Sendable where Output: Sendable {}
