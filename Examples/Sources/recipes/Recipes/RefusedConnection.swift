import Combine
import Foundation

/// 38: a refused connection. Each subscriber receives the `URLError` immediately, and no value.
struct RefusedConnection: Recipe {
  let number = 38
  let title = "Bad input: refused connection"
  let kind = RecipeKind.badInput

  func run(_ timeline: Timeline, _ server: Server) throws {
    let request = URLSession.shared.dataTaskPublisher(for: server.refusingAddress)
    let failed = "failed: \(URLError(.cannotConnectToHost).summary)"

    // The failure type of a request is URLError, so its code needs no cast.
    let first = request.sink(
      receiveCompletion: { completion in
        switch completion {
        case .finished: timeline.log("finished")
        case .failure(let error): timeline.log("failed: URLError \(error.code.rawValue)")
        }
      },
      receiveValue: { timeline.log("answered \($0.data.count) bytes") }
    )
    try timeline.wait(for: failed)
    timeline.expect([failed])

    // Two requests at the same time. The failure of one ends both.
    let pair = request.zip(URLSession.shared.dataTaskPublisher(for: server.url("slow/100")))
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { _ in timeline.log("both answered") })
    try timeline.wait(for: failed)
    timeline.pause(.milliseconds(150))
    timeline.expect([failed])

    first.cancel()
    pair.cancel()
  }
}
