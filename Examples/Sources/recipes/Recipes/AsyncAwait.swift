import Combine
import Foundation

/// 30: `for await` iterates over the values of a publisher, and `await` waits for the value of a future.
struct AsyncAwait: Recipe {
  let number = 30
  let title = "async/await"

  func users(at urls: [URL]) -> some Publisher<User, any Error> {
    urls.publisher
      .setFailureType(to: (any Error).self)
      .flatMap(maxPublishers: .max(1)) { URLSession.shared.strictDataPublisher(for: $0) }
      .decode(type: User.self, decoder: JSONDecoder())
  }

  /// A future that cannot fail.
  func answer() -> Future<Int, Never> {
    Future { promise in
      DispatchQueue.global().async { promise(.success(42)) }
    }
  }

  /// A future that can fail.
  func name(at url: URL) -> Future<String, URLError> {
    Future { promise in
      let task = URLSession.shared.dataTask(with: url) { data, _, error in
        let user = data.flatMap { try? JSONDecoder().decode(User.self, from: $0) }
        promise(user.map { .success($0.name) } ?? .failure(error as? URLError ?? URLError(.cannotParseResponse)))
      }
      task.resume()
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    // The loop ends when the publisher finishes …
    Task {
      for await name in users(at: [1, 2].map { server.url("users/\($0)") }).map(\.name).replaceError(with: "?").values {
        timeline.log("user \(name)")
      }
      timeline.log("no more")
    }
    try timeline.wait(for: "no more")
    timeline.expect(["user Ada Lovelace", "user Adele Goldberg", "no more"])

    // … and throws its failure, if it can fail.
    Task {
      do {
        for try await user in users(at: [3, 999].map { server.url("users/\($0)") }).values {
          timeline.log("user \(user.name)")
        }
        timeline.log("no more")
      } catch {
        timeline.log("threw \(error)")
      }
    }
    try timeline.wait(for: "threw BadStatus(code: Optional(404))")
    timeline.expect(["user Grace Hopper", "threw BadStatus(code: Optional(404))"])

    // The value of a future, or its failure.
    Task {
      timeline.log("the answer is \(await answer().value)")
      do {
        timeline.log("user \(try await name(at: server.url("users/4")).value)")
        timeline.log("user \(try await name(at: server.refusingAddress).value)")
      } catch {
        timeline.log("threw \(error.summary)")
      }
    }
    let refused = "threw \(URLError(.cannotConnectToHost).summary)"
    try timeline.wait(for: refused)
    timeline.expect(["the answer is 42", "user Barbara Liskov", refused])

    // Cancelling the task cancels the pipeline, and with it the request in progress.
    let task = Task {
      let pipeline = users(at: [server.url("slow/3000"), server.url("users/1")])
        .handleEvents(receiveCancel: { timeline.log("pipeline cancelled") })
      for try await user in pipeline.values {
        timeline.log("user \(user.name)")
      }
      timeline.log("loop left")
    }
    try timeline.wait(for: "the request", until: server.hits("/slow/3000") == 1)
    task.cancel()
    try timeline.wait(for: "loop left")
    timeline.expect(["pipeline cancelled", "loop left"])
  }
}
