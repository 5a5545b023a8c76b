import ArgumentParser
import BenchmarkReports
import BenchmarkSupport
import Foundation

@main
struct Benchmarks: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Measures this package beside its peers and plain loops.",
    discussion: "Build it with `-c release`, except for the command `debug`.",
    subcommands: [
      TableCommand.self, DebugCommand.self, InstructionsCommand.self, GrowthCommand.self, FairnessCommand.self,
      LimitsCommand.self, RandomCommand.self, CountCommand.self,
    ],
    defaultSubcommand: TableCommand.self
  )

  /// The folder of this package at build time.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Whether the compiler has not optimized this program.
  static var isDebugBuild: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  static func warnIfNotOptimised() {
    if isDebugBuild { complain("a debug build: the numbers mean nothing") }
  }

  static func complain(_ message: String) {
    FileHandle.standardError.write(Data("benchmarks: \(message)\n".utf8))
  }
}

extension ExitCode {

  /// A promise is broken.
  static let brokenPromise = ExitCode.failure

  /// A measurement failed: `EX_SOFTWARE`.
  static let cannotMeasure = ExitCode(70)
}

extension ParsableCommand {

  /// Runs a closure that may fail to measure, and then exits with the corresponding code.
  func measuring<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ExitCode {
      throw error
    } catch {
      Benchmarks.complain("\(error)")
      throw ExitCode.cannotMeasure
    }
  }
}

extension Part: ExpressibleByArgument {}
extension Workload: ExpressibleByArgument {}
extension ContestantName: ExpressibleByArgument {}
