import Combine
import Foundation

/// 12: `tryCatch` switches to a second address on one particular error, and rethrows all others.
struct FallbackAddress: Recipe {
  let number = 12
  let title = "Fallback address"

  func body(of url: URL, fallback: URL) -> some Publisher<Data, any Error> {
    URLSession.shared.strictDataPublisher(for: url)
      .tryCatch { error in
        guard (error as? URLError)?.code == .cannotConnectToHost else { throw error }
        return URLSession.shared.strictDataPublisher(for: fallback)
      }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    // The first address refuses connections, so the second answers.
    let fallback = server.url("users/3?from=fallback")
    let switched = body(of: server.refusingAddress, fallback: fallback)
      .decode(type: User.self, decoder: JSONDecoder())
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.name)") })
    try timeline.wait(for: "finished")
    timeline.expect(["got Grace Hopper", "finished"])
    switched.cancel()

    // The first address answers with an error status, or is not a usable URL. Neither is a reason to use the second.
    let hits = server.hits("/users/3")
    for (url, error) in [
      (server.url("status/500"), "BadStatus(code: Optional(500))"),
      (URL(string: "gopher://127.0.0.1/")!, URLError(.unsupportedURL).summary),
    ] {
      let notSwitched = body(of: url, fallback: fallback)
        .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.count) bytes") })
      try timeline.wait(for: "failed: \(error)")
      timeline.expect(["failed: \(error)"])
      notSwitched.cancel()
    }
    timeline.expect("requests to the second address", server.hits("/users/3"), hits)
  }
}
