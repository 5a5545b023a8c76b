#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport

  /// What happens to machines. In each row a producer stores numbers with ids, a consumer reads them, and both sides are
  /// compared: none is lost, and each is stored once.
  extension StreamLoads {

    static let count = 20_000

    /// The servers of a cluster lose the one that leads the stream, which comes back after some seconds.
    static func leaderKilled() async throws {
      let cluster = try TestCluster()
      try await disaster(cluster, replicas: 3) { jetStream in
        guard let leader = try await jetStream.streamInfo(TestStream.name).leader, let server = cluster.server(leader)
        else { throw Failure(text: "the stream has no leader") }
        server.kill()
        try await Task.sleep(for: .seconds(6))
        try server.start()
      }
    }

    /// All servers of a cluster are killed at once.
    static func allKilled() async throws {
      let cluster = try TestCluster()
      try await disaster(cluster, replicas: 3) { _ in
        for server in cluster.servers { server.kill() }
        try await Task.sleep(for: .seconds(2))
        for server in cluster.servers { try server.start() }
      }
    }

    /// The server of the connection says that it is about to end, and ends.
    static func lameDuck() async throws {
      let cluster = try TestCluster()
      let events = Guarded(0)
      try await disaster(cluster, replicas: 3) { jetStream in
        let watching = jetStream.connectionEvents.sink { event in if event == .lameDuck { events.withLock { $0 += 1 } }
        }
        // The connection is to the first one.
        cluster.servers[0].beginLameDuckMode()
        try await eventually { events.withLock { $0 } > 0 }
        try await Task.sleep(for: .seconds(2))
        cluster.servers[0].kill()
        try await Task.sleep(for: .seconds(1))
        try cluster.servers[0].start()
        watching.cancel()
      }
      report("  the server has said so \(events.withLock { $0 }) time(s)")
    }

    /// A server hangs while messages are written, for longer than two intervals between its questions.
    static func stoppedWhileWriting() async throws {
      let server = try TestServer()
      let states = Guarded<[JetStream.ConnectionState]>([])
      var noticed = Duration.zero
      try await disaster(urls: [server.url], replicas: 1) { jetStream in
        let watching = jetStream.connectionState.sink { state in states.withLock { $0.append(state) } }
        server.pause()
        let start = ContinuousClock.now
        try await eventually { states.withLock { $0.contains(.reconnecting) } }
        noticed = ContinuousClock.now - start
        try await Task.sleep(for: .seconds(5))
        server.resume()
        watching.cancel()
      }
      report("  noticed after \(noticed.seconds.rounded(to: 1)) s, with an interval of 1 s")
      try expect(noticed < .seconds(5), "it took long to notice")
    }

    /// The server is in a network of its own, whose line is cut for some seconds: no packet comes, and no reset.
    static func networkCut() async throws {
      guard getuid() == 0 else { return report("  skipped: a network of its own needs root") }
      let name = "nats\(getpid() % 10000)"
      try command("ip netns add \(name)")
      defer { try? command("ip netns del \(name)") }
      try command("ip link add \(name)a type veth peer name \(name)b netns \(name)")
      try command("ip addr add 10.213.77.1/30 dev \(name)a")
      try command("ip link set \(name)a up")
      try command("ip -n \(name) addr add 10.213.77.2/30 dev \(name)b")
      try command("ip -n \(name) link set \(name)b up")
      let server = try TestServer(address: "10.213.77.2", launcher: ["/usr/bin/env", "ip", "netns", "exec", name])
      let states = Guarded<[JetStream.ConnectionState]>([])
      try await disaster(urls: [server.url], replicas: 1) { jetStream in
        let watching = jetStream.connectionState.sink { state in states.withLock { $0.append(state) } }
        try command("ip -n \(name) link set \(name)b down")
        try await eventually { states.withLock { $0.contains(.reconnecting) } }
        try await Task.sleep(for: .seconds(4))
        try command("ip -n \(name) link set \(name)b up")
        watching.cancel()
      }
    }

    static func command(_ line: String) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = line.split(separator: " ").map(String.init)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      try expect(process.terminationStatus == 0, "\(line) has failed")
    }

    private static func disaster(
      _ cluster: TestCluster,
      replicas: Int,
      _ happen: @escaping (JetStream) async throws -> Void
    ) async throws {
      // The servers agree first.
      await (try cluster.connect()).close()
      try await disaster(urls: cluster.urls, replicas: replicas, happen)
      withExtendedLifetime(cluster) {}
    }

    /// - Parameter payload: The bytes of each message besides its number.
    static func disaster(
      urls: [String],
      replicas: Int,
      payload: Int = 0,
      _ happen: (JetStream) async throws -> Void
    ) async throws {
      let filler = Array(repeating: UInt8(ascii: " "), count: payload)
      var configuration = JetStream.Configuration(servers: urls)
      configuration.pingInterval = .seconds(1)
      configuration.reconnectDelay = .milliseconds(100)
      let jetStream = try await JetStream.connect(configuration)
      var stored = StreamConfiguration(name: TestStream.name, subjects: ["s.>"])
      stored.replicas = replicas
      var consumer = ConsumerConfiguration(durable: TestStream.consumer)
      consumer.acknowledgementWait = .seconds(4)
      try await eventually(seconds: 60) {
        do {
          try await jetStream.addStream(stored)
          try await jetStream.addConsumer(consumer, to: TestStream.name)
          return true
        } catch {
          return false
        }
      }
      let consumed = Guarded<[Int]>([])
      let failure = Guarded<String?>(nil)
      let consuming = jetStream.messages(stream: TestStream.name, consumer: TestStream.consumer).sink(
        receiveCompletion: { completion in failure.withLock { $0 = "\(completion)" } },
        receiveValue: { message in
          let number = Int(message.text.drop { $0 == " " }) ?? -1
          consumed.withLock { $0.append(number) }
        }
      )
      let acknowledged = Guarded(0)
      let production = Task {
        let start = ContinuousClock.now
        // Erased, because a sequence's own `map` makes all elements before the first one is published.
        let publishing = (0..<count).publisher.eraseToAnyPublisher()
          .map { number -> OutgoingMessage in
            let due = start + .seconds(8 * Double(number) / Double(count))
            if number % 64 == 0, ContinuousClock.now < due { usleep(useconds_t((due - .now).seconds * 1e6)) }
            return OutgoingMessage(filler + Array("\(number)".utf8), to: "s.numbers", id: "\(number)")
          }
          .publish(to: jetStream)
          .subscribe(on: DispatchQueue(label: "producer"))
        for try await _ in publishing.values { acknowledged.withLock { $0 += 1 } }
      }
      try await eventually(seconds: 30) { acknowledged.withLock { $0 } > count / 8 }
      let begin = ContinuousClock.now
      try await happen(jetStream)
      _ = try await production.value
      try await eventually(seconds: 120) {
        consumed.withLock { Set($0).count } == count || failure.withLock { $0 } != nil
      }
      try expect(failure.withLock { $0 } == nil, "the subscription has ended: \(failure.withLock { $0 } ?? "")")
      var messageCount: UInt64 = 0
      try await eventually(seconds: 60) {
        do {
          messageCount = try await jetStream.streamInfo(TestStream.name).messageCount
          return true
        } catch {
          return false
        }
      }
      consuming.cancel()
      let numbers = consumed.withLock { $0 }
      report(
        """
          \(count) published, \(acknowledged.withLock { $0 }) acknowledged, \(messageCount) stored, \
        \(count - Set(numbers).count) lost, \(numbers.count - Set(numbers).count) extra copies, over after \
        \((ContinuousClock.now - begin).seconds.rounded(to: 1)) s
        """
      )
      try expect(Set(numbers) == Set(0..<count), "messages were lost")
      try expect(acknowledged.withLock { $0 } == count, "acknowledgements are missing")
      try expect(messageCount == UInt64(count), "messages are missing or stored twice")
      await jetStream.close()
    }
  }
#endif
