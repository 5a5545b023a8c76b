import BenchmarkSupport

/// The rows that do not reach what was asked of them, beside the least that each takes.
package struct LimitsReport {

  package let rows: [WorkloadRow]

  package init(rows: [WorkloadRow]) {
    self.rows = rows
  }

  /// What was asked of a row.
  package enum Goal: Sendable {

    /// A factor by which this package is faster than OpenCombine.
    case openCombine(Double)

    /// The nanoseconds of an element.
    case nanoseconds(Double)
  }

  /// Each row, and what was asked of it.
  package static let goals: KeyValuePairs<Workload, Goal> = [
    .tenErasures: .openCombine(8),
    .subscribeToSubject: .openCombine(6),
    .subscribeCrowd: .openCombine(4),
    .future: .openCombine(10),
    .tryMapCatch: .openCombine(6),
    .receiveOnBacklog: .openCombine(4),
    .values: .nanoseconds(100),
  ]

  package static var workloads: [Workload] { goals.map(\.key) }

  package static let contestants: [ContestantName] = [.ours, .openCombine, .least]

  package var markdown: String {
    let goals = Dictionary(uniqueKeysWithValues: Self.goals.map { ($0, $1) })
    return MarkdownTable(
      header: ["workload"] + Self.contestants.map { "\($0.title), ns" } + ["asked, ns", "the least reaches it"],
      rows: rows.map { row in
        let least = row.measurements[.least]?.nanoseconds
        let asked = goals[row.workload].flatMap { row.nanoseconds(of: $0) }
        var isReachable = "–"
        if let least, let asked { isReachable = least <= asked ? "yes" : "no" }
        return [row.workload.definition.title]
          + Self.contestants.map { (row.measurements[$0]?.nanoseconds).decimal(1) }
          + [asked.decimal(1), isReachable]
      }
    ).text
  }
}

extension WorkloadRow {

  /// Returns the nanoseconds of an element at a goal, or `nil` if OpenCombine was not measured.
  func nanoseconds(of goal: LimitsReport.Goal) -> Double? {
    switch goal {
    case .openCombine(let factor): (measurements[.openCombine]?.nanoseconds).map { $0 / factor }
    case .nanoseconds(let nanoseconds): nanoseconds
    }
  }
}
