import BenchmarkSupport
import Foundation

/// The numbers of one workload, side by side.
struct Row: Encodable {

  let workload: Workload
  let ours: Measurement
  let openCombine: Measurement
  let byHand: Measurement

  /// How many times as fast as OpenCombine this package is.
  var speedup: Double { openCombine.nanoseconds / ours.nanoseconds }

  /// How many times as long as the plain loop this package takes.
  var overhead: Double { ours.nanoseconds / byHand.nanoseconds }

  private enum CodingKeys: CodingKey {
    case name, title, element, elementsPerRun, ours, openCombine, byHand, openCombineToOurs, oursToByHand
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(workload.rawValue, forKey: .name)
    try container.encode(workload.title, forKey: .title)
    try container.encode(workload.element, forKey: .element)
    try container.encode(workload.elementsPerRun, forKey: .elementsPerRun)
    try container.encode(ours, forKey: .ours)
    try container.encode(openCombine, forKey: .openCombine)
    try container.encode(byHand, forKey: .byHand)
    try container.encode(speedup, forKey: .openCombineToOurs)
    try container.encode(overhead, forKey: .oursToByHand)
  }
}

/// All rows, to be printed.
struct Report: Encodable {

  let rounds: Int
  let rows: [Row]

  /// A table in Markdown, its columns aligned.
  var markdown: String {
    let header = [
      "workload", "ours, ns", "OpenCombine, ns", "by hand, ns", "OpenCombine ÷ ours", "ours ÷ by hand",
      "allocations per element, ours", "OpenCombine’s", "allocations per subscription, ours", "OpenCombine’s",
    ]
    let lines = rows.map { row in
      [
        row.workload.title,
        decimal(row.ours.nanoseconds, digits: 2),
        decimal(row.openCombine.nanoseconds, digits: 2),
        decimal(row.byHand.nanoseconds, digits: 2),
        decimal(row.speedup, digits: 1),
        decimal(row.overhead, digits: 1),
        amount(row.ours.allocationsPerElement),
        amount(row.openCombine.allocationsPerElement),
        amount(row.ours.allocationsPerSubscription),
        amount(row.openCombine.allocationsPerSubscription),
      ]
    }
    let widths = header.indices.map { column in ([header] + lines).map(\.[column].count).max() ?? 0 }
    let rule = widths.enumerated().map { column, width in
      column == 0 ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
    }
    return ([header, rule] + lines).map { cells in
      let padded = cells.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + padding : padding + cell
      }
      return "| " + padded.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }

  /// The same as JSON.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  private func decimal(_ number: Double, digits: Int) -> String {
    String(format: "%.\(digits)f", number)
  }

  private func amount(_ number: Double?) -> String {
    guard let number else { return "–" }
    return number == number.rounded() ? decimal(number, digits: 0) : String(format: "%.3g", number)
  }
}

// MARK: The least that is asked for

extension Row {

  /// How many times as fast as OpenCombine a workload must be, for those that must.
  static let requiredSpeedups: KeyValuePairs<Workload, Double> = [.sequenceMapFilterSink: 15, .subjectMapSink: 2.5]

  /// What is asked for and not reached; empty if all is well.
  func failures(requiredSpeedup: Double) -> [String] {
    var failures: [String] = []
    if speedup < requiredSpeedup {
      let reached = String(format: "%.2f", speedup)
      failures.append("\(workload.rawValue): \(reached) times as fast as OpenCombine, not \(requiredSpeedup)")
    }
    switch ours.allocationsPerElement {
    case 0: break
    case let number?: failures.append("\(workload.rawValue): \(number) allocations per element, not 0")
    case nil: failures.append("\(workload.rawValue): allocations cannot be counted on this platform")
    }
    return failures
  }
}
