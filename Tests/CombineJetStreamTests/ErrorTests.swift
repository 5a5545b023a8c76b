#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  /// The kind and the code of each error, from a real server.
  struct ErrorTests {

    // MARK: Streams and consumers

    @Test func aSubscriptionFailsWhenItsConsumerIsDeleted() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let subscriber = SlowSubscriber(demand: .max, pause: 0)
      stream.messages().subscribe(subscriber)
      try await eventually { try await stream.info().waitingRequestCount == 1 }
      try await stream.jetStream.deleteConsumer(TestStream.consumer, of: TestStream.name)
      let error = try await failure(of: subscriber)
      #expect(error.kind == .noConsumer)
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aSubscriptionFailsWhenItsStreamIsDeleted() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let subscriber = SlowSubscriber(demand: .max, pause: 0)
      stream.messages().subscribe(subscriber)
      try await eventually { try await stream.info().waitingRequestCount == 1 }
      try await stream.jetStream.deleteStream(TestStream.name)
      let error = try await failure(of: subscriber)
      #expect([.noConsumer, .noStream].contains(error.kind))
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(arguments: [
      ("S", "missing", JetStreamError.Kind.noConsumer, 10014), ("MISSING", "c", .noStream, 10059),
    ])
    func aSubscriptionToWhatIsMissingFails(
      name: String,
      consumer: String,
      kind: JetStreamError.Kind,
      code: Int
    ) async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let subscriber = SlowSubscriber(demand: .max, pause: 0)
      stream.jetStream.messages(stream: name, consumer: consumer).subscribe(subscriber)
      let error = try await failure(of: subscriber)
      #expect(error.kind == kind)
      #expect(error.code == code)
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func administrationNamesWhatIsMissingOrTaken() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let jetStream = stream.jetStream
      await expect(.noStream, 10059) { _ = try await jetStream.streamInfo("MISSING") }
      await expect(.noStream, 10059) { try await jetStream.deleteStream("MISSING") }
      await expect(.noStream, 10059) { try await jetStream.purgeStream("MISSING") }
      await expect(.noStream, 10059) { _ = try await jetStream.addConsumer(.init(durable: "c"), to: "MISSING") }
      await expect(.noConsumer, 10014) { _ = try await jetStream.consumerInfo("missing", of: "S") }
      await expect(.noConsumer, 10014) { try await jetStream.deleteConsumer("missing", of: "S") }
      await expect(.nameTaken, 10058) { try await jetStream.addStream(.init(name: "S", subjects: ["other.>"])) }
      await expect(.nameTaken, 10065) { try await jetStream.addStream(.init(name: "T", subjects: ["s.a"])) }
      await expect(.nameTaken, 10013) {
        var other = ConsumerConfiguration(durable: "c")
        other.acknowledgementWait = .seconds(7)
        try await jetStream.addConsumer(other, to: "S")
      }
      await expect(.refused, 0) { try await jetStream.addConsumer(.init(durable: "a.b"), to: "S") }
      await expect(.refused, 0) { try await jetStream.addStream(.init(name: "a.b", subjects: ["x"])) }
      #expect(try await stream.info().configuration.acknowledgementWait == .seconds(30))
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    // MARK: Publishing

    @Test func aFullStreamRefusesAMessage() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let jetStream = stream.jetStream
      var full = StreamConfiguration(name: "FULL", subjects: ["full.>"])
      full.maximumMessages = 2
      full.discard = .new
      try await jetStream.addStream(full)
      for _ in 0..<2 { _ = try await jetStream.publish([1], to: "full.a").value }
      await expect(.refused, 10077) { _ = try await jetStream.publish([1], to: "full.a").value }
      let texts = ["a", "b"].publisher.map { Array($0.utf8) }.publish(to: jetStream, subject: "full.a") { "\($0)" }
      await expect(.refused, 10077) { for try await _ in texts.values {} }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aPayloadThatIsTooLargeIsRefused() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let jetStream = stream.jetStream
      var small = StreamConfiguration(name: "SMALL", subjects: ["small.>"])
      small.maximumMessageSize = 10
      try await jetStream.addStream(small)
      await expect(.payloadTooLarge, 10054) {
        _ = try await jetStream.publish(Array(repeating: 0, count: 11), to: "small.a").value
      }
      await expect(.payloadTooLarge, 0) {
        _ = try await jetStream.publish(Array(repeating: 0, count: 1_048_577), to: "s.a").value
      }
      #expect(try await jetStream.publish(Array(repeating: 0, count: 10), to: "small.a").value.sequence == 1)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aSubjectThatNoStreamListensToIsAnError() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, timeout: .seconds(1))
      let jetStream = stream.jetStream
      await expect(.noStream, 0) { _ = try await jetStream.publish([1], to: "nobody", id: "1").value }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aClosedConnectionSaysSo() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      await stream.jetStream.close()
      let jetStream = stream.jetStream
      await expect(.closed, 0) { _ = try await jetStream.publish([1], to: "s.a").value }
      await expect(.closed, 0) { _ = try await jetStream.streamInfo("S") }
      let subscriber = SlowSubscriber(demand: .max, pause: 0)
      stream.messages().subscribe(subscriber)
      #expect(try await failure(of: subscriber).kind == .closed)
      withExtendedLifetime(server) {}
    }

    private func failure(of subscriber: SlowSubscriber) async throws -> JetStreamError {
      try await wait("the completion") { subscriber.completion != nil }
      guard case .failure(let error)? = subscriber.completion else { throw Failure(text: "it has finished") }
      return error
    }
  }

  /// Runs `body`, which must throw an error of a kind and code.
  func expect(
    _ kind: JetStreamError.Kind,
    _ code: Int,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      Issue.record("no error", sourceLocation: sourceLocation)
    } catch let error as JetStreamError {
      #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
      #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
    }
  }
#endif
