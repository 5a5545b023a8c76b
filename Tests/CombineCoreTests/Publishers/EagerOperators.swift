import CombineCore
import TestSupport
import Testing

// Helpers for the tests of the operators that are evaluated when they are called.

/// Checks an operator that calls its closure at its own call, and never for a subscriber.
///
/// - Parameters:
///   - events: The events of each of two subscribers. For a publisher of one value they include its subscription.
///   - calls: How many times the operator calls its closure.
///   - make: A closure that applies the operator, whose closure calls the parameter. The parameter cannot escape, so
///     neither can the operator's closure.
func expectEager<P: Publisher>(
  _ events: [Event<P.Output>],
  calls: Int,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (_ onCall: () -> Void) -> P
) where P.Output: Equatable {
  var count = 0
  let publisher = make { count += 1 }
  #expect(count == calls, "calls by the operator", sourceLocation: sourceLocation)
  for _ in 0..<2 { #expect(publisher.eventsSeen() == events, sourceLocation: sourceLocation) }
  #expect(count == calls, "calls for subscribers", sourceLocation: sourceLocation)
}

/// Checks the publisher of an operator that calls no closure.
func expectEager<P: Publisher>(
  _ events: [Event<P.Output>],
  sourceLocation: SourceLocation = #_sourceLocation,
  _ publisher: P
) where P.Output: Equatable {
  expectEager(events, calls: 0, sourceLocation: sourceLocation) { _ in publisher }
}

/// Logs a call of an operator's closure and returns the answer.
func noting<Answer>(_ onCall: () -> Void, _ answer: Answer) -> Answer {
  onCall()
  return answer
}

/// Logs a call of an operator's closure and throws.
func failing<Answer>(_ onCall: () -> Void) throws -> Answer {
  onCall()
  throw TestError("thrown")
}

extension Publisher {

  /// Returns the events of a subscriber with unlimited demand.
  func eventsSeen() -> [Event<Output>] {
    let subscriber = RecordingSubscriber<Output, Failure>(requesting: .unlimited)
    subscribe(subscriber)
    return subscriber.events
  }
}

extension Array {

  /// The events of a `Just`.
  static func just<Value>(_ value: Value) -> Self where Element == Event<Value> {
    [.subscription("Just"), .value(value), .finished]
  }

  /// The events of an `Optional.Publisher` with a value.
  static func optional<Value>(_ value: Value) -> Self where Element == Event<Value> {
    [.subscription("Optional"), .value(value), .finished]
  }

  /// The events of a publisher that finishes at once.
  static func nothing<Value>() -> Self where Element == Event<Value> {
    [.subscription("Empty"), .finished]
  }

  /// The events of a `Result.Publisher` of a success.
  static func success<Value>(_ value: Value) -> Self where Element == Event<Value> {
    [.subscription("Once"), .value(value), .finished]
  }

  /// The events of a publisher that fails at once.
  static func failure<Value>(_ error: String) -> Self where Element == Event<Value> {
    [.subscription("Empty"), .failure(error)]
  }

  /// The events of a `Publishers.Sequence` of an array.
  static func sequence<Value>(_ values: [Value]) -> Self where Element == Event<Value> {
    [.subscription("\(values)")] + values.map { .value($0) } + [.finished]
  }
}

/// A range expression that reports its calls.
struct AskedRange: RangeExpression {

  let bounds: Range<Int>

  /// Receives the range that the bounds are relative to.
  let onRelative: (Range<Int>) -> Void

  func relative<C: Collection>(to collection: C) -> Range<Int> where C.Index == Int {
    onRelative(collection as! Range<Int>)
    return bounds
  }

  func contains(_ element: Int) -> Bool {
    Issue.record("nobody is to ask what the range contains")
    return bounds.contains(element)
  }
}
