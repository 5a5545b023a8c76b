import Combine
import Foundation

/// 28: three subscribers to one request.
///
/// The pipelines are in `Models/SharedRequest.swift`.
struct Sharing: Recipe {
  let number = 28
  let title = "share"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let request = SharedRequest(
      url: server.url("answers/recipe"),
      countHits: { server.hits("/answers/recipe") }
    )
    func waitForAnswers() throws {
      try timeline.wait(for: "three answers", until: request.answers.allSatisfy { $0.hasPrefix("answer") })
    }

    // Each subscriber has a separate request: the server is asked three times.
    request.askEach()
    try waitForAnswers()
    timeline.expect("hits", request.hits, 3)
    timeline.expect("answers", request.answers.sorted(), ["answer 1", "answer 2", "answer 3"])

    // With `share`, it is asked once.
    request.askOnce()
    try waitForAnswers()
    timeline.expect("hits", request.hits, 4)
    timeline.expect("answers", request.answers, ["answer 4", "answer 4", "answer 4"])

    // With `multicast`, it is asked once, and not before `connect()`.
    request.prepare()
    timeline.pause(.milliseconds(50))
    timeline.expect("hits before connect()", server.hits("/answers/recipe"), 4)
    timeline.expect("answers", request.answers, ["…", "…", "…"])
    request.connect()
    try waitForAnswers()
    timeline.expect("hits", request.hits, 5)
    timeline.expect("answers", request.answers, ["answer 5", "answer 5", "answer 5"])
  }
}
