#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  /// Who may connect, and over which encryption, on real servers.
  struct AuthenticationTests {

    @Test func aPasswordMustBeRight() async throws {
      let server = try TestServer(settings: "authorization { user: ann, password: secret }")
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.credentials = .user("ann", password: "secret")
      let jetStream = try await JetStream.connect(configuration)
      try await jetStream.addStream(StreamConfiguration(name: "S", subjects: ["s"]))
      await jetStream.close()
      for wrong in [JetStream.Configuration.Credentials.user("ann", password: "wrong"), .token("secret"), .none] {
        configuration.credentials = wrong
        await expectFailure(.authentication, configuration)
      }
      withExtendedLifetime(server) {}
    }

    @Test func aKeyMayBeInMemory() async throws {
      // The seed of the bytes 1 to 32.
      let key = "UB43KVROR7TFJ6KAPCYRF2FJROTZAH4FHLTJLPWX4DRZCC5NASLGJBFE"
      let seed = "SUAACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6IC5CQ"
      let server = try TestServer(settings: "authorization { users: [ { nkey: \(key) } ] }")
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.credentials = .keyInMemory(key, seed: seed)
      let jetStream = try await JetStream.connect(configuration)
      try await jetStream.addStream(StreamConfiguration(name: "S", subjects: ["s"]))
      // It signs again for each connection.
      server.kill()
      try server.start()
      try await eventually {
        do {
          return try await jetStream.streamInfo("S").messageCount == 0
        } catch let error as JetStreamError where error.kind != .closed {
          return false
        }
      }
      await jetStream.close()
      configuration.credentials = .keyInMemory(key, seed: "SU")
      do {
        await (try JetStream.connect(configuration)).close()
        Issue.record("no error")
      } catch let error {
        #expect(!"\(error)".contains(seed))
      }
    }

    @Test(.timeLimit(.minutes(1)))
    func theFirstConnectWaitsIfItIsAskedTo() async throws {
      let server = try TestServer(settings: "authorization { user: ann, password: secret }")
      server.kill()
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.retriesFirstConnect = true
      configuration.reconnectDelay = .milliseconds(50)
      configuration.credentials = .user("ann", password: "secret")
      let connecting = Task { [configuration] in try await JetStream.connect(configuration) }
      let cancelled = Task { [configuration] in try await JetStream.connect(configuration) }
      cancelled.cancel()
      await expect(.notConnected, 0) { _ = try await cancelled.value }
      try server.start()
      await (try connecting.value).close()
      // What does not pass is not waited for.
      configuration.credentials = .user("ann", password: "wrong")
      await expectFailure(.authentication, configuration)
      withExtendedLifetime(server) {}
    }

    @Test func aTokenMustBeRight() async throws {
      let server = try TestServer(settings: "authorization { token: t0ken }")
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.credentials = .token("t0ken")
      await (try JetStream.connect(configuration)).close()
      configuration.credentials = .token("wrong")
      await expectFailure(.authentication, configuration)
      withExtendedLifetime(server) {}
    }

    @Test func whatIsNotPermittedIsAnErrorOfAuthentication() async throws {
      let server = try TestServer(
        settings: """
          authorization { users: [ { user: ann, password: p, permissions: { publish: ["$JS.API.INFO"] } } ] }
          """
      )
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.credentials = .user("ann", password: "p")
      configuration.timeout = .seconds(1)
      let jetStream = try await JetStream.connect(configuration)
      // The server reports the violation apart from the request, which gets no answer.
      await expect(.authentication, 0) { _ = try await jetStream.streamInfo("S") }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func aPasswordThatChangesEndsAllWithAnErrorOfAuthentication() async throws {
      let server = try TestServer(settings: "authorization { user: ann, password: secret }")
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.credentials = .user("ann", password: "secret")
      configuration.reconnectDelay = .milliseconds(50)
      let jetStream = try await JetStream.connect(configuration)
      try await jetStream.addStream(StreamConfiguration(name: "S", subjects: ["s"]))
      try await jetStream.addConsumer(ConsumerConfiguration(durable: "c"), to: "S")
      let subscriber = SlowSubscriber(demand: .max, pause: 0)
      jetStream.messages(stream: "S", consumer: "c").subscribe(subscriber)
      let failure = Guarded<(any Error)?>(nil)
      let source = PassthroughSubject<OutgoingMessage, Never>()
      let publishing = source.publish(to: jetStream).sink(
        receiveCompletion: { completion in
          if case .failure(let error) = completion { failure.withLock { $0 = error } }
        },
        receiveValue: { _ in }
      )
      try server.reload(settings: "authorization { user: ann, password: other }")
      try await wait("the end of the subscription") { subscriber.completion != nil }
      guard case .failure(let error)? = subscriber.completion else {
        Issue.record("it has finished")
        return
      }
      #expect(error.kind == .authentication, "\(error)")
      source.send(OutgoingMessage([1], to: "s", id: "1"))
      try await wait("the failure") { failure.withLock { $0 } != nil }
      #expect((failure.withLock { $0 } as? JetStreamError)?.kind == .authentication)
      await expect(.authentication, 0) { _ = try await jetStream.streamInfo("S") }
      await expect(.authentication, 0) { _ = try await jetStream.publish([1], to: "s").value }
      publishing.cancel()
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func nobodyListensAtThePort() async throws {
      let server = try TestServer()
      server.kill()
      await expectFailure(.notConnected, JetStream.Configuration(servers: [server.url]))
    }

    @Test func aMissingFileOfCredentialsFails() async throws {
      let server = try TestServer()
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.credentials = .file("/nowhere/user.creds")
      do {
        await (try JetStream.connect(configuration)).close()
        // This server asks for nothing, so the file is not read.
      } catch let error {
        #expect(error.text.contains("/nowhere/user.creds"), "\(error)")
      }
      withExtendedLifetime(server) {}
    }

    // MARK: TLS

    @Test func anEncryptedConnectionNeedsTheRightAuthorityAndName() async throws {
      let certificates = try Certificates()
      let server = try TestServer(
        settings: """
          tls { cert_file: "\(certificates.server.certificate)", key_file: "\(certificates.server.key)" }
          """
      )
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.tls = .init(authorities: certificates.authority)
      let jetStream = try await JetStream.connect(configuration)
      try await jetStream.addStream(StreamConfiguration(name: "S", subjects: ["s"]))
      #expect(try await jetStream.publish([1], to: "s").value.sequence == 1)
      await jetStream.close()

      configuration.tls = .init(authorities: certificates.otherAuthority)
      await expectFailure(.tls, configuration)
      configuration.tls = .init(authorities: certificates.authority, hostName: "elsewhere.example")
      await expectFailure(.tls, configuration)
      configuration.tls = .init()
      await expectFailure(.tls, configuration)
      configuration.tls = .init(authorities: "/nowhere/ca.pem")
      await expectFailure(.tls, configuration)
      withExtendedLifetime((server, certificates)) {}
    }

    @Test func aServerCanAskForACertificate() async throws {
      let certificates = try Certificates()
      let server = try TestServer(
        settings: """
          tls {
            cert_file: "\(certificates.server.certificate)", key_file: "\(certificates.server.key)"
            ca_file: "\(certificates.authority)", verify: true
          }
          """
      )
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.tls = .init(
        authorities: certificates.authority,
        certificate: certificates.client.certificate,
        key: certificates.client.key
      )
      await (try JetStream.connect(configuration)).close()
      configuration.tls?.certificate = nil
      do {
        await (try JetStream.connect(configuration)).close()
        Issue.record("no error")
      } catch let error {
        #expect(error.kind == .tls, "\(error)")
        #expect(error.text.contains("certificate"), "\(error)")
      }
      withExtendedLifetime((server, certificates)) {}
    }

    private func expectFailure(
      _ kind: JetStreamError.Kind,
      _ configuration: JetStream.Configuration,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async {
      do {
        await (try JetStream.connect(configuration)).close()
        Issue.record("no error", sourceLocation: sourceLocation)
      } catch let error {
        #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
        #expect(!error.text.isEmpty, "\(error)", sourceLocation: sourceLocation)
      }
    }
  }

  /// Certificates that `openssl` makes in a folder, which is removed with this object.
  private final class Certificates: Sendable {

    private let folder: URL

    init() throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in ["authority", "other"] {
        try openssl(
          "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=\(name) -keyout \(name).key -out \(name).pem"
        )
      }
      try "subjectAltName=IP:127.0.0.1,DNS:localhost"
        .write(to: folder.appendingPathComponent("names"), atomically: true, encoding: .utf8)
      for name in ["server", "client"] {
        try openssl("req -newkey rsa:2048 -nodes -subj /CN=\(name) -keyout \(name).key -out \(name).csr")
        try openssl(
          "x509 -req -in \(name).csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2"
            + " -extfile names -out \(name).pem"
        )
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var authority: String { path("authority.pem") }
    var otherAuthority: String { path("other.pem") }
    var server: (certificate: String, key: String) { (path("server.pem"), path("server.key")) }
    var client: (certificate: String, key: String) { (path("client.pem"), path("client.key")) }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func openssl(_ arguments: String) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      process.arguments = arguments.split(separator: " ").map(String.init)
      process.currentDirectoryURL = folder
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw Failure(text: "openssl \(arguments)") }
    }
  }
#endif
