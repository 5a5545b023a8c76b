#if JetStream
  package import CombineJetStream
  import Foundation

  /// Three servers that keep streams together.
  package final class TestCluster: Sendable {

    package let servers: [TestServer]

    package var urls: [String] { servers.map(\.url) }

    package init() throws {
      let ports = try (0..<3).map { _ in try TestServer.freePort() }
      servers = try ports.enumerated().map { index, port in
        let routes = ports.filter { $0 != port }.map { "\"nats://127.0.0.1:\($0)\"" }
        return try TestServer(
          settings: """
            server_name: "n\(index)"
            cluster { name: "c", listen: "127.0.0.1:\(port)", routes: [\(routes.joined(separator: ", "))] }
            """
        )
      }
    }

    /// The server of a name, such as that of a stream's leader.
    package func server(_ name: String) -> TestServer? {
      Int(name.dropFirst()).map { servers[$0] }
    }

    /// Connects, and waits until the servers have agreed on who leads them.
    package func connect(
      _ change: (inout JetStream.Configuration) -> Void = { _ in }
    ) async throws -> JetStream {
      var configuration = JetStream.Configuration(servers: urls)
      configuration.reconnectDelay = .milliseconds(100)
      change(&configuration)
      let jetStream = try await JetStream.connect(configuration)
      try await eventually(seconds: 60) {
        do {
          try await jetStream.deleteStream("NONE")
          return true
        } catch let error as JetStreamError {
          return error.code == 10059
        }
      }
      return jetStream
    }
  }
#endif
