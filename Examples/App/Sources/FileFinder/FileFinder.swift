import Combine
import Foundation

/// What the user has typed, and what was found for it.
@MainActor
public final class FileFinder: ObservableObject {

  public enum State: Equatable {
    case idle
    case searching
    case found([String])
    case failed(String)
  }

  /// The text that the user has typed.
  @Published public var text = ""

  @Published public private(set) var state = State.idle

  /// Creates a model that searches after a pause of the user. A new text cancels the search for an older one.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler of the pauses, on which results arrive: the main queue, and in tests a virtual clock.
  ///   - search: A closure that returns a publisher of the files for a text.
  public init(
    scheduler: some Scheduler,
    search: @escaping @MainActor (String) -> AnyPublisher<[String], any Error>
  ) {
    $text
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .debounce(for: .milliseconds(250), scheduler: scheduler)
      .removeDuplicates()
      .map { text -> AnyPublisher<State, Never> in
        if text.isEmpty { return Just(.idle).eraseToAnyPublisher() }
        return search(text)
          .receive(on: scheduler)  // In front of the closures, which belong to the main actor.
          .map { State.found($0) }
          .catch { Just(.failed("\($0)")) }
          .prepend(.searching)
          .eraseToAnyPublisher()
      }
      .switchToLatest()
      .assign(to: &$state)
  }
}
