#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  /// Values from messages, some of which cannot be decoded.
  struct DecodeMessagesTests {

    private struct Order: Codable, Sendable, Equatable {
      var number: Int
    }

    /// Stores orders, of which each third cannot be decoded, and the numbers of those that can.
    private static func store(_ count: Int, in stream: TestStream) async throws -> [Int] {
      let messages = (0..<count).map { number in
        OutgoingMessage(
          Array((number % 3 == 1 ? "{\"nummer\":\(number)}" : "{\"number\":\(number)}").utf8),
          to: "s.orders",
          id: "\(number)",
          headers: ["Origin": ["test"]]
        )
      }
      for try await _ in messages.publisher.publish(to: stream.jetStream).values {}
      return (0..<count).filter { $0 % 3 != 1 }
    }

    @Test func poisonousMessagesAreTerminatedCountedAndDoNotStopTheStream() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(10))
      let numbers = try await Self.store(300, in: stream)
      let counter = PoisonCounter()
      let errors = Guarded<[UInt64]>([])
      let logging = counter.messages.sink { message in errors.withLock { $0.append(message.message.streamSequence) } }
      var received: [Int] = []
      let orders = stream.messages().decodeValues(Order.self, decoder: JSONDecoder(), counter: counter)
      for try await order in orders.prefix(numbers.count).values { received.append(order.number) }
      #expect(received == numbers)
      try await eventually { try await stream.info().acknowledgedSequence >= 299 }
      #expect(counter.counts.terminated == errors.withLock { $0.count })
      #expect(counter.counts.total >= 99)
      #expect(errors.withLock { $0.prefix(3) } == [2, 5, 8])
      #expect(try await stream.info().redeliveredCount == 0)
      logging.cancel()
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aDroppedMessageAsksForAnotherOne() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let numbers = try await Self.store(30, in: stream)
      let received = Guarded<[Int]>([])
      let subscription = Guarded<(any Subscription)?>(nil)
      let subscriber = AnySubscriber<Order, JetStreamError>(
        receiveSubscription: { new in subscription.withLock { $0 = new } },
        receiveValue: { order in
          received.withLock { $0.append(order.number) }
          return .none
        }
      )
      stream.messages().decodeValues(Order.self, decoder: JSONDecoder()).subscribe(subscriber)
      for count in 1...numbers.count {
        subscription.withLock { $0 }?.request(.max(1))
        try await wait("an order") { received.withLock { $0.count } == count }
        // The subscriber has the order before its message is acknowledged.
        #expect(try await stream.info().unacknowledgedCount <= 1)
      }
      #expect(received.withLock { $0 } == numbers)
      subscription.withLock { $0 }?.cancel()
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(arguments: [Acknowledgement.afterReceive, .manual])
    func aPoisonousMessageIsMovedBeforeItIsAcknowledged(acknowledgement: Acknowledgement) async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.jetStream.addStream(StreamConfiguration(name: "DEAD", subjects: ["dead.>"]))
      try await stream.jetStream.addConsumer(ConsumerConfiguration(durable: "reader"), to: "DEAD")
      let numbers = try await Self.store(30, in: stream)
      let counter = PoisonCounter()
      var received: [Int] = []
      let orders = stream.messages(acknowledgement: acknowledgement)
        .decode(Order.self, decoder: JSONDecoder(), poisonous: .move(to: "dead.orders"), counter: counter)
      for try await order in orders.prefix(numbers.count).values {
        received.append(order.value.number)
        order.acknowledge()
      }
      #expect(received == numbers)
      try await wait("the moves") { counter.counts.moved == 10 }
      #expect(counter.counts.total == 10)
      try await eventually { try await stream.info().unacknowledgedCount == 0 }
      var letters: [JetStreamMessage] = []
      for try await letter in stream.jetStream.messages(stream: "DEAD", consumer: "reader").prefix(10).values {
        letters.append(letter)
      }
      #expect(Set(letters.map(\.text)) == Set((0..<10).map { "{\"nummer\":\($0 * 3 + 1)}" }))
      let letter = try #require(letters.first { $0.text == "{\"nummer\":4}" })
      #expect(letter.subject == "dead.orders")
      #expect(letter.headers["Origin"] == ["test"])
      #expect(letter.headers["Dead-Letter-Stream"] == ["S"])
      #expect(letter.headers["Dead-Letter-Sequence"] == ["5"])
      #expect(letter.headers["Dead-Letter-Consumer"] == ["c"])
      #expect(letter.headers["Dead-Letter-Deliveries"] == ["1"])
      #expect(letter.headers["Dead-Letter-Subject"] == ["s.orders"])
      #expect(letter.headers["Dead-Letter-Error"]?.first?.contains("number") == true)
      // The id has the time of the old message, too, as a stream that was created again has another message 5.
      let id = try #require(letter.headers["Nats-Msg-Id"]?.first).split(separator: ".")
      #expect(id.prefix(3) == ["dead-letter", "S", "5"] && id.count == 5 && id.last == "c")
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aMessageThatCannotBeMovedFailsThePublisherAndStays() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, timeout: .seconds(1))
      _ = try await Self.store(3, in: stream)
      let counter = PoisonCounter()
      let orders = stream.messages()
        .decodeValues(Order.self, decoder: JSONDecoder(), poisonous: .move(to: "nobody.listens"), counter: counter)
      let error = await #expect(throws: JetStreamError.self) { for try await _ in orders.values {} }
      #expect(error?.kind == .noStream)
      #expect(error?.text.contains("nobody.listens") == true && error?.text.contains("number") == true)
      #expect(counter.counts.rejected == 1)
      try await eventually { try await stream.info().acknowledgedSequence == 1 }
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aRejectedMessageIsDeliveredAgainLater() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      _ = try await Self.store(2, in: stream)
      let counter = PoisonCounter()
      let counts = Guarded<[Int]>([])
      let logging = counter.messages.sink { message in counts.withLock { $0.append(message.message.deliveryCount) } }
      let orders = stream.messages()
        .decodeValues(
          Order.self,
          decoder: JSONDecoder(),
          poisonous: .reject(after: .milliseconds(50)),
          counter: counter
        )
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      try await wait("three deliveries") { counts.withLock { $0.count } >= 3 }
      #expect(counts.withLock { $0.prefix(3) } == [1, 2, 3])
      orders.cancel()
      logging.cancel()
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aPoisonousMessageFailsIfThatIsWanted() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      _ = try await Self.store(9, in: stream)
      let orders = stream.messages().decodeValues(Order.self, decoder: JSONDecoder(), poisonous: .fail)
      var received: [Int] = []
      let error = await #expect(throws: JetStreamError.self) {
        for try await order in orders.values { received.append(order.number) }
      }
      #expect(received == [0])
      #expect(error?.kind == .undecodable)
      #expect(error?.text.contains("sequence 2") == true)
      // It was given back with the rest.
      let first = try await stream.messages().first().values.first { _ in true }
      #expect(first.map { [2, 3, 4].contains($0.streamSequence) } == true)
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func valuesGoRoundThroughAStream() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let orders = (0..<100).map { Order(number: $0) }
      let stored = orders.publisher
        .publish(to: stream.jetStream, subject: "s.orders", encoder: JSONEncoder()) { "\($0.number)" }
      for try await _ in stored.values {}
      var received: [Order] = []
      for try await order in stream.messages().decodeValues(Order.self, decoder: JSONDecoder()).prefix(100).values {
        received.append(order)
      }
      #expect(received == orders)
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }
  }
#endif
