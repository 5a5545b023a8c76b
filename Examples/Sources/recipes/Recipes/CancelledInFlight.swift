import Combine
import Foundation

/// 41: once a subscription is cancelled or released, no event is delivered, even if an answer is on its way.
struct CancelledInFlight: Recipe {
  let number = 41
  let title = "Bad input: cancelled in flight"
  let kind = RecipeKind.badInput

  func run(_ timeline: Timeline, _ server: Server) throws {
    func request(_ path: String) -> AnyCancellable {
      URLSession.shared.dataTaskPublisher(for: server.url(path))
        .map(\.data)
        .decode(type: User.self, decoder: JSONDecoder())
        .receive(on: DispatchQueue.main)
        .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("got \($0.name)") })
    }

    // Cancelled while the server is preparing the answer.
    let cancelled = request("slow/101")
    try timeline.wait(for: "the request", until: server.hits("/slow/101") == 1)
    cancelled.cancel()

    // Released while the server is preparing the answer.
    var subscriptions: Set<AnyCancellable> = []
    request("slow/102").store(in: &subscriptions)
    request("slow/103").store(in: &subscriptions)
    try timeline.wait(for: "both", until: server.hits("/slow/102") == 1 && server.hits("/slow/103") == 1)
    subscriptions.removeAll()

    // Cancelled after the answer has arrived, while `receive(on:)` waits for the main queue.
    let late = request("slow/104")
    while server.answers("/slow/104") == 0 { Thread.sleep(forTimeInterval: 0.001) }
    Thread.sleep(forTimeInterval: 0.02)
    late.cancel()

    // Cancelled before the first request.
    request("users/1").cancel()

    timeline.pause(.milliseconds(150))
    timeline.expect([])

    // A subscription that is not cancelled receives its answer, whatever happens to the others.
    let kept = request("slow/105")
    try timeline.wait(for: "finished")
    timeline.expect(["got Ada Lovelace", "finished"])
    kept.cancel()
  }
}
