#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport

  extension StreamLoads {

    /// The server is away for 30 seconds. Pipelines wait, and go on afterwards. Memory stays flat.
    static func serverAway() async throws {
      try await outage(seconds: 30) { server in
        server.kill()
      } end: { server in
        try server.start()
      }
    }

    /// The server is stopped, and goes on. Its connections stay, and nobody answers meanwhile.
    static func serverStopped() async throws {
      try await outage(seconds: 10) { server in
        server.pause()
      } end: { server in
        server.resume()
      }
    }

    private static func outage(
      seconds: Double,
      begin: (TestServer) -> Void,
      end: (TestServer) throws -> Void
    ) async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(2))
      let consumed = Guarded(Set<Int>())
      let failure = Guarded<String?>(nil)
      let consuming = stream.messages().sink(
        receiveCompletion: { completion in failure.withLock { $0 = "\(completion)" } },
        receiveValue: { message in _ = consumed.withLock { $0.insert(message.number) } }
      )
      let count = 20_000
      let production = Task { try await storeSlowly(count, seconds: 4, in: stream) }
      try await Task.sleep(for: .seconds(2))
      begin(server)
      try await Task.sleep(for: .seconds(1))
      let before = OwnProcess.memory
      try await Task.sleep(for: .seconds(seconds))
      let growth = OwnProcess.memory - before
      try end(server)
      _ = try await production.value
      try await eventually(seconds: 60) { try await stream.isDone() }
      consuming.cancel()
      let numbers = consumed.withLock { $0 }
      let stored = try await stream.jetStream.streamInfo(TestStream.name).messageCount
      report("  \(seconds) s: \(count - numbers.count) lost, \(stored) of \(count) stored, memory +\(growth / 1000) kB")
      try expect(failure.withLock { $0 } == nil, "the subscription has ended: \(failure.withLock { $0 } ?? "")")
      try expect(numbers == Set(0..<count), "messages were lost")
      try expect(stored == UInt64(count), "messages are missing or stored twice")
      try expect(growth < 2_000_000, "memory has grown")
      await stream.jetStream.close()
    }

    /// A consumer that takes a millisecond for each message, for 60 seconds, with 300,000 waiting.
    static func slowConsumer() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<300_000)
      let subscriber = SlowSubscriber(demand: .max, pause: 0.001)
      stream.messages(window: 512).subscribe(subscriber)
      try await Task.sleep(for: .seconds(2))
      let before = OwnProcess.memory
      var most = 0
      let end = ContinuousClock.now + .seconds(58)
      while ContinuousClock.now < end {
        most = max(most, try await stream.info().unacknowledgedCount)
        try await Task.sleep(for: .milliseconds(50))
      }
      let growth = OwnProcess.memory - before - 16 * subscriber.count
      subscriber.cancel()
      report("  \(subscriber.count) messages, at most \(most) unacknowledged, memory +\(growth / 1000) kB")
      // The server handles requests at once and acknowledgements later, so on a busy machine it counts some too many.
      try expect(most <= 512 + 16, "more than the window")
      try expect(growth < 2_000_000, "memory has grown")
      await stream.jetStream.close()
    }

    /// 500 subscriptions of one connection.
    static func manySubscriptions() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let jetStream = try await JetStream.connect(.init(servers: [server.url]))
      let before = OwnProcess.threadCount
      let subscribers = (0..<500).map { _ in SlowSubscriber(demand: 1, pause: 0) }
      for subscriber in subscribers {
        jetStream.messages(stream: TestStream.name, consumer: TestStream.consumer).subscribe(subscriber)
      }
      var most = 0
      try await stream.store(0..<10_000)
      try await wait("the messages", seconds: 60) {
        most = max(most, OwnProcess.threadCount)
        return subscribers.reduce(0) { $0 + $1.count } == 10_000
      }
      report("  500 subscriptions: \(before) threads, then at most \(most)")
      try expect(most <= before + 12, "more than a handful of threads")
      for subscriber in subscribers { subscriber.cancel() }
      await jetStream.close()
      await stream.jetStream.close()
    }

    /// Messages of a megabyte, with the default window, and a consumer that is slow at first.
    static func largeMessages() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let payload = [UInt8](repeating: 1, count: 1_000_000)
      for number in 0..<300 { _ = try await stream.jetStream.publish(payload, to: "s.large", id: "\(number)").value }
      let before = OwnProcess.memory
      let subscriber = SlowSubscriber(demand: .max, pause: 0.01)
      subscriber.hold()
      stream.messages().subscribe(subscriber)
      try await Task.sleep(for: .seconds(2))
      let growth = OwnProcess.memory - before
      subscriber.release()
      try await wait("the messages", seconds: 60) { subscriber.count == 300 }
      report("  300 messages of 1 MB: memory +\(growth / 1_000_000) MB")
      try expect(growth < 48_000_000, "more than two requests were held")
      subscriber.cancel()
      await stream.jetStream.close()
    }

    /// 1,000 connections, each with a subscription and a publish. No thread and no object is left.
    static func connections() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<1)
      func connect() async throws {
        let jetStream = try await JetStream.connect(.init(servers: [server.url]))
        let subscriber = SlowSubscriber(demand: 1, pause: 0)
        jetStream.messages(stream: TestStream.name, consumer: TestStream.consumer).subscribe(subscriber)
        _ = try await jetStream.publish([1], to: "s.numbers").value
        await jetStream.close()
        try await wait("the end of the subscription") { subscriber.completion != nil }
      }
      for _ in 0..<50 { try await connect() }
      let (threads, memory) = (OwnProcess.threadCount, OwnProcess.memory)
      for _ in 0..<1000 { try await connect() }
      let growth = OwnProcess.memory - memory
      report("  threads \(threads), then \(OwnProcess.threadCount); memory +\(growth / 1000) kB")
      try expect(OwnProcess.threadCount <= threads + 4, "threads are left")
      try expect(growth < 4_000_000, "memory has grown")
      await stream.jetStream.close()
    }
  }
#endif
