#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport

  extension StreamLoads {

    /// A consumer in a process of its own is killed 20 times, while messages are stored. None is lost, and not more than a
    /// window comes twice for each kill.
    static func consumerKilled() async throws {
      for window in [64, 512] {
        // The consumer takes longer than the kills leave it, so that each one meets messages under way.
        let server = try TestServer()
        let stream = try await TestStream(server, acknowledgementWait: .seconds(1))
        let log = server.folder.appendingPathComponent("numbers")
        let count = 20_000
        let kills = 20
        let production = Task { try await storeSlowly(count, seconds: 2, in: stream) }
        for _ in 0..<kills {
          let consumer = try ConsumerProcess(url: server.url, window: window, log: log)
          try await Task.sleep(for: .milliseconds(Int.random(in: 150...600)))
          consumer.kill()
        }
        _ = try await production.value
        let last = try ConsumerProcess(url: server.url, window: window, log: log)
        try await eventually(seconds: 60) { try await stream.isDone() }
        last.kill()
        let numbers = ConsumerProcess.numbers(in: log)
        let extra = numbers.count - Set(numbers).count
        report(
          "  window \(window): \(kills) kills, \(count - Set(numbers).count) of \(count) lost, \(extra) extra copies"
        )
        try expect(Set(numbers) == Set(0..<count), "messages were lost")
        try expect(extra <= window * kills, "more than a window came twice for a kill")
        await stream.jetStream.close()
      }
    }

    /// The server is killed 10 times under load, and started again on its store. Nothing is lost, and each message is
    /// stored once.
    static func serverKilled() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(2))
      let count = 300_000
      let kills = 10
      let consumed = Guarded<[Int]>([])
      let states = Guarded<[JetStream.ConnectionState]>([])
      let watching = stream.jetStream.connectionState.sink { state in states.withLock { $0.append(state) } }
      let failure = Guarded<String?>(nil)
      let consuming = stream.messages().sink(
        receiveCompletion: { completion in failure.withLock { $0 = "\(completion)" } },
        receiveValue: { message in consumed.withLock { $0.append(message.number) } }
      )
      let before = OwnProcess.memory
      let production = Task { try await storeSlowly(count, seconds: 12, in: stream) }
      var slowest = Duration.zero
      for _ in 0..<kills {
        try await Task.sleep(for: .milliseconds(Int.random(in: 600...1200)))
        server.kill()
        try await Task.sleep(for: .milliseconds(300))
        let seen = states.withLock { $0.count }
        try server.start()
        let start = ContinuousClock.now
        try await eventually { states.withLock { $0.count > seen && $0.last == .connected } }
        slowest = max(slowest, ContinuousClock.now - start)
      }
      let acknowledgements = try await production.value
      try await eventually(seconds: 120) { try await stream.isDone() }
      watching.cancel()
      consuming.cancel()
      let info = try await stream.jetStream.streamInfo(TestStream.name)
      let numbers = consumed.withLock { $0 }
      // The numbers themselves take eight bytes each, and twice that while the array grows.
      let growth = OwnProcess.memory - before - 16 * numbers.capacity
      report(
        """
          \(kills) kills, \(count) published: \(acknowledgements.stored) acknowledged as stored, \
        \(acknowledgements.duplicates) as duplicates, \(info.messageCount) stored; \
        \(count - Set(numbers).count) lost, \(numbers.count - Set(numbers).count) extra copies; \
        connected again after at most \(slowest.seconds.rounded(to: 2)) s; memory \(growth / 1_000_000) MB
        """
      )
      try expect(failure.withLock { $0 } == nil, "the subscription has ended: \(failure.withLock { $0 } ?? "")")
      try expect(Set(numbers) == Set(0..<count), "messages were lost")
      try expect(info.messageCount == UInt64(count), "messages are missing or stored twice")
      try expect(acknowledgements.stored + acknowledgements.duplicates == count, "acknowledgements are missing")
      try expect(slowest < .seconds(1), "the connection took long to come back")
      await stream.jetStream.close()
    }

    /// A subscription is cancelled at 1,000 random points, by the subscriber itself or by another thread. The rest goes to
    /// the next one at once. Nothing is lost. Nothing comes twice if the subscriber cancels. If another thread does, a
    /// message may be in work, which comes again, once for each cancel at most.
    static func cancelledAnywhere() async throws {
      for isOtherThread in [false, true] {
        let server = try TestServer()
        // What the server sends to an inbox at the moment of its end comes after this time.
        let stream = try await TestStream(server, acknowledgementWait: .seconds(5))
        let times = 500
        let count = 30_000
        try await stream.store(0..<count)
        var logs: [Guarded<[Int]>] = []
        for _ in 0..<times {
          let log = Guarded<[Int]>([])
          logs.append(log)
          let limit = Int.random(in: 1...60)
          let messages = stream.messages(window: [16, 64, 512].randomElement()!)
          if isOtherThread {
            let cancellable = messages.sink(
              receiveCompletion: { _ in },
              receiveValue: { message in log.withLock { $0.append(message.number) } }
            )
            let end = ContinuousClock.now + .milliseconds(20)
            while log.withLock({ $0.count }) < limit, ContinuousClock.now < end { await Task.yield() }
            cancellable.cancel()
          } else {
            for try await message in messages.prefix(limit).values { log.withLock { $0.append(message.number) } }
          }
        }
        let start = ContinuousClock.now
        let rest = try await drain(stream)
        let numbers = logs.flatMap { log in log.withLock { $0 } } + rest
        let (lost, extra) = (count - Set(numbers).count, numbers.count - Set(numbers).count)
        report(
          """
            \(times) cancels \(isOtherThread ? "by another thread" : "by the subscriber"): \(lost) lost, \(extra) twice, \
          \(rest.count) left, after \((ContinuousClock.now - start).seconds.rounded(to: 2)) s
          """
        )
        try expect(lost == 0, "messages were lost")
        try expect(extra <= (isOtherThread ? times : 0), "messages came twice")
        await stream.jetStream.close()
      }
    }

    private static func drain(_ stream: TestStream) async throws -> [Int] {
      let received = Guarded<[Int]>([])
      let cancellable = stream.messages(window: 512).sink(
        receiveCompletion: { _ in },
        receiveValue: { message in received.withLock { $0.append(message.number) } }
      )
      defer { cancellable.cancel() }
      try await eventually(seconds: 60) { try await stream.isDone() }
      return received.withLock { $0 }
    }

    struct Acknowledgements {
      var stored = 0
      var duplicates = 0
    }

    /// Stores numbers, spread over some seconds.
    @discardableResult
    static func storeSlowly(_ count: Int, seconds: Double, in stream: TestStream) async throws -> Acknowledgements {
      let start = ContinuousClock.now
      // Erased, because a sequence's own `map` makes all elements before the first one is published.
      let stored = (0..<count).publisher.eraseToAnyPublisher()
        .map { number -> OutgoingMessage in
          let due = start + .seconds(seconds * Double(number) / Double(count))
          // Some milliseconds late, but no call for each message.
          if number % 64 == 0, ContinuousClock.now < due { usleep(useconds_t((due - .now).seconds * 1e6)) }
          return OutgoingMessage(Array("\(number)".utf8), to: "s.numbers", id: "\(number)")
        }
        .publish(to: stream.jetStream)
        .subscribe(on: DispatchQueue(label: "producer"))
      var result = Acknowledgements()
      for try await acknowledgement in stored.values {
        if acknowledgement.isDuplicate { result.duplicates += 1 } else { result.stored += 1 }
      }
      return result
    }
  }

  extension TestStream {

    /// Whether all messages were delivered and acknowledged.
    func isDone() async throws -> Bool {
      do {
        let info = try await info()
        return info.pendingCount == 0 && info.unacknowledgedCount == 0
      } catch let error as JetStreamError where error.kind != .closed {
        return false
      }
    }
  }
#endif
