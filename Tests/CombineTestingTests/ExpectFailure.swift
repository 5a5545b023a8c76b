import TestSupport
import Testing

/// Runs a closure that makes a test fail once, and checks the failure's message and place.
///
/// The suite must have the trait `.capturesFailures`.
///
/// - Parameters:
///   - message: A part of the failure's message.
///   - line: The line at which the failure is shown. The default is the line of this call.
///   - body: A closure that fails, on this line.
func expectFailure(
  _ message: String,
  line: Int = #line,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () -> Void
) {
  let failures = capturedFailures(body)
  #expect(failures.count == 1, sourceLocation: sourceLocation)
  for failure in failures {
    #expect(failure.message.contains(message), sourceLocation: sourceLocation)
    #expect(failure.sourceLocation?.line == line, sourceLocation: sourceLocation)
    #expect(failure.sourceLocation?.fileID == sourceLocation.fileID, sourceLocation: sourceLocation)
  }
}
