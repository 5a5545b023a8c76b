import Combine
import Foundation

/// 34: a server that takes the request and never answers: a time-out ends the wait.
struct HangingServer: Recipe {
  let number = 34
  let title = "Bad input: server that hangs"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let timedOut = "failed: \(URLError(.timedOut).summary)"

    // The time-out of the request. On Linux it counts in whole seconds.
    var request = URLRequest(url: server.url("hang"))
    request.timeoutInterval = 1
    let start = ContinuousClock.now
    let first = URLSession.shared.dataTaskPublisher(for: request)
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { _ in timeline.log("answered") })
    try timeline.wait(for: timedOut)
    let time = start.duration(to: .now)
    timeline.expect([timedOut])
    timeline.expect("about a second's patience", time >= .milliseconds(900), got: time)
    first.cancel()

    // The time-out of the pipeline, which may be shorter, and bounds whatever is above it.
    let second = URLSession.shared.dataTaskPublisher(for: server.url("hang"))
      .timeout(.milliseconds(100), scheduler: DispatchQueue.main, customError: { URLError(.timedOut) })
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { _ in timeline.log("answered") })
    try timeline.wait(for: timedOut)
    timeline.expect([timedOut])
    second.cancel()

    // Neither touches a request that is answered in time.
    let third = URLSession.shared.dataTaskPublisher(for: server.url("slow/50"))
      .timeout(.seconds(5), scheduler: DispatchQueue.main, customError: { URLError(.timedOut) })
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { _ in timeline.log("answered") })
    try timeline.wait(for: "finished")
    timeline.expect(["answered", "finished"])
    third.cancel()
  }
}
