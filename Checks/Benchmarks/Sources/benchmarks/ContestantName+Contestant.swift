import BenchmarkReports
import BenchmarkSupport
import BenchmarksAsyncAlgorithms
import BenchmarksByHand
import BenchmarksOpenCombine
import BenchmarksOurs

extension ContestantName {

  var contestant: any Contestant.Type {
    switch self {
    case .ours: BenchmarksOurs.Pipelines.self
    case .composed: BenchmarksOurs.Compositions.self
    case .openCombine: BenchmarksOpenCombine.Pipelines.self
    case .asyncAlgorithms: AsyncSequences.self
    case .byHand: ByHand.self
    case .least: Least.self
    }
  }
}
