import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import ServiceLifecycle
import Station
import Testing

/// The server, on a port that the system chooses.
@Suite(.timeLimit(.minutes(1))) struct ServerTests {

  @Test func theLatestReadingOfASensorIsAnswered() async throws {
    try await Application(router: Station().router()).test(.live) { client in
      try await client.post(Reading(sensor: "attic", celsius: 20))
      try await client.post(Reading(sensor: "cellar", celsius: 9))
      try await client.post(Reading(sensor: "attic", celsius: 21))
      let response = try await client.execute(uri: "/readings/attic", method: .get)
      #expect(try JSONDecoder().decode(Reading.self, from: response.body) == Reading(sensor: "attic", celsius: 21))
      #expect(try await client.execute(uri: "/readings/garden", method: .get).status == .notFound)
    }
  }

  @Test func noReadingOfManyClientsIsLost() async throws {
    try await Application(router: Station().router()).test(.live) { client in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<100 {
          group.addTask { try await client.post(Reading(sensor: "\(number)", celsius: Double(number))) }
        }
        try await group.waitForAll()
      }
      for number in 0..<100 {
        #expect(try await client.execute(uri: "/readings/\(number)", method: .get).status == .ok)
      }
    }
  }

  @Test func aReadingThatIsNoneIsRefused() async throws {
    try await Application(router: Station().router()).test(.live) { client in
      let response = try await client.execute(uri: "/readings", method: .post, body: ByteBuffer(string: "warm"))
      #expect(response.status == .badRequest)
    }
  }

  /// The client reads while others post. The stream ends because the server stops, and the server does not wait for it.
  @Test func alertsArriveUntilTheServerStops() async throws {
    let station = Station()
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let server = Application(
      router: station.router(heartbeat: .milliseconds(50)),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in port.yield(channel.localAddress!.port!) }
    )
    let group = ServiceGroup(services: [server], logger: server.logger)
    async let running: Void = group.run()
    let address = "http://127.0.0.1:\(await ports.first { _ in true }!)"

    let request = HTTPClientRequest(url: "\(address)/alerts?above=30")
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    #expect(response.headers["content-type"] == ["text/event-stream"])
    var lines = LineReader(response.body)
    #expect(try await lines.next() == ": connected")
    station.take(Reading(sensor: "attic", celsius: 20))
    station.take(Reading(sensor: "attic", celsius: 31))
    #expect(try await lines.next(startingWith: "data:") == "data: attic 31.0")
    #expect(try await lines.next(startingWith: ":") == ": still here")

    await group.triggerGracefulShutdown()
    try await running
    #expect(try await lines.next(startingWith: "no such line") == nil)
  }
}

extension TestClientProtocol {

  /// Sends a reading to the server.
  func post(_ reading: Reading) async throws {
    let body = ByteBuffer(data: try JSONEncoder().encode(reading))
    #expect(try await execute(uri: "/readings", method: .post, body: body).status == .accepted)
  }
}

/// The lines of a response, as they arrive.
private struct LineReader {

  private var body: HTTPClientResponse.Body.AsyncIterator
  private var pending = ""

  init(_ body: HTTPClientResponse.Body) {
    self.body = body.makeAsyncIterator()
  }

  /// Returns the next line that begins with a text, or `nil` after the end.
  mutating func next(startingWith prefix: String = "") async throws -> String? {
    while true {
      while let end = pending.firstIndex(of: "\n") {
        let line = String(pending[..<end])
        pending.removeSubrange(...end)
        if line.hasPrefix(prefix) { return line }
      }
      guard let bytes = try await body.next() else { return nil }
      pending += String(buffer: bytes)
    }
  }
}
