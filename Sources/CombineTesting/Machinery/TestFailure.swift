#if canImport(Testing)
  internal import Testing
#endif
#if canImport(XCTest)
  internal import XCTest
#endif
import CombineCore
import Synchronization

/// How this module makes a test fail, whichever framework runs it.
package enum TestFailure {

  /// Makes the running test fail.
  ///
  /// In a test of Swift Testing it records an issue, in one of XCTest a failure. On a thread of which Swift Testing
  /// does not know whose test it works for, the issue belongs to no test but fails the run. On such a thread, and where
  /// no test runs at all, the message also goes to the standard error stream.
  ///
  /// - Parameters:
  ///   - message: What went wrong.
  ///   - callSite: Where to show it.
  package static func record(_ message: String, at callSite: CallSite) {
    #if canImport(Testing)
      if Test.current != nil { return recordIssue(message, at: callSite) }
    #endif
    #if canImport(XCTest)
      if XCTestFailures.record(message, at: callSite) { return }
    #endif
    Platform.printError("\(callSite.filePath):\(callSite.line):\(callSite.column): error: \(message)")
    #if canImport(Testing)
      recordIssue(message, at: callSite)
    #endif
  }

  #if canImport(Testing)
    private static func recordIssue(_ message: String, at callSite: CallSite) {
      let location = SourceLocation(
        fileID: "\(callSite.fileID)",
        filePath: "\(callSite.filePath)",
        line: Int(callSite.line),
        column: Int(callSite.column)
      )
      Issue.record(Comment(rawValue: message), sourceLocation: location)
    }
  #endif
}

#if canImport(XCTest)
  /// Counts the failures that XCTest takes: with no test running, it drops them in silence.
  private final class XCTestFailures: NSObject, XCTestObservation, Sendable {

    private static let observer: XCTestFailures = {
      let observer = XCTestFailures()
      XCTestObservationCenter.shared.addTestObserver(observer)
      return observer
    }()

    private let count = Atomic<Int>(0)

    /// - Returns: Whether there was a test that failed by it.
    static func record(_ message: String, at callSite: CallSite) -> Bool {
      let before = observer.count.load(ordering: .relaxed)
      XCTFail(message, file: callSite.filePath, line: callSite.line)
      return observer.count.load(ordering: .relaxed) != before
    }

    #if canImport(ObjectiveC)
      func testCase(_ testCase: XCTestCase, didRecord issue: XCTIssue) {
        count.add(1, ordering: .relaxed)
      }
    #else
      func testCase(
        _ testCase: XCTestCase,
        didFailWithDescription description: String,
        inFile filePath: String?,
        atLine lineNumber: Int
      ) {
        count.add(1, ordering: .relaxed)
      }
    #endif
  }
#endif
