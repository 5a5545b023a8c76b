#if JetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  extension JetStream.ConnectionEvent {
    fileprivate func isRefusal(of subject: String) -> Bool {
      guard case .failure(let error) = self else { return false }
      return error.kind == .authentication && error.text.contains(subject)
    }
  }

  /// What a server does not permit is an error with the subject, and not silence.
  struct PermissionTests {

    private static let admin = "{ user: admin, password: p }"

    /// Starts a server with a stream `S` and a consumer `c`, and connects as a user with permissions.
    private static func connect(
      _ permissions: String,
      timeout: Duration = .seconds(2)
    ) async throws -> (TestServer, JetStream) {
      let server = try TestServer(
        settings: """
          authorization { users: [ \(admin), { user: ann, password: p, permissions: { \(permissions) } } ] }
          """
      )
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.credentials = .user("admin", password: "p")
      let jetStream = try await JetStream.connect(configuration)
      try await jetStream.addStream(StreamConfiguration(name: "S", subjects: ["s.>"]))
      try await jetStream.addConsumer(ConsumerConfiguration(durable: "c"), to: "S")
      _ = try await jetStream.publish([1], to: "s.a").value
      await jetStream.close()
      configuration.credentials = .user("ann", password: "p")
      configuration.timeout = timeout
      return (server, try await JetStream.connect(configuration))
    }

    /// Runs `body`, which must fail with the subject.
    private static func expectRefusal(of subject: String, _ body: () async throws -> Void) async {
      do {
        try await body()
        Issue.record("no error")
      } catch let error as JetStreamError {
        #expect(error.kind == .authentication, "\(error)")
        #expect(error.text.contains(subject), "\(error)")
      } catch {
        Issue.record("\(error)")
      }
    }

    @Test(.timeLimit(.minutes(1)))
    func aPublishThatIsNotPermittedFails() async throws {
      let (server, jetStream) = try await Self.connect("publish: { deny: [\"s.b\"] }")
      let events = Guarded<[JetStream.ConnectionEvent]>([])
      let watching = jetStream.connectionEvents.sink { event in events.withLock { $0.append(event) } }
      for id in [nil, "1"] {
        await Self.expectRefusal(of: "\"s.b\"") { _ = try await jetStream.publish([1], to: "s.b", id: id).value }
        await Self.expectRefusal(of: "\"s.b\"") {
          for try await _ in Just(OutgoingMessage([1], to: "s.b", id: id)).publish(to: jetStream).values {}
        }
      }
      #expect(events.withLock { $0.contains { $0.isRefusal(of: "\"s.b\"") } })
      watching.cancel()
      // Others go on.
      _ = try await jetStream.publish([1], to: "s.a", id: "2").value
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["$JS.API.CONSUMER.MSG.NEXT.S.c", "$JS.ACK.S.c.>"])
    func messagesThatMayNotBeRequestedOrAcknowledgedFail(denied: String) async throws {
      let (server, jetStream) = try await Self.connect("publish: { deny: [\"\(denied)\"] }")
      await Self.expectRefusal(of: denied.replacingOccurrences(of: ".>", with: "")) {
        for try await _ in jetStream.messages(stream: "S", consumer: "c").values {}
      }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// The server's word comes at once. The calls of the library wait for their whole time.
    @Test(.timeLimit(.minutes(1)))
    func whatIsNotPermittedFailsAtOnce() async throws {
      let (server, jetStream) = try await Self.connect(
        "publish: { allow: [\"s.>\", \"$JS.API.STREAM.NAMES\"] }",
        timeout: .seconds(30)
      )
      let start = ContinuousClock.now
      let api = "$JS.API."
      await Self.expectRefusal(of: api + "STREAM.CREATE.T") {
        try await jetStream.addStream(StreamConfiguration(name: "T", subjects: ["t"]))
      }
      await Self.expectRefusal(of: api + "STREAM.INFO.S") { _ = try await jetStream.streamInfo("S") }
      await Self.expectRefusal(of: api + "STREAM.PURGE.S") { try await jetStream.purgeStream("S") }
      await Self.expectRefusal(of: api + "STREAM.DELETE.S") { try await jetStream.deleteStream("S") }
      await Self.expectRefusal(of: api + "CONSUMER.INFO.S.d") {
        try await jetStream.addConsumer(ConsumerConfiguration(durable: "d"), to: "S")
      }
      await Self.expectRefusal(of: api + "CONSUMER.") {
        try await jetStream.updateConsumer(ConsumerConfiguration(durable: "d"), of: "S")
      }
      await Self.expectRefusal(of: api + "CONSUMER.DELETE.S.c") { try await jetStream.deleteConsumer("c", of: "S") }
      await Self.expectRefusal(of: api + "CONSUMER.") {
        for try await _ in jetStream.messages(stream: "S", consumer: "c").values {}
      }
      await Self.expectRefusal(of: api) {
        for try await _ in jetStream.orderedMessages(stream: "S").values {}
      }
      await Self.expectRefusal(of: api + "STREAM.CREATE.KV_b") {
        _ = try await jetStream.addKeyValueStore(KeyValueConfiguration(bucket: "b"))
      }
      #expect(ContinuousClock.now - start < .seconds(20))
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// A call is not ended by the refusal of another one.
    @Test(.timeLimit(.minutes(1)))
    func aRefusalConcernsTheCallsThatHaveCausedIt() async throws {
      let (server, jetStream) = try await Self.connect(
        "publish: { deny: [\"$JS.API.STREAM.PURGE.>\", \"$KV.b.denied\"] }"
      )
      async let infos: Void = {
        for _ in 0..<200 { _ = try await jetStream.streamInfo("S") }
      }()
      for _ in 0..<20 {
        await Self.expectRefusal(of: "STREAM.PURGE.S") { try await jetStream.purgeStream("S") }
      }
      try await infos
      let bucket = try await jetStream.addKeyValueStore(KeyValueConfiguration(bucket: "b"))
      await Self.expectRefusal(of: "$KV.b.denied") { try await bucket.put([1], for: "denied") }
      try await bucket.put([1], for: "permitted")
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// The library has one thread for what the servers of all connections report.
    @Test(.timeLimit(.minutes(1)))
    func aSubscriberThatBlocksDoesNotHoldUpOtherConnections() async throws {
      let (server, jetStream) = try await Self.connect("publish: { deny: [\"s.b\"] }")
      let (otherServer, other) = try await Self.connect("publish: { deny: [\"s.b\"] }")
      let isHeld = Guarded(true)
      let isBlocked = Guarded(false)
      let blocking = jetStream.connectionEvents.sink { _ in
        isBlocked.withLock { $0 = true }
        while isHeld.withLock({ $0 }) { usleep(1000) }
      }
      await Self.expectRefusal(of: "\"s.b\"") { _ = try await jetStream.publish([1], to: "s.b").value }
      try await wait("the event") { isBlocked.withLock { $0 } }
      await Self.expectRefusal(of: "\"s.b\"") { _ = try await other.publish([1], to: "s.b").value }
      isHeld.withLock { $0 = false }
      blocking.cancel()
      await jetStream.close()
      await other.close()
      withExtendedLifetime((server, otherServer)) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func anInboxThatIsNotPermittedFails() async throws {
      let (server, jetStream) = try await Self.connect("subscribe: { deny: [\"_INBOX.>\"] }")
      await Self.expectRefusal(of: "_INBOX") { _ = try await jetStream.publish([1], to: "s.a", id: "1").value }
      await Self.expectRefusal(of: "_INBOX") { _ = try await jetStream.publish([1], to: "s.a", id: "2").value }
      await Self.expectRefusal(of: "_INBOX") {
        for try await _ in jetStream.messages(stream: "S", consumer: "c").values {}
      }
      await Self.expectRefusal(of: "_INBOX") { _ = try await jetStream.streamInfo("S") }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// A part of a connection that only listens.
    private final class Listener: ConnectionMember {
      let refusals = Guarded<[PermissionViolation]>([])
      func tick(at now: ContinuousClock.Instant) {}
      func connectionDidChange(to state: JetStream.ConnectionState) {}
      func didRefuse(_ refusal: PermissionViolation) { refusals.withLock { $0.append(refusal) } }
      func close() {}
      func awaitEnd(until deadline: ContinuousClock.Instant) {}
    }

    /// The server's word may come between the subscription and the call that adds the subscriber to the connection.
    @Test(.timeLimit(.minutes(1)))
    func aRefusedSubscriptionIsToldToWhoComesLater() async throws {
      let (server, jetStream) = try await Self.connect("subscribe: { deny: [\"_INBOX.>\"] }")
      await Self.expectRefusal(of: "_INBOX") { _ = try await jetStream.streamInfo("S") }
      let listener = Listener()
      #expect(jetStream.connection.add(listener) == .connected)
      #expect(listener.refusals.withLock { $0.contains { $0.concerns(inbox: "_INBOX.") } })
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func theWordsOfServersAreRead() {
      let publish = PermissionViolation(text: #"Permissions Violation for Publish to "s.b""#)
      #expect(publish?.subject == "s.b")
      #expect(publish?.isSubscription == false)
      let subscription = PermissionViolation(text: #"permissions violation for subscription to "_INBOX.a.*""#)
      #expect(subscription?.concerns(inbox: "_INBOX.a") == true)
      #expect(publish?.concerns(inbox: "s.b") == false)
      #expect(PermissionViolation(text: "Stale Connection") == nil)
    }
  }
#endif
