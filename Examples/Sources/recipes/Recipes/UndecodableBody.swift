import Combine
import Foundation

/// 39: a malformed body. The failure describes what is wrong with it.
struct UndecodableBody: Recipe {
  let number = 39
  let title = "Bad input: body that does not decode"
  let kind = RecipeKind.badInput

  enum UserError: Error {
    case network(URLError)
    case undecodable(DecodingError)
    case other(any Error)
  }

  func user(at url: URL) -> some Publisher<User, UserError> {
    URLSession.shared.dataTaskPublisher(for: url)
      .map(\.data)
      .decode(type: User.self, decoder: JSONDecoder())
      .mapError { error in
        switch error {
        case let error as URLError: .network(error)
        case let error as DecodingError: .undecodable(error)
        default: .other(error)
        }
      }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    // The body breaks off, is empty, or is an array of names instead of a user.
    for path in ["malformed", "status/200", "search?name=ada"] {
      var hasEnded = false
      let request = user(at: server.url(path))
        .receive(on: DispatchQueue.main)
        .sink(
          receiveCompletion: { completion in
            switch completion {
            case .finished: timeline.log("\(path) finished")
            case .failure(.undecodable(.dataCorrupted)): timeline.log("\(path) is no JSON")
            case .failure(.undecodable(.typeMismatch)): timeline.log("\(path) is other JSON")
            case .failure(let error): timeline.log("\(path) failed: \(error)")
            }
            hasEnded = true
          },
          receiveValue: { timeline.log("\(path) is \($0.name)") }
        )
      try timeline.wait(for: "the end of \(path)", until: hasEnded)
      request.cancel()
    }
    timeline.expect(["malformed is no JSON", "status/200 is no JSON", "search?name=ada is other JSON"])
  }
}
