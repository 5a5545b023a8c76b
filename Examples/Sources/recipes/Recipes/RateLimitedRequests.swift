import Combine
import CombineExtras
import Foundation

/// 35: `rateLimit` keeps a client below the limit of its server, which refuses more requests with status 429.
struct RateLimitedRequests: Recipe {
  let number = 35
  let title = "Rate-limited requests"

  func run(_ timeline: Timeline, _ server: Server) throws {

    /// Requests the URLs, and returns how often each status was the answer.
    func statuses(_ urls: some Publisher<URL, Never>) throws -> [Int: Int] {
      var counts: [Int: Int] = [:]
      let requests =
        urls
        .flatMap { url in
          URLSession.shared.dataTaskPublisher(for: url)
            .map { _, response in (response as? HTTPURLResponse)?.statusCode ?? 0 }
            .replaceError(with: 0)
        }
        .receive(on: DispatchQueue.main)
        .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { counts[$0, default: 0] += 1 })
      try timeline.wait(for: "finished")
      timeline.expect(["finished"])
      requests.cancel()
      return counts
    }

    // Ten requests at once are too many for a server that accepts four within two seconds.
    let hasty = [URL](repeating: server.url("limited/hasty?requests=4&milliseconds=2000"), count: 10).publisher
    timeline.expect("answers by status", try statuses(hasty), [200: 4, 429: 6])

    // This server accepts four within 200 ms. The client sends four within 400 ms, because requests may be delayed on
    // their way. None is refused. The server's journal shows four within the server's interval, and never more.
    let limited = [URL](repeating: server.url("limited/patient?requests=4&milliseconds=200"), count: 10).publisher
      .rateLimit(4, per: .milliseconds(400), scheduler: DispatchQueue.main)
    var start = ContinuousClock.now
    timeline.expect("answers by status", try statuses(limited), [200: 10])
    let most = server.mostArrivals("/limited/patient", within: .milliseconds(200))
    timeline.expect("at most four requests within 200 ms", most <= 4, got: most)
    expect(timeline, 10, server.arrivals("/limited/patient"), since: start, lasting: .milliseconds(800))

    // A limit of one sends them one by one, at least an interval apart.
    let paced = [URL](repeating: server.url("limited/even?requests=1&milliseconds=50"), count: 3).publisher
      .rateLimit(1, per: .milliseconds(250), scheduler: DispatchQueue.main)
    start = .now
    timeline.expect("answers by status", try statuses(paced), [200: 3])
    expect(timeline, 3, server.arrivals("/limited/even"), since: start, lasting: .milliseconds(500))
  }

  /// Checks the number of requests, and that the last one arrived no earlier than a limit allows.
  private func expect(
    _ timeline: Timeline,
    _ count: Int,
    _ arrivals: [ContinuousClock.Instant],
    since start: ContinuousClock.Instant,
    lasting minimum: Duration
  ) {
    timeline.expect("requests", arrivals.count, count)
    let time = arrivals.last.map { start.duration(to: $0) } ?? .zero
    timeline.expect("the last request after \(minimum)", time >= minimum, got: time)
  }
}
