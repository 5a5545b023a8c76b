#if JetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// One operator that consumes, works, publishes and acknowledges, on a real server.
  struct ProcessMessagesTests {

    private struct Failed: Error, CustomStringConvertible { let description = "it has failed\nagain" }

    private static func addResults(_ stream: TestStream) async throws {
      try await stream.jetStream.addStream(StreamConfiguration(name: "R", subjects: ["r.>", "dead.>"]))
      try await stream.jetStream.addConsumer(ConsumerConfiguration(durable: "c"), to: "R")
    }

    @Test(.timeLimit(.minutes(1)), arguments: [Acknowledgement.afterReceive, .manual])
    func eachResultIsStoredOnceAndThenTheMessageIsAcknowledged(acknowledgement: Acknowledgement) async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(600))
      try await Self.addResults(stream)
      let count = 500
      try await stream.store(0..<count)
      let inWork = Guarded((now: 0, most: 0))
      let done = stream.messages(acknowledgement: acknowledgement)
        .process(maxConcurrent: 8) { message in
          inWork.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
          defer { inWork.withLock { $0.now -= 1 } }
          await Task.yield()
          return message.number.isMultiple(of: 2) ? OutgoingMessage(message.payload, to: "r.\(message.number)") : nil
        }
        .prefix(count)
      var results = 0
      for try await processed in done.values {
        guard case .acknowledged(let result) = processed.outcome else {
          Issue.record("\(processed.outcome)")
          continue
        }
        #expect((result != nil) == processed.message.number.isMultiple(of: 2))
        if result != nil { results += 1 }
      }
      #expect(results == count / 2)
      #expect(inWork.withLock { $0.most } <= 8)
      #expect(try await stream.jetStream.streamInfo("R").messageCount == UInt64(count / 2))
      try await eventually { try await stream.info().unacknowledgedCount == 0 }
      #expect(try await stream.info().acknowledgedSequence == UInt64(count))
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func workThatFailsIsTriedAgainAndThenMovedWithItsReason() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(600))
      try await Self.addResults(stream)
      try await stream.store(0..<3)
      let policy = FailurePolicy(attempts: 3, delays: [.milliseconds(10), .milliseconds(50)], deadLetters: "dead.s")
      var outcomes: [Int: [String]] = [:]
      let processing = stream.messages().process(maxConcurrent: 2, failures: policy) { message in
        if message.number == 1 { throw Failed() }
        return nil
      }
      for try await processed in processing.prefix(5).values {
        outcomes[processed.message.number, default: []].append("\(processed.outcome)".prefix { $0 != "(" }.description)
      }
      #expect(outcomes == [0: ["acknowledged"], 1: ["rejected", "rejected", "moved"], 2: ["acknowledged"]])
      for try await message in stream.jetStream.messages(stream: "R", consumer: "c").prefix(1).values {
        #expect(message.subject == "dead.s")
        #expect(message.number == 1)
        #expect(message.headers["Dead-Letter-Error"] == ["it has failed again"])
        #expect(message.headers["Dead-Letter-Deliveries"] == ["3"])
        #expect(message.headers["Dead-Letter-Sequence"] == ["2"])
      }
      try await eventually { try await stream.info().acknowledgedSequence == 3 }
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func aResultThatIsRefusedIsAFailureOfTheWork() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<1)
      let processing = stream.messages().process(failures: FailurePolicy(attempts: 1)) { _ in
        OutgoingMessage([1], to: "not a subject")
      }
      for try await processed in processing.prefix(1).values {
        guard case .terminated(let error as JetStreamError) = processed.outcome else {
          Issue.record("\(processed.outcome)")
          continue
        }
        #expect(error.kind == .refused)
      }
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func delaysFollowTheDeliveries() {
      let policy = FailurePolicy(attempts: 4, delays: [.seconds(1), .seconds(5)])
      #expect((1...5).map { policy.delay(afterDelivery: $0) } == [.seconds(1), .seconds(5), .seconds(5), nil, nil])
      #expect(FailurePolicy(attempts: 2, delays: []).delay(afterDelivery: 1) == .zero)
    }

    // MARK: Draining

    @Test(.timeLimit(.minutes(1)))
    func drainingWaitsForTheWorkThatIsOutAndGivesTheRestBack() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(600))
      let other = try await TestStream(server, acknowledgementWait: .seconds(600))
      try await Self.addResults(stream)
      try await stream.store(0..<200)
      let begun = Guarded(0)
      let ended = Guarded<Set<Int>>([])
      let completion = Guarded<Subscribers.Completion<JetStreamError>?>(nil)
      let processing = stream.messages(window: 64)
        .process(maxConcurrent: 8) { message in
          begun.withLock { $0 += 1 }
          try await Task.sleep(for: .milliseconds(100))
          _ = ended.withLock { $0.insert(message.number) }
          return OutgoingMessage(message.payload, to: "r.a")
        }
        .sink(receiveCompletion: { end in completion.withLock { $0 = end } }, receiveValue: { _ in })
      try await wait("work") { begun.withLock { $0 } >= 8 }
      #expect(await stream.jetStream.drain())
      guard case .finished? = completion.withLock({ $0 }) else {
        Issue.record("\(String(describing: completion.withLock { $0 }))")
        return
      }
      let done = ended.withLock { $0 }
      #expect(done.count == begun.withLock { $0 })
      #expect(done.count < 200)
      #expect(try await other.jetStream.streamInfo("R").messageCount == UInt64(done.count))
      var rest: Set<Int> = []
      for try await message in other.messages().prefix(200 - done.count).values { rest.insert(message.number) }
      #expect(rest == Set(0..<200).subtracting(done))
      processing.cancel()
      await other.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func aSubscriptionIsDrainedByAPrefixInFrontOfTheWork() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(5))
      try await stream.store(0..<200)
      let stop = PassthroughSubject<Void, Never>()
      let begun = Guarded(0)
      let ended = Guarded<Set<Int>>([])
      let completion = Guarded<Subscribers.Completion<JetStreamError>?>(nil)
      let processing = stream.messages(window: 64)
        .prefix(untilOutputFrom: stop)
        .process(maxConcurrent: 8) { message in
          begun.withLock { $0 += 1 }
          try await Task.sleep(for: .milliseconds(100))
          _ = ended.withLock { $0.insert(message.number) }
          return nil
        }
        .sink(receiveCompletion: { end in completion.withLock { $0 = end } }, receiveValue: { _ in })
      try await wait("work") { begun.withLock { $0 } >= 8 }
      stop.send()
      try await wait("the completion") { completion.withLock { $0 } != nil }
      let done = ended.withLock { $0 }
      #expect(done.count == begun.withLock { $0 })
      var rest: Set<Int> = []
      for try await message in stream.messages().prefix(200 - done.count).values { rest.insert(message.number) }
      #expect(rest == Set(0..<200).subtracting(done))
      processing.cancel()
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func drainingEndsWhenItsTimeIsOver() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<1)
      let held = Guarded<[JetStreamMessage]>([])
      let sink = stream.messages(acknowledgement: .manual).sink(receiveCompletion: { _ in }) { message in
        held.withLock { $0.append(message) }
      }
      try await wait("the message") { held.withLock { $0.count } == 1 }
      let start = ContinuousClock.now
      #expect(await !stream.jetStream.drain(within: .milliseconds(300)))
      #expect(ContinuousClock.now - start >= .milliseconds(300))
      sink.cancel()
      withExtendedLifetime(server) {}
    }
  }
#endif
