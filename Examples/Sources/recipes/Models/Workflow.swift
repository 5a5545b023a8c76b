import Combine
import Foundation

/// Work in steps: 1, then 2a, 2b and 2c in parallel, then 3, then 4. Each step is a request to the server.
final class Workflow: ObservableObject {

  static let steps = ["1", "2a", "2b", "2c", "3", "4"]

  enum Event: Equatable {
    case began(String)
    case done(String)
    case finished(String)
    case failed(URLError.Code)
    case cancelled
  }

  /// The state of a step that has begun.
  enum StepState: String {
    case running, done
  }

  /// The events of the steps.
  let progress = PassthroughSubject<Event, Never>()

  /// The state of each step.
  @Published private(set) var states: [String: StepState] = [:]

  /// The result of the last run.
  @Published private(set) var outcome = ""

  private let url: (String) -> URL
  private let stages: Stages
  private var run: AnyCancellable?

  /// - Parameters:
  ///   - url: A closure that returns the URL of a route of the server.
  ///   - stages: The stages that record the events of the steps.
  init(url: @escaping (String) -> URL, stages: Stages = .none) {
    self.url = url
    self.stages = stages

    progress
      .scan([:]) { states, event in
        switch event {
        case .began("1"): ["1": .running]  // A new run.
        case .began(let step): states.merging([step: .running]) { $1 }
        case .done(let step): states.merging([step: .done]) { $1 }
        case .cancelled, .failed: states.filter { $0.value == .done }
        case .finished: states
        }
      }
      .assign(to: &$states)

    progress
      .map { event in
        switch event {
        case .began, .done: ""
        case .finished, .failed, .cancelled: "\(event)"
        }
      }
      .removeDuplicates()
      .assign(to: &$outcome)
  }

  /// Starts from the first step, and cancels a run in progress.
  func start() {
    cancel()
    run = step("1")
      .flatMap { [step] _ in Publishers.Zip3(step("2a"), step("2b"), step("2c")) }
      .flatMap { [step] a, b, c in step("3").map { "\(a) + \(b) + \(c), then \($0)" } }
      .flatMap { [step] soFar in step("4").map { "\(soFar), then \($0)" } }
      .stage("result", in: stages)
      .map(Event.finished)
      .catch { Just(.failed($0.code)) }
      .handleEvents(receiveCancel: { [progress] in progress.send(.cancelled) })
      .sink { [progress] in progress.send($0) }
  }

  /// Cancels a run in progress.
  func cancel() {
    run?.cancel()
    run = nil
  }

  /// Requests a step from the server.
  private var step: (String) -> AnyPublisher<String, URLError> {
    { [url, stages, progress] name in
      URLSession.shared.dataTaskPublisher(for: url("steps/\(name)"))
        .map { data, _ in String(decoding: data, as: UTF8.self) }
        .receive(on: DispatchQueue.main)
        .handleEvents(
          receiveSubscription: { _ in progress.send(.began(name)) },
          receiveOutput: { _ in progress.send(.done(name)) }
        )
        .stage("step \(name)", in: stages)
        .eraseToAnyPublisher()
    }
  }
}

extension Workflow.Event: CustomStringConvertible {
  var description: String {
    switch self {
    case .began(let step): "step \(step) …"
    case .done(let step): "step \(step) done"
    case .finished(let result): "finished: \(result)"
    case .failed(let code): "failed: URLError \(code.rawValue)"
    case .cancelled: "cancelled"
    }
  }
}
