import Combine
import Foundation

/// 8: `assertNoFailure` stops the process at a failure. Use it for failures that would be programming errors.
struct AssertNoFailure: Recipe {
  let number = 8
  let title = "assertNoFailure"

  enum SettingsError: Error {
    case notANumber(String)
  }

  func numbers(in texts: [String]) -> some Publisher<Int, Never> {
    texts.publisher
      .tryMap { text in
        guard let number = Int(text) else { throw SettingsError.notANumber(text) }
        return number
      }
      .assertNoFailure("the settings hold numbers")
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let subscription = numbers(in: ["1", "2"]).sink { timeline.log("number \($0)") }
    timeline.expect(["number 1", "number 2"])
    subscription.cancel()

    // A failure stops the process, which is a child process here.
    let child = try ChildProcess(running: self)
    child.reports.forEach { timeline.log("child: \($0)") }
    timeline.log("child stopped: \(child.fatalError ?? "by nothing")")
    timeline.expect([
      "child: number 7",
      "child stopped: the settings hold numbers: notANumber(\"eight\")",
    ])
    timeline.expect("a signal that ended the child", child.signal != nil, got: "none")
  }

  func runAsChild() {
    let subscription = numbers(in: ["7", "eight", "9"]).sink { ChildProcess.report("number \($0)") }
    subscription.cancel()
  }
}
