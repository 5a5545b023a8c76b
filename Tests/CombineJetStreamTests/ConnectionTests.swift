#if JetStream
  import CNATS
  import CombineCore
  import Dispatch
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// What a connection tells the parts that depend on it.
  struct ConnectionTests {

    /// In the step stream-pairs the library is another one than the system's.
    @Test func theLibraryIsTheOneThatWasAskedFor() {
      let expected = ProcessInfo.processInfo.environment["COMBINE_NATS_LIBRARY"]
      let version = String(cString: nats_GetVersion())
      #expect(version == expected ?? version)
    }

    /// A member that stops the library's thread when it hears that the connection is back.
    private final class Stopper: ConnectionMember {

      let isStopping = Guarded(false)
      private let end = DispatchSemaphore(value: 0)

      func connectionDidChange(to state: JetStream.ConnectionState) {
        guard state == .connected else { return }
        isStopping.withLock { $0 = true }
        end.wait()
      }

      func stop() { end.signal() }

      func tick(at now: ContinuousClock.Instant) {}
      func close() {}
      func didRefuse(_ refusal: PermissionViolation) {}
      func awaitEnd(until deadline: ContinuousClock.Instant) {}
    }

    @Test func whatBeginsWhileOthersHearThatTheConnectionIsBackKnowsIt() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let stopper = Stopper()
      _ = stream.jetStream.connection.add(stopper)
      server.kill()
      try server.start()
      try await wait("the connection") { stopper.isStopping.withLock { $0 } }
      defer { stopper.stop() }

      let stored = Guarded(0)
      let publishing = (0..<3).publisher
        .map { OutgoingMessage(Array("\($0)".utf8), to: "s.numbers", id: "\($0)") }
        .publish(to: stream.jetStream)
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in stored.withLock { $0 += 1 } })
      try await wait("the acknowledgements") { stored.withLock { $0 } == 3 }
      let subscriber = SlowSubscriber(demand: 3, pause: 0)
      stream.messages().subscribe(subscriber)
      try await wait("the messages") { subscriber.count == 3 }

      stopper.stop()
      await stream.jetStream.close()
      withExtendedLifetime(publishing) {}
    }
  }
#endif
