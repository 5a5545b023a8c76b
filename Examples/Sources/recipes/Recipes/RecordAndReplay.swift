import Combine
import Foundation

/// 29: a `Record` keeps a publisher's values and completion, and replays them to each of its subscribers.
struct RecordAndReplay: Recipe {
  let number = 29
  let title = "Record and replay"

  /// A record is `Codable` if its values and its failures are.
  struct LookUpFailure: Error, Codable, Equatable {
    let status: Int?
  }

  func users(at urls: [URL]) -> some Publisher<User, LookUpFailure> {
    urls.publisher
      .setFailureType(to: (any Error).self)
      .flatMap(maxPublishers: .max(1)) { URLSession.shared.strictDataPublisher(for: $0) }
      .decode(type: User.self, decoder: JSONDecoder())
      .mapError { LookUpFailure(status: ($0 as? BadStatus)?.code) }
      .receive(on: DispatchQueue.main)
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    // Recorded once, with the failure at the end, because there is no user 999.
    let hits = server.hits("/users/2")
    var recording = Record<User, LookUpFailure>.Recording()
    var hasEnded = false
    let request = users(at: [2, 3, 999, 4].map { server.url("users/\($0)") })
      .sink(
        receiveCompletion: {
          recording.receive(completion: $0)
          hasEnded = true
        },
        receiveValue: { recording.receive($0) }
      )
    try timeline.wait(for: "the end of the recording", until: hasEnded)
    request.cancel()
    let record = Record(recording: recording)

    // Replayed to two subscribers, from the beginning for each, without another request to the server.
    func play(_ record: Record<User, LookUpFailure>) {
      let subscription = record.sink(
        receiveCompletion: { timeline.log($0) },
        receiveValue: { timeline.log("heard \($0.name)") }
      )
      timeline.expect([
        "heard Adele Goldberg", "heard Grace Hopper", "failed: LookUpFailure(status: Optional(404))",
      ])
      subscription.cancel()
    }
    play(record)
    play(record)

    // Encoded to JSON, as for a file, and decoded again.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = try encoder.encode(record)
    timeline.expect(
      "JSON",
      String(decoding: json, as: UTF8.self),
      #"{"recording":{"completion":{"error":{"status":404},"success":false},"output":["#
        + #"{"id":2,"language":"Smalltalk","name":"Adele Goldberg"},{"id":3,"language":"COBOL","name":"Grace Hopper"}]}}"#
    )
    let decoded = try JSONDecoder().decode(Record<User, LookUpFailure>.self, from: json)
    play(decoded)
    timeline.expect("requests", server.hits("/users/2"), hits + 1)
  }
}
