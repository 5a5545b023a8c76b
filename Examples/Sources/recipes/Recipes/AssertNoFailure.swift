import Combine
import Foundation

/// 8: `assertNoFailure` for a failure that would be a mistake in the program: it stops the process.
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

    // A failure stops the process: a child process, here.
    let child = try ChildProcess(running: self)
    for line in child.errorOutput.split(separator: "\n") { timeline.log("child: \(line)") }
    timeline.expect("the child to be trapped", child.wasTrapped, got: child)
    timeline.expect("the value before the failure", child.errorOutput.contains("number 7"), got: child.errorOutput)
    timeline.expect("nothing after it", !child.errorOutput.contains("number 9"), got: child.errorOutput)
    for part in ["the settings hold numbers", "notANumber(\"eight\")"] {
      timeline.expect("a message with: \(part)", child.errorOutput.contains(part), got: child.errorOutput)
    }
  }

  func runAsChild() {
    let subscription = numbers(in: ["7", "eight", "9"]).sink { ChildProcess.report("number \($0)") }
    subscription.cancel()
  }
}
