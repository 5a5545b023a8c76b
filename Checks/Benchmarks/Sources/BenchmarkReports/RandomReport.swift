import BenchmarkSupport

/// The speed of pipelines that were made at random, beside OpenCombine's.
package struct RandomReport {

  /// One pipeline, and how long an element of its source takes.
  package struct Row: Sendable {

    package enum Outcome: Sendable {
      case measured(ours: Double, openCombine: Double)

      /// The libraries publish different values.
      case different
      case ended(ContestantName, String)
    }

    package let number: Int
    package let assembly: Assembly
    package let outcome: Outcome

    package init(number: Int, assembly: Assembly, outcome: Outcome) {
      self.number = number
      self.assembly = assembly
      self.outcome = outcome
    }

    package var speedup: Double? {
      guard case .measured(let ours, let openCombine) = outcome else { return nil }
      return openCombine / ours
    }

    /// Whether most of its time is that of a queue, which is the same for both libraries.
    package var waitsForQueue: Bool { assembly.isConcurrent }
  }

  package let rows: [Row]

  /// The least that a row may be faster by.
  package let floor: Double

  /// How many of the slowest rows the table has.
  private let shown: Int

  package init(rows: [Row], floor: Double, shown: Int = 10) {
    self.rows = rows
    self.floor = floor
    self.shown = shown
  }

  package var slow: [Row] { rows.filter { !$0.waitsForQueue && ($0.speedup ?? .infinity) < floor } }

  private var slowest: [Row] {
    Array(rows.filter { $0.speedup != nil }.sorted { $0.speedup! < $1.speedup! }.prefix(shown))
  }

  package var markdown: String {
    let speedups = rows.compactMap(\.speedup)
    let table = MarkdownTable(
      header: ["number", "ours, ns", "OpenCombine, ns", "OpenCombine ÷ ours", "pipeline"],
      rows: slowest.map { row in
        guard case .measured(let ours, let openCombine) = row.outcome else { return [] }
        let title = row.assembly.description + (row.waitsForQueue ? " (a queue's time)" : "")
        return [String(row.number), ours.decimal(0), openCombine.decimal(0), row.speedup.decimal(2), title]
      },
      leading: 0
    )
    let queues = rows.filter { $0.waitsForQueue && ($0.speedup ?? .infinity) < floor }.map { String($0.number) }
    var others: [String: [String]] = [:]
    for row in rows {
      switch row.outcome {
      case .measured: break
      case .different: others["publish other values", default: []].append(String(row.number))
      case .ended(let contestant, let how):
        others["\(how) in \(contestant.title)", default: []].append(String(row.number))
      }
    }
    return
      ([
        table.text,
        "Geometric mean of OpenCombine ÷ ours over \(speedups.count) rows: \(speedups.geometricMean.decimal(2)). "
          + "Below \(floor): \(slow.count), and \(queues.count) in which a queue takes the time.",
      ]
      + others.sorted { $0.key < $1.key }.map {
        "Not compared, as they \($0.key): \($0.value.count) (\($0.value.joined(separator: ", ")))."
      })
      .joined(separator: "\n\n")
  }

  /// The broken promises, empty if there are none.
  package var failures: [String] {
    slow.map { "\($0.number): \($0.assembly) is \($0.speedup.decimal(2)) times as fast as OpenCombine, not \(floor)" }
      + rows.compactMap { row in
        guard case .ended(.ours, let how) = row.outcome else { return nil }
        return "\(row.number): \(row.assembly) \(how)"
      }
  }
}
