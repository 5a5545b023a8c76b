import Foundation

/// This program run once more, for a recipe that stops the process that it runs in.
struct ChildProcess {

  /// The signal that ended the child, if one did, as a trap does.
  let signal: Int32?

  /// What the child has reported.
  let reports: [String]

  /// The message of the fatal error that stopped the child, if one did.
  let fatalError: String?

  /// Runs the child part of a recipe until it ends.
  ///
  /// - Parameters:
  ///   - recipe: The recipe whose `runAsChild` the child runs.
  ///   - part: What it finds in ``part``, if it has several things to do.
  init(running recipe: some Recipe, part: String = "") throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--child", String(recipe.number)]
    // The backtrace of the trap takes seconds to make, and nobody reads it.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no", Self.partVariable: part]) { _, new in new }

    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let output = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()

    signal = process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
    reports = lines.compactMap { $0.wholeMatch(of: /\[report\] (.*)/).map { String($0.1) } }
    fatalError = lines.lazy.compactMap { $0.firstMatch(of: /Fatal error: (.*)/).map { String($0.1) } }.first
  }

  // MARK: In the child

  private static let partVariable = "RECIPE_PART"

  /// What the parent wants done.
  static var part: String {
    ProcessInfo.processInfo.environment[partVariable] ?? ""
  }

  /// Writes a line where the parent reads it, unbuffered, so that a trap does not lose it.
  static func report(_ line: String) {
    FileHandle.standardError.write(Data("[report] \(line)\n".utf8))
  }
}
