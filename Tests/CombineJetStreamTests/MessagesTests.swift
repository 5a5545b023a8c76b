#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  /// Pull subscriptions against a real server.
  struct MessagesTests {

    @Test func deliversEachMessageOnceInOrder() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<5000)
      var numbers: [Int] = []
      for try await message in stream.messages().prefix(5000).values { numbers.append(message.number) }
      #expect(numbers == Array(0..<5000))
      try await eventually { try await stream.info().unacknowledgedCount == 0 }
      #expect(try await stream.info().pendingCount == 0)
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(arguments: [(1, 512), (10, 512), (Int.max, 64)])
    func theServerNeverSendsMoreThanWasAskedFor(demand: Int, window: Int) async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<2000)
      let subscriber = SlowSubscriber(demand: demand, pause: 0.001)
      subscriber.hold()
      stream.messages(window: window).subscribe(subscriber)
      // On a busy machine a look at the server takes as long as many messages. So the first message waits for one.
      try await eventually { try await stream.info().unacknowledgedCount > 0 }
      subscriber.release()
      var most = 0
      while subscriber.count < 300 {
        let info = try await stream.info()
        most = max(most, info.unacknowledgedCount)
      }
      subscriber.cancel()
      // The server handles requests at once and acknowledgements later, so on a busy machine it counts some too many. What
      // is asked for is bounded exactly in the tests of the machine.
      #expect(most <= min(demand, window) + 16)
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func nothingIsPulledBeforeDemand() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<10)
      let subscriber = SlowSubscriber(demand: 0, pause: 0)
      stream.messages().subscribe(subscriber)
      // A round trip on the same connection, behind any request of the subscription.
      #expect(try await stream.info().waitingRequestCount == 0)
      #expect(try await stream.info().unacknowledgedCount == 0)
      subscriber.request(.max(3))
      try await wait("three messages") { subscriber.count == 3 }
      #expect(try await stream.info().pendingCount == 7)
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func whatACancelledSubscriptionHasNotReceivedGoesToTheNextOneAtOnce() async throws {
      let server = try TestServer()
      // Otherwise it would come when this time is over. Beside all other tests, the test itself may take half a minute.
      let stream = try await TestStream(server, acknowledgementWait: .seconds(600))
      try await stream.store(0..<3000)
      let start = ContinuousClock.now
      var numbers: [Int] = []
      for try await message in stream.messages(window: 512).prefix(1000).values { numbers.append(message.number) }
      for try await message in stream.messages(window: 512).prefix(2000).values { numbers.append(message.number) }
      #expect(numbers.sorted() == Array(0..<3000))
      #expect(ContinuousClock.now - start < .seconds(300))
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aMessageThatWasNotAcknowledgedComesAgain() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(1))
      try await stream.store(0..<1)
      var counts: [Int] = []
      for try await message in stream.messages(acknowledgement: .manual).prefix(2).values {
        counts.append(message.deliveryCount)
        if message.deliveryCount == 2 { message.acknowledge() }
      }
      #expect(counts == [1, 2])
      try await eventually { try await stream.info().unacknowledgedCount == 0 }
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func largeMessagesComeInRequestsOfBoundedBytes() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let sizes = [10, 90_000, 10, 200_000, 50_000, 50_000, 50_000, 900_000, 10, 10]
      for (number, size) in sizes.enumerated() {
        _ = try await stream.jetStream.publish([UInt8](repeating: 1, count: size), to: "s.a", id: "\(number)").value
      }
      let messages = stream.jetStream.messages(stream: "S", consumer: "c", windowBytes: 100_000)
      var seen: [Int] = []
      for try await message in messages.prefix(sizes.count).values { seen.append(message.count) }
      #expect(seen == sizes)
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// The library has two threads for all subscriptions.
    @Test(.timeLimit(.minutes(1)))
    func subscribersThatBlockDoNotHoldUpOthers() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let count = 20
      let isHeld = Guarded(true)
      let blocked = Guarded(0)
      var sinks: [AnyCancellable] = []
      for number in 0..<count {
        try await stream.jetStream.addConsumer(ConsumerConfiguration(durable: "blocked-\(number)"), to: TestStream.name)
        sinks.append(
          stream.jetStream.messages(stream: TestStream.name, consumer: "blocked-\(number)")
            .sink(receiveCompletion: { _ in }) { _ in
              blocked.withLock { $0 += 1 }
              while isHeld.withLock({ $0 }) { usleep(1000) }
            }
        )
      }
      try await stream.store(0..<1)
      try await wait("the subscribers") { blocked.withLock { $0 } == count }
      // Publishing, acknowledging, reading and closing another subscription go on.
      try await stream.store(1..<100)
      var numbers: [Int] = []
      for try await message in stream.messages().prefix(100).values { numbers.append(message.number) }
      #expect(numbers == Array(0..<100))
      isHeld.withLock { $0 = false }
      for sink in sinks { sink.cancel() }
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func anAcknowledgementCanBeConfirmed() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<2)
      for try await message in stream.messages(acknowledgement: .manual).prefix(2).values {
        try await message.acknowledgeAndConfirm()
        // The server knows, without waiting.
        #expect(try await stream.info().acknowledgedSequence == message.streamSequence)
        await expect(.refused, 0) { try await message.acknowledgeAndConfirm() }
      }
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aConsumerHasAListOfTimesForItsNextDeliveries() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      var configuration = ConsumerConfiguration(durable: "d")
      configuration.backOff = [.milliseconds(200), .milliseconds(600)]
      configuration.maximumDeliveries = 3
      let info = try await stream.jetStream.addConsumer(configuration, to: "S")
      #expect(info.configuration.backOff == configuration.backOff)
      #expect(try await stream.jetStream.addConsumer(configuration, to: "S").created == info.created)
      try await stream.store(0..<1)
      var counts: [Int] = []
      let messages = stream.jetStream.messages(stream: "S", consumer: "d", acknowledgement: .manual)
      for try await message in messages.prefix(3).values { counts.append(message.deliveryCount) }
      #expect(counts == [1, 2, 3])
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// Whoever asks at the wrong moment: the subscription goes on or ends, and does not stand still.
    @Test(.timeLimit(.minutes(1)))
    func aConsumerThatIsMadeAgainGoesOnOrEnds() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let subscriber = SlowSubscriber(demand: .max, pause: 0)
      stream.messages().subscribe(subscriber)
      try await eventually { try await stream.info().waitingRequestCount > 0 }
      try await stream.jetStream.deleteConsumer(TestStream.consumer, of: "S")
      try await stream.jetStream.addConsumer(ConsumerConfiguration(durable: TestStream.consumer), to: "S")
      try await stream.store(0..<10)
      try await wait("messages, or the end") { subscriber.count == 10 || subscriber.completion != nil }
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func closingFinishesAndGivesBack() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let other = try await TestStream(server)
      try await stream.store(0..<100)
      let subscriber = SlowSubscriber(demand: 0, pause: 0)
      stream.messages().subscribe(subscriber)
      subscriber.request(.max(10))
      try await wait("ten messages") { subscriber.count == 10 }
      await stream.jetStream.close()
      try await wait("the completion") { subscriber.completion != nil }
      guard case .finished? = subscriber.completion else {
        Issue.record("\(String(describing: subscriber.completion))")
        return
      }
      var numbers: [Int] = []
      for try await message in other.messages().prefix(90).values { numbers.append(message.number) }
      #expect(numbers.sorted() == Array(10..<100))
      await other.jetStream.close()
      withExtendedLifetime(server) {}
    }
  }
#endif
