#if JetStream
  import CNATS
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// Streams whose numbers begin again, on a real server: nothing that is new counts as a copy of what was there before.
  struct RestartedStreamTests {

    /// What has happened to the stream between two portions of messages.
    enum Restart: String, CaseIterable {

      /// It was in memory, and its server was killed.
      case lost

      /// It was deleted and created again.
      case deleted

      /// Its messages were removed. The numbers go on.
      case purged

      /// Its folder was replaced by an earlier copy. The numbers begin again in the middle.
      case restored
    }

    private static let count = 20

    private static func connect(_ server: TestServer) async throws -> JetStream {
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.reconnectDelay = .milliseconds(50)
      let jetStream = try await JetStream.connect(configuration)
      try await jetStream.addStream(StreamConfiguration(name: "R", subjects: ["r.>", "dead.>"]))
      return jetStream
    }

    private static func addSource(_ jetStream: JetStream, in storage: StreamConfiguration.Storage) async throws {
      var configuration = StreamConfiguration(name: "S", subjects: ["s"])
      configuration.storage = storage
      try await jetStream.addStream(configuration)
      var consumer = ConsumerConfiguration(durable: "c")
      // A message that was on its way to a killed server comes again after this time.
      consumer.acknowledgementWait = .seconds(2)
      try await jetStream.addConsumer(consumer, to: "S")
    }

    private static func store(_ numbers: Range<Int>, in jetStream: JetStream) async throws {
      for number in numbers {
        _ = try await jetStream.publish(Array("\(number)".utf8), to: "s", id: "\(number)").value
      }
    }

    /// Has each message processed. Those with an odd number fail, and become dead letters.
    private static func process(_ count: Int, of jetStream: JetStream) async throws {
      struct Odd: Error {}
      let policy = FailurePolicy(attempts: 1, deadLetters: "dead.s")
      let processing = jetStream.messages(stream: "S", consumer: "c").process(maxConcurrent: 4, failures: policy) {
        guard $0.number.isMultiple(of: 2) else { throw Odd() }
        return OutgoingMessage($0.payload, to: "r.s")
      }
      for try await _ in processing.prefix(count).values {}
    }

    /// The numbers of the results and dead letters in their stream.
    private static func results(_ jetStream: JetStream) async throws -> [Int] {
      let count = try await jetStream.streamInfo("R").messageCount
      guard count > 0 else { return [] }
      var numbers: [Int] = []
      for try await message in jetStream.orderedMessages(stream: "R").prefix(Int(count)).values {
        #expect(message.subject == (message.number.isMultiple(of: 2) ? "r.s" : "dead.s"))
        numbers.append(message.number)
      }
      return numbers
    }

    @Test(.timeLimit(.minutes(1)), arguments: Restart.allCases)
    func eachNewMessageHasItsResult(restart: Restart) async throws {
      let server = try TestServer()
      let copy = server.folder.appendingPathComponent("copy")
      let source = server.folder.appendingPathComponent("store/jetstream/$G/streams/S")
      let jetStream = try await Self.connect(server)
      try await Self.addSource(jetStream, in: restart == .lost ? .memory : .file)
      if restart == .restored {
        server.kill()
        try FileManager.default.copyItem(at: source, to: copy)
        try server.start()
      }
      try await Self.store(0..<Self.count, in: jetStream)
      try await Self.process(Self.count, of: jetStream)
      #expect(Set(try await Self.results(jetStream)) == Set(0..<Self.count))

      switch restart {
      case .lost:
        server.kill()
        try server.start()
      case .deleted: try await jetStream.deleteStream("S")
      case .purged: try await jetStream.purgeStream("S")
      case .restored:
        server.kill()
        try FileManager.default.removeItem(at: source)
        try FileManager.default.copyItem(at: copy, to: source)
        try server.start()
      }
      try await eventually { (try? await jetStream.streamInfo("R")) != nil }
      try await Self.addSource(jetStream, in: restart == .lost ? .memory : .file)
      try await Self.store(Self.count..<2 * Self.count, in: jetStream)
      let first = try await jetStream.streamInfo("S").firstSequence
      #expect(first == (restart == .purged ? UInt64(Self.count) + 1 : 1))
      try await Self.process(Self.count, of: jetStream)
      #expect(Set(try await Self.results(jetStream)) == Set(0..<2 * Self.count))
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func aConsumerThatIsCreatedAgainHasAllResultsStoredAgain() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      try await Self.addSource(jetStream, in: .file)
      try await Self.store(0..<Self.count, in: jetStream)
      try await Self.process(Self.count, of: jetStream)
      try await jetStream.deleteConsumer("c", of: "S")
      try await Self.addSource(jetStream, in: .file)
      try await Self.process(Self.count, of: jetStream)
      let results = try await Self.results(jetStream)
      #expect(results.count == 2 * Self.count)
      #expect(Set(results) == Set(0..<Self.count))
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// The consumer is deleted and created again while a message is in work, so that no request of the subscription learns
    /// of it.
    @Test(.timeLimit(.minutes(1)))
    func aResultForAnEarlierConsumerIsNoResultForThisOne() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      try await Self.addSource(jetStream, in: .file)
      try await Self.store(0..<2, in: jetStream)
      let begun = Guarded(0)
      let mayGoOn = Guarded(false)
      let outcomes = Guarded<[ProcessedMessage]>([])
      let processing = jetStream.messages(stream: "S", consumer: "c").process { message in
        begun.withLock { $0 += 1 }
        if message.number == 1, message.consumerSequence == 2 {
          try await wait("the other consumer") { mayGoOn.withLock { $0 } }
        }
        return OutgoingMessage(message.payload, to: "r.s")
      }
      .sink(receiveCompletion: { _ in }, receiveValue: { outcome in outcomes.withLock { $0.append(outcome) } })
      try await wait("the second message") { begun.withLock { $0 } == 2 }
      try await jetStream.deleteConsumer("c", of: "S")
      try await Self.addSource(jetStream, in: .file)
      mayGoOn.withLock { $0 = true }
      // Both messages come again, and have results of the new life.
      try await wait("the results") { outcomes.withLock { $0.count } >= 4 }
      processing.cancel()
      var numbers: [Int: Int] = [:]
      for number in try await Self.plainResults(jetStream) { numbers[number, default: 0] += 1 }
      #expect(numbers[0] == 2)
      #expect((numbers[1] ?? 0) >= 1)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    private static func plainResults(_ jetStream: JetStream) async throws -> [Int] {
      let count = try await jetStream.streamInfo("R").messageCount
      var numbers: [Int] = []
      for try await message in jetStream.orderedMessages(stream: "R").prefix(Int(count)).values {
        numbers.append(message.number)
      }
      return numbers
    }

    /// What the id is for: a result whose message was not acknowledged is stored once, also by another process.
    @Test(.timeLimit(.minutes(1)))
    func aResultWhoseAcknowledgementIsLostIsStoredOnce() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      try await jetStream.addStream(StreamConfiguration(name: "S", subjects: ["s"]))
      var consumer = ConsumerConfiguration(durable: "c")
      consumer.acknowledgementWait = .milliseconds(200)
      try await jetStream.addConsumer(consumer, to: "S")
      try await Self.store(0..<1, in: jetStream)
      // The first work takes longer than the server waits. The second process has the result stored before.
      let other = try await Self.connect(server)
      let isFirst = Guarded(true)
      let outcomes = Guarded<[ProcessedMessage.Outcome]>([])
      let processings = [jetStream, other].map { jetStream in
        jetStream.messages(stream: "S", consumer: "c").process { message in
          if isFirst.withLock({ exchange(&$0, with: false) }) {
            try await wait("the other result") { outcomes.withLock { $0.count } >= 1 }
          }
          return OutgoingMessage(message.payload, to: "r.s")
        }
        .sink(receiveCompletion: { _ in }, receiveValue: { value in outcomes.withLock { $0.append(value.outcome) } })
      }
      try await wait("both") { outcomes.withLock { $0.count } >= 2 }
      let duplicates = outcomes.withLock { $0 }.filter {
        if case .acknowledged(let acknowledgement?) = $0 { acknowledgement.isDuplicate } else { false }
      }
      #expect(duplicates.count >= 1)
      #expect(try await jetStream.streamInfo("R").messageCount == 1)
      for processing in processings { processing.cancel() }
      await jetStream.close()
      await other.close()
      withExtendedLifetime(server) {}
    }

    /// The server forgets that messages were acknowledged, and tells another time at which the consumer was created.
    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func resultsAreStoredOnceAlthoughTheServerIsKilled(isCreatedAgain: Bool) async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      try await Self.addSource(jetStream, in: .file)
      let count = 2000
      let stored = (0..<count).publisher
        .map { OutgoingMessage(Array("\($0 * 2)".utf8), to: "s", id: "\($0)") }
        .publish(to: jetStream)
      for try await _ in stored.values {}
      if isCreatedAgain {
        // Now the messages are older than the consumer.
        try await jetStream.deleteConsumer("c", of: "S")
        try await Self.addSource(jetStream, in: .file)
      }
      let duplicates = Guarded(0)
      let done = Guarded<Set<UInt64>>([])
      let processing = jetStream.messages(stream: "S", consumer: "c")
        .process(maxConcurrent: 8) { OutgoingMessage($0.payload, to: "r.s") }
        .sink(receiveCompletion: { _ in }) { processed in
          _ = done.withLock { $0.insert(processed.message.streamSequence) }
          if case .acknowledged(let stored?) = processed.outcome, stored.isDuplicate { duplicates.withLock { $0 += 1 } }
        }
      for part in 1...3 {
        try await wait("results") { done.withLock { $0.count } >= part * count / 4 }
        server.kill()
        try server.start()
      }
      try await wait("all results") { done.withLock { $0.count } == count }
      try await eventually { try await jetStream.consumerInfo("c", of: "S").acknowledgedSequence == UInt64(count) }
      #expect(try await jetStream.streamInfo("R").messageCount == UInt64(count))
      #expect(duplicates.withLock { $0 } > 0, "no message came twice, so the test shows nothing")
      processing.cancel()
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func aResultStreamThatTakesNothingMoreIsAFailureOfTheWork() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      try await Self.addSource(jetStream, in: .file)
      try await Self.store(0..<2, in: jetStream)
      try await jetStream.seal("R")
      // A source that takes nothing more is processed to its end.
      try await jetStream.seal("S")
      let processing = jetStream.messages(stream: "S", consumer: "c").process { message in
        message.number == 0 ? OutgoingMessage(message.payload, to: "r.s") : nil
      }
      var outcomes: [Int: String] = [:]
      for try await processed in processing.prefix(2).values {
        outcomes[processed.message.number] = "\(processed.outcome)".prefix { $0 != "(" }.description
      }
      #expect(outcomes == [0: "rejected", 1: "acknowledged"])
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    // MARK: Reading in order

    /// The stream has lost messages that were read, and has others under their numbers.
    @Test(.timeLimit(.minutes(1)), arguments: [Restart.lost, .deleted, .restored])
    func readingInOrderSkipsNoMessageWithAnOldNumber(restart: Restart) async throws {
      let server = try TestServer()
      let copy = server.folder.appendingPathComponent("copy")
      let source = server.folder.appendingPathComponent("store/jetstream/$G/streams/S")
      let jetStream = try await Self.connect(server)
      let writer = try await Self.connect(server)
      try await Self.addSource(jetStream, in: restart == .lost ? .memory : .file)
      if restart == .restored {
        server.kill()
        try FileManager.default.copyItem(at: source, to: copy)
        try server.start()
        try await eventually { (try? await writer.streamInfo("S")) != nil }
      }
      try await Self.store(0..<10, in: writer)
      let numbers = Guarded<[Int]>([])
      let completion = Guarded<Subscribers.Completion<JetStreamError>?>(nil)
      let reading = jetStream.orderedMessages(stream: "S", window: 1)
        .sink(receiveCompletion: { end in completion.withLock { $0 = end } }) { message in
          numbers.withLock { $0.append(message.number) }
        }
      try await wait("the messages") { numbers.withLock { $0.count } == 10 }
      switch restart {
      case .deleted: try await writer.deleteStream("S")
      default:
        server.kill()
        if restart == .restored {
          try FileManager.default.removeItem(at: source)
          try FileManager.default.copyItem(at: copy, to: source)
        }
        // Another port for a moment: the writer alone finds the server.
        let refilling = try TestServer(store: server.folder.appendingPathComponent("store").path)
        let other = try await Self.connect(refilling)
        try await Self.addSource(other, in: restart == .lost ? .memory : .file)
        try await Self.store(10..<30, in: other)
        await other.close()
        refilling.kill()
        try server.start()
      }
      if restart != .restored {
        try await eventually { (try? await writer.streamInfo("R")) != nil }
        try await Self.addSource(writer, in: restart == .lost ? .memory : .file)
        try await Self.store(10..<30, in: writer)
      }
      try await wait("the completion") { completion.withLock { $0 } != nil }
      guard case .failure(let error)? = completion.withLock({ $0 }) else {
        Issue.record("it has finished")
        return
      }
      #expect(error.kind == .noStream)
      #expect(numbers.withLock { $0 } == Array(0..<10))
      reading.cancel()
      await jetStream.close()
      await writer.close()
      withExtendedLifetime(server) {}
    }
  }

  extension JetStream {

    /// Has a stream take nothing more, for good.
    fileprivate func seal(_ stream: String) async throws {
      let connection = connection
      try await blocking { () throws(JetStreamError) in
        var info: UnsafeMutablePointer<jsStreamInfo>?
        defer { jsStreamInfo_Destroy(info) }
        try connection.call { js_GetStreamInfo(&info, $0, stream, nil, &$1) }
        var configuration = info!.pointee.Config.pointee
        configuration.Sealed = true
        configuration.DenyDelete = true
        configuration.DenyPurge = true
        try connection.call { js_UpdateStream(nil, $0, &configuration, nil, &$1) }
      }
    }
  }
#endif
