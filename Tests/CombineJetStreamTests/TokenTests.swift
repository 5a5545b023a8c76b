#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  /// Users that an account signs for (JWT), with tokens that no file holds.
  struct TokenTests {

    @Test(.timeLimit(.minutes(1)))
    func aTokenMayBeInMemory() async throws {
      let server = try TestServer(settings: try Tokens.settings())
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.reconnectDelay = .milliseconds(100)
      configuration.credentials = .tokenInMemory(try Tokens.user(), seed: Tokens.Key.user.seed)
      let jetStream = try await JetStream.connect(configuration)
      try await jetStream.addStream(StreamConfiguration(name: "S", subjects: ["s"]))
      #expect(try await jetStream.publish([1], to: "s").value.sequence == 1)
      // It is given and signed again for each connection.
      server.kill()
      try server.start()
      try await eventually {
        do {
          return try await jetStream.streamInfo("S").messageCount == 1
        } catch let error as JetStreamError where error.kind != .closed {
          return false
        }
      }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func aTokenMayBeInAFile() async throws {
      let server = try TestServer(settings: try Tokens.settings())
      let file = server.folder.appendingPathComponent("user.creds")
      try """
      -----BEGIN NATS USER JWT-----
      \(try Tokens.user())
      ------END NATS USER JWT------

      -----BEGIN USER NKEY SEED-----
      \(Tokens.Key.user.seed)
      ------END USER NKEY SEED------
      """.write(to: file, atomically: true, encoding: .utf8)
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.credentials = .file(file.path)
      await (try JetStream.connect(configuration)).close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func aTokenThatIsNotValidFails() async throws {
      let server = try TestServer(settings: try Tokens.settings())
      var configuration = JetStream.Configuration(servers: [server.url])
      let (user, seed) = (try Tokens.user(), Tokens.Key.user.seed)
      let wrong: [JetStream.Configuration.Credentials] = [
        // The key of somebody else, a token that has ended, one that its user has signed, none at all.
        .tokenInMemory(user, seed: Tokens.Key.account.seed),
        .tokenInMemory(try Tokens.user(end: 1_600_000_000), seed: seed),
        .tokenInMemory(try Tokens.user(by: .user), seed: seed),
        .tokenInMemory("", seed: seed),
        .none,
      ]
      for credentials in wrong {
        configuration.credentials = credentials
        do {
          await (try JetStream.connect(configuration)).close()
          Issue.record("no error")
        } catch let error {
          #expect(error.kind == .authentication, "\(error)")
          #expect(!"\(error)".contains(seed))
        }
      }
      // A seed that is none cannot sign.
      configuration.credentials = .tokenInMemory(user, seed: "SU")
      do {
        await (try JetStream.connect(configuration)).close()
        Issue.record("no error")
      } catch let error {
        #expect(!error.text.isEmpty, "\(error)")
      }
      withExtendedLifetime(server) {}
    }

    /// What the account permits to a user is in the token.
    @Test(.timeLimit(.minutes(1)))
    func thePermissionsOfATokenCount() async throws {
      let server = try TestServer(settings: try Tokens.settings())
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.timeout = .seconds(2)
      configuration.credentials = .tokenInMemory(try Tokens.user(denied: "s.b"), seed: Tokens.Key.user.seed)
      let jetStream = try await JetStream.connect(configuration)
      try await jetStream.addStream(StreamConfiguration(name: "S", subjects: ["s.>"]))
      _ = try await jetStream.publish([1], to: "s.a").value
      do {
        _ = try await jetStream.publish([1], to: "s.b").value
        Issue.record("no error")
      } catch let error as JetStreamError {
        #expect(error.kind == .authentication)
        #expect(error.text.contains("s.b"))
      }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }
  }

  /// An operator, an account and a user, and the tokens that one signs for the next.
  private enum Tokens {

    /// A pair of keys whose private part is the same byte 32 times.
    struct Key {

      let name: String
      let byte: UInt8

      /// The private part as the library wants it.
      let seed: String

      static let `operator` = Key(
        name: "OCFIRY65OQE7DFP5KLNS2PF2LVZMUZYJX4OZIEQ36N2IQANUB5XVYOCS",
        byte: 1,
        seed: "SOAACAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIATA"
      )
      static let account = Key(
        name: "ACATS5YOVB6ROX2WUNKGNQ2MP3GMXDMKSG2O4N5CLX3A6W4PZGZZIL2R",
        byte: 2,
        seed: "SAAAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAUN5U"
      )
      static let system = Key(
        name: "ADFJHLAXAUMHA4OWPOB4P7YO72AQR2HMIUYFOXLXE2DZGM633K7HZVXK",
        byte: 4,
        seed: "SAAAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAP4I"
      )
      static let user = Key(
        name: "UDWUSKGGFDI4FRXK5EBTRECZSVQSSWJHHJOGH6JWG3AUMFFMQ435C2U4",
        byte: 3,
        seed: "SUAAGAYDAMBQGAYDAMBQGAYDAMBQGAYDAMBQGAYDAMBQGAYDAMBQGA6BEM"
      )

      /// Signs a text by `openssl`, as the library signs for users only.
      func sign(_ text: String) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let beginning: [UInt8] = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]
        let key = Data(beginning + Array(repeating: byte, count: 32)).base64EncodedString()
        try "-----BEGIN PRIVATE KEY-----\n\(key)\n-----END PRIVATE KEY-----\n"
          .write(to: folder.appendingPathComponent("key.pem"), atomically: true, encoding: .utf8)
        try Data(text.utf8).write(to: folder.appendingPathComponent("text"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = "pkeyutl -sign -rawin -inkey key.pem -in text -out signature".split(separator: " ")
          .map(String.init)
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(text: "openssl cannot sign") }
        return try Data(contentsOf: folder.appendingPathComponent("signature"))
      }
    }

    /// The configuration of a server that trusts the operator, and knows its account.
    static func settings() throws -> String {
      func account(_ key: Key, _ limits: [String]) throws -> String {
        let unlimited = limits.map { "\"\($0)\": -1" }.joined(separator: ", ")
        let claims = #"{"type": "account", "version": 2, "limits": {\#(unlimited), "wildcards": true}}"#
        return "\(key.name): \"\(try token(for: key, by: .operator, claims))\""
      }
      let `operator` = try token(for: .operator, by: .operator, #"{"type": "operator", "version": 2}"#)
      let limits = ["subs", "data", "payload", "imports", "exports", "conn", "leaf"]
      return """
        operator: "\(`operator`)"
        system_account: \(Key.system.name)
        resolver: MEMORY
        resolver_preload: {
          \(try account(.account, limits + ["mem_storage", "disk_storage", "streams", "consumer"]))
          \(try account(.system, limits))
        }
        """
    }

    /// The token of the user.
    ///
    /// - Parameters:
    ///   - issuer: Who signs it.
    ///   - end: The second since 1970 at which it ends.
    ///   - denied: A subject to which the user may not publish.
    static func user(by issuer: Key = .account, end: Int? = nil, denied: String? = nil) throws -> String {
      let publish = denied.map { #"{"deny": ["\#($0)"]}"# } ?? "{}"
      return try token(
        for: .user,
        by: issuer,
        #"{"type": "user", "version": 2, "pub": \#(publish), "sub": {}, "subs": -1, "data": -1, "payload": -1}"#,
        end: end
      )
    }

    private static func token(for subject: Key, by issuer: Key, _ claims: String, end: Int? = nil) throws -> String {
      let expiry = end.map { #""exp": \#($0), "# } ?? ""
      let header = encode(Data(#"{"typ": "JWT", "alg": "ed25519-nkey"}"#.utf8))
      let body = encode(
        Data(
          """
          {"jti": "TEST", "iat": 1500000000, \(expiry)"iss": "\(issuer.name)", "sub": "\(subject.name)", "name": "test", \
          "nats": \(claims)}
          """.utf8
        )
      )
      return "\(header).\(body).\(encode(try issuer.sign("\(header).\(body)")))"
    }

    private static func encode(_ data: Data) -> String {
      data.base64EncodedString()
        .replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_")
        .filter { $0 != "=" }
    }
  }
#endif
