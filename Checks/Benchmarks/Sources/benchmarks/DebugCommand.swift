import ArgumentParser
import BenchmarkReports
import BenchmarkSupport
import Foundation

struct DebugCommand: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "debug",
    abstract: "Times each workload in a debug build, for this package and for OpenCombine in turn."
  )

  @Option(help: ArgumentHelp("Measures this row only; may be given more than once.", valueName: "name"))
  var only: [Workload] = []

  @Option(help: ArgumentHelp("How often each workload is timed; the table shows the median.", valueName: "number"))
  var rounds = 5

  @Option(help: ArgumentHelp("Puts the table into this file too, between its markers.", valueName: "file"))
  var into: String?

  @Flag(help: "Fails unless all that is promised is kept.")
  var check = false

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
    guard Benchmarks.isDebugBuild else { throw ValidationError("this is a release build; build without `-c release`") }
  }

  func run() throws {
    let workloads = DebugReport.workloads.filter { only.isEmpty || only.contains($0) }
    try measuring {
      var report = try measure(workloads)
      print(report.markdown)
      if let into { try MarkedFile(URL(filePath: into)).replace("debug table", with: report.markdown) }
      guard check else { return }
      for _ in 0..<TableCommand.retries where !report.failures.isEmpty {
        report = try measure(report.failures.compactMap(\.part.workload))
      }
      for failure in report.failures { Benchmarks.complain(failure.description) }
      if !report.failures.isEmpty { throw ExitCode.brokenPromise }
    }
  }

  private func measure(_ workloads: [Workload]) throws -> DebugReport {
    let elements = DebugReport.elementsPerRun
    let contestants: [ContestantName] = [.ours, .openCombine]
    return DebugReport(
      rows: try Lane.measure(workloads, by: contestants, elements: elements, rounds: rounds, \.times)
    )
  }
}
