import ArgumentParser
import BenchmarkReports
import BenchmarkSupport
import Foundation

struct LimitsCommand: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Times the workloads that do not reach what was asked of them, beside the least that each takes."
  )

  @Option(help: ArgumentHelp("How often each workload is timed; the table shows the median.", valueName: "number"))
  var rounds = 21

  @Option(help: ArgumentHelp("Puts the table into this file too, between its markers.", valueName: "file"))
  var into: String?

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
  }

  func run() throws {
    Benchmarks.warnIfNotOptimised()
    try measuring {
      let report = LimitsReport(
        rows: try Lane.measure(LimitsReport.workloads, by: LimitsReport.contestants, rounds: rounds, \.times)
      )
      print(report.markdown)
      if let into { try MarkedFile(URL(filePath: into)).replace("limits", with: report.markdown) }
    }
  }
}
