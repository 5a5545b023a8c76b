import Combine
import CombineExtras
import Foundation

/// 32: a search with an async function. A newer text cancels the task of the older one, or waits for it.
///
/// `asyncMapLatest` makes the search in which the latest text wins. `asyncMap` makes the one that has at most one request
/// in progress: a published property keeps the latest text until the answer has arrived.
struct LatestSearchWins: Recipe {
  let number = 32
  let title = "Latest search wins, with async functions"

  /// The model of a search field and the list below it.
  final class SearchModel {

    /// The text that the user has typed.
    @Published var text = ""

    /// The names that start with the text.
    @Published private(set) var names: [String] = []

    /// - Parameter search: A closure that makes the answers from the texts.
    init(search: (Publishers.Drop<Published<String>.Publisher>) -> some Publisher<[String], Never>) {
      search($text.dropFirst())
        .receive(on: DispatchQueue.main)
        .assign(to: &$names)
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let search = { @Sendable (text: String) async -> [String] in
      timeline.log("search \(text)")
      do {
        let (data, _) = try await URLSession.shared.data(from: server.url("search?name=\(text)"))
        return try JSONDecoder().decode([String].self, from: data)
      } catch {
        timeline.log("search \(text): \(error.summary)")
        return []
      }
    }

    try latestWins(timeline, server, search)
    try oneAtATime(timeline, server, search)
  }

  private func latestWins(
    _ timeline: Timeline,
    _ server: Server,
    _ search: @escaping @Sendable (String) async -> [String]
  ) throws {
    let model = SearchModel { texts in texts.asyncMapLatest { await search($0) } }
    let view = model.$names.dropFirst().sink { timeline.log("shown \($0)") }

    // The answer for one letter is slow. Before it arrives, a second letter is typed. Its task replaces the first one,
    // and the cancellation reaches the request.
    let requests = server.hits("/search")
    model.text = "a"
    try timeline.wait(for: "the slow request", until: server.hits("/search") == requests + 1)
    model.text = "ad"
    try timeline.wait(for: "shown [\"Ada Lovelace\", \"Adele Goldberg\"]")

    // By the end the late answer would have arrived.
    try timeline.wait(for: "the late answer", until: server.answers("/search") == requests + 2)
    timeline.pause(.milliseconds(60))
    timeline.expect(inAnyOrder: [
      "search a",
      "search a: \(URLError(.cancelled).summary)",
      "search ad",
      "shown [\"Ada Lovelace\", \"Adele Goldberg\"]",
    ])
    view.cancel()
  }

  private func oneAtATime(
    _ timeline: Timeline,
    _ server: Server,
    _ search: @escaping @Sendable (String) async -> [String]
  ) throws {
    let model = SearchModel { texts in texts.asyncMap { await search($0) } }
    let view = model.$names.dropFirst().sink { timeline.log("shown \($0)") }

    // The text changes twice during the slow request. After its answer, only the latest text is searched for.
    let requests = server.hits("/search")
    model.text = "a"
    try timeline.wait(for: "the slow request", until: server.hits("/search") == requests + 1)
    model.text = "ad"
    model.text = "ade"
    try timeline.wait(for: "shown [\"Adele Goldberg\"]")
    timeline.expect(inAnyOrder: [
      "search a", "shown [\"Ada Lovelace\", \"Adele Goldberg\"]",
      "search ade", "shown [\"Adele Goldberg\"]",
    ])
    timeline.expect("requests", server.hits("/search"), requests + 2)
    view.cancel()
  }
}
