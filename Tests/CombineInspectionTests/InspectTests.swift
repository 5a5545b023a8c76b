import CombineInspection
import TestSupport
import Testing

extension InspectionTests {

  @Suite struct InspectTests {

    struct Broken: Error {}

    @Test func passesEverythingThroughWhileInspectionIsOff() {
      let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(2))
      [1, 2, 3].publisher.inspect("off").subscribe(subscriber)
      #expect(subscriber.values == [1, 2])
      #expect(!Inspection.living.contains { $0.name == "off" })
      // The subscription is the upstream's own: the stage takes no part.
      #expect("\(subscriber.subscription!)" == "[1, 2, 3]")
    }

    @Test func recordsDemandValuesAndTheEnd() {
      inspecting {
        let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
        [1, 2].publisher.inspect("numbers").subscribe(subscriber)
        subscriber.request(.max(5))
        #expect(subscriber.values == [1, 2])
      }
      #expect(
        Inspection.timeline.words("numbers") == [
          "subscribed", "requested 1", "value 1", "returned", "requested 5", "value 2", "returned", "finished",
        ]
      )
    }

    @Test func recordsDemandThatIsReturnedForAValue() {
      inspecting {
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1), returning: [.max(2)])
        subject.inspect("returned").subscribe(subscriber)
        subject.send(1)
        #expect(Inspection.living.first { $0.name == "returned" }?.demand == .max(2))
        subscriber.cancel()
      }
      #expect(
        Inspection.timeline.words("returned") == [
          "subscribed", "requested 1", "value 1", "returned", "requested 2", "cancelled",
        ]
      )
    }

    @Test func theRegistryShowsALivingSubscription() throws {
      try inspecting {
        let subject = PassthroughSubject<String, Never>()
        let line = #line + 1
        let cancellable = subject.inspect("living").sink { _ in }
        subject.send("hello")
        subject.send("world")
        let row = try #require(Inspection.living.first { $0.name == "living" })
        #expect(row.place?.line == line)
        #expect(row.place?.description == "InspectTests.swift:\(line)")
        #expect(row.valueCount == 2)
        #expect(row.lastValue == "world")
        #expect(row.demand == .unlimited)
        #expect(row.subscriber == "Sink")
        #expect(row.age > .zero)
        let lines = Inspection.table.split(separator: "\n")
        #expect(lines.first?.hasPrefix("id") == true)
        #expect(lines.contains { $0.contains("living") && $0.contains("unlimited") && $0.contains("world") })
        cancellable.cancel()
        #expect(!Inspection.living.contains { $0.name == "living" })
      }
    }

    @Test func aSubscriptionThatIsReleasedIsNotAlive() {
      inspecting {
        let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
        [1, 2].publisher.inspect("released").subscribe(subscriber)
        #expect(Inspection.living.contains { $0.name == "released" })
        subscriber.dropSubscription()
        #expect(!Inspection.living.contains { $0.name == "released" })
      }
      #expect(Inspection.timeline.words("released").last == "released")
    }

    @Test func aSubscriptionKeepsTheRecordOfItsTime() {
      let subject = PassthroughSubject<Int, Never>()
      let before = subject.inspect("before").sink { _ in }
      let during = inspecting { subject.inspect("during").sink { _ in } }
      subject.send(1)
      #expect(Inspection.living.filter { ["before", "during"].contains($0.name) }.map(\.valueCount) == [1])
      before.cancel()
      during.cancel()
      #expect(!Inspection.living.contains { $0.name == "during" })
    }

    @Test func descriptionsKeepSecretsOut() {
      let options = Inspection.Options(descriptionLength: 5) { "all \($0)" }
      inspecting(options) {
        let subject = PassthroughSubject<Int, Never>()
        let one = subject.inspect("general").sink { _ in }
        let two = subject.inspect("secret", describing: { _ in "•••" }).sink { _ in }
        subject.send(123_456)
        #expect(Inspection.living.first { $0.name == "general" }?.lastValue == "all 1")
        #expect(Inspection.living.first { $0.name == "secret" }?.lastValue == "•••")
        _ = (one, two)
      }
    }

    @Test func theRecordHasABound() {
      inspecting(.init(eventCapacity: 10)) {
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.inspect("bounded").sink { _ in }
        for value in 0..<100 { subject.send(value) }
        let timeline = Inspection.timeline
        #expect(timeline.events.count == 10)
        #expect(timeline.droppedEventCount == 192)
        #expect(timeline.words("bounded").suffix(2) == ["value 99", "returned"])
        #expect(zip(timeline.events, timeline.events.dropFirst()).allSatisfy { $0.number < $1.number })
        _ = cancellable
      }
    }

    @Test func theTracksHaveABound() {
      inspecting(.init(eventCapacity: 10)) {
        let subject = PassthroughSubject<Int, Never>()
        let alive = subject.inspect("alive").sink { _ in }
        for _ in 0..<10_000 { subject.inspect("short").sink { _ in }.cancel() }
        let tracks = Inspection.timeline.tracks
        #expect(tracks.count <= 1000)
        #expect(tracks.first?.name == "alive")
        _ = alive
      }
    }

    @Test func aStageFlowsIntoTheNextOne() throws {
      try inspecting {
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.inspect("first").map { $0 + 1 }.inspect("second").sink { _ in }
        let first = try #require(Inspection.living.first { $0.name == "first" })
        let second = try #require(Inspection.living.first { $0.name == "second" })
        #expect(first.downstream == [second.id])
        #expect(second.downstream.isEmpty)
        _ = cancellable
      }
    }

    @Test func anInnerPublisherSaysWhichValueHasStartedIt() throws {
      try inspecting {
        let subject = PassthroughSubject<Int, Never>()
        let inner = PassthroughSubject<Int, Never>()
        let cancellable = subject.inspect("outer").flatMap { _ in inner.inspect("inner") }.sink { _ in }
        subject.send(1)
        let outer = try #require(Inspection.living.first { $0.name == "outer" })
        #expect(Inspection.living.first { $0.name == "inner" }?.startedBy == outer.id)
        _ = cancellable
      }
    }

    @Test func aFailureNamesTheStagesThatItHasPassed() throws {
      let line = #line
      inspecting {
        let subject = PassthroughSubject<Int, Broken>()
        let cancellable = subject.inspect("source")
          .map { $0 }
          .inspect("mapped")
          .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        subject.send(completion: .failure(Broken()))
        _ = cancellable
      }
      let failure = try #require(Inspection.failures.last)
      #expect(failure.steps.map(\.name) == ["source", "mapped"])
      #expect(failure.steps.map(\.place?.line) == [line + 3, line + 5])
      #expect(failure.description.hasPrefix("Broken()\n  at source (InspectTests.swift:"))
    }

    @Test func aCancelDuringTheSubscriptionCancelsTheUpstream() {
      inspecting {
        let subject = ManualSubject<Int, Never>()
        let subscriber = RecordingSubscriber<Int, Never>(requesting: .none)
        subscriber.onSubscription = { $0.cancel() }
        subject.inspect("early").subscribe(subscriber)
        #expect(!Inspection.living.contains { $0.name == "early" })
      }
      #expect(Inspection.timeline.words("early") == ["subscribed", "cancelled"])
    }

    @Test func threadsMaySendAndReadAtOnce() {
      inspecting(.init(eventCapacity: 100)) {
        let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let sum = Guarded(0)
        onThreads(4) { index in
          for value in 0..<200 {
            let cancellable = subjects[index].inspect("thread").sink { value in sum.withLock { $0 += value } }
            subjects[index].send(1)
            if value % 50 == 0 { _ = (Inspection.table, Inspection.timeline.marbles()) }
            cancellable.cancel()
          }
        }
        #expect(sum.withLock { $0 } == 800)
        #expect(!Inspection.living.contains { $0.name == "thread" })
      }
    }
  }
}
