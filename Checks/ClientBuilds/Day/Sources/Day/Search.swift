import Foundation
import OpenCombineShim

struct Hit: Codable, Equatable {
  var title: String
  var rank: Int
}

enum SearchError: Error {
  case offline, malformed
}

/// Finds titles as the user types.
final class Search {

  let query = CurrentValueSubject<String, Never>("")
  let refresh = PassthroughSubject<Void, Never>()
  let titles: [String]

  init(titles: [String]) {
    self.titles = titles
  }

  func fetch(_ text: String) -> AnyPublisher<[Hit], SearchError> {
    let titles = titles
    return Deferred {
      Future<[String], SearchError> { promise in
        promise(text == "offline" ? .failure(.offline) : .success(titles.filter { $0.hasPrefix(text) }))
      }
    }
    .map { found in found.enumerated().map { Hit(title: $1, rank: $0) } }
    .eraseToAnyPublisher()
  }

  var hits: AnyPublisher<[Hit], Never> {
    query
      .removeDuplicates()
      .filter { $0.count > 1 }
      .map { [self] text in fetch(text).retry(1).replaceError(with: []) }
      .switchToLatest()
      .eraseToAnyPublisher()
  }

  var refreshed: AnyPublisher<Int, Never> {
    refresh
      .scan(0) { count, _ in count + 1 }
      .flatMap { [self] count in fetch("a").map { $0.count * count }.catch { _ in Just(-1) } }
      .eraseToAnyPublisher()
  }

  var decoded: AnyPublisher<[Hit], any Error> {
    query
      .map { Data("[{\"title\": \"\($0)\", \"rank\": 1}]".utf8) }
      .decode(type: [Hit].self, decoder: JSONDecoder())
      .tryMap { hits in
        guard let first = hits.first, !first.title.isEmpty else { throw SearchError.malformed }
        return hits
      }
      .eraseToAnyPublisher()
  }

  var encoded: AnyPublisher<String, any Error> {
    hits
      .setFailureType(to: (any Error).self)
      .encode(encoder: JSONEncoder())
      .map { String(decoding: $0, as: UTF8.self) }
      .eraseToAnyPublisher()
  }

  var summary: AnyPublisher<String, Never> {
    hits
      .map { $0.map(\.title).joined(separator: ", ") }
      .removeDuplicates()
      .handleEvents(receiveOutput: { print("found \($0)") })
      .eraseToAnyPublisher()
  }
}
