import Combine
import Foundation

/// 25: `breakpoint` stops in the debugger at events that meet a condition, `breakpointOnError` at any failure.
///
/// Without a debugger, the signal that they raise ends the process, which is a child process here.
struct BreakpointOnCondition: Recipe {
  let number = 25
  let title = "breakpoint and breakpointOnError"

  struct NotANumber: Error {}

  func numbers(in texts: [String]) -> some Publisher<Int, any Error> {
    texts.publisher.tryMap { text in
      guard let number = Int(text) else { throw NotANumber() }
      return number
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    // Every condition is evaluated. None is true, so all events pass.
    let passed = numbers(in: ["1", "2"])
      .breakpoint(
        receiveSubscription: { _ in
          timeline.log("a subscription?")
          return false
        },
        receiveOutput: { number in
          timeline.log("\(number) < 0?")
          return number < 0
        },
        receiveCompletion: { completion in
          timeline.log("a failure?")
          guard case .failure = completion else { return false }
          return true
        }
      )
      .breakpointOnError()
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0)") })
    timeline.expect([
      "a subscription?",
      "1 < 0?", "got 1",
      "2 < 0?", "got 2",
      "a failure?", "finished",
    ])
    passed.cancel()

    // A condition that is true stops the process before the event is sent downstream.
    for part in ["breakpoint", "breakpointOnError"] {
      let child = try ChildProcess(running: self, part: part)
      child.reports.forEach { timeline.log("\(part): \($0)") }
      timeline.expect("the signal that ended \(part)", child.signal, SIGTRAP)
    }
    timeline.expect(["breakpoint: got 7", "breakpointOnError: got 7", "breakpointOnError: got -8"])
  }

  func runAsChild() {
    let numbers = numbers(in: ["7", "-8", "nine"])
    let stopped =
      ChildProcess.part == "breakpoint"
      ? numbers.breakpoint(receiveOutput: { $0 < 0 })
      : numbers.breakpointOnError()
    let subscription = stopped.sink(
      receiveCompletion: { ChildProcess.report("ended: \($0)") },
      receiveValue: { ChildProcess.report("got \($0)") }
    )
    subscription.cancel()
  }
}
