import CombineExtras

/// An event of a publisher: a value, a failure or a finish.
///
/// ```swift
/// let events: [Event<Int, Never>] = [.value(1), .finished]
/// print(events)  // prints [value(1), finished]
/// ```
public enum Event<Output, Failure: Error> {

  /// A value.
  case value(Output)

  /// A failure.
  case failure(Failure)

  /// A finish.
  case finished

  /// The event of a completion.
  init(_ completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: self = .finished
    case .failure(let error): self = .failure(error)
    }
  }
}

extension Event: Equatable where Output: Equatable, Failure: Equatable {

  /// Whether two events are equal.
  public static func == (lhs: Event<Output, Failure>, rhs: Event<Output, Failure>) -> Bool {
    switch (lhs, rhs) {
    case (.value(let lhs), .value(let rhs)): lhs == rhs
    case (.failure(let lhs), .failure(let rhs)): lhs == rhs
    case (.finished, .finished): true
    default: false
    }
  }
}

extension Event: Sendable where Output: Sendable {}

extension Event: CustomStringConvertible {

  /// The event in words, such as `value(1)`.
  public var description: String {
    switch self {
    case .value(let value): "value(\(value))"
    case .failure(let error): "failure(\(error))"
    case .finished: "finished"
    }
  }
}

/// A type whose values describe an event.
public protocol EventConvertible {

  /// The kind of values of the event.
  associatedtype Output

  /// The kind of errors of the event.
  associatedtype Failure: Error

  /// The event that this value describes.
  var event: Event<Output, Failure> { get }
}

extension Event: EventConvertible {

  /// This event.
  public var event: Event<Output, Failure> { self }
}
