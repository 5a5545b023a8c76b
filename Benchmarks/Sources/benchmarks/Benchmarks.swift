import ArgumentParser
import BenchmarkSupport
import Foundation

@main
struct Benchmarks: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Times this package beside OpenCombine and plain loops, and counts allocations.",
    discussion: "Build it with `-c release`: anything else measures the compiler's absence."
  )

  @Option(help: ArgumentHelp("Does this workload only; may be given more than once.", valueName: "name"))
  var only: [Workload] = []

  @Option(help: ArgumentHelp("How often each workload is timed; the table shows the median.", valueName: "number"))
  var rounds = 21

  @Flag(help: "Prints JSON instead of a table.")
  var json = false

  @Flag(help: "Prints the names of the workloads, and what an element is in each.")
  var list = false

  @Flag(help: "Fails unless the workloads that must be fast are fast, and allocate nothing for an element.")
  var check = false

  private var workloads: [Workload] {
    only.isEmpty ? Workload.allCases : Workload.allCases.filter(only.contains)
  }

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
    if check {
      for (workload, _) in Row.requiredSpeedups where !workloads.contains(workload) {
        throw ValidationError("--check needs the workload \(workload.rawValue)")
      }
    }
  }

  func run() throws {
    if list {
      for workload in workloads {
        print("\(workload.rawValue): \(workload.title); an element is \(workload.element)")
      }
      return
    }
    warnIfNotOptimised()
    try AllocationCounter.verify()
    let report = try measure()
    print(json ? try report.json() : report.markdown)
    if check { try check(report) }
  }

  /// Goes round the workloads, and in each round round the contestants, so that all of them share the weather.
  private func measure() throws -> Report {
    var lanes = try workloads.flatMap { workload in
      let expected = Lane.expectedChecksum(of: workload)
      return try ContestantName.allCases.map { try Lane(workload, $0, expected: expected) }
    }
    for _ in 0..<rounds {
      for index in lanes.indices { try lanes[index].addRound() }
    }
    let measurements = lanes.map { $0.measurement() }
    let rows = workloads.enumerated().map { index, workload in
      func measurement(_ name: ContestantName) -> Measurement {
        measurements[index * ContestantName.allCases.count + ContestantName.allCases.firstIndex(of: name)!]
      }
      return Row(
        workload: workload,
        ours: measurement(.ours),
        openCombine: measurement(.openCombine),
        byHand: measurement(.byHand)
      )
    }
    return Report(rounds: rounds, rows: rows)
  }

  private func check(_ report: Report) throws {
    let failures = Row.requiredSpeedups.flatMap { workload, speedup in
      report.rows.filter { $0.workload == workload }.flatMap { $0.failures(requiredSpeedup: speedup) }
    }
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

extension Workload: ExpressibleByArgument {}
