import CombineTesting
import TestSupport
import Testing
import XCTest

@Suite(.capturesFailures) struct TestFailureTests {

  private static let callSite = CallSite("Module/File.swift", "/tmp/File.swift", 17, 3)

  private static let location =
    SourceLocation(fileID: "Module/File.swift", filePath: "/tmp/File.swift", line: 17, column: 3)

  @Test func isAnIssueOfTheRunningTestInSwiftTesting() {
    let issues = capturedFailures { TestFailure.record("something is wrong", at: Self.callSite) }
    #expect(issues.map(\.comments) == [["something is wrong"]])
    #expect(issues.map(\.sourceLocation) == [Self.location])
  }

  #if !canImport(ObjectiveC)
    /// In a process of its own. XCTest polls a run loop until the asynchronous steps of its test have run. Among other
    /// tests, which occupy all threads for tasks, that would take a processor until they are over.
    @Test func isAFailureOfTheRunningTestInXCTest() async {
      await #expect(processExitsWith: .success) {
        // Swift Testing does not know of this test on this thread.
        let run = Guarded<(failures: Int, heard: [String])>((0, []))
        onThreads(1) { _ in
          let observer = Listener()
          XCTestObservationCenter.shared.addTestObserver(observer)
          let test = FailingTest(name: "fails") { _ in
            TestFailure.record("something is wrong", at: CallSite("Module/File.swift", "/tmp/File.swift", 17, 3))
            TestFailure.record("something else is wrong", at: nil)
          }
          test.run()
          XCTestObservationCenter.shared.removeTestObserver(observer)
          run.withLock { $0 = (test.testRun?.failureCount ?? 0, observer.heard) }
        }
        #expect(run.withLock(\.failures) == 2)
        #expect(run.withLock(\.heard).first == "failed - something is wrong, /tmp/File.swift:17")
        #expect(run.withLock(\.heard).last?.hasPrefix("failed - something else is wrong, ") == true)
      }
    }

    private final class FailingTest: XCTestCase {}

    private final class Listener: XCTestObservation {
      var heard: [String] = []

      func testCase(
        _ testCase: XCTestCase,
        didFailWithDescription description: String,
        inFile filePath: String?,
        atLine lineNumber: Int
      ) {
        heard.append("\(description), \(filePath ?? "nowhere"):\(lineNumber)")
      }
    }
  #endif

  @Test func isAMessageAndAnIssueOfTheRunWhereNoTestIsKnown() async {
    // The other process forwards the reports of its run to this test.
    let issues = await capturedFailures {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        onThreads(1) { _ in
          TestFailure.record("something is wrong", at: CallSite("Module/File.swift", "/tmp/File.swift", 17, 3))
        }
      }
      let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(output.contains("/tmp/File.swift:17:3: error: something is wrong\n"))
    }
    #expect(issues.map(\.sourceLocation) == [Self.location])
  }
}
