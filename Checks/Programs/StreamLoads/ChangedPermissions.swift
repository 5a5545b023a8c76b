#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport

  /// A server that reads other permissions under load. What needs them fails, and says which subject it was.
  extension StreamLoads {

    private static func users(denied: String = "") -> String {
      let permissions = denied.isEmpty ? "" : ", permissions: { publish: { deny: [\"\(denied)\"] } }"
      return """
        authorization { users: [
          { user: admin, password: p }
          { user: ann, password: p\(permissions) }
        ] }
        """
    }

    /// A pipeline that consumes or produces, with how it has ended.
    private final class Run: Sendable {
      let failure = Guarded<(any Error)?>(nil)
      let isFinished = Guarded(false)
      let cancellable = Guarded<AnyCancellable?>(nil)

      func end(_ completion: Subscribers.Completion<some Error>) {
        if case .failure(let error) = completion { failure.withLock { $0 = error } }
        isFinished.withLock { $0 = true }
      }

      /// Waits for a failure that names a subject.
      func expectRefusal(of subject: String) async throws -> Duration {
        let start = ContinuousClock.now
        try await eventually(seconds: 30) { failure.withLock { $0 != nil } }
        let error = failure.withLock { $0 as? JetStreamError }
        try expect(error?.kind == .authentication, "another error: \(error.map { "\($0)" } ?? "none")")
        try expect(error?.text.contains(subject) == true, "an error without the subject: \(error!)")
        report("  \(error!)")
        return ContinuousClock.now - start
      }
    }

    static func permissionsChanged() async throws {
      let server = try TestServer(settings: users())
      func connect(_ user: String) async throws -> JetStream {
        var configuration = JetStream.Configuration(servers: [server.url])
        configuration.credentials = .user(user, password: "p")
        return try await JetStream.connect(configuration)
      }
      let admin = try await connect("admin")
      try await admin.addStream(StreamConfiguration(name: TestStream.name, subjects: ["s.>"]))
      var consumer = ConsumerConfiguration(durable: TestStream.consumer)
      consumer.acknowledgementWait = .seconds(4)
      try await admin.addConsumer(consumer, to: TestStream.name)
      let jetStream = try await connect("ann")
      let consumed = Guarded<[Int]>([])
      let acknowledged = Guarded(Set<String>())

      func produce() -> Run {
        let run = Run()
        let start = ContinuousClock.now
        // Erased, because a sequence's own `map` makes all elements before the first one is published.
        let cancellable = (0..<count).publisher.eraseToAnyPublisher()
          .map { number -> OutgoingMessage in
            let due = start + .seconds(6 * Double(number) / Double(count))
            if number % 64 == 0, ContinuousClock.now < due { usleep(useconds_t((due - .now).seconds * 1e6)) }
            return OutgoingMessage(Array("\(number)".utf8), to: "s.numbers", id: "\(number)")
          }
          .publish(to: jetStream)
          .subscribe(on: DispatchQueue(label: "producer"))
          .sink(
            receiveCompletion: { run.end($0) },
            receiveValue: { acknowledgement in
              _ = acknowledged.withLock { $0.insert(acknowledgement.id ?? "") }
            }
          )
        run.cancellable.withLock { $0 = cancellable }
        return run
      }
      func consume() -> Run {
        let run = Run()
        let cancellable = jetStream.messages(stream: TestStream.name, consumer: TestStream.consumer).sink(
          receiveCompletion: { run.end($0) },
          receiveValue: { message in consumed.withLock { $0.append(message.number) } }
        )
        run.cancellable.withLock { $0 = cancellable }
        return run
      }

      let consuming = consume()
      var producing = produce()
      try await eventually { consumed.withLock { $0.count } > count / 8 }
      try server.reload(settings: users(denied: "s.numbers"))
      let publishTime = try await producing.expectRefusal(of: "s.numbers")
      try expect(consuming.failure.withLock { $0 } == nil, "the consumer has failed, too")
      // Again, with the permission. What is stored already is known by its id.
      try server.reload(settings: users())
      try await eventually { (try? await jetStream.publish(Array("-".utf8), to: "s.numbers", id: "-").value) != nil }
      producing = produce()
      try await eventually { consumed.withLock { $0.count } > count / 2 }
      try server.reload(settings: users(denied: "$JS.API.CONSUMER.MSG.NEXT.>"))
      let consumeTime = try await consuming.expectRefusal(of: "$JS.API.CONSUMER.MSG.NEXT")
      try await eventually(seconds: 60) { producing.isFinished.withLock { $0 } }
      try expect(producing.failure.withLock { $0 } == nil, "the producer has failed, too")
      try server.reload(settings: users())
      // The server reads its settings a moment after the signal. Until then a consumer fails as before.
      var again = consume()
      try await eventually(seconds: 60) {
        // Read first, as the failure is noted before the end.
        let isFinished = again.isFinished.withLock { $0 }
        if isFinished, (again.failure.withLock { $0 as? JetStreamError })?.kind == .authentication {
          again = consume()
          return false
        }
        return consumed.withLock { Set($0).count } == count + 1 || isFinished
      }
      let numbers = consumed.withLock { $0 }.filter { $0 >= 0 }
      let stored = try await admin.streamInfo(TestStream.name).messageCount - 1
      report(
        """
          \(count) published, \(acknowledged.withLock { $0.count }) acknowledged, \(stored) stored, \
        \(count - Set(numbers).count) lost, \(numbers.count - Set(numbers).count) extra copies; \
        told after \(publishTime.seconds.rounded(to: 1)) s and \(consumeTime.seconds.rounded(to: 1)) s
        """
      )
      let failure = again.failure.withLock { $0 }
      try expect(failure == nil, "the second consumer has failed: \(failure.map { "\($0)" } ?? "")")
      try expect(Set(numbers) == Set(0..<count), "messages were lost")
      try expect(acknowledged.withLock { $0.count } == count, "acknowledgements are missing")
      try expect(stored == UInt64(count), "messages are missing or stored twice")
      for run in [consuming, producing, again] { run.cancellable.withLock { $0 }?.cancel() }
      await jetStream.close()
      await admin.close()
    }
  }
#endif
