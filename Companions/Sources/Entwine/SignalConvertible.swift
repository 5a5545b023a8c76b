import CombineExtras

/// A type whose values describe a signal.
public protocol SignalConvertible {

  /// The kind of values of the signal.
  associatedtype Input

  /// The kind of errors of the signal.
  associatedtype Failure: Error

  /// Creates a value that describes a signal.
  ///
  /// - Parameter signal: The signal.
  init(_ signal: Signal<Input, Failure>)

  /// The signal that this value describes.
  var signal: Signal<Input, Failure> { get }
}

extension Signal: SignalConvertible {

  /// Creates a copy of a signal.
  ///
  /// - Parameter signal: The signal.
  public init(_ signal: Signal<Input, Failure>) {
    self = signal
  }

  /// This signal.
  public var signal: Signal<Input, Failure> { self }
}
