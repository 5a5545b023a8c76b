#if JetStream
  import CNATS
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// Watching a bucket on a real server.
  struct KeyValueWatchTests {

    private static func connect(_ server: TestServer) async throws -> JetStream {
      var configuration = JetStream.Configuration(servers: [server.url])
      configuration.reconnectDelay = .milliseconds(100)
      return try await JetStream.connect(configuration)
    }

    private static func store(_ jetStream: JetStream, history: Int = 1) async throws -> KeyValueStore {
      var configuration = KeyValueConfiguration(bucket: "settings")
      configuration.history = history
      return try await jetStream.addKeyValueStore(configuration)
    }

    @Test func publishesTheLatestEntriesThenReadyThenTheChanges() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream, history: 5)
      for number in 0..<20 {
        for revision in 0..<3 { try await store.put([UInt8(number), UInt8(revision)], for: "k\(number)") }
      }
      try await store.delete("k7")
      let log = WatchLog(store.events(), demand: .unlimited)
      try await wait("the initial entries") { log.events.contains(.ready) }
      try await store.put([1], for: "k0")
      try await store.purge("k1")
      try await wait("the changes") { log.entries.count == 22 }
      let events = log.events
      #expect(events.firstIndex(of: .ready) == 20)
      #expect(events.filter { $0 == .ready }.count == 1)
      let initial = log.entries.prefix(20)
      #expect(Set(initial.map(\.key)) == Set((0..<20).map { "k\($0)" }))
      #expect(initial.filter { $0.operation == .put }.allSatisfy { $0.value.last == 2 })
      #expect(initial.last?.operation == .delete)
      #expect(log.entries[20].value == [1])
      #expect(log.entries[21].operation == .purge)
      #expect(log.revisions == log.revisions.sorted())
      log.cancel()
      try await eventually { try await jetStream.streamInfo(store.stream).consumerCount == 0 }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test(arguments: [KeyValueWatch.Start.current, .history, .new])
    func anEmptyBucketIsReadyAtOnce(start: KeyValueWatch.Start) async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream)
      let log = WatchLog(store.events(start: start), demand: .unlimited)
      try await wait("ready") { log.events == [.ready] }
      try await store.put([1], for: "a")
      try await wait("the change") { log.entries.map(\.value) == [[1]] }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aWatchOfChangesLeavesOutWhatIsThere() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream)
      try await store.put([1], for: "a")
      let log = WatchLog(store.events(start: .new), demand: .unlimited)
      try await wait("ready") { log.events == [.ready] }
      try await store.put([2], for: "b")
      try await wait("the change") { log.entries.count == 1 }
      #expect(log.entries.map(\.key) == ["b"])
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aWatchOfTheHistoryPublishesEachRevision() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream, history: 10)
      for number in 0..<10 { try await store.put([UInt8(number)], for: "a") }
      let log = WatchLog(store.events(start: .history), demand: .unlimited)
      try await wait("ready") { log.events.last == .ready }
      #expect(log.entries.map(\.value) == (0..<10).map { [UInt8($0)] })
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func onlyTheKeysOfThePatternAreWatched() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream)
      try await store.put([1], for: "color.a")
      try await store.put([2], for: "size.a")
      let log = WatchLog(store.events("color.*"), demand: .unlimited)
      try await wait("ready") { log.events.last == .ready }
      try await store.put([3], for: "size.b")
      try await store.put([4], for: "color.b")
      try await wait("the change") { log.entries.count == 2 }
      #expect(log.entries.map(\.key) == ["color.a", "color.b"])
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func publishesNoMoreThanWasAskedFor() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream)
      for number in 0..<5 { try await store.put([UInt8(number)], for: "k\(number)") }
      let log = WatchLog(store.events(), demand: .none)
      for count in 1...5 {
        log.request(.max(1))
        try await wait("an entry") { log.events.count == count }
      }
      #expect(!log.events.contains(.ready))
      log.request(.max(1))
      try await wait("ready") { log.events.last == .ready }
      // The rest is a single round trip behind the watch's own requests.
      try await store.put([1], for: "k0")
      _ = try await store.get("k0")
      #expect(log.events.count == 6)
      log.request(.max(1))
      try await wait("the change") { log.events.count == 7 }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// Servers of the series 2.9 let all consumers of a bucket skip what is older than the marker of a purge.
    @Test(arguments: [">", "color.*"], [1, 5])
    func aPurgeOfOneKeyHidesNoChangeOfAnother(keys: String, history: Int) async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream, history: history)
      try await store.put([0], for: "size.a")
      let log = WatchLog(store.events(keys, start: .new), demand: .max(1))
      try await wait("ready") { log.events == [.ready] }
      try await store.put([1], for: "color.a")
      try await store.put([2], for: "color.b")
      try await store.purge("size.a")
      try await store.put([3], for: "color.c")
      try await store.purge("size.a")
      try await store.put([4], for: "color.d")
      log.request(.unlimited)
      try await wait("the changes", seconds: 5) { log.entries.contains { $0.key == "color.d" } }
      #expect(log.entries.filter { $0.operation == .put }.map(\.key) == ["color.a", "color.b", "color.c", "color.d"])
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aDeletedBucketFailsTheWatch() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream)
      try await store.put([1], for: "a")
      let log = WatchLog(store.events(), demand: .unlimited)
      try await wait("ready") { log.events.last == .ready }
      try await jetStream.deleteKeyValueStore("settings")
      try await wait("the failure") { log.error?.kind == .noStream }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aBucketThatIsMissingFailsTheWatch() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream)
      try await jetStream.deleteKeyValueStore("settings")
      let log = WatchLog(store.events(), demand: .unlimited)
      try await wait("the failure") { log.error?.kind == .noStream }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func closingFinishesTheWatch() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream)
      try await store.put([1], for: "a")
      let logs = [
        WatchLog(store.events(), demand: .unlimited),
        WatchLog(store.events(), demand: .none),
      ]
      try await wait("ready") { logs[0].events.last == .ready }
      await jetStream.close()
      for log in logs {
        try await wait("the completion") { log.completion != nil }
        #expect(log.error == nil)
      }
      let late = WatchLog(store.events(), demand: .unlimited)
      try await wait("the failure") { late.error?.kind == .closed }
      withExtendedLifetime(server) {}
    }

    @Test func whatChangesWhileTheServerIsAwayIsPublishedOnceAndInOrder() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream, history: 64)
      let log = WatchLog(store.events(), demand: .unlimited)
      let empty = WatchLog(store.events("other.>"), demand: .unlimited)
      try await wait("ready") { log.events.last == .ready && empty.events.last == .ready }
      var expected: [[UInt8]] = []
      for round in 0..<5 {
        for number in 0..<20 {
          let value = [UInt8(round), UInt8(number)]
          expected.append(value)
          try await store.put(value, for: "k\(number)")
        }
        server.kill()
        try server.start()
        // Stored by a connection that is there at once, while that of the watch is being made again.
        let other = try await Self.connect(server)
        let same = try await other.keyValueStore("settings")
        for number in 0..<20 {
          let value = [UInt8(round), UInt8(100 + number)]
          expected.append(value)
          try await same.put(value, for: "k\(number)")
        }
        await other.close()
        try await wait("round \(round)", seconds: 30) { log.entries.count == expected.count }
        try await eventually { (try? await store.get("k0")) != nil }
      }
      #expect(log.entries.map(\.value) == expected)
      #expect(Set(log.revisions).count == expected.count)
      #expect(log.revisions == log.revisions.sorted())
      #expect(log.events.filter { $0 == .ready }.count == 1)
      try await store.put([7], for: "other.a")
      try await wait("the other watch") { empty.entries.map(\.value) == [[7]] }
      await jetStream.close()
    }

    @Test func aWatchGoesOnWhenItsConsumerIsDeleted() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream, history: 64)
      let log = WatchLog(store.events(), demand: .unlimited)
      try await wait("ready") { log.events.last == .ready }
      for number in 0..<10 {
        try await store.put([UInt8(number)], for: "a")
        for name in try await consumers(of: store.stream, jetStream) {
          try? await jetStream.deleteConsumer(name, of: store.stream)
        }
      }
      try await wait("all revisions") { log.entries.count == 10 }
      #expect(log.entries.map(\.value) == (0..<10).map { [UInt8($0)] })
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aBucketThatWasCreatedAgainMeanwhileFailsTheWatch() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream)
      for number in 0..<10 { try await store.put([UInt8(number)], for: "k\(number)") }
      let log = WatchLog(store.events(), demand: .max(5))
      try await wait("five entries") { log.entries.count == 5 }
      // Without demand the watch does not hear of it.
      try await jetStream.deleteKeyValueStore("settings")
      let again = try await Self.store(jetStream)
      for number in 0..<20 { try await again.put([UInt8(number)], for: "k\(number)") }
      log.request(.unlimited)
      try await wait("the failure") { log.error?.kind == .noStream }
      #expect(log.entries.count == 5)
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func aCancelledWatchReceivesNothingMore() async throws {
      let server = try TestServer()
      let jetStream = try await Self.connect(server)
      let store = try await Self.store(jetStream)
      for _ in 0..<50 {
        let log = WatchLog(store.events(), demand: .unlimited)
        log.cancel()
        let count = log.events.count
        try await store.put([1], for: "a")
        #expect(log.events.count == count)
        #expect(log.completion == nil)
      }
      try await eventually { try await jetStream.streamInfo(store.stream).consumerCount == 0 }
      await jetStream.close()
      withExtendedLifetime(server) {}
    }

    /// The names of a stream's consumers.
    private func consumers(of stream: String, _ jetStream: JetStream) async throws -> [String] {
      try await blocking { [connection = jetStream.connection] () throws(JetStreamError) in
        var list: UnsafeMutablePointer<jsConsumerNamesList>?
        defer { jsConsumerNamesList_Destroy(list) }
        let status = js_ConsumerNames(&list, connection.context, stream, nil, nil)
        guard status == NATS_OK, let names = list?.pointee else { return [] }
        return (0..<Int(names.Count)).map { String(cString: names.List[$0]!) }
      }
    }
  }

  /// Records what a watch publishes.
  private final class WatchLog: Subscriber, Sendable {

    typealias Input = KeyValueEvent
    typealias Failure = JetStreamError

    private struct State {
      var subscription: (any Subscription)?
      var events: [KeyValueEvent] = []
      var completion: Subscribers.Completion<JetStreamError>?
    }

    private let state = Guarded(State())
    private let demand: Subscribers.Demand

    init(_ watch: KeyValueWatch, demand: Subscribers.Demand) {
      self.demand = demand
      watch.subscribe(self)
    }

    var events: [KeyValueEvent] { state.withLock { $0.events } }
    var entries: [KeyValueEntry] { events.compactMap(\.entry) }
    var revisions: [UInt64] { entries.map(\.revision) }
    var completion: Subscribers.Completion<JetStreamError>? { state.withLock { $0.completion } }

    var error: JetStreamError? {
      if case .failure(let error)? = completion { error } else { nil }
    }

    func request(_ demand: Subscribers.Demand) { state.withLock { $0.subscription }?.request(demand) }
    func cancel() { state.withLock { $0.subscription }?.cancel() }

    func receive(subscription: any Subscription) {
      state.withLock { $0.subscription = subscription }
      if demand > .none { subscription.request(demand) }
    }

    func receive(_ input: KeyValueEvent) -> Subscribers.Demand {
      state.withLock { $0.events.append(input) }
      return .none
    }

    func receive(completion: Subscribers.Completion<JetStreamError>) {
      state.withLock { $0.completion = completion }
    }
  }
#endif
