#if JetStream
  import CNATS
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// The same configuration twice changes nothing, on a real server.
  struct EquivalenceTests {

    @Test func aConsumerIsAddedTwice() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let jetStream = stream.jetStream
      func change(_ body: (inout ConsumerConfiguration) -> Void) -> ConsumerConfiguration {
        var configuration = ConsumerConfiguration(durable: "d")
        body(&configuration)
        return configuration
      }
      let configurations = [
        change { _ in },
        change { $0.policy = .none },
        change {
          $0.policy = .none
          $0.acknowledgementWait = .seconds(7)
        },
        change { $0.policy = .all },
        change { $0.start = .time(Date()) },
        change { $0.start = .time(Date(timeIntervalSince1970: 1_700_000_000.123_456_7)) },
        change { $0.start = .time(Date(timeIntervalSince1970: 1_700_000_000.012_345)) },
        change { $0.start = .time(Date(timeIntervalSince1970: 1_700_000_000.1)) },
        change { $0.start = .time(Date(timeIntervalSince1970: 1_700_000_000)) },
        change { $0.start = .sequence(3) },
        change {
          $0.start = .lastPerSubject; $0.filterSubject = "s.*"
        },
        change { $0.text = "" },
        change { $0.filterSubject = "" },
        change { $0.maximumDeliveries = 0 },
        change { $0.maximumUnacknowledged = 0 },
        change { $0.maximumUnacknowledged = -1 },
        change { $0.acknowledgementWait = .zero },
        change { $0.inactivityThreshold = .zero },
        change { $0.inactivityThreshold = .seconds(60) },
        change {
          $0.headersOnly = true; $0.inMemory = true; $0.text = "text"
        },
      ]
      for configuration in configurations {
        let first = try await jetStream.addConsumer(configuration, to: "S")
        let second = try await jetStream.addConsumer(configuration, to: "S")
        #expect(first.created == second.created)
        // Another one is still another one.
        await expect(.nameTaken, 10013) {
          var other = configuration
          other.headersOnly.toggle()
          try await jetStream.addConsumer(other, to: "S")
        }
        if case .time(let time) = configuration.start {
          await expect(.nameTaken, 10013) {
            var other = configuration
            other.start = .time(time + 1)
            try await jetStream.addConsumer(other, to: "S")
          }
        }
        try await jetStream.deleteConsumer("d", of: "S")
      }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// The library writes 20.012 s as 20.12 s. Messages in between would be skipped.
    @Test func aStartAtATimeSkipsNoMessage() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      for tenth in stride(from: 0.001, to: 1, by: 0.083) {
        let date = Date(timeIntervalSince1970: 1_700_000_000 + tenth)
        var configuration = ConsumerConfiguration(durable: "d")
        configuration.start = .time(date)
        let info = try await stream.jetStream.addConsumer(configuration, to: "S")
        guard case .time(let start) = info.configuration.start else {
          Issue.record("\(info.configuration.start)")
          continue
        }
        #expect(start <= date + 0.000_001)
        #expect(start > date - 0.11)
        try await stream.jetStream.deleteConsumer("d", of: "S")
      }
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aStreamIsAddedTwice() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let jetStream = stream.jetStream
      func change(_ body: (inout StreamConfiguration) -> Void) -> StreamConfiguration {
        var configuration = StreamConfiguration(name: "T", subjects: ["t.a", "t.b"])
        body(&configuration)
        return configuration
      }
      let configurations = [
        change { _ in },
        change { $0.subjects = ["t.b", "t.a"] },
        change { $0.subjects = [] },
        change { $0.text = "" },
        change { $0.maximumAge = .seconds(10) },
        change { $0.maximumAge = .zero },
        change { $0.duplicateWindow = .zero },
        change {
          $0.maximumMessages = 0; $0.maximumBytes = 0; $0.maximumMessagesPerSubject = 0; $0.maximumMessageSize = 0
        },
        change { $0.replicas = 0 },
        change {
          $0.retention = .workQueue; $0.discard = .new; $0.maximumMessages = 5; $0.storage = .memory
        },
      ]
      for configuration in configurations {
        let first = try await jetStream.addStream(configuration)
        let second = try await jetStream.addStream(configuration)
        #expect(first.created == second.created)
        await expect(.nameTaken, 10058) {
          var other = configuration
          other.maximumMessages = 77
          try await jetStream.addStream(other)
        }
        try await jetStream.deleteStream("T")
      }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func aStreamCopiesOrCollectsTheMessagesOfOthers() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let jetStream = stream.jetStream
      try await stream.store(0..<10)
      var copy = StreamConfiguration(name: "COPY", subjects: [])
      copy.mirror = StreamConfiguration.Source("S", startSequence: 4)
      var collection = StreamConfiguration(name: "COLLECTION", subjects: ["own"])
      collection.sources = [StreamConfiguration.Source("S", filterSubject: "s.*")]
      for configuration in [copy, collection] {
        let first = try await jetStream.addStream(configuration)
        #expect(first.configuration.isEquivalent(to: configuration))
        #expect(try await jetStream.addStream(configuration).created == first.created)
      }
      try await eventually { try await jetStream.streamInfo("COPY").messageCount == 7 }
      try await eventually { try await jetStream.streamInfo("COLLECTION").messageCount == 10 }
      #expect(try await jetStream.streamInfo("COPY").firstSequence == 4)
      await expect(.refused, 0) {
        var wrong = copy
        wrong.mirror?.name = "a b"
        try await jetStream.addStream(wrong)
      }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// A stream with a limit and a republication that a configuration here cannot express.
    @Test func aStreamThatAnotherToolHasMadeIsNoOtherStream() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let jetStream = stream.jetStream
      var connection: OpaquePointer?
      #expect(natsConnection_ConnectTo(&connection, server.url) == NATS_OK)
      defer { natsConnection_Destroy(connection) }
      func request(_ subject: String, _ body: String) -> String {
        var reply: OpaquePointer?
        defer { natsMsg_Destroy(reply) }
        guard natsConnection_RequestString(&reply, connection, subject, body, 5000) == NATS_OK else { return "" }
        return String(
          decoding: UnsafeRawBufferPointer(start: natsMsg_GetData(reply), count: Int(natsMsg_GetDataLength(reply))),
          as: UTF8.self
        )
      }
      let made = request(
        "$JS.API.STREAM.CREATE.T",
        #"""
        {"name":"T","subjects":["t.>"],"retention":"limits","storage":"file","num_replicas":1,"discard":"old",
        "max_consumers":7,"republish":{"src":"t.>","dest":"seen.t.>"}}
        """#
      )
      #expect(!made.contains("error"), "\(made)")
      let configuration = StreamConfiguration(name: "T", subjects: ["t.>"])
      try await jetStream.addStream(configuration)
      var changed = configuration
      changed.maximumMessages = 10
      await expect(.nameTaken, 10058) { try await jetStream.addStream(changed) }
      #expect(try await jetStream.updateStream(changed).configuration.maximumMessages == 10)
      let info = request("$JS.API.STREAM.INFO.T", "")
      #expect(info.contains(#""max_consumers":7"#), "\(info)")
      #expect(info.contains("seen.t"), "\(info)")
      await jetStream.close()
      withExtendedLifetime(server) {}
    }
  }
#endif
