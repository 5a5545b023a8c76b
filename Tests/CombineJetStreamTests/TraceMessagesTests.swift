#if JetStream && Tracing
  import CombineJetStream
  import InMemoryTracing
  import JetStreamSupport
  import TestSupport
  import Testing
  import Tracing

  /// Spans of messages that are published and processed, on a real server.
  struct TraceMessagesTests {

    private struct WorkError: Error {}

    private static func spans(_ tracer: InMemoryTracer, _ name: String) -> [FinishedInMemorySpan] {
      tracer.finishedSpans.filter { $0.operationName == name }
    }

    /// One trace goes from the program that publishes, over the work, to the result.
    @Test(.timeLimit(.minutes(1)))
    func aTraceGoesOnFromThePublishToTheWorkAndToItsResult() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.jetStream.addStream(StreamConfiguration(name: "R", subjects: ["r.>"]))
      try await stream.jetStream.addConsumer(ConsumerConfiguration(durable: "c"), to: "R")
      let tracer = InMemoryTracer()

      let count = 5
      let root = tracer.startSpan("root", context: .topLevel)
      let messages = (0..<count).map { number in
        var message = OutgoingMessage(Array("\(number)".utf8), to: "s.a", id: "\(number)")
        message.inject(root.context, by: tracer)
        return message
      }
      for try await _ in messages.publisher.publish(to: stream.jetStream, tracer: tracer).values {}
      root.end()

      let inWork = Guarded<[String?]>([])
      let processed = stream.messages().process(tracer: tracer) { message in
        inWork.withLock { $0.append(ServiceContext.current?.inMemorySpanContext?.spanID) }
        return OutgoingMessage(message.payload, to: "r.a")
      }
      for try await _ in processed.prefix(count).values {}

      let published = Self.spans(tracer, "publish s.a")
      let worked = Self.spans(tracer, "process s.a")
      let results = Self.spans(tracer, "publish r.a")
      #expect(published.count == count && worked.count == count && results.count == count)
      for span in published + worked + results { #expect(span.traceID == root.traceID) }
      #expect(published.allSatisfy { $0.parentSpanID == root.spanID && $0.kind == .producer })
      #expect(worked.map(\.parentSpanID) == published.map(\.spanID))
      #expect(worked.allSatisfy { $0.kind == .consumer })
      #expect(results.map(\.parentSpanID) == worked.map(\.spanID))
      #expect(inWork.withLock { $0 } == worked.map(\.spanID))
      #expect((published + worked + results).allSatisfy { $0.errors.isEmpty })
      #expect(published[0].attributes["messaging.destination.name"]?.toSpanAttribute() == "s.a".toSpanAttribute())

      // The result carries the span of its publish.
      let contexts = Guarded<[String?]>([])
      for try await message in stream.jetStream.messages(stream: "R", consumer: "c").prefix(count).values {
        contexts.withLock { $0.append(message.serviceContext(by: tracer).inMemorySpanContext?.spanID) }
      }
      #expect(contexts.withLock { $0 } == results.map(\.spanID))
      #expect(tracer.activeSpans.isEmpty)
      await stream.jetStream.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func errorsAreRecorded() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let tracer = InMemoryTracer()
      try await stream.store(0..<1)
      let processed = stream.messages().process(failures: FailurePolicy(attempts: 1), tracer: tracer) { _ in
        throw WorkError()
      }
      for try await _ in processed.prefix(1).values {}
      let worked = try #require(Self.spans(tracer, "process s.numbers").first)
      #expect(worked.errors.first?.error is WorkError)

      do {
        let publisher = Just(OutgoingMessage([1], to: "no one")).publish(to: stream.jetStream, tracer: tracer)
        for try await _ in publisher.values {}
        Issue.record("no error")
      } catch let error as JetStreamError {
        #expect(error.kind == .refused)
      }
      let published = try #require(Self.spans(tracer, "publish no one").first)
      #expect(published.status?.code == .error)
      #expect(tracer.activeSpans.isEmpty)
      await stream.jetStream.close()
    }

    /// A cancel ends the spans of messages that have no acknowledgement.
    @Test(.timeLimit(.minutes(1)))
    func aCancelLeavesNoSpan() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let tracer = InMemoryTracer()
      server.pause()
      let publishing = (0..<10).publisher
        .map { OutgoingMessage([1], to: "s.a", id: "\($0)") }
        .publish(to: stream.jetStream, tracer: tracer)
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      try await wait("the spans") { tracer.activeSpans.count == 10 }
      publishing.cancel()
      try await wait("the ends") { tracer.activeSpans.isEmpty }
      #expect(Self.spans(tracer, "publish s.a").allSatisfy { $0.status?.code == .error })
      server.resume()
      await stream.jetStream.close()
    }

    /// Other clients may write the names of headers as they like.
    @Test(.timeLimit(.minutes(1)))
    func namesOfHeadersHaveNoCase() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let tracer = InMemoryTracer()
      let headers = [
        InMemoryTracer.traceIDKey.uppercased(): ["t"], InMemoryTracer.spanIDKey.uppercased(): ["s"],
      ]
      _ = try await stream.jetStream.publish(OutgoingMessage([1], to: "s.a", headers: headers)).value
      for try await message in stream.messages().prefix(1).values {
        let context = message.serviceContext(by: tracer).inMemorySpanContext
        #expect(context?.traceID == "t")
        #expect(context?.spanID == "s")
      }
      await stream.jetStream.close()
    }
  }
#endif
