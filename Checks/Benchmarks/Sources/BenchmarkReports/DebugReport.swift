import BenchmarkSupport

/// The numbers of a debug build, in which people develop and run their tests, beside those of OpenCombine's.
package struct DebugReport {

  package let rows: [WorkloadRow]

  package init(rows: [WorkloadRow]) {
    self.rows = rows
  }

  /// The workloads: those of Combine's own operators for which OpenCombine has a pipeline.
  package static var workloads: [Workload] {
    Workload.allCases.filter { $0.debugFloor != nil }
  }

  /// The number of elements in a run. A debug build is slower by a factor of ten or more.
  package static let elementsPerRun = 2_000

  package var markdown: String {
    let table = MarkdownTable(
      header: ["workload", "ours, ns", "OpenCombine, ns", "OpenCombine ÷ ours", "at least"],
      rows: rows.map { row in
        [
          row.workload.definition.title,
          (row.measurements[.ours]?.nanoseconds).decimal(0),
          (row.measurements[.openCombine]?.nanoseconds).decimal(0),
          row.speedup(over: .openCombine).decimal(2),
          row.workload.debugFloor.amount,
        ]
      }
    )
    return ([table.text] + [rows.meanSpeedup].compactMap { $0 }).joined(separator: "\n\n")
  }

  /// The broken promises, empty if there are none.
  package var failures: [Failure] {
    rows.compactMap { row in
      row.workload.debugFloor.flatMap { row.missedSpeedup(Workload.Floor.guarded * $0) }
        .map { Failure(.workload(row.workload), "in a debug build, \($0)") }
    }
  }
}

extension [WorkloadRow] {

  /// A sentence about the factor by which this package is faster, if OpenCombine was measured.
  var meanSpeedup: String? {
    let speedups = compactMap { $0.speedup(over: .openCombine) }
    return speedups.geometricMean.map {
      "Geometric mean of OpenCombine ÷ ours over \(speedups.count) rows: \($0.decimal(2))."
    }
  }
}
