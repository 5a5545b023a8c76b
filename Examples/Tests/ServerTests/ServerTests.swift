import FlyingFox
import Foundation
import Testing

@testable import recipes

/// The behaviour on which the recipes rely when they send several requests at once.
@Suite struct ServerTests {

  private let handler: any HTTPHandler = Server.routes(Journal())

  private func get(_ path: String, query: String = "") async throws -> HTTPResponse {
    let target = HTTPRequest.Target(path: path, query: query)
    return try await handler.handleRequest(
      HTTPRequest(method: .GET, version: .http11, target: target, headers: [:], body: HTTPBodySequence(data: Data()))
    )
  }

  private func text(_ path: String) async throws -> String {
    String(decoding: try await get(path).bodyData, as: UTF8.self)
  }

  @Test func concurrentRequestsHaveDifferentNumbers() async throws {
    let count = 2000
    let answers = try await withThrowingTaskGroup { group in
      for _ in 0..<count { group.addTask { try await text("/answers/together") } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(answers == Set((1...count).map { "answer \($0)" }))
  }

  @Test func eachPathHasItsOwnNumbers() async throws {
    #expect(try await text("/answers/one") == "answer 1")
    #expect(try await text("/answers/other") == "answer 1")
    #expect(try await text("/answers/one") == "answer 2")
  }

  @Test func asManyRequestsFailAsConfigured() async throws {
    let (count, failures) = (1000, 700)
    let statuses = try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        group.addTask { try await get("/flaky/together", query: "failures=\(failures)").statusCode }
      }
      return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(statuses == [.serviceUnavailable: failures, .ok: count - failures])
  }

  @Test func requestsBeyondTheLimitAreRefused() async throws {
    let count = 100
    let statuses = try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        group.addTask { try await get("/limited/together", query: "requests=40&milliseconds=600000").statusCode }
      }
      return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(statuses == [.ok: 40, .tooManyRequests: 60])
  }

  @Test func theJournalCountsTheArrivalsOfAnInterval() throws {
    let journal = Journal()
    for _ in 0..<1600 { _ = journal.arrive("/a", target: "/a") }
    let kept = journal.arrivals("/a")
    #expect((500...1000).contains(kept.count))
    #expect(kept == kept.sorted())
    #expect(journal.arrivals("/a", within: .seconds(3600), until: 1600) == kept.count)
    #expect(journal.arrivals("/a", within: .seconds(3600), until: 1599) == kept.count - 1)
    #expect(journal.arrivals("/a", within: .zero, until: 1600) == 0)
    #expect(journal.arrivals("/a", within: .seconds(3600), until: 1) == 0)
    #expect(journal.arrivals("/b", within: .seconds(3600), until: 1) == 0)
  }
}
