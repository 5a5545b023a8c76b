import Combine
import Foundation

/// 4: an HTTP status is not a failure of the request. `tryMap` makes it one.
struct StrictRequest: Recipe {
  let number = 4
  let title = "Strict request"

  func run(_ timeline: Timeline, _ server: Server) throws {
    for path in ["users/1", "users/999", "status/500", "status/204"] {
      var hasEnded = false
      let request = URLSession.shared.strictDataPublisher(for: server.url(path))
        .receive(on: DispatchQueue.main)
        .sink(
          receiveCompletion: { completion in
            switch completion {
            case .finished: timeline.log("\(path) finished")
            case .failure(let error as BadStatus): timeline.log("\(path) refused: status \(error.code ?? 0)")
            case .failure(let error): timeline.log("\(path) failed: \(error)")
            }
            hasEnded = true
          },
          receiveValue: { data in timeline.log("\(path) answered\(data.isEmpty ? " nothing" : "")") }
        )
      try timeline.wait(for: "the end of \(path)", until: hasEnded)
      request.cancel()
    }
    timeline.expect([
      "users/1 answered", "users/1 finished",
      "users/999 refused: status 404",
      "status/500 refused: status 500",
      "status/204 refused: status 204",
    ])
  }
}

/// The server answered, but not with status 200.
struct BadStatus: Error {
  let code: Int?
}

extension URLSession {

  /// Requests a URL. Any status but 200 is a failure.
  func strictDataPublisher(for url: URL) -> some Publisher<Data, any Error> {
    dataTaskPublisher(for: url)
      .tryMap { data, response in
        let status = (response as? HTTPURLResponse)?.statusCode
        guard status == 200 else { throw BadStatus(code: status) }
        return data
      }
  }
}
