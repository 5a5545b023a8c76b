import Combine
import Foundation

/// 10: `retry` subscribes again after a failure. A pause before each failure gives the server time to recover.
struct RetryAfterPause: Recipe {
  let number = 10
  let title = "retry after a pause"

  func user(at url: URL, retries: Int) -> some Publisher<User, any Error> {
    URLSession.shared.strictDataPublisher(for: url)
      .retry(retries, pausing: .milliseconds(50), on: DispatchQueue.main)
      .decode(type: User.self, decoder: JSONDecoder())
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    // The server fails twice and then answers, so two retries are enough.
    let start = ContinuousClock.now
    let patient = user(at: server.url("flaky/patient?failures=2"), retries: 2)
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.name)") })
    try timeline.wait(for: "finished")
    let time = start.duration(to: .now)
    timeline.log("after \(server.hits("/flaky/patient")) requests")
    timeline.expect(["got Ada Lovelace", "finished", "after 3 requests"])
    timeline.expect("two pauses of 50 ms", time >= .milliseconds(100), got: time)
    patient.cancel()

    // One retry is not enough: the last failure arrives.
    let failed = "failed: BadStatus(code: Optional(503))"
    let hasty = user(at: server.url("flaky/hasty?failures=2"), retries: 1)
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.name)") })
    try timeline.wait(for: failed)
    timeline.log("after \(server.hits("/flaky/hasty")) requests")
    timeline.expect([failed, "after 2 requests"])
    hasty.cancel()
  }
}

extension Publisher {

  /// Subscribes again after a failure, up to a number of times, with a pause before each new subscription.
  ///
  /// - Parameters:
  ///   - retries: The maximum number of new subscriptions.
  ///   - pause: The interval by which each failure is delayed, including the last one.
  ///   - scheduler: The scheduler that measures the pause.
  func retry<Context: Scheduler>(
    _ retries: Int,
    pausing pause: Context.SchedulerTimeType.Stride,
    on scheduler: Context
  ) -> some Publisher<Output, Failure> {
    self
      .catch { failure in
        Just(failure)
          .delay(for: pause, scheduler: scheduler)
          .flatMap { Fail<Output, Failure>(error: $0) }
      }
      .retry(retries)
  }
}
