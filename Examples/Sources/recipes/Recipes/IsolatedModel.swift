import Combine
import CombineExtras
import Foundation

/// 36: a view model on the main actor, and an actor. The closures of `sink(on:)` are isolated by their types, so they
/// change isolated state directly. Nothing is assumed, and no queue is named.
struct IsolatedModel: Recipe {
  let number = 36
  let title = "Actor-isolated view model"

  /// The model of a list of people.
  @MainActor final class PeopleModel: ObservableObject {

    @Published private(set) var names: [String] = []
    @Published private(set) var status = ""

    private var subscription: AnyCancellable?

    func show(_ people: some Publisher<String, any Error>) {
      names = []
      status = "loading"
      subscription = people.sink(on: MainActor.shared) { [weak self] completion in
        switch completion {
        case .finished: self?.status = "complete"
        case .failure(let error): self?.status = "failed: \(error.summary)"
        }
      } receiveValue: { [weak self] name in
        self?.names.append(name)
      }
    }

    func close() {
      subscription = nil
    }
  }

  /// A tally of songs, which any thread may play.
  actor Tally {

    private(set) var plays: [String: Int] = [:]
    private var subscription: AnyCancellable?

    /// Counts a number of plays.
    ///
    /// - Parameters:
    ///   - total: The number of plays after which counting ends.
    ///   - finish: A closure that is called after the last one.
    func count(_ total: Int, then finish: @escaping @Sendable () -> Void) {
      subscription = NotificationCenter.default.publisher(for: .didPlay)
        .compactMap { $0.userInfo?["song"] as? String }
        .prefix(total)
        .sink(on: self) { tally, _ in
          tally.subscription = nil
          finish()
        } receiveValue: { tally, song in
          tally.plays[song, default: 0] += 1
        }
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    Task { @MainActor in
      await showPeople(timeline, server)
      await cancelOnTheActor(timeline)
      timeline.log("closed")
    }
    try timeline.wait(for: "closed")
    timeline.expect([
      "complete: Ada Lovelace, Grace Hopper",
      "failed: BadStatus(code: Optional(404)): Barbara Liskov",
      "inside send: ", "after send: Hedy Lamarr",
      "witness: too late", "after closing: Hedy Lamarr",
      "closed",
    ])

    try countPlays(timeline)
  }

  /// Requests are answered on threads of the session. The model hears of them on the main actor.
  @MainActor private func showPeople(_ timeline: Timeline, _ server: Server) async {
    for ids in [[1, 3], [4, 996, 2]] {
      let model = PeopleModel()
      model.show(names(of: ids, server))
      for await status in model.$status.values where status != "loading" {
        timeline.log("\(status): \(model.names.joined(separator: ", "))")
        break
      }
    }
  }

  /// The names of people, by requests one after the other. The pipeline runs on the session's threads. So its closures must
  /// not be isolated to the main actor, as they would be inside ``showPeople(_:_:)``.
  private func names(of ids: [Int], _ server: Server) -> some Publisher<String, any Error> {
    ids.publisher
      .setFailureType(to: (any Error).self)
      .flatMap(maxPublishers: .max(1)) { URLSession.shared.strictDataPublisher(for: server.url("users/\($0)")) }
      .decode(type: User.self, decoder: JSONDecoder())
      .map(\.name)
  }

  /// A cancellation on the actor is exact: an element that was sent before it, and not yet delivered, is dropped.
  @MainActor private func cancelOnTheActor(_ timeline: Timeline) async {
    let people = PassthroughSubject<String, any Error>()
    let model = PeopleModel()
    model.show(people)

    // An element is never delivered inside `send`, even if that is called on the actor.
    people.send("Hedy Lamarr")
    timeline.log("inside send: \(model.names.joined(separator: ", "))")
    for await names in model.$names.values where !names.isEmpty { break }
    timeline.log("after send: \(model.names.joined(separator: ", "))")

    // The witness subscribes later than the model, so it hears of the next element after the model would have.
    let (lateNames, continuation) = AsyncStream<String>.makeStream()
    let witness = people.sink(
      on: MainActor.shared,
      receiveCompletion: { _ in },
      receiveValue: { continuation.yield($0) }
    )
    people.send("too late")
    model.close()
    for await name in lateNames {
      timeline.log("witness: \(name)")
      break
    }
    timeline.log("after closing: \(model.names.joined(separator: ", "))")
    witness.cancel()
  }

  /// Four threads post notifications at once. The actor counts each of them.
  private func countPlays(_ timeline: Timeline) throws {
    let tally = Tally()
    Task {
      await tally.count(1000) { timeline.log("counted") }
      timeline.log("listening")
    }
    try timeline.wait(for: "listening")
    let songs = ["So What", "Naima", "Lush Life", "Peace Piece"]
    DispatchQueue.concurrentPerform(iterations: songs.count) { thread in
      for _ in 0..<250 {
        NotificationCenter.default.post(name: .didPlay, object: nil, userInfo: ["song": songs[thread]])
      }
    }
    try timeline.wait(for: "counted")
    Task {
      let plays = await tally.plays
      timeline.log(songs.map { "\($0) \(plays[$0] ?? 0)" }.joined(separator: ", "))
    }
    let counts = "So What 250, Naima 250, Lush Life 250, Peace Piece 250"
    try timeline.wait(for: counts)
    timeline.expect(["listening", "counted", counts])
  }
}

extension Notification.Name {
  fileprivate static let didPlay = Notification.Name("didPlay")
}
