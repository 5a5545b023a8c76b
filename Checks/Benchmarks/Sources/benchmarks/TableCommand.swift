import ArgumentParser
import BenchmarkReports
import BenchmarkSupport
import Foundation

struct TableCommand: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "table",
    abstract: "Times each workload for all contestants in turn, and counts allocations."
  )

  @Option(help: ArgumentHelp("Measures this row only; may be given more than once.", valueName: "name"))
  var only: [Part] = []

  @Option(help: ArgumentHelp("How often each workload is timed; the table shows the median.", valueName: "number"))
  var rounds = 21

  @Flag(help: "Prints JSON instead of tables.")
  var json = false

  @Flag(help: "Prints the names of the rows, and what an element is in each.")
  var list = false

  @Option(help: ArgumentHelp("Puts the tables into this file too, between its markers.", valueName: "file"))
  var into: String?

  @Flag(help: "Fails unless all that is promised is kept.")
  var check = false

  @OptionGroup var record: InstructionRecord

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
    Benchmarks.warnIfNotOptimised()
    try measuring {
      try AllocationCounter.verify()
      let report = try measure(parts)
      print(json ? try report.json() : report.markdown)
      fflush(nil)
      if let into { try MarkedFile(URL(filePath: into)).replace("tables", with: report.markdown) }
      if check { try check(report) }
    }
  }

  /// Measures all parts in each round, and for each part all contestants, so that all of them see the same conditions
  /// of the machine.
  private func measure(_ parts: [Part]) throws -> Report {
    var report = Report(rounds: rounds)
    report.workloads = try Lane.measure(parts.compactMap(\.workload), by: ContestantName.inMainTables, rounds: rounds) {
      $0.measurement()
    }
    if parts.contains(.crowds) { report.crowds = measureCrowds() }
    report.junctions = try measure(parts.compactMap(\.junction))
    if parts.contains(.senders) { report.senders = try measureSenders() }
    return report
  }

  private func measureCrowds() -> [CrowdRow] {
    var lanes = CrowdLane.counts.flatMap { count in
      ContestantName.inMainTables.compactMap { CrowdLane($0, count: count) }
    }
    // Each has three orders and takes long. A fourth of the rounds gives as many timings.
    for _ in 0..<(rounds + 3) / 4 {
      for index in lanes.indices { lanes[index].addRound() }
    }
    return lanes.map { $0.row() }
  }

  private func measureSenders() throws -> [SendersRow] {
    var lanes = ContestantName.inMainTables.compactMap { SendersLane($0) }
    // Each takes a hundred times as long as a timing of the others.
    for _ in 0..<(rounds + 3) / 4 {
      for index in lanes.indices { try lanes[index].addRound() }
    }
    return lanes.map(\.row)
  }

  private func measure(_ junctions: [Junction]) throws -> [JunctionRow] {
    var lanes = junctions.flatMap { junction in
      ContestantName.inMainTables.compactMap { JunctionLane(junction, $0) }
    }
    for _ in 0..<rounds {
      for index in lanes.indices { try lanes[index].addRound() }
    }
    return lanes.map(\.row)
  }

  /// The number of times that a slow row is measured again, because another program may have interfered.
  static let retries = 2

  private func check(_ report: Report) throws {
    var failures = report.failures
    for _ in 0..<Self.retries where !failures.isEmpty {
      let failed = Set(failures.map(\.part))
      failures = try measure(parts.filter(failed.contains)).failures
    }
    var messages = failures.map(\.description)

    let workloads = parts.compactMap(\.workload).filter(InstructionCounter.workloads.contains)
    messages += try record.compare(try InstructionCounts(of: workloads))

    for message in messages { Benchmarks.complain(message) }
    if !messages.isEmpty { throw ExitCode.brokenPromise }
  }
}
