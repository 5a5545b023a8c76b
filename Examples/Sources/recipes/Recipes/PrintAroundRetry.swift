import Combine
import Foundation

/// 23: `print` logs the events at a point of a pipeline. Upstream of `retry` it logs every attempt, downstream one
/// request.
struct PrintAroundRetry: Recipe {
  let number = 23
  let title = "print around retry"

  /// A stream for the lines of both logs. Without a stream, `print` writes to the standard output.
  struct TimelineStream: TextOutputStream {
    let timeline: Timeline

    /// Called with a line, and then with its line break.
    func write(_ text: String) {
      if !text.isEmpty, text != "\n" { timeline.log(text) }
    }
  }

  func name(at url: URL, log: TimelineStream) -> some Publisher<String, any Error> {
    URLSession.shared.strictDataPublisher(for: url)
      .decode(type: User.self, decoder: JSONDecoder())
      .map(\.name)
      .print("attempt", to: log)
      .retry(1)
      .print("request", to: log)
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let log = TimelineStream(timeline: timeline)
    func request(_ path: String) -> AnyCancellable {
      name(at: server.url(path), log: log)
        .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0)") })
    }

    // The server fails once and then answers. Downstream of `retry`, the failure is not visible.
    let answered = request("flaky/printed-once?failures=1")
    try timeline.wait(for: "finished")
    timeline.expect([
      "attempt: receive subscription: (Decode)",
      "request: receive subscription: (Retry)",
      "request: request unlimited",
      "attempt: request unlimited",
      "attempt: receive error: (BadStatus(code: Optional(503)))",
      "attempt: receive subscription: (Decode)",
      "attempt: request unlimited",
      "attempt: receive value: (Ada Lovelace)",
      "request: receive value: (Ada Lovelace)",
      "got Ada Lovelace",
      "attempt: receive finished",
      "request: receive finished",
      "finished",
    ])
    answered.cancel()

    // The server fails twice. The second failure is sent downstream.
    let failed = request("flaky/printed-twice?failures=2")
    try timeline.wait(for: "failed: BadStatus(code: Optional(503))")
    timeline.expect([
      "attempt: receive subscription: (Decode)",
      "request: receive subscription: (Retry)",
      "request: request unlimited",
      "attempt: request unlimited",
      "attempt: receive error: (BadStatus(code: Optional(503)))",
      "attempt: receive subscription: (Decode)",
      "attempt: request unlimited",
      "attempt: receive error: (BadStatus(code: Optional(503)))",
      "request: receive error: (BadStatus(code: Optional(503)))",
      "failed: BadStatus(code: Optional(503))",
    ])
    failed.cancel()

    // The subscriber cancels. The cancel passes from downstream to upstream.
    let cancelled = request("slow/2300")
    try timeline.wait(for: "the request", until: server.hits("/slow/2300") == 1)
    cancelled.cancel()
    timeline.expect([
      "attempt: receive subscription: (Decode)",
      "request: receive subscription: (Retry)",
      "request: request unlimited",
      "attempt: request unlimited",
      "request: receive cancel",
      "attempt: receive cancel",
    ])
  }
}
