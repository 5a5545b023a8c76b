import Combine
import Foundation

/// 6: a `Future` turns an API that calls back into a publisher.
struct FutureFromCallback: Recipe {
  let number = 6
  let title = "Future around a callback API"

  /// An API as they were before Combine: it calls back, once, on a thread of its own.
  struct Directory {
    let server: Server

    func lookUp(_ path: String, completion: @escaping @Sendable (Result<Data, URLError>) -> Void) {
      let task = URLSession.shared.dataTask(with: server.url(path)) { data, response, error in
        if (response as? HTTPURLResponse)?.statusCode == 200, let data {
          completion(.success(data))
        } else {
          completion(.failure(error as? URLError ?? URLError(.badServerResponse)))
        }
      }
      task.resume()
    }
  }

  let pathOfSuccess = "users/2"
  let pathOfFailure = "users/998"

  func lookUp(_ path: String, in directory: Directory) -> Future<Data, URLError> {
    Future { promise in
      // Combine does not declare promises Sendable, but they may be called on any thread.
      nonisolated(unsafe) let promise = promise
      directory.lookUp(path) { result in promise(result) }
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let directory = Directory(server: server)
    func subscribe(_ name: String, to publisher: some Publisher<Data, URLError>) -> AnyCancellable {
      publisher
        .decode(type: User.self, decoder: JSONDecoder())
        .sink(
          receiveCompletion: { completion in
            switch completion {
            case .finished: timeline.log("\(name) finished")
            case .failure(let error): timeline.log("\(name) failed: \(error.summary)")
            }
          },
          receiveValue: { timeline.log("\(name) got \($0.name)") }
        )
    }

    // A future begins its work when it is created …
    let future = lookUp(pathOfSuccess, in: directory)
    try timeline.wait(for: "the request", until: server.hits("/\(pathOfSuccess)") == 1)
    timeline.log("requested, though nobody has subscribed")
    timeline.expect(["requested, though nobody has subscribed"])

    // … and does it once, however many subscribe, and whenever they do.
    let first = subscribe("first", to: future)
    try timeline.wait(for: "first finished")
    let second = subscribe("second", to: future)
    try timeline.wait(for: "second finished")
    timeline.expect(["first got Adele Goldberg", "first finished", "second got Adele Goldberg", "second finished"])
    timeline.expect("requests of the future", server.hits("/\(pathOfSuccess)"), 1)

    // In `Deferred`, each subscriber gets a future of its own, when it subscribes.
    let deferred = Deferred { lookUp(pathOfSuccess, in: directory) }
    timeline.pause(.milliseconds(20))
    timeline.expect("requests before a subscriber", server.hits("/\(pathOfSuccess)"), 1)
    let third = subscribe("third", to: deferred)
    try timeline.wait(for: "third finished")
    let fourth = subscribe("fourth", to: deferred)
    try timeline.wait(for: "fourth finished")
    timeline.expect(["third got Adele Goldberg", "third finished", "fourth got Adele Goldberg", "fourth finished"])
    timeline.expect("requests after two subscribers", server.hits("/\(pathOfSuccess)"), 3)

    // What the callback calls an error is the failure.
    let failed = "fifth failed: \(URLError(.badServerResponse).summary)"
    let fifth = subscribe("fifth", to: lookUp(pathOfFailure, in: directory))
    try timeline.wait(for: failed)
    timeline.expect([failed])

    [first, second, third, fourth, fifth].forEach { $0.cancel() }
  }
}
