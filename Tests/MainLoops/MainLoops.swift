import Combine
import Foundation
import TestSupport

/// Programs whose main thread is served in one way or another: by the main queue alone, as after `dispatchMain()` and
/// in any program with an asynchronous `main`; by the main run loop; by first the one and then the other.
///
/// Each is a process of its own, as a process has one main thread. It prints what went wrong and exits with 1, or
/// exits with 0.
@main
enum MainLoops {

  static func main() async {
    guard let program = CommandLine.arguments.dropFirst().first.flatMap(Program.init) else {
      print("programs: \(Program.allCases.map(\.rawValue).joined(separator: " "))")
      return
    }
    runBeforeTheFirstSuspension(program)
    // From here on the main queue is all that serves the main thread's work.
    try? await Task.sleep(for: .seconds(30))
    print("\(program.rawValue): not done after 30 s")
    exit(1)
  }

  /// On the main thread, as in a program whose `main` is not asynchronous.
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

/// Runs the main run loop until something is so, or for ten seconds.
func runMainLoop(until isSo: () -> Bool) {
  let deadline = Date() + 10
  while !isSo(), Date() < deadline { RunLoop.main.run(until: Date() + 0.005) }
}

/// Waits on a thread of its own until something is so, or for ten seconds, and then ends the process.
func finish(when isSo: @escaping @Sendable () -> Bool, _ failures: @escaping @Sendable () -> [String]) {
  Thread {
    let deadline = Date() + 10
    while !isSo(), Date() < deadline { Thread.sleep(forTimeInterval: 0.002) }
    finish(failures())
  }.start()
}
