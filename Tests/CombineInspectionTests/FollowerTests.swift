import CombineDispatch
import CombineExtras
@_spi(Tools) import CombineInspection
import Dispatch
import TestSupport
import Testing

/// Each test has a process of its own. One at a time, because each looks up lines in the debug information for seconds.
@Suite(.serialized) struct FollowerTests {

  @Test(.inLongRuns) func followsPipelinesThatSayNothing() async {
    await #expect(processExitsWith: .success) { await Body.followsPipelinesThatSayNothing() }
  }

  @Test(.inLongRuns) func followsTypeErasersOperatorsWithStateAndInspectStages() async {
    await #expect(processExitsWith: .success) { await Body.followsTypeErasersOperatorsWithStateAndInspectStages() }
  }

  @Test(.inLongRuns) func linksAPipelineThatIsSubscribedOnAnotherThread() async {
    await #expect(processExitsWith: .success) { await Body.linksAPipelineThatIsSubscribedOnAnotherThread() }
  }

  @Test(.inLongRuns) func linksAStatelessOperatorOnlyWithItsNeighbours() async {
    await #expect(processExitsWith: .success) { await Body.linksAStatelessOperatorOnlyWithItsNeighbours() }
  }

  @Test(.inLongRuns) func readsAThousandPipelinesWithoutWaitingAndFindsTheirLines() async {
    await #expect(processExitsWith: .success) { await Body.readsAThousandPipelinesWithoutWaitingAndFindsTheirLines() }
  }

  @Test(.inLongRuns) func doesNotFollowWhatIsIgnored() async {
    await #expect(processExitsWith: .success) { await Body.doesNotFollowWhatIsIgnored() }
  }

  @Test(.inLongRuns) func whatIsReleasedUnnoticedIsNotAlive() async {
    await #expect(processExitsWith: .success) { await Body.whatIsReleasedUnnoticedIsNotAlive() }
  }
}

/// What the tests do in their processes.
private enum Body {

  static func followsPipelinesThatSayNothing() async {
    Inspection.start(.init(followsEverything: true))
    let subject = PassthroughSubject<Int, Never>()
    let line = #line + 1
    let cancellable = subject.map { $0 * 2 }.filter { $0 > 2 }.sink { _ in }
    subject.send(1)
    subject.send(2)
    let living = Inspection.living
    #expect(living.map(\.name) == ["Filter", "Map", "PassthroughSubject"])
    #expect(living.map(\.valueCount) == [1, 2, 2])
    #expect(living.map(\.lastValue) == ["4", "4", "2"])
    #expect(living[0].subscriber == "Sink")
    #if DEBUG  // Otherwise there is no debug information.
      // The first read did not wait for the line, which another thread has found meanwhile.
      #expect(living[0].place == nil)
      #expect(Inspection.table.contains("FollowerTests.swift:\(line)"))
      #expect(Inspection.living[0].place?.description == "FollowerTests.swift:\(line)")
    #endif
    #expect(living[1].downstream == [living[0].id])
    #expect(living[2].downstream == [living[1].id])
    cancellable.cancel()
    #expect(Inspection.living.isEmpty)
    let timeline = Inspection.timeline
    #expect(timeline.words("Filter").last == "cancelled")
    Inspection.stop()
    // What is subscribed now is not followed.
    let later = subject.sink { _ in }
    #expect(Inspection.living.isEmpty)
    _ = later
  }

