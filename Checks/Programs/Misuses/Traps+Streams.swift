#if JetStream
  import CombineJetStream
  import JetStreamSupport

  // The mistakes with streams. All are made with a connection.

  extension Trap {

    static let streams = [
      Trap("JetStreamPublisher", "window must be positive, is 0", after: { $0 }) {
        _ = $0.messages(stream: "S", consumer: "c", window: 0)
      },
      Trap("OrderedMessages", "window must be positive, is 0", after: { $0 }) {
        _ = $0.orderedMessages(stream: "S", window: 0)
      },
      Trap("OrderedMessages", "windowBytes must be positive, is -1", after: { $0 }) {
        _ = $0.orderedMessages(stream: "S", windowBytes: -1)
      },
      Trap("PublishToJetStream", "window must be positive, is 0", after: { $0 }) {
        _ = [[UInt8]]().publisher.publish(to: $0, subject: "s", window: 0) { _ in "" }
      },
      Trap("PublishToJetStream", "window must be positive, is -1", after: { $0 }) {
        _ = [OutgoingMessage]().publisher.publish(to: $0, window: -1)
      },
      Trap("PublishToJetStream", "windowBytes must be positive, is 0", after: { $0 }) {
        _ = [OutgoingMessage]().publisher.publish(to: $0, windowBytes: 0)
      },
      Trap("KeyValueWatch", "window must be positive, is 0", after: keyValueStore) { _ = $0.watch(window: 0) },
      Trap("KeyValueWatch", "window must be positive, is -2", after: keyValueStore) { _ = $0.events(window: -2) },
    ]

    @Sendable private static func keyValueStore(_ jetStream: JetStream) async throws -> KeyValueStore {
      try await jetStream.addKeyValueStore(KeyValueConfiguration(bucket: "b"))
    }

    /// - Parameters:
    ///   - prepare: A closure that gets what the mistake needs from a server.
    ///   - run: A closure that makes the mistake. The server has ended before, because nothing would end it afterwards.
    private init<Value>(
      _ operation: String,
      _ mistake: String,
      after prepare: @escaping @Sendable (JetStream) async throws -> Value,
      _ run: @escaping @Sendable (Value) -> Void
    ) {
      self.init(operation, mistake) {
        do {
          run(try await Self.withServer(prepare))
        } catch {
          print("\(operation): \(error)")
        }
      }
    }

    private static func withServer<Value>(_ prepare: (JetStream) async throws -> Value) async throws -> Value {
      let server = try TestServer()
      defer { server.kill() }
      return try await prepare(try await JetStream.connect(JetStream.Configuration(servers: [server.url])))
    }
  }
#else
  extension Trap {

    static let streams: [Trap] = []
  }
#endif
