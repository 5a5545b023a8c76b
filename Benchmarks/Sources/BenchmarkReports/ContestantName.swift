/// The libraries and programs that do the workloads.
package enum ContestantName: String, CaseIterable, Encodable, Sendable {
  case ours, openCombine, asyncAlgorithms, byHand

  /// The name in a table.
  package var title: String {
    switch self {
    case .ours: "ours"
    case .openCombine: "OpenCombine"
    case .asyncAlgorithms: "AsyncAlgorithms"
    case .byHand: "by hand"
    }
  }
}
