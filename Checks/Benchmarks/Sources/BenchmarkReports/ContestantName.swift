/// The libraries and programs that do the workloads.
package enum ContestantName: String, CaseIterable, Encodable, Sendable {
  case ours, composed, openCombine, asyncAlgorithms, byHand, least

  /// All but the least, which has a table of its own.
  package static let inMainTables: [ContestantName] = [.ours, .composed, .openCombine, .asyncAlgorithms, .byHand]

  /// The name in a table.
  package var title: String {
    switch self {
    case .ours: "ours"
    case .composed: "composed"
    case .openCombine: "OpenCombine"
    case .asyncAlgorithms: "AsyncAlgorithms"
    case .byHand: "by hand"
    case .least: "the least"
    }
  }
}
