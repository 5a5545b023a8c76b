import Combine
import Foundation

/// 6: a `Future` turns a callback API into a publisher.
struct FutureFromCallback: Recipe {
  let number = 6
  let title = "Future around a callback API"

  /// An API from before Combine: it calls back once, on a thread of its choice.
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

  func lookUp(_ path: String, in directory: Directory) -> Future<Data, URLError> {
    Future { promise in
      directory.lookUp(path, completion: promise)
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let directory = Directory(server: server)
    var subscriptions: Set<AnyCancellable> = []
    func subscribeTwice(to publisher: some Publisher<Data, URLError>) throws {
      for name in ["first", "second"] {
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
          .store(in: &subscriptions)
        try timeline.wait(for: "\(name) finished")
      }
      timeline.expect(["first got Adele Goldberg", "first finished", "second got Adele Goldberg", "second finished"])
    }

    // A future starts its work when it is created …
    let future = lookUp("users/2", in: directory)
    try timeline.wait(for: "the request", until: server.hits("/users/2") == 1)
    timeline.log("requested, though nobody has subscribed")
    timeline.expect(["requested, though nobody has subscribed"])

    // … and does it once, whatever the number and the time of the subscriptions.
    try subscribeTwice(to: future)
    timeline.expect("requests of the future", server.hits("/users/2"), 1)

    // With `Deferred`, each subscriber gets a new future when it subscribes.
    let deferred = Deferred { lookUp("users/2", in: directory) }
    timeline.pause(.milliseconds(20))
    timeline.expect("requests before there is a subscriber", server.hits("/users/2"), 1)
    try subscribeTwice(to: deferred)
    timeline.expect("requests after two subscribers", server.hits("/users/2"), 3)

    // An error of the callback becomes the failure.
    let failed = "failed: \(URLError(.badServerResponse).summary)"
    lookUp("status/500", in: directory)
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.count) bytes") })
      .store(in: &subscriptions)
    try timeline.wait(for: failed)
    timeline.expect([failed])
  }
}
