import Combine
import Foundation
import TestSupport

/// Programs that serve the main thread in different ways.
///
/// The main queue alone serves it after `dispatchMain()`, and in any program with an asynchronous `main`. In others the
/// main run loop serves it, or first the loop and then the queue.
///
/// Each program is a process, because a process has one main thread. It prints its failures and exits with 1, or exits
/// with 0. Without an argument all of them run, one after the other, because they depend on real time.
@main
enum MainLoops {

  static func main() async throws {
    guard let name = CommandLine.arguments.dropFirst().first else { return try runAll() }
    guard let program = Program(rawValue: name) else {
      print("programs: \(Program.allCases.map(\.rawValue).joined(separator: " "))")
      exit(64)
    }
    runBeforeTheFirstSuspension(program)
    // From here on only the main queue serves the main thread.
    try? await Task.sleep(for: .seconds(30))
    print("\(program.rawValue): not done after 30 s")
    exit(1)
  }

  private static func runAll() throws {
    var held = 0
    for program in Program.allCases {
      let process = Process()
      process.executableURL = Bundle.main.executableURL
      process.arguments = [program.rawValue]
      try process.run()
      process.waitUntilExit()
      if process.terminationReason == .exit, process.terminationStatus == 0 {
        held += 1
      } else {
        print("\(program.rawValue): ended with \(process.terminationStatus)")
      }
    }
    print("main loops: \(held)/\(Program.allCases.count) hold")
    if held < Program.allCases.count { exit(1) }
  }

  /// Runs on the main thread, as in a program whose `main` is not asynchronous.
  private static func runBeforeTheFirstSuspension(_ program: Program) {
    program.start()
  }
}

/// Ends the process.
func finish(_ failures: [String]) -> Never {
  for failure in failures { print(failure) }
  fflush(nil)
  exit(failures.isEmpty ? 0 : 1)
}

/// Runs the main run loop until a condition holds, or for ten seconds.
func runMainLoop(until isSo: () -> Bool) {
  let deadline = Date() + 10
  while !isSo(), Date() < deadline { RunLoop.main.run(until: Date() + 0.005) }
}

/// Waits on a new thread until a condition holds, or for ten seconds, and then ends the process.
func finish(when isSo: @escaping @Sendable () -> Bool, _ failures: @escaping @Sendable () -> [String]) {
  Thread {
    let deadline = Date() + 10
    while !isSo(), Date() < deadline { Thread.sleep(forTimeInterval: 0.002) }
    finish(failures())
  }.start()
}
