import Combine
import Foundation

/// 3: a request whose body is decoded from JSON.
struct JSONRequest: Recipe {
  let number = 3
  let title = "JSON request"

  func user(at url: URL) -> some Publisher<User, any Error> {
    URLSession.shared.dataTaskPublisher(for: url)
      .map(\.data)
      .decode(type: User.self, decoder: JSONDecoder())
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let request = user(at: server.url("users/1"))
      .sink(
        receiveCompletion: { timeline.log($0) },
        receiveValue: { timeline.log("user \($0.id) is \($0.name)") }
      )
    try timeline.wait(for: "finished")
    timeline.expect(["user 1 is Ada Lovelace", "finished"])
    request.cancel()

    // A malformed body causes a decoding failure.
    var failure: (any Error)?
    let malformed = user(at: server.url("malformed"))
      .receive(on: DispatchQueue.main)
      .sink(
        receiveCompletion: { completion in
          if case .failure(let error) = completion { failure = error }
          timeline.log(completion)
        },
        receiveValue: { timeline.log("user \($0.id) is \($0.name)") }
      )
    try timeline.wait(for: "the failure", until: failure != nil)
    timeline.expect(["failed: DecodingError"])
    timeline.expect("a decoding error", failure is DecodingError, got: failure as Any)
    malformed.cancel()
  }
}
