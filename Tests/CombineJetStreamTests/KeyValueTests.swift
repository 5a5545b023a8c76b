#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  /// Reading and writing a bucket on a real server.
  struct KeyValueTests {

    private static func connect(_ server: TestServer) async throws -> JetStream {
      try await JetStream.connect(.init(servers: [server.url]))
    }

    @Test func aValueThatWasPutIsTheOneThatIsRead() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await jetStream.addKeyValueStore(KeyValueConfiguration(bucket: "settings"))
      #expect(try await store.get("color") == nil)
      #expect(try await store.keys() == [])
      let before = Date()
      let first = try await store.put([1, 2, 3], for: "color")
      let second = try await store.put([], for: "empty.value")
      #expect((first, second) == (1, 2))
      let entry = try #require(try await store.get("color"))
      #expect(entry.bucket == "settings")
      #expect(entry.key == "color")
      #expect(entry.value == [1, 2, 3])
      #expect(entry.revision == 1)
      #expect(entry.operation == .put)
      #expect(abs(entry.created.timeIntervalSince(before)) < 60)
      #expect(try await store.get("empty.value")?.value == [])
      #expect(try await store.keys().sorted() == ["color", "empty.value"])
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func anUpdateNeedsTheLatestRevision() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await jetStream.addKeyValueStore(KeyValueConfiguration(bucket: "settings"))
      let first = try await store.create([1], for: "a")
      let second = try await store.update([2], for: "a", revision: first)
      let error = await #expect(throws: JetStreamError.self) { try await store.update([3], for: "a", revision: first) }
      #expect(error?.kind == .wrongRevision)
      #expect(error?.code == 10071)
      let again = await #expect(throws: JetStreamError.self) { try await store.create([3], for: "a") }
      #expect(again?.kind == .wrongRevision)
      #expect(again?.code == 10071)
      let entry = try await store.get("a")
      #expect(entry?.value == [2])
      #expect(entry?.revision == second)
      try await store.delete("a")
      #expect(try await store.create([4], for: "a") > second)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aDeletionKeepsTheHistoryAndAPurgeDoesNot() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      var configuration = KeyValueConfiguration(bucket: "settings")
      configuration.history = 5
      let store = try await jetStream.addKeyValueStore(configuration)
      let first = try await store.put([1], for: "a")
      try await store.put([2], for: "a")
      try await store.delete("a")
      #expect(try await store.get("a") == nil)
      #expect(try await store.get("a", revision: first)?.value == [1])
      #expect(try await store.keys() == [])
      #expect(try await store.history(of: "a").map(\.operation) == [.put, .put, .delete])
      #expect(try await store.history(of: "a").map(\.value) == [[1], [2], []])
      try await store.purge("a")
      #expect(try await store.get("a", revision: first) == nil)
      #expect(try await store.history(of: "a").map(\.operation) == [.purge])
      try await store.purgeDeletions(olderThan: .zero)
      #expect(try await store.history(of: "a") == [])
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aBucketIsFoundUntilItIsDeleted() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      var configuration = KeyValueConfiguration(bucket: "settings")
      let created = try await jetStream.addKeyValueStore(configuration)
      try await created.put([1], for: "a")
      _ = try await jetStream.addKeyValueStore(configuration)
      let store = try await jetStream.keyValueStore("settings")
      #expect(try await store.get("a")?.value == [1])
      configuration.history = 3
      let other = configuration
      let taken = await #expect(throws: JetStreamError.self) { try await jetStream.addKeyValueStore(other) }
      #expect(taken?.kind == .nameTaken)
      #expect(taken?.code == 10058)
      try await jetStream.deleteKeyValueStore("settings")
      let missing = await #expect(throws: JetStreamError.self) { try await jetStream.keyValueStore("settings") }
      #expect(missing?.kind == .noStream)
      #expect(missing?.code == 10059)
      let deleting = await #expect(throws: JetStreamError.self) { try await jetStream.deleteKeyValueStore("settings") }
      #expect(deleting?.kind == .noStream)
      let putting = await #expect(throws: JetStreamError.self) { try await store.put([1], for: "a") }
      #expect(putting?.kind == .noStream)
      let getting = await #expect(throws: JetStreamError.self) { try await store.get("a") }
      #expect(getting?.kind == .noStream)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(arguments: ["", "a b", ".a", "a.", "a..b", "*", "a.>", "a:b", "ä"])
    func aKeyThatIsNotValidIsRefused(key: String) async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await jetStream.addKeyValueStore(KeyValueConfiguration(bucket: "settings"))
      let error = await #expect(throws: JetStreamError.self) { try await store.put([1], for: key) }
      #expect(error?.kind == .refused)
      let reading = await #expect(throws: JetStreamError.self) { try await store.get(key) }
      #expect(reading?.kind == .refused)
      for error in [error, reading] {
        let names = key.isEmpty ? "the key is empty" : "the key \(key.debugDescription) has "
        #expect(error?.text.hasPrefix(names) == true, "\(String(describing: error))")
      }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aValueBeyondTheLimitIsRefused() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      var configuration = KeyValueConfiguration(bucket: "small")
      configuration.maximumValueSize = 10
      let store = try await jetStream.addKeyValueStore(configuration)
      try await store.put(Array(repeating: 0, count: 10), for: "a")
      let error = await #expect(throws: JetStreamError.self) {
        try await store.put(Array(repeating: 0, count: 2000), for: "a")
      }
      #expect(error?.kind == .payloadTooLarge)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }
  }
#endif
