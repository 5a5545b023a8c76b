import BenchmarkSupport

/// The throughput of one contestant with one sending thread and with two.
package struct JunctionRow: Encodable, Sendable {

  package let junction: Junction
  package let contestant: ContestantName

  /// The throughput in millions of values per second.
  package let alone: Double
  package let together: Double

  /// The median over all rounds of the throughput of both threads divided by that of one alone.
  package let togetherToAlone: Double

  /// Creates a row from the throughput in each round.
  package init(_ junction: Junction, _ contestant: ContestantName, alone: [Double], together: [Double]) {
    self.junction = junction
    self.contestant = contestant
    self.alone = alone.median
    self.together = together.median
    togetherToAlone = zip(together, alone).map { $0 / $1 }.median
  }

  static func table(of rows: [JunctionRow]) -> MarkdownTable {
    MarkdownTable(
      header: ["two threads", "of", "one alone, million/s", "both together, million/s", "together ÷ alone"],
      rows: rows.map { row in
        [
          row.junction.title, row.contestant.title, row.alone.decimal(2), row.together.decimal(2),
          row.togetherToAlone.decimal(2),
        ]
      },
      leading: 2
    )
  }
}

// MARK: Floors

extension JunctionRow {

  private static let partOfAlone = 0.4
  private static let speedup = 2.0

  /// The broken promises, empty if there are none.
  static func failures(of rows: [JunctionRow]) -> [Failure] {
    var failures: [Failure] = []
    for row in rows where row.contestant == .ours {
      if !(row.togetherToAlone >= partOfAlone) {
        let reached = "two threads do \(row.togetherToAlone.decimal(2)) of what one does alone, not \(partOfAlone)"
        failures.append(Failure(.junction(row.junction), reached))
      }
      if let peer = rows.first(where: { $0.contestant == .openCombine && $0.junction == row.junction }),
        !(row.together >= speedup * peer.together)
      {
        let reached = (row.together / peer.together).decimal(2)
        let reason = "\(reached) times as many values a second as OpenCombine, not \(speedup)"
        failures.append(Failure(.junction(row.junction), reason))
      }
    }
    return failures
  }
}
