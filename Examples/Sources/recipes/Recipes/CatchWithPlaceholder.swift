import Combine
import Foundation

/// 9: in a pipeline of one request, `catch` replaces a failure by a placeholder.
struct CatchWithPlaceholder: Recipe {
  let number = 9
  let title = "catch in a one-shot pipeline"

  func user(at url: URL) -> some Publisher<User, Never> {
    URLSession.shared.dataTaskPublisher(for: url)
      .map(\.data)
      .decode(type: User.self, decoder: JSONDecoder())
      .catch { _ in Just(.nobody) }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let urls = [
      "a user": server.url("users/3"),
      "a malformed body": server.url("malformed"),
      "nobody listening": server.refusingAddress,
    ]
    for (name, url) in urls.sorted(by: { $0.key < $1.key }) {
      let request = user(at: url)
        .sink(
          receiveCompletion: { _ in timeline.log("\(name): finished") },
          receiveValue: { timeline.log("\(name): \($0.name)") }
        )
      try timeline.wait(for: "\(name): finished")
      request.cancel()
    }
    timeline.expect([
      "a malformed body: Nobody", "a malformed body: finished",
      "a user: Grace Hopper", "a user: finished",
      "nobody listening: Nobody", "nobody listening: finished",
    ])
  }
}

extension User {
  /// A placeholder for a user who could not be loaded.
  static let nobody = User(id: 0, name: "Nobody", language: "none")
}
