import ArgumentParser
import BenchmarkReports
import BenchmarkSupport
import Foundation

@main
struct Benchmarks: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Measures this package beside its peers and plain loops.",
    discussion: "Build it with `-c release`: anything else measures the compiler's absence.",
    subcommands: [
      TableCommand.self, InstructionsCommand.self, GrowthCommand.self, FairnessCommand.self, CountCommand.self,
    ],
    defaultSubcommand: TableCommand.self
  )

  /// The folder of this package, as it was when this was built.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func warnIfNotOptimised() {
    // The argument of an assertion is only looked at in a build that is not optimised.
    assert(
      {
        complain("a debug build: the numbers mean nothing"); return true
      }()
    )
  }

  static func complain(_ message: String) {
    FileHandle.standardError.write(Data("benchmarks: \(message)\n".utf8))
  }
}

extension ExitCode {

  /// Something that is promised is not kept.
  static let brokenPromise = ExitCode.failure

  /// Something could not be measured: `EX_SOFTWARE`.
  static let cannotMeasure = ExitCode(70)
}

extension ParsableCommand {

  /// Does what may fail to measure, and ends with its own exit code if it does.
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
