#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  extension JetStream.ConnectionEvent {

    /// Whether messages wait because the server has no room.
    fileprivate var isFull: Bool {
      guard case .resending(_, _, let reason?) = self else { return false }
      return reason.code == 10023
    }
  }

  /// Servers that hang, end and elect, and the time that it takes to notice.
  struct OutageTests {

    @Test(.timeLimit(.minutes(1)))
    func aServerThatHangsIsNoticedWhileMessagesAreWritten() async throws {
      let server = try TestServer()
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.pingInterval = .seconds(1)
      configuration.reconnectDelay = .milliseconds(100)
      let jetStream = try await JetStream.connect(configuration)
      try await jetStream.addStream(StreamConfiguration(name: "S", subjects: ["s.>"]))
      let stored = Guarded(0)
      let result = Guarded<Subscribers.Completion<any Error>?>(nil)
      // More than the buffers of the sockets take.
      let count = 400
      let publishing = (0..<count).publisher
        .map { OutgoingMessage([UInt8](repeating: 1, count: 100_000), to: "s.a", id: "\($0)") }
        .publish(to: jetStream, window: 200)
        .sink(
          receiveCompletion: { completion in result.withLock { $0 = completion } },
          receiveValue: { _ in
            let number = stored.withLock { count in
              count += 1
              return count
            }
            if number == 20 { server.pause() }
          }
        )
      let states = Guarded<[JetStream.ConnectionState]>([])
      let watching = jetStream.connectionState.sink { state in states.withLock { $0.append(state) } }
      try await wait("the server to hang") { stored.withLock { $0 } >= 20 }
      let start = ContinuousClock.now
      try await wait("the state") { states.withLock { $0.contains(.reconnecting) } }
      // Two intervals, and time for a busy machine.
      #expect(ContinuousClock.now - start < .seconds(6))
      server.resume()
      try await wait("the completion") { result.withLock { $0 } != nil }
      if case .failure(let error)? = result.withLock({ $0 }) { Issue.record("\(error)") }
      #expect(try await jetStream.streamInfo("S").messageCount == UInt64(count))
      watching.cancel()
      publishing.cancel()
      await jetStream.close()
    }

    /// The server may store 2 MB for all streams. More than that waits, which is told, and goes on when there is room.
    @Test(.timeLimit(.minutes(1)))
    func aFullStoreIsWaitedFor() async throws {
      let server = try TestServer(limits: "max_file_store: 2MB")
      let stream = try await TestStream(server)
      let events = Guarded<[JetStream.ConnectionEvent]>([])
      let watching = stream.jetStream.connectionEvents.sink { event in events.withLock { $0.append(event) } }
      let count = 40
      let stored = Guarded<Set<String>>([])
      let result = Guarded<Subscribers.Completion<any Error>?>(nil)
      let publishing = (0..<count).publisher
        .map { OutgoingMessage([UInt8](repeating: 1, count: 100_000), to: "s.a", id: "\($0)") }
        .publish(to: stream.jetStream)
        .sink(
          receiveCompletion: { completion in result.withLock { $0 = completion } },
          receiveValue: { acknowledgement in _ = stored.withLock { $0.insert(acknowledgement.id ?? "") } }
        )
      try await wait("the event") { events.withLock { $0.contains { $0.isFull } } }
      #expect(result.withLock { $0 } == nil)
      #expect((1..<count).contains(stored.withLock { $0.count }))
      // A call that waits for nothing else learns the reason.
      do {
        _ = try await stream.jetStream.publish([UInt8](repeating: 1, count: 100_000), to: "s.a", id: "last").value
        Issue.record("the store is not full")
      } catch let error as JetStreamError {
        #expect(error.code == 10023)
      }
      // Somebody makes room, until all are stored.
      while result.withLock({ $0 == nil }) {
        try await stream.jetStream.purgeStream(TestStream.name)
        try await Task.sleep(for: .milliseconds(100))
      }
      if case .failure(let error)? = result.withLock({ $0 }) { Issue.record("\(error)") }
      #expect(stored.withLock { $0 } == Set((0..<count).map(String.init)))
      watching.cancel()
      publishing.cancel()
      await stream.jetStream.close()
    }

    @Test(arguments: [true, false])
    func closingTakesOneTimeoutAtMost(isKilled: Bool) async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, timeout: .seconds(2))
      let subscribers = (0..<20).map { _ in SlowSubscriber(demand: .max, pause: 0) }
      for subscriber in subscribers { stream.messages().subscribe(subscriber) }
      // A round trip, behind the subscriptions.
      _ = try await stream.info()
      let states = Guarded<[JetStream.ConnectionState]>([])
      let watching = stream.jetStream.connectionState.sink { state in states.withLock { $0.append(state) } }
      if isKilled {
        server.kill()
        try await wait("the state") { states.withLock { $0.last } == .reconnecting }
      } else {
        server.pause()
      }
      let start = ContinuousClock.now
      await stream.jetStream.close()
      // One timeout, and time for a busy machine. One for each of them would be 40 seconds.
      #expect(ContinuousClock.now - start < .seconds(10))
      try await wait("the completions") { subscribers.allSatisfy { $0.completion != nil } }
      for subscriber in subscribers {
        if case .failure(let error)? = subscriber.completion { Issue.record("\(error)") }
      }
      server.resume()
      watching.cancel()
    }

    @Test(.timeLimit(.minutes(1)))
    func orderedMessagesKeepTheirOrderWhenTheyAreSentAgain() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let count = 3000
      let stored = Guarded(0)
      let isDone = Guarded(false)
      let publishing = (0..<count).publisher
        .map { OutgoingMessage(Array("\($0)".utf8), to: "s.a", id: "\($0)") }
        .publish(to: stream.jetStream, ordered: true)
        .sink(
          receiveCompletion: { _ in isDone.withLock { $0 = true } },
          receiveValue: { _ in stored.withLock { $0 += 1 } }
        )
      for kill in 1...2 {
        try await wait("messages") { stored.withLock { $0 } > kill * 500 }
        server.kill()
        try server.start()
      }
      try await wait("the end") { isDone.withLock { $0 } }
      var numbers: [Int] = []
      for try await message in stream.messages().prefix(count).values { numbers.append(message.number) }
      let isOrdered = numbers == Array(0..<count)
      #expect(isOrdered)
      publishing.cancel()
      await stream.jetStream.close()
    }

    /// Servers of a cluster elect a leader for a stream in some seconds. Meanwhile nobody listens to its subjects.
    @Test(.timeLimit(.minutes(2)))
    func aLeaderThatIsBeingElectedIsWaitedFor() async throws {
      let cluster = try TestCluster()
      // So short that the operator would believe that there is no stream.
      let jetStream = try await cluster.connect { $0.timeout = .seconds(1) }
      var configuration = StreamConfiguration(name: "S", subjects: ["s.>"])
      configuration.replicas = 3
      try await eventually(seconds: 60) {
        do {
          try await jetStream.addStream(configuration)
          return true
        } catch {
          return false
        }
      }
      let count = 4000
      let failure = Guarded<String?>(nil)
      let isDone = Guarded(false)
      let stored = Guarded(0)
      // Erased, because a sequence's own `map` makes all elements before the first one is published.
      let publishing = (0..<count).publisher.eraseToAnyPublisher()
        .map { number -> OutgoingMessage in
          if number % 10 == 0 { usleep(10_000) }
          return OutgoingMessage([1], to: "s.a", id: "\(number)")
        }
        .publish(to: jetStream, window: 100)
        .subscribe(on: DispatchQueue(label: "publishing"))
        .sink(
          receiveCompletion: { completion in
            if case .failure(let error) = completion { failure.withLock { $0 = "\(error)" } }
            isDone.withLock { $0 = true }
          },
          receiveValue: { _ in stored.withLock { $0 += 1 } }
        )
      try await wait("messages") { stored.withLock { $0 } > 500 }
      // Each call has the short timeout of this connection.
      var leader: String?
      try await eventually {
        leader = try? await jetStream.streamInfo("S").leader
        return leader != nil
      }
      cluster.server(leader!)?.kill()
      try await wait("the completion", seconds: 60) { isDone.withLock { $0 } }
      #expect(failure.withLock { $0 } == nil)
      #expect(stored.withLock { $0 } == count)
      try await eventually { (try? await jetStream.streamInfo("S").messageCount) == UInt64(count) }
      publishing.cancel()
      await jetStream.close()
      withExtendedLifetime(cluster) {}
    }
  }
#endif
