#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  /// The state of consumers and streams as publishers.
  struct ObservingTests {

    @Test func theLagOfAConsumerIsPublishedAtOnceAndInIntervals() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<10)
      let infos = Guarded<[ConsumerInfo]>([])
      let polling = stream.jetStream.consumerInfo(TestStream.consumer, of: TestStream.name, every: .milliseconds(20))
        .sink(receiveCompletion: { _ in }, receiveValue: { info in infos.withLock { $0.append(info) } })
      try await wait("the lag") { infos.withLock { $0.first?.pendingCount == 10 } }
      let subscriber = SlowSubscriber(demand: 0, pause: 0)
      stream.messages(acknowledgement: .manual).subscribe(subscriber)
      subscriber.request(.max(4))
      try await wait("four in flight") {
        infos.withLock { $0.last?.unacknowledgedCount == 4 && $0.last?.pendingCount == 6 }
      }
      subscriber.cancel()
      polling.cancel()
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func pollingGoesOnAfterALostConnectionAndFinishesWithTheLastOne() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, timeout: .seconds(1))
      let count = Guarded(0)
      let completion = Guarded<Subscribers.Completion<JetStreamError>?>(nil)
      let polling = stream.jetStream.streamInfo(TestStream.name, every: .milliseconds(20))
        .sink(
          receiveCompletion: { new in completion.withLock { $0 = new } },
          receiveValue: { _ in count.withLock { $0 += 1 } }
        )
      try await wait("answers") { count.withLock { $0 } > 2 }
      server.kill()
      try server.start()
      let before = count.withLock { $0 }
      try await wait("more answers") { count.withLock { $0 } > before + 2 }
      #expect(completion.withLock { $0 == nil })
      #expect(stream.jetStream.traffic.reconnects == 1)
      await stream.jetStream.close()
      try await wait("the end") { completion.withLock { $0 != nil } }
      guard case .finished? = completion.withLock({ $0 }) else {
        Issue.record("failed")
        return
      }
      polling.cancel()
    }

    @Test func pollingFailsWhenTheConsumerIsDeleted() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let polling = stream.jetStream.consumerInfo(TestStream.consumer, of: TestStream.name, every: .milliseconds(20))
      let jetStream = stream.jetStream
      let error = await #expect(throws: JetStreamError.self) {
        for try await _ in polling.values {
          try? await jetStream.deleteConsumer(TestStream.consumer, of: TestStream.name)
        }
      }
      #expect(error?.kind == .noConsumer)
      #expect(error?.code == 10014)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func nobodyIsAskedWithoutDemand() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let values = Guarded(0)
      let subscription = Guarded<(any Subscription)?>(nil)
      let subscriber = AnySubscriber<StreamInfo, JetStreamError>(
        receiveSubscription: { new in
          subscription.withLock { $0 = new }
          new.request(.max(2))
        },
        receiveValue: { _ in
          values.withLock { $0 += 1 }
          return .none
        }
      )
      stream.jetStream.streamInfo(TestStream.name, every: .milliseconds(5)).subscribe(subscriber)
      try await wait("two answers") { values.withLock { $0 } == 2 }
      try await eventually {
        let sent = stream.jetStream.traffic.sentMessages
        try await Task.sleep(for: .milliseconds(50))
        return stream.jetStream.traffic.sentMessages == sent
      }
      #expect(values.withLock { $0 } == 2)
      subscription.withLock { $0 }?.cancel()
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func trafficCountsMessagesAndBytes() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let before = stream.jetStream.traffic
      _ = try await stream.jetStream.publish(Array(repeating: 1, count: 1000), to: "s.a").value
      let after = stream.jetStream.traffic
      #expect(after.sentMessages == before.sentMessages + 1)
      #expect(after.sentBytes >= before.sentBytes + 1000)
      #expect(after.receivedMessages == before.receivedMessages + 1)
      #expect(after.reconnects == 0)
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }
  }
#endif
