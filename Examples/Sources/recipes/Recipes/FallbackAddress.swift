import Combine
import Foundation

/// 12: `tryCatch` switches to a second address on one particular error, and passes any other on.
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
    // Nobody listens at the first address: the second answers.
    let fallback = server.url("users/3?from=fallback")
    let switched = body(of: server.refusingAddress, fallback: fallback)
      .decode(type: User.self, decoder: JSONDecoder())
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.name)") })
    try timeline.wait(for: "finished")
    timeline.expect(["got Grace Hopper", "finished"])
    switched.cancel()

    // The first address answers, if not well: that is no reason to ask the second.
    let hits = server.hits("/users/3")
    let failed = "failed: BadStatus(code: Optional(500))"
    let notSwitched = body(of: server.url("status/500"), fallback: fallback)
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.count) bytes") })
    try timeline.wait(for: failed)
    timeline.expect([failed])
    timeline.expect("requests to the second address", server.hits("/users/3"), hits)
    notSwitched.cancel()
  }
}
