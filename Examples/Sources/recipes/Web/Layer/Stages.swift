import Combine
import CombineInspection

/// A recorder of the events at named points of pipelines, which a page draws as marbles.
struct Stages: Sendable {

  struct Event: Encodable, Sendable {
    let name: String
    let kind: Kind
    var label: String?
  }

  enum Kind: String, Encodable, Sendable {
    case subscribed, value, finished, failed, cancelled
  }

  /// A closure that is called with each event, on the thread of the event.
  let record: @Sendable (Event) -> Void

  /// A recorder that ignores all events.
  static let none = Stages { _ in }
}

extension Publisher {

  /// Names this point of the pipeline. Its events are drawn next to the page, and on the page *Inspector*.
  ///
  /// - Parameters:
  ///   - name: The row in which the events are drawn.
  ///   - stages: The recorder of the events.
  ///   - label: A closure that returns the text for a value.
  ///   - filePath: Where the point is.
  ///   - line: Where the point is.
  func stage(
    _ name: String,
    in stages: Stages,
    label: @escaping @Sendable (Output) -> String = { "\($0)" },
    filePath: StaticString = #filePath,
    line: UInt = #line
  ) -> some Publisher<Output, Failure> {
    inspect(name, describing: label, filePath: filePath, line: line).handleEvents(
      receiveSubscription: { _ in stages.record(Stages.Event(name: name, kind: .subscribed)) },
      receiveOutput: { stages.record(Stages.Event(name: name, kind: .value, label: String(label($0).prefix(60)))) },
      receiveCompletion: { completion in
        switch completion {
        case .finished: stages.record(Stages.Event(name: name, kind: .finished))
        case .failure(let error): stages.record(Stages.Event(name: name, kind: .failed, label: "\(error)"))
        }
      },
      receiveCancel: { stages.record(Stages.Event(name: name, kind: .cancelled)) }
    )
  }
}
