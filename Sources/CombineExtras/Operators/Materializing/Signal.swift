import CombineCore

/// An event that a subscriber receives: a subscription, a value or a completion.
///
/// ```swift
/// let signals: [Signal<String, Never>] = [.subscription, .input("A"), .completion(.finished)]
/// print(signals.filter(\.isCompletion))  // prints [.completion(finished)]
/// ```
public enum Signal<Input, Failure: Error> {

  /// A subscription, after which values may follow.
  case subscription

  /// A value.
  case input(Input)

  /// A completion, which is either finished or failed.
  case completion(Subscribers.Completion<Failure>)

  /// Whether this signal is a completion.
  public var isCompletion: Bool {
    if case .completion = self { true } else { false }
  }

  /// The value, or `nil` if this signal is not a value.
  ///
  /// ```swift
  /// let signals: [Signal<String, Never>] = [.subscription, .input("A"), .completion(.finished)]
  /// print(signals.compactMap(\.value))  // prints ["A"]
  /// ```
  public var value: Input? {
    if case .input(let value) = self { value } else { nil }
  }

  /// Returns this signal with its value transformed.
  ///
  /// ```swift
  /// print(Signal<Int, Never>.input(3).mapInput { $0 * 2 })  // prints .input(6)
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the value. It is not called for other signals.
  /// - Returns: The transformed signal.
  public func mapInput<T>(_ transform: (Input) -> T) -> Signal<T, Failure> {
    switch self {
    case .subscription: .subscription
    case .input(let value): .input(transform(value))
    case .completion(let completion): .completion(completion)
    }
  }

  /// Returns this signal with its error transformed.
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// print(Signal<Int, Refused>.completion(.failure(Refused())).mapFailure { _ in CancellationError() })
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the error. It is not called for other signals.
  /// - Returns: The transformed signal.
  public func mapFailure<T: Error>(_ transform: (Failure) -> T) -> Signal<Input, T> {
    switch self {
    case .subscription: .subscription
    case .input(let value): .input(value)
    case .completion(.finished): .completion(.finished)
    case .completion(.failure(let error)): .completion(.failure(transform(error)))
    }
  }
}

extension Signal: Equatable where Input: Equatable, Failure: Equatable {}

extension Signal: Hashable where Input: Hashable, Failure: Hashable {}

extension Signal: Sendable where Input: Sendable, Failure: Sendable {}

extension Signal: CustomDebugStringConvertible {

  /// The kind of the signal, with the text of its value or completion, as in `.input(A)`.
  ///
  /// The text is not always Swift code: `.subscription` is `.subscribe`, and `.completion(.finished)` is
  /// `.completion(finished)`.
  ///
  /// ```swift
  /// print(Signal<String, Never>.subscription)  // prints .subscribe
  /// ```
  public var debugDescription: String {
    switch self {
    case .subscription: ".subscribe"
    case .input(let value): ".input(\(value))"
    case .completion(let completion): ".completion(\(completion))"
    }
  }

  /// The signal as Swift code.
  package var literal: String {
    switch self {
    case .subscription: ".subscription"
    case .input(let value): ".input(\(String(reflecting: value)))"
    case .completion(.finished): ".completion(.finished)"
    case .completion(.failure(let error)): ".completion(.failure(\(String(reflecting: error))))"
    }
  }
}
