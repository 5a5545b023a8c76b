import ArgumentParser
import BenchmarkReports
import BenchmarkSupport
import Foundation

struct InstructionsCommand: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "instructions",
    abstract: "Counts the instructions of each workload that one thread does, and compares them with those on record."
  )

  @Option(help: ArgumentHelp("Counts this workload only; may be given more than once.", valueName: "name"))
  var only: [Workload] = []

  @Flag(help: "Puts the counts on record instead of comparing them.")
  var record = false

  @Flag(help: "Counts those of OpenCombine and of the plain loops too.")
  var all = false

  @OptionGroup var onRecord: InstructionRecord

  func run() throws {
    Benchmarks.warnIfNotOptimised()
    let workloads = InstructionCounter.workloads.filter { only.isEmpty || only.contains($0) }
    // Tasks run on separate threads, so their counts differ from run to run.
    let contestants = all ? ContestantName.inMainTables.filter { $0 != .asyncAlgorithms } : [.ours]
    try measuring {
      let counted = try InstructionCounter.count(workloads, contestants)
      let table = MarkdownTable(
        header: ["instructions per element"] + contestants.map(\.title) + contestants.map { "atomic, \($0.title)" },
        rows: workloads.map { workload in
          let counts = contestants.map { counted[$0]?[workload] }
          return [workload.rawValue] + counts.map { ($0?.instructions).decimal(1) }
            + counts.map { ($0?.atomics).decimal(2) }
        }
      )
      print(table.text)
      fflush(nil)
      let counts = InstructionCounts(counted[.ours] ?? [:])
      if record {
        try counts.record(in: onRecord.url)
      } else {
        let messages = try onRecord.compare(counts)
        for message in messages { Benchmarks.complain(message) }
        if !messages.isEmpty { throw ExitCode.brokenPromise }
      }
    }
  }
}

/// The options for the file with the recorded instructions.
struct InstructionRecord: ParsableArguments {

  @Option(help: ArgumentHelp("The file with the instructions on record.", valueName: "file"))
  var baseline = Benchmarks.folder.appending(path: "Instructions.json").path

  var url: URL { URL(filePath: baseline) }

  /// Returns the broken promises, and prints remarks for the user.
  func compare(_ counts: InstructionCounts) throws -> [String] {
    let comparison = InstructionComparison(counts, onRecord: try InstructionCounts(contentsOf: url))
    for note in comparison.notes { Benchmarks.complain(note) }
    return comparison.failures
  }
}

extension InstructionCounts {

  init(_ counted: [Workload: InstructionCount]) {
    self.init(perElement: Dictionary(uniqueKeysWithValues: counted.map { ($0.rawValue, $1) }))
  }

  /// Counts the instructions of this package.
  init(of workloads: [Workload]) throws {
    self.init(workloads.isEmpty ? [:] : try InstructionCounter.count(workloads, [.ours])[.ours] ?? [:])
  }
}

/// The command that runs under callgrind.
struct CountCommand: ParsableCommand {

  static let configuration = CommandConfiguration(commandName: "count", shouldDisplay: false)

  @Argument var workloads: [Workload] = []

  @Option var contestant: [ContestantName] = []

  func run() {
    InstructionCounter.work(workloads, contestant)
  }
}
