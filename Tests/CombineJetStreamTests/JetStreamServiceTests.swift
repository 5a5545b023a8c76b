#if JetStream && ServiceLifecycle
  import CombineJetStream
  import JetStreamSupport
  import ServiceLifecycle
  import ServiceLifecycleTestKit
  import TestSupport
  import Testing

  /// A pipeline as a service, on a real server.
  struct JetStreamServiceTests {

    private struct PipelineError: Error {}

    /// Work that is out ends and is acknowledged, and the rest is left to others.
    @Test(.timeLimit(.minutes(1)))
    func aGracefulShutdownDrains() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(600))
      let other = try await TestStream(server, acknowledgementWait: .seconds(600))
      try await stream.store(0..<200)
      let begun = Guarded(0)
      let ended = Guarded(0)
      let service = JetStreamService(stream.jetStream) { jetStream in
        jetStream.messages(stream: TestStream.name, consumer: TestStream.consumer, window: 64)
          .process(maxConcurrent: 8) { _ in
            begun.withLock { $0 += 1 }
            try await Task.sleep(for: .milliseconds(50))
            ended.withLock { $0 += 1 }
            return nil
          }
      }
      try await testGracefulShutdown { trigger in
        async let running: Void = service.run()
        try await wait("work") { begun.withLock { $0 } >= 8 }
        trigger.triggerGracefulShutdown()
        try await running
      }
      let count = ended.withLock { $0 }
      #expect(count == begun.withLock { $0 })
      #expect(count < 200)
      var rest = 0
      for try await _ in other.messages().prefix(200 - count).values { rest += 1 }
      #expect(rest == 200 - count)
      await other.jetStream.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func theEndOfThePipelineIsThatOfTheService() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      try await stream.store(0..<10)
      let numbers = Guarded<[Int]>([])
      try await JetStreamService(stream.jetStream) { jetStream in
        jetStream.messages(stream: TestStream.name, consumer: TestStream.consumer)
          .handleEvents(receiveOutput: { message in numbers.withLock { $0.append(message.number) } })
          .prefix(10)
      }.run()
      #expect(numbers.withLock { $0 } == Array(0..<10))

      let failing = try await TestStream(server)
      await #expect(throws: PipelineError.self) {
        try await JetStreamService(failing.jetStream) { _ in Fail<Int, any Error>(error: PipelineError()) }.run()
      }
      let missing = try await TestStream(server)
      await #expect(throws: JetStreamError.self) {
        try await JetStreamService(missing.jetStream) { $0.messages(stream: "NONE", consumer: "c") }.run()
      }
    }

    @Test(.timeLimit(.minutes(1)))
    func aCancelledTaskCancelsThePipeline() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let isCancelled = Guarded(false)
      let isSubscribed = Guarded(false)
      let service = JetStreamService(stream.jetStream) { _ in
        Empty<Int, Never>(completeImmediately: false)
          .handleEvents(
            receiveSubscription: { _ in isSubscribed.withLock { $0 = true } },
            receiveCancel: { isCancelled.withLock { $0 = true } }
          )
      }
      let task = Task { try await service.run() }
      try await wait("the subscription") { isSubscribed.withLock { $0 } }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(isCancelled.withLock { $0 })
    }

    /// A pipeline that does not end with its connection is cancelled after the drain.
    @Test(.timeLimit(.minutes(1)))
    func aPipelineOfSomethingElseEndsWithTheDrain() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let isSubscribed = Guarded(false)
      let service = JetStreamService(stream.jetStream) { _ in
        Empty<Int, Never>(completeImmediately: false)
          .handleEvents(receiveSubscription: { _ in isSubscribed.withLock { $0 = true } })
      }
      try await testGracefulShutdown { trigger in
        async let running: Void = service.run()
        try await wait("the subscription") { isSubscribed.withLock { $0 } }
        trigger.triggerGracefulShutdown()
        try await running
      }
    }
  }
#endif
