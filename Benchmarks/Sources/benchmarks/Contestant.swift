import BenchmarkSupport
import BenchmarksByHand
import BenchmarksOpenCombine
import BenchmarksOurs

/// Who does the workloads.
enum ContestantName: String, CaseIterable, Encodable {
  case ours, openCombine, byHand

  var contestant: any Contestant.Type {
    switch self {
    case .ours: BenchmarksOurs.Pipelines.self
    case .openCombine: BenchmarksOpenCombine.Pipelines.self
    case .byHand: ByHand.self
    }
  }
}
