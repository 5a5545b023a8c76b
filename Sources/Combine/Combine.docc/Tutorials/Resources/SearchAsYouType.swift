import Combine
import Foundation

/// 13: a text field asks the server while its user types. It does not ask for each letter, and never shows a stale
/// answer.
struct SearchAsYouType: Recipe {
  let number = 13
  let title = "Search as you type"

  /// The model of a search field and the list below it.
  final class SearchModel {

    /// The text that the user has typed.
    @Published var text = ""

    /// The names that start with the text.
    @Published private(set) var names: [String] = []

    /// - Parameters:
    ///   - pace: A closure that reduces the texts, by `throttle` or `debounce`.
    ///   - search: A closure that asks the server.
    init(
      pace: (Published<String>.Publisher) -> AnyPublisher<String, Never>,
      search: @escaping (String) -> AnyPublisher<[String], Never>
    ) {
      pace($text)
        .removeDuplicates()
        .map { text in text.isEmpty ? Just([]).eraseToAnyPublisher() : search(text) }
        .switchToLatest()
        .receive(on: DispatchQueue.main)
        .assign(to: &$names)
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    timeline.log("debounce asks when the user pauses")
    timeline.expect(["debounce asks when the user pauses"])
    try type(timeline, server) {
      $0.debounce(for: .milliseconds(40), scheduler: RunLoop.main).eraseToAnyPublisher()
    }

    timeline.log("throttle asks now and then while the user types")
    timeline.expect(["throttle asks now and then while the user types"])
    try type(timeline, server) {
      $0.throttle(for: .milliseconds(40), scheduler: RunLoop.main, latest: true).eraseToAnyPublisher()
    }
  }

  /// Types as a person would, and checks the requests and the shown names.
  private func type(
    _ timeline: Timeline,
    _ server: Server,
    pace: (Published<String>.Publisher) -> AnyPublisher<String, Never>
  ) throws {
    let model = SearchModel(pace: pace) { text in
      timeline.log("search \(text)")
      return URLSession.shared.dataTaskPublisher(for: server.url("search?name=\(text)"))
        .map(\.data)
        .decode(type: [String].self, decoder: JSONDecoder())
        .replaceError(with: [])
        .eraseToAnyPublisher()
    }
    let view = model.$names.removeDuplicates().sink { timeline.log("shown \($0)") }
    func enter(_ text: String) {
      timeline.log("typed \(text)")
      model.text = text
    }
    timeline.pause(.milliseconds(100))

    // Three letters in quick succession cause one request.
    enter("g")
    enter("gr")
    enter("gra")
    try timeline.wait(for: "shown [\"Grace Hopper\"]")

    // The answer for one letter is slow. Before it arrives, a second letter is typed, whose answer is fast.
    let requests = server.hits("/search")
    enter("a")
    try timeline.wait(for: "the slow request", until: server.hits("/search") == requests + 1)
    enter("ad")
    try timeline.wait(for: "shown [\"Ada Lovelace\", \"Adele Goldberg\"]")

    // A letter and its deletion in quick succession change nothing, so there is no request.
    enter("ade")
    enter("ad")

    // By the end the late answer has arrived, and has not been shown.
    try timeline.wait(for: "the late answer", until: server.answers("/search") == requests + 2)
    timeline.pause(.milliseconds(60))
    timeline.expect([
      "shown []",
      "typed g", "typed gr", "typed gra",
      "search gra", "shown [\"Grace Hopper\"]",
      "typed a", "search a",
      "typed ad", "search ad", "shown [\"Ada Lovelace\", \"Adele Goldberg\"]",
      "typed ade", "typed ad",
    ])
    view.cancel()
  }
}
