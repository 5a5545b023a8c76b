import BenchmarkSupport
import Foundation

/// The number of instructions for an element, which is the same in each run, whatever else the machine does.
package struct InstructionCount: Codable, Equatable, Sendable {

  /// The number of all instructions.
  package let instructions: Double

  /// The number of instructions that lock the bus: atomic additions and exchanges, including those of reference counts.
  /// One takes as long as dozens of others.
  package let atomics: Double

  package init(instructions: Double, atomics: Double) {
    // Further digits differ slightly from run to run.
    self.instructions = (instructions * 10).rounded() / 10
    self.atomics = (atomics * 100).rounded() / 100
  }
}

/// The number of instructions that this package executes for an element of each workload.
package struct InstructionCounts: Codable, Sendable {

  /// The architecture. Counts of different architectures cannot be compared.
  package let architecture: String

  /// The counts by the name of the workload.
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

// MARK: Baseline

extension InstructionCounts {

  /// Reads the counts of a file.
  package init(contentsOf url: URL) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
  }

  /// Writes these counts into a file. The file's counts of other workloads remain.
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

// MARK: Ceilings

/// The changes of the workloads' instructions since they were recorded.
package struct InstructionComparison: Sendable {

  /// The fraction by which each count may grow.
  package static let tolerance = 0.2

  /// The broken promises.
  package var failures: [String] = []

  /// Remarks for the user.
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
    // A hundredth accounts for the start of a run.
    if !(count <= recorded * (1 + Self.tolerance) + 0.01) {
      failures.append("\(change), more than \(Int(Self.tolerance * 100)) % more")
    } else if count < recorded * (1 - Self.tolerance) - 0.01 {
      notes.append("\(change): put the progress on record with `benchmarks instructions --record`")
    }
  }
}
