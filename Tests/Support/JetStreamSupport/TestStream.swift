#if JetStream
  package import CombineJetStream
  import Foundation

  /// A server with one stream `S` for the subjects `s.>` and one durable consumer `c`, and a connection to it.
  package struct TestStream: Sendable {

    package let jetStream: JetStream

    package static let name = "S"
    package static let consumer = "c"

    /// Connects, and adds the stream and the consumer.
    package init(
      _ server: TestServer,
      acknowledgementWait: Duration = .seconds(30),
      maximumUnacknowledged: Int = 10_000,
      writes: JetStream.Configuration.Writes = .atOnce,
      timeout: Duration = .seconds(5)
    ) async throws {
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.writes = writes
      configuration.reconnectDelay = .milliseconds(100)
      configuration.timeout = timeout
      jetStream = try await JetStream.connect(configuration)
      try await jetStream.addStream(StreamConfiguration(name: Self.name, subjects: ["s.>"]))
      var consumer = ConsumerConfiguration(durable: Self.consumer)
      consumer.acknowledgementWait = acknowledgementWait
      consumer.maximumUnacknowledged = maximumUnacknowledged
      try await jetStream.addConsumer(consumer, to: Self.name)
    }

    /// The messages of the consumer.
    package func messages(window: Int = 256, acknowledgement: Acknowledgement = .afterReceive) -> JetStreamPublisher {
      jetStream.messages(stream: Self.name, consumer: Self.consumer, window: window, acknowledgement: acknowledgement)
    }

    /// Stores messages with the numbers of a range as their text and id.
    package func store(_ numbers: Range<Int>) async throws {
      let stored = numbers.publisher
        .map { OutgoingMessage(Array("\($0)".utf8), to: "s.numbers", id: "\($0)") }
        .publish(to: jetStream)
      for try await _ in stored.values {}
    }

    package func info() async throws -> ConsumerInfo {
      try await jetStream.consumerInfo(Self.consumer, of: Self.name)
    }
  }

  extension JetStreamMessage {

    /// The payload as text.
    package var text: String {
      withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The payload as a number, or -1.
    package var number: Int { Int(text) ?? -1 }
  }
#endif
