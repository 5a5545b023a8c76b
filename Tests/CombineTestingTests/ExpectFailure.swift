import TestSupport
import Testing

/// Runs what is to make a test fail once, and checks what the failure says and where it is shown.
///
/// - Parameters:
///   - message: A part of what the failure says.
///   - line: The line that the failure is to be shown at; that of this call unless given.
///   - body: What is to fail, on this line.
func expectFailure(
  _ message: String,
  line: Int = #line,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () -> Void
) {
  let failures = knownFailures(sourceLocation: sourceLocation, body)
  #expect(failures.count == 1, sourceLocation: sourceLocation)
  for failure in failures {
    #expect(failure.message.contains(message), sourceLocation: sourceLocation)
    #expect(failure.sourceLocation?.line == line, sourceLocation: sourceLocation)
    #expect(failure.sourceLocation?.fileID == sourceLocation.fileID, sourceLocation: sourceLocation)
  }
}
