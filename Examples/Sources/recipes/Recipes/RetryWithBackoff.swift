import Combine
import CombineExtras
import Foundation

/// 31: `retry` with a policy. The delays grow, so a server that fails gets more and more time to recover. Random factors
/// keep clients that failed together from returning together.
///
/// Recipe 10 makes a similar operator by hand.
struct RetryWithBackoff: Recipe {
  let number = 31
  let title = "retry with back-off"

  /// Up to four retries, after 20, 40, 80 and 160 ms. Each delay is up to a fifth shorter or longer.
  let policy = RetryPolicy.exponential(from: .milliseconds(20), maxRetries: 4).jittered(by: 0.2)

  /// Returns whether another attempt may succeed.
  static func isTemporary(_ error: any Error) -> Bool {
    switch error {
    case let error as BadStatus: error.code == 429 || error.code == 503
    default: error is URLError
    }
  }

  func user(at url: URL, attemptFailed: @escaping () -> Void = {}) -> some Publisher<User, any Error> {
    URLSession.shared.strictDataPublisher(for: url)
      .handleEvents(receiveCompletion: { if case .failure = $0 { attemptFailed() } })
      .retry(policy, scheduler: DispatchQueue.main, when: Self.isTemporary)
      .decode(type: User.self, decoder: JSONDecoder())
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    func log(_ user: some Publisher<User, any Error>) -> AnyCancellable {
      user.sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.name)") })
    }

    // The server fails three times and then answers. Its journal shows the growing delays.
    let recovered = log(user(at: server.url("flaky/recovers?failures=3")))
    try timeline.wait(for: "finished")
    timeline.expect(["got Ada Lovelace", "finished"])
    let arrivals = server.arrivals("/flaky/recovers")
    let delays = zip(arrivals, arrivals.dropFirst()).map { $0.duration(to: $1) }
    timeline.expect("retries", delays.count, 3)
    for (delay, minimum) in zip(delays, [16, 32, 64]) {
      timeline.expect("at least \(minimum) ms between two requests", delay >= .milliseconds(minimum), got: delay)
    }
    recovered.cancel()

    // The server does not recover. After four retries, the last failure arrives.
    let failed = log(user(at: server.url("flaky/stays-down?failures=100")))
    try timeline.wait(for: "failed: BadStatus(code: Optional(503))")
    timeline.log("after \(server.hits("/flaky/stays-down")) requests")
    timeline.expect(["failed: BadStatus(code: Optional(503))", "after 5 requests"])
    failed.cancel()

    // A user who does not exist will not exist on the next attempt either, so there is none.
    let missing = log(user(at: server.url("users/998")))
    try timeline.wait(for: "failed: BadStatus(code: Optional(404))")
    timeline.log("after \(server.hits("/users/998")) request")
    timeline.expect(["failed: BadStatus(code: Optional(404))", "after 1 request"])
    missing.cancel()

    // A cancellation ends the delay. It waits on the main queue, which does nothing while the semaphore is awaited.
    let hasFailed = DispatchSemaphore(value: 0)
    let cancelled = log(user(at: server.url("flaky/cancelled?failures=1"), attemptFailed: { hasFailed.signal() }))
    hasFailed.wait()
    cancelled.cancel()
    timeline.pause(.milliseconds(100))
    timeline.expect("requests after the cancellation", server.hits("/flaky/cancelled"), 1)
  }
}
