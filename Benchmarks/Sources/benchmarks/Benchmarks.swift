import ArgumentParser
import BenchmarkReports
import BenchmarkSupport
import Foundation

@main
struct Benchmarks: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Times this package beside its peers and plain loops, and counts allocations.",
    discussion: "Build it with `-c release`: anything else measures the compiler's absence."
  )

  @Option(help: ArgumentHelp("Measures this row only; may be given more than once.", valueName: "name"))
  var only: [Part] = []

  @Option(help: ArgumentHelp("How often each workload is timed; the table shows the median.", valueName: "number"))
  var rounds = 21

  @Flag(help: "Prints JSON instead of a table.")
  var json = false

  @Flag(help: "Prints the names of the workloads, and what an element is in each.")
  var list = false

  @Flag(help: "Fails unless the workloads that must be fast are fast, and allocate nothing for an element.")
  var check = false

  private var parts: [Part] {
    only.isEmpty ? Part.allCases : Part.allCases.filter(only.contains)
  }

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
  }

  func run() throws {
    if list {
      for part in parts { print("\(part.rawValue): \(part.summary)") }
      return
    }
    warnIfNotOptimised()
    try AllocationCounter.verify()
    let report = try measure()
    print(json ? try report.json() : report.markdown)
    fflush(stdout)
    if check { try check(report) }
  }

  /// Goes round all that is to be measured, and in each round round the contestants, so that all of them share the
  /// weather.
  private func measure() throws -> Report {
    var report = Report(rounds: rounds)
    report.workloads = try measure(parts.compactMap { if case .workload(let workload) = $0 { workload } else { nil } })
    if parts.contains(.crowds) { report.crowds = measureCrowds() }
    report.junctions = try measure(parts.compactMap { if case .junction(let junction) = $0 { junction } else { nil } })
    return report
  }

  private func measure(_ workloads: [Workload]) throws -> [WorkloadRow] {
    var lanes = try workloads.flatMap { workload in
      try ContestantName.allCases.compactMap { try Lane(workload, $0) }
    }
    for _ in 0..<rounds {
      for index in lanes.indices { try lanes[index].addRound() }
    }
    return workloads.map { workload in
      let measurements = lanes.filter { $0.workload == workload }.map { ($0.name, $0.measurement()) }
      return WorkloadRow(workload: workload, measurements: Dictionary(uniqueKeysWithValues: measurements))
    }
  }

  private func measureCrowds() -> [CrowdRow] {
    var lanes = CrowdLane.counts.flatMap { count in
      ContestantName.allCases.compactMap { CrowdLane($0, count: count) }
    }
    // Three orders in each, and a long way: a fourth of the rounds is as many timings.
    for _ in 0..<(rounds + 3) / 4 {
      for index in lanes.indices { lanes[index].addRound() }
    }
    return lanes.map { $0.row() }
  }

  private func measure(_ junctions: [Junction]) throws -> [JunctionRow] {
    var lanes = junctions.flatMap { junction in
      ContestantName.allCases.compactMap { JunctionLane(junction, $0) }
    }
    for _ in 0..<rounds {
      for index in lanes.indices { try lanes[index].addRound() }
    }
    return lanes.map(\.row)
  }

  private func check(_ report: Report) throws {
    let failures = report.failures
    for failure in failures { complain(failure) }
    if !failures.isEmpty { throw ExitCode.failure }
  }

  private func warnIfNotOptimised() {
    // The argument of an assertion is only looked at in a build that is not optimised.
    assert(
      {
        complain("a debug build: the numbers mean nothing"); return true
      }()
    )
  }

  private func complain(_ message: String) {
    FileHandle.standardError.write(Data("benchmarks: \(message)\n".utf8))
  }
}

extension Part: ExpressibleByArgument {}
