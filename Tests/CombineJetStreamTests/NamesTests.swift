#if JetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// Nothing that a caller passes reaches the server unchecked.
  struct NamesTests {

    private static let wrongSubjects = [
      "", " ", "s. a", "s.a b", "s.a\tb", "s.a\r\nb", "s.\u{0}", "s.\u{7F}", ".s", "s.", "s..a", ".", "s.*", "s.>", "*",
      ">",
      "s.a 0\r\n\r\nPUB s.admin 4\r\nEVIL\r\nPUB s.b",
    ]

    private static let wrongNames = ["", " ", "a b", "a.b", "a\nb", "*", ">", "a/b", "a\\b", "a\u{0}b"]

    @Test(arguments: wrongSubjects)
    func aSubjectThatIsNotOneIsRefused(subject: String) {
      #expect(throws: JetStreamError.self) { try Names.checkSubject(subject) }
    }

    @Test(arguments: ["s", "s.a", "s.a-b_c", "s.a*b", "s.>a", "$KV.b.key", "s.größe", "s.\"a\""])
    func aSubjectOfWordsIsAccepted(subject: String) throws {
      try Names.checkSubject(subject)
    }

    @Test func aPatternMayHaveWildcardsThatAreWords() throws {
      for pattern in ["*", ">", "s.*", "s.>", "*.a.*", "s.*.>"] { try Names.checkPattern(pattern) }
      for pattern in ["s.>.a", ">.s", "", "s.", "s *", "s.*\r\n"] {
        #expect(throws: JetStreamError.self, "\(pattern)") { try Names.checkPattern(pattern) }
      }
    }

    @Test(arguments: wrongNames)
    func aNameIsOneWord(name: String) {
      #expect(throws: JetStreamError.self) { try Names.checkName(name, .stream) }
    }

    @Test func theErrorNamesTheFault() {
      let error = #expect(throws: JetStreamError.self) { try Names.checkSubject("s.a b\n") }
      #expect(error?.kind == .refused)
      #expect(error?.text == #"the subject "s.a b\n" has a space"#)
      let empty = #expect(throws: JetStreamError.self) { try Names.checkName("", .consumer) }
      #expect(empty?.text == "the name of the consumer is empty")
    }

    /// Whatever is refused, the connection stays, and nothing of it is stored.
    @Test(.timeLimit(.minutes(2)))
    func nothingThatIsRefusedReachesTheServer() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let jetStream = stream.jetStream
      var wrong = Self.wrongSubjects.map { OutgoingMessage([1], to: $0, id: "1") }
      for headers in [
        ["": ["a"]], ["A B": ["a"]], ["A:": ["a"]], ["A": [""]], ["A": ["a\r\nB: b"]], ["Ä": ["a"]], ["A": ["a\u{0}b"]],
      ] {
        wrong.append(OutgoingMessage([1], to: "s.a", headers: headers))
      }
      wrong += ["", "1\r\n"].map { OutgoingMessage([1], to: "s.a", id: $0) }
      for message in wrong {
        await expect(.refused, 0) { _ = try await jetStream.publish(message).value }
        await expect(.refused, 0) { for try await _ in Just(message).publish(to: jetStream).values {} }
      }
      for name in Self.wrongNames {
        await expect(.refused, 0) { for try await _ in jetStream.messages(stream: name, consumer: "c").values {} }
        await expect(.refused, 0) { for try await _ in jetStream.messages(stream: "S", consumer: name).values {} }
        await expect(.refused, 0) { _ = try await jetStream.streamInfo(name) }
        await expect(.refused, 0) { _ = try await jetStream.consumerInfo(name, of: "S") }
        await expect(.refused, 0) { _ = try await jetStream.consumerInfo("c", of: name) }
        await expect(.refused, 0) { try await jetStream.deleteStream(name) }
        await expect(.refused, 0) { try await jetStream.purgeStream(name) }
        await expect(.refused, 0) { try await jetStream.deleteConsumer(name, of: "S") }
        await expect(.refused, 0) { try await jetStream.addStream(StreamConfiguration(name: name, subjects: ["t"])) }
        await expect(.refused, 0) { try await jetStream.addConsumer(ConsumerConfiguration(durable: name), to: "S") }
        await expect(.refused, 0) { _ = try await jetStream.addKeyValueStore(KeyValueConfiguration(bucket: name)) }
        await expect(.refused, 0) { _ = try await jetStream.keyValueStore(name) }
      }
      await expect(.refused, 0) { try await jetStream.addStream(StreamConfiguration(name: "T", subjects: ["t u"])) }
      await expect(.refused, 0) {
        var consumer = ConsumerConfiguration(durable: "d")
        consumer.filterSubject = "s.a b"
        try await jetStream.addConsumer(consumer, to: "S")
      }
      let bucket = try await jetStream.addKeyValueStore(KeyValueConfiguration(bucket: "b"))
      for key in ["", "a b", "a\r\nb", "*", ">", "a..b", ".a"] {
        await expect(.refused, 0) { try await bucket.put([1], for: key) }
        await expect(.refused, 0) { _ = try await bucket.get(key) }
      }
      await expect(.refused, 0) { for try await _ in bucket.watch("a b").values {} }
      #expect(try await jetStream.streamInfo("S").messageCount == 0)
      #expect(jetStream.traffic.reconnects == 0)
      let stored = OutgoingMessage([1], to: "s.größe", id: "1 ü", headers: ["A": [" b: c "], "B": ["ü"]])
      _ = try await jetStream.publish(stored).value
      for try await message in stream.messages().prefix(1).values {
        #expect(message.subject == "s.größe")
        #expect(message.headers["B"] == ["ü"])
        #expect(message.headers["A"]?.map { $0.trimmingCharacters(in: .whitespaces) } == ["b: c"])
      }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aNameOfAConnectionAndADomainAreChecked() async throws {
      let server = try TestServer()
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.name = "a\"b"
      await expect(.refused, 0) { await (try JetStream.connect(configuration)).close() }
      configuration.name = "a b"
      configuration.domain = "a b"
      await expect(.refused, 0) { await (try JetStream.connect(configuration)).close() }
      configuration.domain = nil
      await (try JetStream.connect(configuration)).close()
      withExtendedLifetime(server) {}
    }
  }
#endif
