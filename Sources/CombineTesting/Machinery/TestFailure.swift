#if canImport(Testing)
  internal import Testing
#endif
#if canImport(XCTest)
  internal import XCTest
#endif
import CombineThreads
import CombineCore
import Synchronization

/// A way to fail the running test in either test framework.
package enum TestFailure {

  /// Fails the running test.
  ///
  /// In a test of Swift Testing, it records an issue. In a test of XCTest, it records a failure.
  ///
  /// On some threads, Swift Testing does not know the test they work for. An issue from such a thread belongs to no
  /// test, but fails the run. On such a thread, and if no test is running, the message is also written to the standard
  /// error stream.
  ///
  /// - Parameters:
  ///   - message: A description of the failure.
  ///   - callSite: The place at which the failure is reported. With `nil`, it is the test itself.
  package static func record(_ message: String, at callSite: CallSite?) {
    #if canImport(Testing)
      if let test = Test.current {
        return recordIssue(message, at: callSite.map(SourceLocation.init) ?? test.sourceLocation)
      }
    #endif
    #if canImport(XCTest)
      if XCTestFailures.record(message, at: callSite) { return }
    #endif
    let place = callSite.map { "\($0.filePath):\($0.line):\($0.column): " } ?? ""
    Platform.printError("\(place)error: \(message)")
    #if canImport(Testing)
      recordIssue(message, at: callSite.map(SourceLocation.init) ?? #_sourceLocation)
    #endif
  }

  #if canImport(Testing)
    private static func recordIssue(_ message: String, at location: SourceLocation) {
      Issue.record(Comment(rawValue: message), sourceLocation: location)
    }
  #endif
}

#if canImport(Testing)
  extension SourceLocation {

    fileprivate init(_ callSite: CallSite) {
      self.init(
        fileID: "\(callSite.fileID)",
        filePath: "\(callSite.filePath)",
        line: Int(callSite.line),
        column: Int(callSite.column)
      )
    }
  }
#endif

#if canImport(XCTest)
  /// An observer that counts the failures recorded by XCTest. If no test is running, XCTest drops a failure silently.
  private final class XCTestFailures: NSObject, XCTestObservation, Sendable {

    private static let observer: XCTestFailures = {
      let observer = XCTestFailures()
      XCTestObservationCenter.shared.addTestObserver(observer)
      return observer
    }()

    private let count = Atomic<Int>(0)

    /// - Returns: Whether a running test failed.
    static func record(_ message: String, at callSite: CallSite?) -> Bool {
      let before = observer.count.load(ordering: .relaxed)
      if let callSite {
        XCTFail(message, file: callSite.filePath, line: callSite.line)
      } else {
        XCTFail(message)
      }
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
