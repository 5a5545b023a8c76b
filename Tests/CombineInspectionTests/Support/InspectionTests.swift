import CombineInspection
import Testing

/// The record is one for the process, so tests that switch it on run one at a time. Tests that follow all pipelines run in
/// processes of their own, because they would find those of all other tests.
@Suite(.serialized) enum InspectionTests {}

/// Runs a closure while `inspect` stages are recorded.
func inspecting<Result>(_ options: Inspection.Options = .init(), _ body: () throws -> Result) rethrows -> Result {
  Inspection.start(options)
  defer { Inspection.stop() }
  return try body()
}

extension Timeline {

  /// The events of a stage without their details, as words.
  func words(_ name: String) -> [String] {
    let ids = Set(tracks.filter { $0.name == name }.map(\.id))
    return events.filter { ids.contains($0.track) }.map { event in
      switch event.kind {
      case .subscribed: "subscribed"
      case .requested(let count, _): "requested \(count.map(String.init) ?? "unlimited")"
      case .value(let text, _): "value \(text)"
      case .returned: "returned"
      case .finished: "finished"
      case .failed(let error): "failed \(error)"
      case .cancelled: "cancelled"
      case .released: "released"
      }
    }
  }
}
