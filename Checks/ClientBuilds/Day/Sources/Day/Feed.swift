import Foundation
import OpenCombineShim

struct Post: Hashable {
  var id: Int
  var author: String
}

/// Posts, page by page.
final class Feed {

  enum Failure: Error {
    case page(Int)
  }

  let pages = PassthroughSubject<Int, Failure>()
  let muted = CurrentValueSubject<Set<String>, Never>([])

  func load(_ page: Int) -> AnyPublisher<[Post], Failure> {
    page > 3
      ? Fail(error: .page(page)).eraseToAnyPublisher()
      : Just((0..<3).map { Post(id: page * 3 + $0, author: "author \($0)") })
        .setFailureType(to: Failure.self)
        .eraseToAnyPublisher()
  }

  var posts: AnyPublisher<[Post], Failure> {
    pages
      .removeDuplicates()
      .flatMap { [self] in load($0) }
      .scan([]) { $0 + $1 }
      .eraseToAnyPublisher()
  }

  var visible: AnyPublisher<[Post], Failure> {
    posts
      .map { [muted] posts in posts.filter { !muted.value.contains($0.author) } }
      .removeDuplicates()
      .eraseToAnyPublisher()
  }

  var authors: AnyPublisher<[String], Never> {
    posts
      .map { Array(Set($0.map(\.author))).sorted() }
      .replaceError(with: ["nobody"])
      .eraseToAnyPublisher()
  }

  var newest: AnyPublisher<Post, any Error> {
    posts
      .tryCompactMap { posts in
        guard posts.count < 100 else { throw Failure.page(100) }
        return posts.last
      }
      .eraseToAnyPublisher()
  }

  var counts: AnyPublisher<Int, Never> {
    posts
      .map(\.count)
      .catch { _ in [0, 0].publisher }
      .prefix(5)
      .reduce(0, +)
      .eraseToAnyPublisher()
  }

  var failures: AnyPublisher<String, Never> {
    posts
      .compactMap { _ -> String? in nil }
      .catch { failure in Just("\(failure)") }
      .eraseToAnyPublisher()
  }
}
