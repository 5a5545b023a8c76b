#if JetStream && Metrics
  import CoreMetrics
  import Foundation
  import JetStreamSupport
  import MetricsTestKit
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// Gauges of consumers and connections: without a server, and with one.
  struct RecordMetricsTests {

    private static let labels = [
      "jetstream_consumer_pending_messages", "jetstream_consumer_unacknowledged_messages",
      "jetstream_consumer_redelivered_messages",
    ]

    private static func info(_ name: String, of stream: String = "S", _ counts: (UInt64, Int, Int)) -> ConsumerInfo {
      ConsumerInfo(
        stream: stream,
        name: name,
        configuration: ConsumerConfiguration(durable: name),
        created: Date(timeIntervalSince1970: 0),
        unacknowledgedCount: counts.1,
        redeliveredCount: counts.2,
        pendingCount: counts.0,
        waitingRequestCount: 0,
        deliveredSequence: 0,
        acknowledgedSequence: 0,
        leader: nil,
        isPull: true
      )
    }

    /// The last values of the gauges of a consumer: lag, in flight, delivered again.
    private static func gauges(
      _ metrics: TestMetrics,
      _ consumer: String,
      of stream: String = "S",
      _ dimensions: [(String, String)] = []
    ) throws -> [Double?] {
      try labels.map {
        try metrics.expectGauge($0, [("stream", stream), ("consumer", consumer)] + dimensions).lastValue
      }
    }

    // MARK: Consumers

    @Test func gaugesOfAConsumerAreSetBeforeItsStateIsReceived() throws {
      let metrics = TestMetrics()
      let upstream = ManualPublisher<ConsumerInfo, JetStreamError>()
      var seen: [[Double?]] = []
      let subscriber = RecordingSubscriber<ConsumerInfo, JetStreamError>(onValue: { info in
        seen.append((try? Self.gauges(metrics, info.name)) ?? [])
        return .none
      })
      upstream.recordMetrics(factory: metrics).subscribe(subscriber)
      #expect(metrics.recorders.isEmpty)
      let infos = [Self.info("c", (7, 2, 1)), Self.info("c", (3, 0, 0))]
      for info in infos { upstream.send(info) }
      #expect(seen == [[7, 2, 1], [3, 0, 0]])
      #expect(subscriber.values == infos)
      #expect(metrics.recorders.count == 3)
      #expect(metrics.recorders.allSatisfy { !$0.aggregate })
      #expect(try metrics.expectGauge(Self.labels[0], [("stream", "S"), ("consumer", "c")]).values == [7, 3])
    }

    @Test func eachConsumerHasGaugesOfItsOwn() throws {
      let metrics = TestMetrics()
      let upstream = PassthroughSubject<ConsumerInfo, Never>()
      let recording = upstream.recordMetrics(dimensions: [("site", "b")], factory: metrics).sink { _ in }
      upstream.send(Self.info("c", (1, 2, 3)))
      upstream.send(Self.info("d", (4, 5, 6)))
      upstream.send(Self.info("c", of: "T", (7, 8, 9)))
      #expect(try Self.gauges(metrics, "c", [("site", "b")]) == [1, 2, 3])
      #expect(try Self.gauges(metrics, "d", [("site", "b")]) == [4, 5, 6])
      #expect(try Self.gauges(metrics, "c", of: "T", [("site", "b")]) == [7, 8, 9])
      #expect(metrics.recorders.count == 9)
      recording.cancel()
      #expect(metrics.recorders.isEmpty)
    }

    @Test func demandCancellationAndCompletionPassThrough() {
      let metrics = TestMetrics()
      let subscription = ManualSubscription()
      let upstream = ManualPublisher<ConsumerInfo, TestError>(subscription: subscription)
      let subscriber = RecordingSubscriber<ConsumerInfo, TestError>(requesting: .max(2), returning: [.max(3)])
      upstream.recordMetrics(factory: metrics).subscribe(subscriber)
      #expect(upstream.send(Self.info("c", (1, 0, 0))) == .max(3))
      #expect(upstream.send(Self.info("c", (2, 0, 0))) == .none)
      #expect(subscription.history == [.requested(.max(2))])
      subscriber.request(.unlimited)
      subscriber.cancel()
      #expect(subscription.history == [.requested(.max(2)), .requested(.unlimited), .cancelled])

      let another = ManualPublisher<ConsumerInfo, TestError>()
      let failing = RecordingSubscriber<ConsumerInfo, TestError>(requesting: .unlimited)
      another.recordMetrics(factory: metrics).subscribe(failing)
      another.send(completion: .failure("gone"))
      #expect(failing.events.last == .failure("gone"))
    }

    @Test(arguments: [nil, .finished, .failure("gone")] as [Subscribers.Completion<TestError>?])
    func gaugesAreDestroyedWhenTheSubscriptionEnds(completion: Subscribers.Completion<TestError>?) {
      let metrics = TestMetrics()
      let upstream = PassthroughSubject<ConsumerInfo, TestError>()
      let recording = upstream.recordMetrics(factory: metrics).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      upstream.send(Self.info("c", (1, 2, 3)))
      #expect(metrics.recorders.count == 3)
      if let completion { upstream.send(completion: completion) } else { recording.cancel() }
      #expect(metrics.recorders.isEmpty)
    }

    @Test func anotherSubscriptionBringsSharedGaugesBack() throws {
      let metrics = TestMetrics()
      let upstream = PassthroughSubject<ConsumerInfo, Never>()
      let recorded = upstream.recordMetrics(factory: metrics)
      let first = recorded.sink { _ in }
      let second = recorded.sink { _ in }
      upstream.send(Self.info("c", (1, 2, 3)))
      first.cancel()
      #expect(metrics.recorders.isEmpty)
      upstream.send(Self.info("c", (4, 5, 6)))
      #expect(try Self.gauges(metrics, "c") == [4, 5, 6])
      second.cancel()
      #expect(metrics.recorders.isEmpty)
    }

    // MARK: The machine

    @Test func gaugesSetDuringTheEndAreRemovedByTheThreadThatSetsThem() {
      var machine = GaugeMachine<String, Int>()
      let first = machine.begin()
      var removed = [machine.finish(1, of: "c")]
      let second = machine.begin()
      removed.append(machine.end())
      removed.append(machine.finish(2, of: "d").sorted())
      #expect(removed == [[], [], [1, 2]])
      #expect([first, second, machine.begin()] == [true, true, false])
      #expect(machine.end() == [])
    }

    @Test func onlyTheLatestGaugesOfASourceAreRemoved() {
      var machine = GaugeMachine<String, Int>()
      for (source, gauges) in [("c", 1), ("d", 2), ("c", 3)] {
        _ = machine.begin()
        #expect(machine.finish(gauges, of: source) == [])
      }
      #expect(machine.end().sorted() == [2, 3])
      #expect(machine.end() == [])
    }

    @Test func gaugesThatAreLeftAreNeverRemoved() {
      var machine = GaugeMachine<String, Int>()
      _ = machine.begin()
      _ = machine.finish(1, of: "c")
      machine.leave()
      let mayBegin = machine.begin()
      #expect(!mayBegin)
      #expect(machine.end() == [])
    }

    // MARK: Connections

    @Test func aConnectionIsOneOrZeroAndItsReconnectsAreCounted() throws {
      let metrics = TestMetrics()
      let upstream = PassthroughSubject<JetStream.ConnectionState, Never>()
      let received = Guarded<[JetStream.ConnectionState]>([])
      let dimensions = [("connection", "orders")]
      let recording = upstream.recordMetrics(dimensions: dimensions, factory: metrics).sink { state in
        received.withLock { $0.append(state) }
      }
      let reconnects = try metrics.expectCounter("jetstream_reconnects_total", dimensions)
      let states: [JetStream.ConnectionState] = [
        .connected, .reconnecting, .connected, .connected, .reconnecting, .reconnecting, .connected, .closed,
      ]
      for state in states { upstream.send(state) }
      #expect(received.withLock { $0 } == states)
      let connected = try metrics.expectGauge("jetstream_connected", dimensions)
      #expect(connected.values == [1, 0, 1, 1, 0, 0, 1, 0])
      #expect(reconnects.values == [1, 1])
      upstream.send(completion: .finished)
      recording.cancel()
      #expect(try metrics.expectGauge("jetstream_connected", dimensions) === connected)
    }

    @Test func theGaugeOfAConnectionThatNobodyObservesIsDestroyed() throws {
      let metrics = TestMetrics()
      let state = CurrentValueSubject<JetStream.ConnectionState, Never>(.connected)
      let recording = state.recordMetrics(factory: metrics).sink { _ in }
      #expect(try metrics.expectGauge("jetstream_connected").lastValue == 1)
      recording.cancel()
      #expect(metrics.recorders.isEmpty)
      #expect(try metrics.expectCounter("jetstream_reconnects_total").values.isEmpty)
    }

    @Test func eachSubscriptionCountsReconnectsFromItsOwnStart() throws {
      let metrics = TestMetrics()
      let state = CurrentValueSubject<JetStream.ConnectionState, Never>(.connected)
      let recorded = state.recordMetrics(factory: metrics)
      let first = recorded.sink { _ in }
      state.send(.reconnecting)
      first.cancel()
      let second = recorded.sink { _ in }
      state.send(.connected)
      #expect(try metrics.expectCounter("jetstream_reconnects_total").values == [1])
      second.cancel()
    }

    // MARK: With a server

    @Test func metricsFollowAConsumerAndAConnectionOfAServer() async throws {
      let metrics = TestMetrics()
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(1), timeout: .seconds(1))
      try await stream.store(0..<10)
      let connection = stream.jetStream.connectionState.recordMetrics(factory: metrics).sink { _ in }
      let consumer = stream.jetStream
        .consumerInfo(TestStream.consumer, of: TestStream.name, every: .milliseconds(20))
        .recordMetrics(factory: metrics)
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      func gauges() -> [Double?]? { try? Self.gauges(metrics, TestStream.consumer, of: TestStream.name) }
      try await wait("the lag") { gauges() == [10, 0, 0] }

      let subscriber = SlowSubscriber(demand: 0, pause: 0)
      stream.messages(acknowledgement: .manual).subscribe(subscriber)
      subscriber.request(.max(4))
      try await wait("four in flight") { gauges() == [6, 4, 0] }
      // Nobody acknowledges them, so they come again when the others are delivered.
      subscriber.request(.max(20))
      try await wait("some delivered again") { (gauges()?.last ?? 0) ?? 0 > 0 }

      let connected = try metrics.expectGauge("jetstream_connected")
      #expect(connected.values == [1])
      server.kill()
      try await wait("the loss") { connected.values == [1, 0] }
      try server.start()
      try await wait("the return") { connected.values == [1, 0, 1] }
      #expect(try metrics.expectCounter("jetstream_reconnects_total").totalValue == 1)

      subscriber.cancel()
      await stream.jetStream.close()
      try await wait("the end") { connected.lastValue == 0 && gauges() == nil }
      // The library may also report the loss that a close is.
      #expect([[1, 0, 1, 0], [1, 0, 1, 0, 0]].contains(connected.values))
      connection.cancel()
      #expect(try metrics.expectGauge("jetstream_connected") === connected)
      consumer.cancel()
      withExtendedLifetime(server) {}
    }
  }
#endif
