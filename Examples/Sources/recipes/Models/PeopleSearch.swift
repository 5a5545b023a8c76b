import Combine
import Foundation

/// A search field and the properties that depend on it: the people found, their number, and the first one's portrait.
final class PeopleSearch: ObservableObject {

  /// The text that the user has typed.
  @Published var text = ""

  /// Whether the server is told to fail.
  @Published var isServerFailing = false

  @Published private(set) var people: [Person] = []
  @Published private(set) var count = ""
  @Published private(set) var portrait: Data?
  @Published private(set) var message = ""

  /// Whether a request is in progress.
  @Published private(set) var isBusy = false

  /// The result for a text.
  private enum Answer: Equatable {
    case notAsked(reason: String)
    case people([Person])
    case failed(Directory.Failure)
  }

  init(directory: Directory, stages: Stages = .none) {
    let requests = Activity()
    requests.$isBusy.assign(to: &$isBusy)

    // After a pause of the user, the server is asked. Its answer counts unless there is a newer text to search for.
    let answers =
      $text
      .stage("typed", in: stages)
      .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      .debounce(for: .milliseconds(250), scheduler: DispatchQueue.main)
      .combineLatest($isServerFailing)
      .removeDuplicates(by: ==)
      .stage("asked", in: stages) { $0.0 }
      .map { text, isFailing -> AnyPublisher<Answer, Never> in
        if text.isEmpty { return Just(.notAsked(reason: "")).eraseToAnyPublisher() }
        if text.count > 60 { return Just(.notAsked(reason: "No name is that long.")).eraseToAnyPublisher() }
        return directory.people(named: text, failing: isFailing)
          .stage("request", in: stages) { "\($0.count)" }
          .tracked(by: requests)
          .map(Answer.people)
          .catch { Just(.failed($0)) }
          .eraseToAnyPublisher()
      }
      .switchToLatest()
      .share()

    answers
      .map { if case .people(let people) = $0 { people } else { [] } }
      .stage("people", in: stages) { $0.map(\.name).joined(separator: ", ") }
      .assign(to: &$people)

    answers
      .map { answer in
        switch answer {
        case .notAsked(let reason): reason
        case .people(let people): people.isEmpty ? "No matches." : ""
        case .failed(let failure): "The directory does not answer: \(failure)."
        }
      }
      .assign(to: &$message)

    // Two more pipelines depend on the people. If nobody is found, they clear their results.
    $people
      .map { $0.isEmpty ? "" : $0.count == 1 ? "1 person" : "\($0.count) people" }
      .removeDuplicates()
      .stage("count", in: stages)
      .assign(to: &$count)

    $people
      .map(\.first)
      .removeDuplicates()
      .map { person -> AnyPublisher<Data?, Never> in
        guard let person else { return Just(nil).eraseToAnyPublisher() }
        return directory.portrait(of: person)
          .tracked(by: requests)
          .map(Optional.some)
          .replaceError(with: nil)
          .eraseToAnyPublisher()
      }
      .switchToLatest()
      .stage("portrait", in: stages) { $0.map { "\($0.count) bytes" } ?? "none" }
      .assign(to: &$portrait)
  }
}
