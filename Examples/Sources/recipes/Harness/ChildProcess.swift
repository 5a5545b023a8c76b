import Foundation

/// This program run once more, for a recipe that stops the process that it runs in.
struct ChildProcess {

  /// Whether a signal ended the child, as a trap does.
  let wasTrapped: Bool

  /// What the child has reported.
  let reports: [String]

  /// The message of the fatal error that stopped the child, if one did.
  let fatalError: String?

  /// Runs the child part of a recipe until it ends.
  ///
  /// - Parameter recipe: The recipe whose `runAsChild` the child runs.
  init(running recipe: some Recipe) throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--child", String(recipe.number)]
    // The backtrace of the trap takes seconds to make, and nobody reads it.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }

    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let output = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()

    wasTrapped = process.terminationReason == .uncaughtSignal
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
    reports = lines.compactMap { $0.wholeMatch(of: /\[report\] (.*)/).map { String($0.1) } }
    fatalError = lines.lazy.compactMap { $0.firstMatch(of: /Fatal error: (.*)/).map { String($0.1) } }.first
  }

  /// Writes a line where the parent reads it, unbuffered, so that a trap does not lose it.
  static func report(_ line: String) {
    FileHandle.standardError.write(Data("[report] \(line)\n".utf8))
  }
}
