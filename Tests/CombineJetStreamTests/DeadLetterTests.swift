#if JetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// Messages whose work is given up, and that cannot be stored as they are, on a real server.
  struct DeadLetterTests {

    private struct Failed: Error, CustomStringConvertible { let description = "it has failed" }

    /// The maximum size of a message of the server, by default.
    private static let maximum = 1 << 20

    /// Has one message processed, whose work fails.
    private static func process(
      _ jetStream: JetStream,
      begun: Guarded<Int> = Guarded(0),
      _ policy: FailurePolicy = FailurePolicy(attempts: 2, delays: [.milliseconds(10)], deadLetters: "dead.s")
    ) -> AnyPublisher<ProcessedMessage, JetStreamError> {
      jetStream.messages(stream: "S", consumer: "c")
        .process(failures: policy) { _ in
          begun.withLock { $0 += 1 }
          throw Failed()
        }
        .eraseToAnyPublisher()
    }

    private static func letters(_ jetStream: JetStream, _ count: Int) async throws -> [JetStreamMessage] {
      var letters: [JetStreamMessage] = []
      for try await letter in jetStream.orderedMessages(stream: "DEAD").prefix(count).values { letters.append(letter) }
      return letters
    }

    private static func connect(
      _ server: TestServer,
      retention: StreamConfiguration.Retention = .limits,
      letters: StreamConfiguration? = StreamConfiguration(name: "DEAD", subjects: ["dead.>"])
    ) async throws -> JetStream {
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.timeout = .seconds(1)
      let jetStream = try await JetStream.connect(configuration)
      var stream = StreamConfiguration(name: "S", subjects: ["s.>"])
      stream.retention = retention
      try await jetStream.addStream(stream)
      try await jetStream.addConsumer(ConsumerConfiguration(durable: "c"), to: "S")
      if let letters { try await jetStream.addStream(letters) }
      return jetStream
    }

    @Test(.timeLimit(.minutes(1)), arguments: [maximum - 20, maximum])
    func aMessageThatItsHeadersMakeTooLargeGoesWithoutItsPayload(size: Int) async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      _ = try await jetStream.publish([UInt8](repeating: 7, count: size), to: "s.a").value
      _ = try await jetStream.publish([1], to: "s.a").value
      let begun = Guarded(0)
      var outcomes: [String] = []
      for try await processed in Self.process(jetStream, begun: begun).prefix(4).values {
        outcomes.append("\(processed.outcome)".prefix { $0 != "(" }.description)
        if case .moved(_, let error) = processed.outcome { #expect(error is Failed) }
      }
      #expect(outcomes.sorted() == ["moved", "moved", "rejected", "rejected"])
      #expect(begun.withLock { $0 } == 4)
      let letters = try await Self.letters(jetStream, 2)
      let shortened = try #require(letters.first { $0.headers["Dead-Letter-Sequence"] == ["1"] })
      #expect(shortened.count == 0)
      #expect(shortened.headers["Dead-Letter-Omitted-Bytes"] == ["\(size)"])
      #expect(shortened.headers["Dead-Letter-Error"] == ["it has failed"])
      let whole = try #require(letters.first { $0.headers["Dead-Letter-Sequence"] == ["2"] })
      #expect(whole.payload == [1])
      #expect(whole.headers["Dead-Letter-Omitted-Bytes"] == nil)
      // The old message is done, and is still there.
      try await eventually { try await jetStream.consumerInfo("c", of: "S").acknowledgedSequence == 2 }
      #expect(try await jetStream.streamInfo("S").messageCount == 2)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// Its stream takes no letter of this size, although the server does.
    @Test(.timeLimit(.minutes(1)))
    func aLetterIsShortenedForAStreamThatTakesOnlySmallMessages() async throws {
      let server = try TestServer()
      var letters = StreamConfiguration(name: "DEAD", subjects: ["dead.>"])
      letters.maximumMessageSize = 1000
      let jetStream = try await Self.connect(server, letters: letters)
      let note = String(repeating: "n", count: 900)
      _ = try await jetStream.publish(OutgoingMessage([7, 7, 7, 7, 7], to: "s.a", headers: ["Note": [note]])).value
      for try await processed in Self.process(jetStream).prefix(2).values { _ = processed }
      let letter = try await Self.letters(jetStream, 1)[0]
      #expect(letter.headers["Dead-Letter-Omitted-Bytes"] == ["5"])
      #expect(letter.headers["Note"] == nil)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// A work queue would remove the message with its acknowledgement, and nobody could read its payload any more.
    @Test(.timeLimit(.minutes(1)))
    func aMessageOfAWorkQueueThatIsTooLargeForItsLetterEndsThePipeline() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server, retention: .workQueue)
      _ = try await jetStream.publish([UInt8](repeating: 7, count: Self.maximum - 20), to: "s.a").value
      let error = await #expect(throws: JetStreamError.self) {
        for try await _ in Self.process(jetStream).values {}
      }
      #expect(error?.kind == .payloadTooLarge)
      #expect(error?.text.contains("it has failed") == true)
      #expect(try await jetStream.streamInfo("S").messageCount == 1)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    enum Refusal: String, CaseIterable {
      case noStream, full, notASubject, tooSmall
    }

    @Test(.timeLimit(.minutes(1)), arguments: Refusal.allCases)
    func aLetterThatCannotBeStoredEndsThePipelineByName(refusal: Refusal) async throws {
      let server = try TestServer()
      var letters: StreamConfiguration? = StreamConfiguration(name: "DEAD", subjects: ["dead.>"])
      switch refusal {
      case .noStream: letters = nil
      case .full:
        letters?.maximumMessages = 1
        letters?.discard = .new
      case .tooSmall: letters?.maximumMessageSize = 10
      case .notASubject: break
      }
      let jetStream = try await Self.connect(server, letters: letters)
      if refusal == .full { _ = try await jetStream.publish([], to: "dead.other").value }
      _ = try await jetStream.publish([1], to: "s.a").value
      let begun = Guarded(0)
      let subject = refusal == .notASubject ? "dead letters" : "dead.s"
      let error = await #expect(throws: JetStreamError.self) {
        for try await _ in Self.process(jetStream, begun: begun, .init(attempts: 1, deadLetters: subject)).values {}
      }
      let kinds: [Refusal: JetStreamError.Kind] = [
        .noStream: .noStream, .full: .refused, .notASubject: .refused, .tooSmall: .payloadTooLarge,
      ]
      #expect(error?.kind == kinds[refusal])
      #expect(error?.text.contains(subject) == true && error?.text.contains("it has failed") == true)
      #expect(begun.withLock { $0 } == 1)
      // Nothing is lost: the message is delivered again to those who come later.
      #expect(try await jetStream.consumerInfo("c", of: "S").acknowledgedSequence == 0)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// A database that restarts fails all work for a time.
    @Test(.timeLimit(.minutes(1)))
    func workIsTriedAgainWithoutAnEndUnlessThePolicySaysOtherwise() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      _ = try await jetStream.publish([1], to: "s.a").value
      let deliveries = Guarded(0)
      let policy = FailurePolicy(delays: [.milliseconds(1)])
      let processing = jetStream.messages(stream: "S", consumer: "c").process(failures: policy) { message in
        deliveries.withLock { $0 += 1 }
        if message.deliveryCount <= 50 { throw Failed() }
        return nil
      }
      var outcomes: [String] = []
      for try await processed in processing.prefix(51).values {
        outcomes.append("\(processed.outcome)".prefix { $0 != "(" }.description)
      }
      #expect(outcomes == Array(repeating: "rejected", count: 50) + ["acknowledged"])
      #expect(deliveries.withLock { $0 } == 51)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func theDefaultPolicyTriesAgainAfterGrowingTimes() {
      let delays = (1...10).map { FailurePolicy().delay(afterDelivery: $0) }
      #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map { .seconds($0) })
      #expect(FailurePolicy(attempts: 3, deadLetters: "dead").delay(afterDelivery: 2) == .seconds(2))
      #expect(FailurePolicy(attempts: 3, deadLetters: "dead").delay(afterDelivery: 3) == nil)
    }
  }
#endif
