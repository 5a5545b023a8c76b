/// The mistakes of a client that end the process, because the contract does not tolerate them.
///
/// The message is `operator: mistake`, for example `Zip: API Violation: demand must not be zero`. Release builds print it
/// too, where a failed `precondition` is silent. The operator has the name that its subscription shows. If the mistake is
/// an argument, the message names the method. The file and line in front of the message are the operator's.
///
/// Mistakes that the contract ignores are not in this list, nor are those that only this package could make.
@usableFromInline
package enum Misuse: String, CaseIterable {

  // MARK: Demand

  case zeroDemand = "API Violation: demand must not be zero"
  case negativeDemand = "a demand cannot be negative"
  case valueBeyondDemand = "API Violation: received a value for which there was no demand"
  case outputWithoutDemand = "Received an output without requesting demand"

  // MARK: The order of events

  case valueBeforeSubscription = "Invalid state: Received value before receiving subscription"
  case completionBeforeSubscription = "Invalid state: Received completion before receiving subscription"
  case requestBeforeSubscription = "Invalid state: Received request before sending subscription"
  case failureOutOfTurn = "Unexpected state: received completion but do not have subscription"
  case requestWithoutSubscription = "Unexpected state: request before subscription sent"
  case completionOfAwaitedPublisher = "Unexpected completion of a publisher that has sent no subscription"
  case failureInsideFailure =
    "API Violation: received an unexpected completion, inside the cancel of an inner publisher"
  case valueAfterRecording = "a value cannot be recorded after the completion"
  case completionAfterRecording = "a second completion cannot be recorded"

  // MARK: Reentrance

  case bufferInsideCustomError = "the closure of customError must not call the buffer that calls it"
  case requestInsideRequest = "a request was run inside another request on the same thread"
  case multicastInsideCreateSubject = "createSubject uses the publisher that it makes the subject for"

  // MARK: Arguments

  case negativeCount = "count must not be negative"
  case negativeLength = "maxLength must not be negative"
  case negativeSize = "size must not be negative"
  case negativeIndex = "index must not be negative"
  case greatestIndex = "index must be less than Int.max"
  case negativeLowerBound = "lowerBound must not be negative"
  case negativeUpperBound = "upperBound must not be negative"
  case endlessRange = "upperBound must be less than Int.max - 1"
  case notANumber = "the number of seconds must be a number"

  /// Ends the process.
  ///
  /// - Parameters:
  ///   - operation: The operator or method whose contract was broken.
  ///   - mistake: The mistake.
  ///   - file: The file of the operator, which the message begins with.
  ///   - line: The line in that file at which the mistake was noticed.
  @inline(never)
  @usableFromInline
  package static func trap(
    _ operation: String,
    _ mistake: Misuse,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Never {
    fatalError("\(operation): \(mistake.rawValue)", file: file, line: line)
  }
}

extension Subscribers.Demand {

  /// Traps if the demand is zero, for subscriptions that do not tolerate such a request.
  ///
  /// - Parameters:
  ///   - operation: The name for the message.
  ///   - file: The file of the subscription.
  ///   - line: The line in that file.
  @inlinable
  package func assertNonZero(
    _ operation: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
  ) {
    if rawValue == 0 { Misuse.trap(operation(), .zeroDemand, file: file, line: line) }
  }
}
