import CombineCore
import TestSupport
import Testing

// What the tests of the operators that are evaluated when they are called have in common.

/// Checks an operator that calls its closure when it is called, and never for a subscriber.
///
/// - Parameters:
///   - events: What each of two subscribers sees: of a publisher of one value, its subscription too.
///   - calls: How many times the operator calls its closure.
///   - make: Applies the operator; its closure calls the parameter. That cannot escape, so neither can the closure.
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

/// Checks what an operator returns that calls no closure.
func expectEager<P: Publisher>(
  _ events: [Event<P.Output>],
  sourceLocation: SourceLocation = #_sourceLocation,
  _ publisher: P
) where P.Output: Equatable {
  expectEager(events, calls: 0, sourceLocation: sourceLocation) { _ in publisher }
}

/// What a closure answers that an operator calls, once it has noted the call.
func noting<Answer>(_ onCall: () -> Void, _ answer: Answer) -> Answer {
  onCall()
  return answer
}

/// What a closure throws that an operator calls, once it has noted the call.
func failing<Answer>(_ onCall: () -> Void) throws -> Answer {
  onCall()
  throw TestError("thrown")
}

extension Publisher {

  /// What a subscriber sees that asks for everything.
  func eventsSeen() -> [Event<Output>] {
    let subscriber = RecordingSubscriber<Output, Failure>(requesting: .unlimited)
    subscribe(subscriber)
    return subscriber.events
  }
}

extension Array {

  /// What a subscriber sees of a `Just`.
  static func just<Value>(_ value: Value) -> Self where Element == Event<Value> {
    [.subscription("Just"), .value(value), .finished]
  }

  /// What a subscriber sees of an `Optional.Publisher` with a value.
  static func optional<Value>(_ value: Value) -> Self where Element == Event<Value> {
    [.subscription("Optional"), .value(value), .finished]
  }

  /// What a subscriber sees of a publisher that finishes at once.
  static func nothing<Value>() -> Self where Element == Event<Value> {
    [.subscription("Empty"), .finished]
  }

  /// What a subscriber sees of a `Result.Publisher` of a success.
  static func success<Value>(_ value: Value) -> Self where Element == Event<Value> {
    [.subscription("Once"), .value(value), .finished]
  }

  /// What a subscriber sees of a publisher that fails at once.
  static func failure<Value>(_ error: String) -> Self where Element == Event<Value> {
    [.subscription("Empty"), .failure(error)]
  }

  /// What a subscriber sees of a `Publishers.Sequence` of an array.
  static func sequence<Value>(_ values: [Value]) -> Self where Element == Event<Value> {
    [.subscription("\(values)")] + values.map { .value($0) } + [.finished]
  }
}

/// A range expression that tells what is asked of it.
struct AskedRange: RangeExpression {

  let bounds: Range<Int>

  /// Told the range that the bounds are to be relative to.
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
