import Combine
import Foundation

/// 40: a server that accepts the request and never answers. A timeout ends the wait.
struct HangingServer: Recipe {
  let number = 40
  let title = "Bad input: server that hangs"
  let kind = RecipeKind.badInput

  func run(_ timeline: Timeline, _ server: Server) throws {
    // On Linux, the timeout of a request is measured in whole seconds.
    var request = URLRequest(url: server.url("hang"))
    request.timeoutInterval = 1
    let start = ContinuousClock.now
    let hanging = URLSession.shared.dataTaskPublisher(for: request)
      .sink(
        receiveCompletion: { completion in
          switch completion {
          case .finished: timeline.log("finished")
          case .failure(let error): timeline.log(error.code == .timedOut ? "timed out" : "failed: \(error)")
          }
        },
        receiveValue: { timeline.log("answered \($0.data.count) bytes") }
      )

    // Another request that hangs is cancelled before its timeout …
    let given = URLSession.shared.dataTaskPublisher(for: request)
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("\($0.data.count) bytes") })
    try timeline.wait(for: "both requests", until: server.hits("/hang") == 2)
    given.cancel()

    // … and one that is answered in time is not affected.
    request.url = server.url("slow/300")
    let answered = URLSession.shared.dataTaskPublisher(for: request)
      .map(\.data)
      .decode(type: User.self, decoder: JSONDecoder())
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.name)") })
    try timeline.wait(for: "finished")
    timeline.expect(["got Ada Lovelace", "finished"])

    try timeline.wait(for: "timed out")
    let time = start.duration(to: .now)
    timeline.expect("an end after about a second", time >= .milliseconds(900) && time < .seconds(4), got: time)
    timeline.pause(.milliseconds(100))
    timeline.expect(["timed out"])

    [hanging, given, answered].forEach { $0.cancel() }
  }
}
