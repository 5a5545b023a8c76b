import Foundation

/// A child process that runs this program again, for a recipe that stops its process.
struct ChildProcess {

  /// The signal that ended the child, for example after a trap, or `nil`.
  let signal: Int32?

  /// The lines that the child has reported.
  let reports: [String]

  /// The message of the fatal error that stopped the child, or `nil`.
  let fatalError: String?

  /// Runs the child part of a recipe until it ends.
  ///
  /// - Parameters:
  ///   - recipe: The recipe whose `runAsChild` the child runs.
  ///   - part: The value that the child reads from ``part``, if the recipe has several parts.
  init(running recipe: some Recipe, part: String = "") throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--child", String(recipe.number)]
    // The backtrace of the trap takes seconds to make and is not needed.
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

  /// The part that the parent wants the child to run.
  static var part: String {
    ProcessInfo.processInfo.environment[partVariable] ?? ""
  }

  /// Writes a line to the parent, unbuffered, so that a trap does not lose it.
  static func report(_ line: String) {
    FileHandle.standardError.write(Data("[report] \(line)\n".utf8))
  }
}
