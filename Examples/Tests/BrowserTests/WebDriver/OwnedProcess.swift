import Foundation

/// A program that runs until it is ended, and no longer than the tests, even if they crash.
final class OwnedProcess: Sendable {

  private let process = Process()

  /// The pipe whose end kills the program. It ends when this process closes it or has ended.
  private let lifeline = Pipe()

  private let log: URL

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The program's name or path, and its arguments.
  ///   - environment: Variables in addition to the environment of the tests.
  ///   - log: The location of the file for its output.
  init(_ command: [String], environment: [String: String] = [:], log: URL) throws {
    // A shell runs the program. A second shell beside it waits for the end of the lifeline.
    //
    // The shell is bash. Signals are blocked on the threads of tests, and so in their child processes, and dash would
    // wait for a signal in vain.
    let script = """
      exec 3<&0
      "$@" < /dev/null 3<&- &
      program=$!
      (read -r _ <&3; kill -KILL $program) &
      guard=$!
      wait $program
      status=$?
      kill -KILL $guard
      exit $status
      """
    self.log = log
    try Data().write(to: log)
    let output = try FileHandle(forWritingTo: log)
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", script, "bash"] + command
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = lifeline
    process.standardOutput = output
    process.standardError = output
    try process.run()
    try output.close()
  }

  /// Waits until the program has written text that matches, and returns the matched parts.
  func output<Parts>(matching regex: Regex<Parts>) async throws -> Parts {
    let (output, _) = try await wait(for: "the start of \(process.arguments?[3] ?? "a program")") {
      let isRunning = process.isRunning  // Read first, so that the output of an ended program is complete.
      return (String(decoding: try Data(contentsOf: log), as: UTF8.self), isRunning)
    } until: { output, isRunning in
      output.contains(regex) || !isRunning
    }
    guard let match = output.firstMatch(of: regex) else { throw Ended(output: output) }
    return match.output
  }

  /// Kills the program if it still runs, and waits for its end.
  func end() {
    try? lifeline.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// An error: a program ended too early.
  struct Ended: Error, CustomStringConvertible {
    let output: String
    var description: String { "the program ended by itself; its output was: \(output)" }
  }
}