  static func readsAThousandPipelinesWithoutWaitingAndFindsTheirLines() async {
    Inspection.start(.init(followsEverything: true))
    let subject = PassthroughSubject<Int, Never>()
    let line = #line + 1
    let cancellables = (0..<500).map { number in subject.map { $0 + number }.sink { _ in } }
    let clock = ContinuousClock()
    let first = clock.measure { #expect(Inspection.living.count == 1000) }
    // All come from one line, so that one lookup is enough.
    var ends: [LivingSubscription] = []
    let deadline = clock.now + .seconds(300)  // With a sanitizer, on a busy machine, a lookup takes a minute.
    let found = await clock.measure {
      repeat {
        try? await Task.sleep(for: .milliseconds(5))
        ends = Inspection.living.filter { $0.subscriber == "Sink" }
      } while ends.contains { $0.place == nil } && clock.now < deadline
    }
    let second = clock.measure { #expect(Inspection.living.count == 1000) }
    print("living, 1000 subscriptions: first read \(first), lines found after \(found), later read \(second)")
    #if DEBUG
      #expect(ends.count == 500)
      #expect(ends.allSatisfy { $0.place?.line == line })
    #endif
    // A lookup takes milliseconds. A thousand in the reads would take seconds.
    #expect(first < .seconds(2))
    #expect(second < .seconds(2))
    // In a release build, the array would end after its last use.
    withExtendedLifetime(cancellables) {}
  }

  static func doesNotFollowWhatIsIgnored() async {
    Inspection.start(.init(followsEverything: true))
    let subject = PassthroughSubject<Int, Never>()
    let followed = subject.map { $0 + 1 }.sink { _ in }
    var received: [Int] = []
    let ignored = Inspection.ignoring { subject.scan(0, +).sink { received.append($0) } }
    #expect(Inspection.living.map(\.name) == ["Map", "PassthroughSubject"])
    // Only the subscription is made inside. Its events may come later.
    subject.send(1)
    subject.send(2)
    #expect(received == [1, 3])
    #expect(Inspection.living.map(\.valueCount) == [2, 2])
    ignored.cancel()
    #expect(Inspection.living.map(\.name) == ["Map", "PassthroughSubject"])
    followed.cancel()
    #expect(Inspection.living.isEmpty)
  }

  static func followsTypeErasersOperatorsWithStateAndInspectStages() async {
    Inspection.start(.init(followsEverything: true))
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.scan(0, +).eraseToAnyPublisher().inspect("sum").removeDuplicates().sink { _ in }
    subject.send(3)
    let living = Inspection.living
    #expect(Set(living.map(\.name)) == ["RemoveDuplicates", "sum", "Scan", "PassthroughSubject"])
    #expect(living.count == 4)
    #expect(living.allSatisfy { $0.valueCount == 1 })
    #expect(living.filter(\.isNamed).map(\.name) == ["sum"])
    let ids = Dictionary(uniqueKeysWithValues: living.map { ($0.name, $0.id) })
    let links = Dictionary(uniqueKeysWithValues: living.map { ($0.name, $0.downstream) })
    #expect(links["PassthroughSubject"] == [ids["Scan"]!])
    #expect(links["Scan"] == [ids["sum"]!])
    #expect(links["sum"] == [ids["RemoveDuplicates"]!])
    #expect(links["RemoveDuplicates"] == [])
    cancellable.cancel()
  }

  static func linksAPipelineThatIsSubscribedOnAnotherThread() async {
    Inspection.start(.init(followsEverything: true))
    let subject = PassthroughSubject<Int, Never>()
    let queue = DispatchQueue(label: "other")
    let cancellable = subject.subscribe(on: queue).receive(on: queue).sink { _ in }
    queue.sync {}
    let living = Inspection.living
    let ids = Dictionary(uniqueKeysWithValues: living.map { ($0.name, $0.id) })
    #expect(living.first { $0.name == "PassthroughSubject" }?.downstream == [ids["SubscribeOn"]!])
    #expect(living.first { $0.name == "SubscribeOn" }?.downstream == [ids["ReceiveOn"]!])
    cancellable.cancel()
  }

  static func linksAStatelessOperatorOnlyWithItsNeighbours() async {
    Inspection.start(.init(followsEverything: true))
    final class Model { @Published var text = "" }
    let model = Model()
    let cancellable = model.$text.removeDuplicates().map(\.count).setFailureType(to: CancellationError.self)
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    let living = Inspection.living
    let ids = Dictionary(uniqueKeysWithValues: living.map { ($0.name, $0.id) })
    let links = Dictionary(uniqueKeysWithValues: living.map { ($0.name, $0.downstream) })
    // `map` and `setFailureType` pass the subscription of `removeDuplicates` on.
    #expect(links["Published"] == [ids["RemoveDuplicates"]!])
    #expect(links["RemoveDuplicates"] == [ids["MapKeyPath"]!])
    #expect(links["MapKeyPath"] == [ids["SetFailureType"]!])
    #expect(links["SetFailureType"] == [])
    cancellable.cancel()
  }

  static func whatIsReleasedUnnoticedIsNotAlive() async {
    Inspection.start(.init(followsEverything: true))
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
    [1, 2].publisher.map { $0 }.subscribe(subscriber)
    #expect(!Inspection.living.isEmpty)
    subscriber.dropSubscription()
    #expect(Inspection.living.isEmpty)
  }
}
