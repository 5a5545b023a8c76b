import Foundation

/// Makes every mistake of the table, each in its own process, and checks the output of that process.
///
/// It is for release builds in the first place, where a failed `precondition` prints nothing.
@main
enum Misuses {

  static func main() async throws {
    if let number = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) {
      await Trap.all[number].run()
      return
    }
    let failures = try Trap.all.indices.filter { try !isStopped(by: $0) }
    for failure in failures { print("not stopped, or without a name: \(Trap.all[failure])") }
    print("\(Trap.all.count) mistakes, \(Trap.all.count - failures.count) of them stopped with their names")
    if !failures.isEmpty { exit(1) }
  }

  private static func isStopped(by number: Int) throws -> Bool {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["\(number)"]
    process.environment = ["SWIFT_BACKTRACE": "enable=no"]  // The backtrace of a crash takes longer than the crash.
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let output = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal && Trap.all[number].isNamed(in: output)
  }
}
