import FlyingFox
import FlyingSocks
import Foundation

/// A connection for WebDriver's commands: an HTTP request with parameters in JSON, answered in JSON.
///
/// It does not use `URLSession`, which on Linux refuses headers without a space after the colon, as the driver's are.
struct Connection: Sendable {

  /// The port of the driver, on this machine.
  let port: UInt16

  /// The path of the commands' target: the driver, one of its sessions, or an element of a page.
  var path = ""

  /// Returns a connection to a path below this one.
  subscript(path: String) -> Connection {
    Connection(port: port, path: "\(self.path)/\(path)")
  }

  /// Requests a value.
  func get<Value: Decodable>(_ command: String, as type: Value.Type = Value.self) async throws -> Value {
    try await value(type, of: self[command].send(.GET))
  }

  /// Runs a command without a result.
  func post(_ command: String, _ parameters: [String: any Encodable & Sendable] = [:]) async throws {
    _ = try await self[command].send(.POST, parameters)
  }

  /// Runs a command that returns a value.
  func post<Value: Decodable>(
    _ command: String,
    _ parameters: [String: any Encodable & Sendable] = [:],
    as type: Value.Type = Value.self
  ) async throws -> Value {
    try await value(type, of: self[command].send(.POST, parameters))
  }

  /// Deletes the target of this connection.
  func delete() async throws {
    _ = try await send(.DELETE)
  }

  // MARK: Requests and answers

  /// The maximum time of a command. The driver's own limits are shorter, but it might hang.
  private static let limit: Duration = .seconds(30)

  private func send(_ method: HTTPMethod, _ parameters: [String: any Encodable & Sendable]? = nil) async throws -> Data
  {
    let body = try parameters.map { try JSONEncoder().encode($0.mapValues(AnyEncodable.init)) }
    let request = HTTPRequest(
      method: method,
      version: .http11,
      path: path,
      query: [],
      headers: [.host: "127.0.0.1:\(port)", .contentType: "application/json"],
      body: body ?? Data()
    )
    let command = "\(method.rawValue) \(path)"
    return try await withThrowingTaskGroup(of: Data.self) { group in
      group.addTask { try await answer(to: request, command) }
      group.addTask {
        try await Task.sleep(for: Self.limit)
        throw WaitedInVain(what: "an answer to \(command)", limit: Self.limit, seen: "none")
      }
      defer { group.cancelAll() }
      return try await group.next()!
    }
  }

  private func answer(to request: HTTPRequest, _ command: String) async throws -> Data {
    var client = HTTPClient()
    let response = try await client.sendHTTPRequest(request, to: .inet(ip4: "127.0.0.1", port: port))
    let body = try await response.bodyData
    guard response.statusCode == .ok else {
      throw WebDriverError(command: command, answer: try value(WebDriverError.Answer.self, of: body))
    }
    return body
  }

  private func value<Value: Decodable>(_ type: Value.Type, of body: Data) throws -> Value {
    try JSONDecoder().decode([String: Value].self, from: body)["value"]!
  }
}

/// An error of a command that the driver could not run.
struct WebDriverError: Error, CustomStringConvertible {

  /// The driver's answer in that case.
  struct Answer: Decodable {
    let error: String
    let message: String
  }

  /// The failed command.
  let command: String

  fileprivate let answer: Answer

  /// The kind of the error, such as `no such element`. The W3C's recommendation lists the kinds.
  var kind: String { answer.error }

  var description: String { "\(command): \(answer.error): \(answer.message)" }
}

/// A value of any type, for encoding as JSON.
struct AnyEncodable: Encodable, Sendable {
  let value: any Encodable & Sendable

  func encode(to encoder: any Encoder) throws {
    try value.encode(to: encoder)
  }
}
