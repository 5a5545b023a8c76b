import BenchmarkSupport
import Foundation

/// How many instructions are executed for an element: as many in each run, whatever else the machine does.
package struct InstructionCount: Codable, Equatable, Sendable {

  /// All of them.
  package let instructions: Double

  /// Those that lock the bus: atomic additions and exchanges, of reference counts too. One takes as long as dozens of
  /// others.
  package let atomics: Double

  package init(instructions: Double, atomics: Double) {
    // What is behind the point differs a little from run to run.
    self.instructions = (instructions * 10).rounded() / 10
    self.atomics = (atomics * 100).rounded() / 100
  }
}

/// How many instructions this package executes for an element of each workload.
package struct InstructionCounts: Codable, Sendable {

  /// Counts of different architectures cannot be compared.
  package let architecture: String

  /// By the name of the workload.
  package let perElement: [String: InstructionCount]

  package init(architecture: String = Self.architectureHere, perElement: [String: InstructionCount]) {
    self.architecture = architecture
    self.perElement = perElement
  }

  package static var architectureHere: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "other"
    #endif
  }
}

// MARK: On record

extension InstructionCounts {

  /// What is on record in a file.
  package init(contentsOf url: URL) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
  }

  /// Puts these on record; what the file says of other workloads stays.
  package func record(in url: URL) throws {
    var merged = perElement
    if let old = try? Self(contentsOf: url), old.architecture == architecture {
      merged = old.perElement.merging(perElement) { _, new in new }
      merged = merged.filter { name, _ in Workload(rawValue: name) != nil }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let data = try encoder.encode(Self(architecture: architecture, perElement: merged))
    try (data + Data("\n".utf8)).write(to: url)
  }
}

// MARK: The most that is allowed

/// What became of the workloads since their instructions were put on record.
package struct InstructionComparison: Sendable {

  /// The part by which each count may grow.
  package static let tolerance = 0.2

  /// What is not allowed.
  package var failures: [String] = []

  /// What somebody should know.
  package var notes: [String] = []

  package init(_ counts: InstructionCounts, onRecord record: InstructionCounts) {
    guard counts.architecture == record.architecture else {
      notes.append(
        "instructions are on record for \(record.architecture), not for \(counts.architecture): not compared"
      )
      return
    }
    for (name, count) in counts.perElement.sorted(by: { $0.key < $1.key }) {
      guard let recorded = record.perElement[name] else {
        failures.append("\(name): no count of instructions on record; `benchmarks instructions --record` makes one")
        continue
      }
      compare(name, "instructions", count.instructions, onRecord: recorded.instructions)
      compare(name, "atomic instructions", count.atomics, onRecord: recorded.atomics)
    }
  }

  private mutating func compare(_ name: String, _ what: String, _ count: Double, onRecord recorded: Double) {
    let change = "\(name): \(count.decimal(2)) \(what) for an element, \(recorded.decimal(2)) on record"
    // A hundredth is what may be seen of a run's beginning.
    if !(count <= recorded * (1 + Self.tolerance) + 0.01) {
      failures.append("\(change), more than \(Int(Self.tolerance * 100)) % more")
    } else if count < recorded * (1 - Self.tolerance) - 0.01 {
      notes.append("\(change): put the progress on record with `benchmarks instructions --record`")
    }
  }
}
