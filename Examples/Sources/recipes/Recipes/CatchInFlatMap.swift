import Combine
import Foundation

/// 11: `catch` ends the pipeline that it belongs to. Inside a `flatMap` this is only one inner publisher, and the
/// others continue.
struct CatchInFlatMap: Recipe {
  let number = 11
  let title = "flatMap + catch on a continuous pipeline"

  func users(at urls: some Publisher<URL, Never>) -> some Publisher<User, Never> {
    urls.flatMap { url in
      URLSession.shared.dataTaskPublisher(for: url)
        .map(\.data)
        .decode(type: User.self, decoder: JSONDecoder())
        .catch { _ in Just(.nobody) }
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let urls = PassthroughSubject<URL, Never>()
    let subscription = users(at: urls)
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("user \($0.name)") })

    urls.send(server.url("users/1"))
    try timeline.wait(for: "user Ada Lovelace")
    urls.send(server.url("malformed"))
    try timeline.wait(for: "user Nobody")
    timeline.expect(["user Ada Lovelace", "user Nobody"])

    // The pipeline still works.
    urls.send(server.refusingAddress)
    try timeline.wait(for: "user Nobody")
    urls.send(server.url("users/4"))
    try timeline.wait(for: "user Barbara Liskov")
    timeline.expect(["user Nobody", "user Barbara Liskov"])

    // It completes after its source and the last request.
    urls.send(server.url("users/2"))
    urls.send(completion: .finished)
    try timeline.wait(for: "finished")
    timeline.expect(["user Adele Goldberg", "finished"])
    subscription.cancel()
  }
}
