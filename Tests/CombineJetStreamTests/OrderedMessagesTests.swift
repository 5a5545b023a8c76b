#if JetStream
  import CNATS
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  extension JetStream {

    /// Sends a request to the server, and returns the answer. It blocks.
    fileprivate func request(_ subject: String) throws -> Data {
      var reply: OpaquePointer?
      let status = natsConnection_RequestString(&reply, connection.pointer, subject, "", 2000)
      guard status == NATS_OK, let reply else { throw Failure(text: "no answer: \(status)") }
      let message = ReceivedMessage(reply, of: connection)
      return withExtendedLifetime(message) { Data(message.bytes) }
    }
  }

  /// Reading a stream in its order, whatever happens to the consumer.
  struct OrderedMessagesTests {

    /// What a subscriber has received.
    private final class Reading: Sendable {

      let numbers = Guarded<[Int]>([])
      let completion = Guarded<Subscribers.Completion<JetStreamError>?>(nil)
      private let cancellable = Guarded<AnyCancellable?>(nil)

      /// - Parameter pause: The microseconds that a message takes.
      init(_ messages: OrderedMessages, pause: UInt32 = 0) {
        let (numbers, completion) = (numbers, completion)
        let sink = messages.sink(
          receiveCompletion: { end in completion.withLock { $0 = end } },
          receiveValue: { message in
            if pause > 0 { usleep(pause) }
            numbers.withLock { $0.append(message.number) }
          }
        )
        cancellable.withLock { $0 = sink }
      }

      var count: Int { numbers.withLock { $0.count } }

      func expect(_ expected: [Int]) async throws {
        try await wait("\(expected.count) messages", seconds: 30) { count >= expected.count }
        let isEqual = numbers.withLock { $0 == expected }
        #expect(isEqual, "\(numbers.withLock { $0.prefix(5) }) …, \(count) of \(expected.count)")
      }

      func cancel() { cancellable.withLock { $0 }?.cancel() }
    }

    /// Deletes the consumer that a publisher has made, whose name only the server knows.
    private static func deleteOrderedConsumer(_ jetStream: JetStream) async throws {
      struct Names: Decodable { var consumers: [String]? }
      try await eventually {
        let reply = try jetStream.request("$JS.API.CONSUMER.NAMES.\(TestStream.name)")
        let names = try JSONDecoder().decode(Names.self, from: reply).consumers ?? []
        guard let name = names.first(where: { $0 != TestStream.consumer }) else { return false }
        return (try? await jetStream.deleteConsumer(name, of: TestStream.name)) != nil
      }
    }

    private func consumerNames(_ stream: TestStream) async throws -> Int {
      try await stream.jetStream.streamInfo(TestStream.name).consumerCount
    }

    @Test(.timeLimit(.minutes(1)))
    func messagesComeInTheOrderOfTheStreamAndTheConsumerGoesWithTheSubscriber() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<2000)
      let reading = Reading(stream.jetStream.orderedMessages(stream: TestStream.name, window: 64))
      try await reading.expect(Array(0..<2000))
      try await stream.store(2000..<2100)
      try await reading.expect(Array(0..<2100))
      // The durable one, and that of the subscriber.
      #expect(try await consumerNames(stream) == 2)
      reading.cancel()
      try await eventually { try await consumerNames(stream) == 1 }
      await stream.jetStream.close()
    }

    /// The consumer is lost with the server's memory.
    @Test(.timeLimit(.minutes(1)))
    func aServerThatIsKilledLeavesNoGap() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<3000)
      let reading = Reading(stream.jetStream.orderedMessages(stream: TestStream.name), pause: 300)
      for kill in 1...2 {
        try await wait("messages") { reading.count > kill * 700 }
        server.kill()
        try server.start()
      }
      try await eventually {
        do {
          try await stream.store(3000..<3100)
          return true
        } catch {
          return false
        }
      }
      try await reading.expect(Array(0..<3100))
      reading.cancel()
      await stream.jetStream.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func aConsumerThatIsDeletedIsMadeAgain() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<3000)
      let reading = Reading(stream.jetStream.orderedMessages(stream: TestStream.name, window: 32), pause: 300)
      let administrator = try await JetStream.connect(.init(servers: [server.url]))
      for deletion in 1...3 {
        try await wait("messages") { reading.count > deletion * 500 }
        try await Self.deleteOrderedConsumer(administrator)
      }
      try await reading.expect(Array(0..<3000))
      #expect(reading.completion.withLock { $0 } == nil)
      reading.cancel()
      await administrator.close()
      await stream.jetStream.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func aFilterChoosesSubjects() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let subjects = ["s.even.two", "s.odd.one", "s.odd.two"]
      for number in 0..<60 {
        _ = try await stream.jetStream.publish(Array("\(number)".utf8), to: subjects[number % 3]).value
      }
      let all = { (filter: String) in stream.jetStream.orderedMessages(stream: TestStream.name, filterSubject: filter) }
      let odd = Reading(all("s.odd.*"))
      let two = Reading(all("s.*.two"))
      let one = Reading(all("s.odd.one"))
      let none = Reading(all("s.none"))
      try await odd.expect((0..<60).filter { $0 % 3 > 0 })
      try await two.expect((0..<60).filter { $0 % 3 != 1 })
      try await one.expect((0..<60).filter { $0 % 3 == 1 })
      // What comes behind a restart is filtered, too.
      server.kill()
      try server.start()
      try await eventually { (try? await stream.jetStream.streamInfo(TestStream.name)) != nil }
      for number in 60..<63 {
        _ = try await stream.jetStream.publish(Array("\(number)".utf8), to: subjects[number % 3], id: "\(number)").value
      }
      try await odd.expect((0..<63).filter { $0 % 3 > 0 })
      try await one.expect((0..<63).filter { $0 % 3 == 1 })
      #expect(none.count == 0)
      for reading in [odd, two, one, none] { reading.cancel() }
      await stream.jetStream.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func aReadingBeginsWhereItIsAskedTo() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<100)
      func reading(_ start: ConsumerConfiguration.Start) -> Reading {
        Reading(stream.jetStream.orderedMessages(stream: TestStream.name, start: start))
      }
      // Sequences begin with 1.
      let later = reading(.sequence(51))
      let last = reading(.last)
      let new = reading(.new)
      try await later.expect(Array(50..<100))
      try await last.expect([99])
      // The durable one, and those of the three.
      try await eventually { try await consumerNames(stream) == 4 }
      try await stream.store(100..<110)
      try await later.expect(Array(50..<110))
      try await last.expect(Array(99..<110))
      try await new.expect(Array(100..<110))
      for reading in [later, last, new] { reading.cancel() }
      await stream.jetStream.close()
    }

    /// A subscriber that has not requested the first message before the server is killed still gets it.
    @Test(.timeLimit(.minutes(1)), arguments: [ConsumerConfiguration.Start.last, .new])
    func aStartIsKeptAcrossARestart(start: ConsumerConfiguration.Start) async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<10)
      let subscriber = SlowSubscriber(demand: 0, pause: 0)
      stream.jetStream.orderedMessages(stream: TestStream.name, start: start).subscribe(subscriber)
      try await eventually { try await consumerNames(stream) == 2 }
      try await stream.store(10..<20)
      server.kill()
      try server.start()
      try await eventually { (try? await consumerNames(stream)) == 2 }
      subscriber.request(.unlimited)
      let first = start == .last ? 9 : 10
      try await wait("the messages") { subscriber.count >= 20 - first }
      #expect(subscriber.numbers == Array(first..<20))
      subscriber.cancel()
      await stream.jetStream.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func demandIsKeptWhenTheConsumerIsMadeAgain() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<100)
      let subscriber = SlowSubscriber(demand: 0, pause: 0)
      stream.jetStream.orderedMessages(stream: TestStream.name).subscribe(subscriber)
      subscriber.request(.max(10))
      try await wait("ten messages") { subscriber.count == 10 }
      server.kill()
      try server.start()
      try await eventually { (try? await consumerNames(stream)) == 2 }
      #expect(subscriber.count == 10)
      subscriber.request(.max(5))
      try await wait("five more") { subscriber.count == 15 }
      #expect(subscriber.numbers == Array(0..<15))
      subscriber.cancel()
      await stream.jetStream.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func aStreamThatIsMissingOrDeletedFails() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let missing = Reading(stream.jetStream.orderedMessages(stream: "NONE"))
      let invalid = Reading(stream.jetStream.orderedMessages(stream: "no name"))
      let unfit = Reading(stream.jetStream.orderedMessages(stream: TestStream.name, filterSubject: "s..a"))
      let deleted = Reading(stream.jetStream.orderedMessages(stream: TestStream.name))
      func kind(_ reading: Reading) -> JetStreamError.Kind? {
        guard case .failure(let error)? = reading.completion.withLock({ $0 }) else { return nil }
        return error.kind
      }
      try await wait("the failures") { [missing, invalid, unfit].allSatisfy { kind($0) != nil } }
      #expect(kind(missing) == .noStream)
      #expect(kind(invalid) == .refused)
      #expect(kind(unfit) == .refused)
      try await eventually { try await consumerNames(stream) == 2 }
      try await stream.jetStream.deleteStream(TestStream.name)
      try await wait("the failure") { kind(deleted) != nil }
      #expect(kind(deleted) == .noStream)
      await stream.jetStream.close()
    }

    /// Messages that the program keeps do not hold up a drain, as nobody waits for their acknowledgement.
    @Test(.timeLimit(.minutes(1)))
    func closingAndDrainingFinish() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<10)
      let kept = Guarded<[JetStreamMessage]>([])
      let isFinished = Guarded(false)
      let reading = stream.jetStream.orderedMessages(stream: TestStream.name).sink(
        receiveCompletion: { completion in isFinished.withLock { $0 = completion == .finished } },
        receiveValue: { message in kept.withLock { $0.append(message) } }
      )
      try await wait("the messages") { kept.withLock { $0.count } == 10 }
      #expect(kept.withLock { $0.allSatisfy(\.isSettled) })
      #expect(await stream.jetStream.drain(within: .seconds(5)))
      try await wait("the end") { isFinished.withLock { $0 } }
      reading.cancel()
    }
  }
#endif
