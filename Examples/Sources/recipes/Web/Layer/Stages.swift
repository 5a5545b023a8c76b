import Combine

/// Where the events go that pass named points of pipelines: a page draws them as marbles.
struct Stages: Sendable {

  struct Event: Encodable, Sendable {
    let name: String
    let kind: Kind
    var label: String?
  }

  enum Kind: String, Encodable, Sendable {
    case subscribed, value, finished, failed, cancelled
  }

  /// Called on whichever thread the event comes.
  let record: @Sendable (Event) -> Void

  /// Nobody looks.
  static let none = Stages { _ in }
}

extension Publisher {

  /// Names this point of the pipeline: what passes here is drawn beside the page.
  ///
  /// - Parameters:
  ///   - name: The row it is drawn in.
  ///   - stages: Where the events go.
  ///   - label: What is written on a value.
  func stage(
    _ name: String,
    in stages: Stages,
    label: @escaping (Output) -> String = { "\($0)" }
  ) -> some Publisher<Output, Failure> {
    handleEvents(
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
