import Combine
import Foundation

/// The model of a search field and the list below it.
final class SearchModel {

  /// The text that the user has typed.
  @Published var text = ""

  /// The names that start with the text.
  @Published private(set) var names: [String] = []

  /// - Parameter search: A closure that asks the server.
  init(search: @escaping (String) -> AnyPublisher<[String], Never>) {
    $text
      .debounce(for: .milliseconds(300), scheduler: RunLoop.main)
      .removeDuplicates()
      .map { text in text.isEmpty ? Just([]).eraseToAnyPublisher() : search(text) }
      .switchToLatest()
      .assign(to: &$names)
  }
}
