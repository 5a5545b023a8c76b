import Combine
import Foundation

/// 24: `handleEvents` calls a closure at each of a pipeline's five kinds of events, and changes none of them.
struct HandleEvents: Recipe {
  let number = 24
  let title = "handleEvents"

  func run(_ timeline: Timeline, _ server: Server) throws {
    func request(_ path: String) -> AnyCancellable {
      URLSession.shared.strictDataPublisher(for: server.url(path))
        .decode(type: User.self, decoder: JSONDecoder())
        .handleEvents(
          receiveSubscription: { _ in timeline.log("hook: subscription") },
          receiveOutput: { user in timeline.log("hook: user \(user.id)") },
          receiveCompletion: { completion in
            switch completion {
            case .finished: timeline.log("hook: finished")
            case .failure(let error): timeline.log("hook: failed: \(error.summary)")
            }
          },
          receiveCancel: { timeline.log("hook: cancel") },
          receiveRequest: { demand in timeline.log("hook: request \(demand)") }
        )
        .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.name)") })
    }

    // Each hook runs before its event is sent downstream.
    let answered = request("users/1")
    try timeline.wait(for: "finished")
    timeline.expect([
      "hook: subscription", "hook: request unlimited",
      "hook: user 1", "got Ada Lovelace",
      "hook: finished", "finished",
    ])

    // A completed subscription cannot be cancelled.
    answered.cancel()
    timeline.expect([])

    let refused = request("users/999")
    try timeline.wait(for: "failed: BadStatus(code: Optional(404))")
    timeline.expect([
      "hook: subscription", "hook: request unlimited",
      "hook: failed: BadStatus(code: Optional(404))", "failed: BadStatus(code: Optional(404))",
    ])
    refused.cancel()

    // This is the only hook that reports a cancellation by the subscriber.
    let cancelled = request("slow/2400")
    try timeline.wait(for: "the request", until: server.hits("/slow/2400") == 1)
    cancelled.cancel()
    timeline.expect(["hook: subscription", "hook: request unlimited", "hook: cancel"])
  }
}
