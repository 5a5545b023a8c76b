#if JetStream && Logging
  import CombineJetStream
  import InMemoryLogging
  import JetStreamSupport
  import Logging
  import TestSupport
  import Testing

  /// What a logger gets of a connection.
  struct LogConnectionTests {

    private static func logger() -> (Logger, InMemoryLogHandler) {
      let handler = InMemoryLogHandler()
      return (Logger(label: "test", factory: { _ in handler }), handler)
    }

    @Test func eventsAreLoggedBeforeTheyAreReceived() {
      let (logger, handler) = Self.logger()
      let upstream = ManualPublisher<JetStream.ConnectionEvent, Never>()
      var counts: [Int] = []
      let subscriber = RecordingSubscriber<JetStream.ConnectionEvent, Never>(
        onValue: { _ in
          counts.append(handler.entries.count)
          return .none
        }
      )
      upstream.log(to: logger).subscribe(subscriber)
      let full = JetStreamError(.refused, status: 503, code: 10023, text: "insufficient resources")
      upstream.send(.lameDuck)
      upstream.send(.failure(JetStreamError(.authentication, text: "Permissions Violation for Publish to \"a\"")))
      upstream.send(.resending(count: 3, time: .milliseconds(5500), reason: full))
      upstream.send(.resending(count: 1, time: .seconds(10), reason: nil))
      upstream.send(.consumerUnavailable(stream: "S", consumer: "c", JetStreamError(.timedOut)))
      #expect(counts == [1, 2, 3, 4, 5])
      #expect(handler.entries.map(\.level) == [.notice, .error, .warning, .warning, .warning])
      let metadata = handler.entries.map(\.metadata)
      #expect(metadata[1]["error"]?.description.contains("\"a\"") == true)
      #expect(metadata[2] == ["messages": "3", "seconds": "5", "reason": "\(full)"])
      #expect(metadata[3] == ["messages": "1", "seconds": "10"])
      #expect(metadata[4]["stream"] == "S")
      #expect(metadata[4]["consumer"] == "c")
    }

    @Test(.timeLimit(.minutes(1)))
    func theStatesOfAConnectionAreLogged() async throws {
      let (logger, handler) = Self.logger()
      let server = try TestServer()
      let stream = try await TestStream(server)
      let isFinished = Guarded(false)
      let logging = stream.jetStream.connectionState.log(to: logger)
        .sink(receiveCompletion: { _ in isFinished.withLock { $0 = true } }, receiveValue: { _ in })
      server.kill()
      try server.start()
      try await wait("the states") { handler.entries.count >= 3 }
      await stream.jetStream.close()
      try await wait("the end") { isFinished.withLock { $0 } }
      #expect(handler.entries.map(\.level) == [.info, .warning, .info, .info])
      logging.cancel()
    }
  }
#endif
