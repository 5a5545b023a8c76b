import CombineCore

/// An event that a subscriber received, in a form that can be compared and read.
public enum Event<Value> {

  /// A subscription, by its description.
  case subscription(String)
  case value(Value)
  case finished

  /// A failure, by the description of its error.
  case failure(String)

  /// A failure, by its error.
  public static func failure(_ error: any Error) -> Event {
    .failure(String(describing: error))
  }

  public init<Failure>(_ completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: self = .finished
    case .failure(let error): self = .failure(String(describing: error))
    }
  }
}

extension Event: Equatable where Value: Equatable {}
extension Event: Sendable where Value: Sendable {}

/// The error of the tests.
public struct TestError: Error, Hashable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {

  public let description: String

  public init(_ description: String = "failure") {
    self.description = description
  }

  public init(stringLiteral value: String) {
    self.init(value)
  }
}
