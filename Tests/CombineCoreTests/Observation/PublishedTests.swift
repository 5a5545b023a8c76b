import CombineCore
import TestSupport
import Testing

@Suite struct PublishedTests {

  private final class Model {
    @Published var x = 0
    var plain = Published(initialValue: 5)
    var unrelated = 1
  }

  private typealias Recorder = RecordingSubscriber<Int, Never>

  @Test func readsAndWritesLikeAProperty() {
    let model = Model()
    #expect(model.x == 0)
    model.x = 3
    model.x += 1
    #expect(model.x == 4)
  }

  @Test func followsTheDemandScenario() {
    let model = Model()
    let subscriber = Recorder()
    model.$x.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("PublishedSubject")])
    subscriber.request(.max(2))
    model.x = 1
    model.x = 3
    model.x = 6
    #expect(subscriber.values == [0, 1])
    subscriber.request(.max(10))
    model.x = 42
    #expect(subscriber.values == [0, 1, 6, 42])
    let second = Recorder(requesting: .unlimited)
    model.$x.subscribe(second)
    model.x = 43
    #expect(second.values == [42, 43])
  }

  @Test func followsTheScenarioWithReturnedDemand() {
    let model = Model()
    let subscriber = Recorder(onValue: { .max($0) })
    model.$x.subscribe(subscriber)
    func write(_ values: Int...) { for value in values { model.x = value } }
    subscriber.request(.max(2))
    write(1, 2, 0, 0, 0)
    #expect(subscriber.values == [0, 1, 2, 0, 0])
    subscriber.request(.max(2))
    #expect(subscriber.values == [0, 1, 2, 0, 0, 0])
    subscriber.request(.max(3))
    #expect(subscriber.values.count == 6)
    write(0, 0, 0, 0, 1)
    #expect(subscriber.values.count == 10)
    subscriber.request(.max(1))
    #expect(subscriber.values.last == 1)
    write(0, 0)
    #expect(subscriber.values.count == 12)
  }

  @Test func aReceivedValueIsNotSentAgainAfterDemandBecomesUnlimited() {
    let model = Model()
    // The subscriber misses its own write, made while it has no demand. Then it returns unlimited demand.
    let subscriber = Recorder(onValue: { value in
      if value > 0 { return .none }
      model.x = 1
      return .unlimited
    })
    model.$x.subscribe(subscriber)
    subscriber.request(.max(1))
    model.x = 2
    subscriber.request(.max(1))
    #expect(subscriber.values == [0, 2])
  }

  @Test func subscribersSeeTheOldValueInTheProperty() {
    let model = Model()
    var seen: [[Int]] = []
    let cancellable = model.$x.sink { seen.append([$0, model.x]) }
    model.x = 1
    model.x = 2
    #expect(seen == [[0, 0], [1, 0], [2, 1]])
    _ = cancellable
  }

  @Test func aSubscriptionDuringACallbackReceivesTheOldValue() {
    let model = Model()
    let late = Recorder(requesting: .unlimited)
    var isSubscribed = false
    let cancellable = model.$x.dropFirstForTest { _ in
      guard !isSubscribed else { return }
      isSubscribed = true
      model.$x.subscribe(late)
    }
    model.x = 1
    #expect(late.values == [0])
    model.x = 2
    #expect(late.values == [0, 2])
    _ = cancellable
  }

  @Test func aNestedWriteEndsBeforeTheOuterOneStores() {
    let model = Model()
    var seen: [Int] = []
    let cancellable = model.$x.sink { value in
      seen.append(value)
      if value == 1 { model.x = 100 }
    }
    model.x = 1
    #expect(seen == [0, 1, 100])
    #expect(model.x == 1)
    _ = cancellable
  }

  /// As in Combine: each subscriber receives the outer write, even if it has a newer value by then.
  @Test func aRequestAfterANestedWriteIsAnsweredAndTheOuterValueFollows() {
    final class Model: ObservableObject {
      @Published var x = 0
    }
    let model = Model()
    let subscriber = Recorder()
    var isNested = false
    let cancellable = model.objectWillChange.sink {
      guard !isNested else { return }
      isNested = true
      model.x = 2
      subscriber.request(.max(2))
    }
    model.$x.subscribe(subscriber)
    model.x = 1
    #expect(subscriber.values == [2, 1])
    #expect(model.x == 1)
    cancellable.cancel()
  }

  @Test func aRequestInsideAWriteThatFoundNoDemandBringsTheStoredValueAndThenTheNewOne() {
    let model = Model()
    let first = Recorder(requesting: .max(1))
    model.$x.subscribe(first)
    let cancellable = model.$x.dropFirst().sink { _ in first.request(.max(2)) }
    model.x = 1
    #expect(first.values == [0, 0, 1])
    cancellable.cancel()
  }

  @Test func aRequestInsideANestedWriteReceivesTheValueThatIsStoredLast() {
    let model = Model()
    var isNested = false
    let subscriber = Recorder()
    subscriber.onValue = { value in
      guard value == 1, !isNested else { return .none }
      isNested = true
      model.x = 2
      subscriber.request(.max(2))
      return .none
    }
    model.$x.subscribe(subscriber)
    subscriber.request(.max(2))
    model.x = 1
    #expect(subscriber.values == [0, 1, 2, 1])
    #expect(model.x == 1)
  }

  @Test func aSubscriberDuringAWriteThatRequestsAfterItReceivesTheNewValue() {
    final class Model: ObservableObject {
      @Published var x = 0
    }
    let model = Model()
    let subscriber = Recorder()
    let cancellable = model.objectWillChange.prefix(1).sink { model.$x.subscribe(subscriber) }
    model.x = 1
    #expect(subscriber.values == [])
    subscriber.request(.max(2))
    #expect(subscriber.values == [1])
    model.x = 2
    #expect(subscriber.values == [1, 2])
    cancellable.cancel()
  }

  @Test func theSetterOfTheProjectionHasNoEffect() {
    let (a, b) = (Model(), Model())
    let subscriber = Recorder(requesting: .unlimited)
    a.$x.subscribe(subscriber)
    b.x = 7
    a.$x = b.$x
    #expect(a.x == 0 && b.x == 7)
    b.x = 8
    a.x = 1
    #expect(subscriber.values == [0, 1])
  }

  @Test func aCopyOfTheWrapperSharesEverything() {
    let model = Model()
    var copy = model.plain
    let subscriber = Recorder(requesting: .unlimited)
    copy.projectedValue.subscribe(subscriber)
    Published[_enclosingInstance: model, wrapped: \.unrelated, storage: \.plain] = 9
    #expect(subscriber.values == [5, 9])
    #expect(Published[_enclosingInstance: model, wrapped: \.unrelated, storage: \.plain] == 9)
    #expect(model.unrelated == 1)
  }

  @Test func reflectsItsSubscription() throws {
    let model = Model()
    let subscriber = Recorder(requesting: .max(3))
    model.$x.subscribe(subscriber)
    let subscription = try #require(subscriber.subscription)
    expectReflection(
      of: subscription,
      description: "PublishedSubject",
      children: ["parent", "downstream", "demand", "subject"]
    )
    #expect(String(describing: reflectedChild("parent", of: subscription)!).contains("PublishedSubject"))
    #expect(String(describing: reflectedChild("demand", of: subscription)!) == "max(2)")
  }

  @Test func cancellingTwiceAndRequestingAfterwardsAreIgnored() {
    let model = Model()
    let subscriber = Recorder(requesting: .unlimited)
    model.$x.subscribe(subscriber)
    subscriber.cancel()
    subscriber.cancel()
    subscriber.request(.max(1))
    model.x = 1
    #expect(subscriber.values == [0])
  }

  @Test func bothInitializersMakeIt() {
    final class Made {
      @Published var a: Int
      @Published(initialValue: 2) var b: Int
      var c = Published(wrappedValue: 3)
      init(_ a: Int) { _a = Published(initialValue: a) }
    }
    let made = Made(1)
    #expect(made.a == 1 && made.b == 2)
    #expect(Published[_enclosingInstance: made, wrapped: \.a, storage: \.c] == 3)
  }

  @Test func anEarlyCopySharesTheChangePublisher() {
    let model = Observed()
    let copies = Mirror(reflecting: model).children.compactMap { $0.value as? Published<Int> }
    #expect(copies.count == 1)
    var copy = copies[0]
    var log: [String] = []
    let one = model.objectWillChange.sink { log.append("will change") }
    let two = copy.projectedValue.sink { log.append("\($0)") }
    model.x = 1
    #expect(log == ["0", "will change", "1"])
    _ = (one, two)
  }

  private final class Observed: ObservableObject {
    @Published var x = 0
  }

  @Test func anInPlaceMutationIsOneWrite() {
    final class List {
      @Published var items: [Int] = []
    }
    let list = List()
    var seen: [[Int]] = []
    let cancellable = list.$items.sink { seen.append($0) }
    list.items.append(1)
    list.items[0] += 1
    #expect(seen == [[], [1], [2]])
    _ = cancellable
  }

  @Test(arguments: [true, false])
  func neverCompletes(whenTheOwnerGoes: Bool) {
    let upstream = ManualPublisher<Int, Never>()
    let subscriber = Recorder(requesting: .unlimited)
    var model: Model? = Model()
    upstream.assign(to: &model!.$x)
    model!.$x.subscribe(subscriber)
    if whenTheOwnerGoes {
      model = nil
    } else {
      upstream.send(completion: .finished)
    }
    #expect(subscriber.events == [.subscription("PublishedSubject"), .value(0)])
    // The subscription keeps the core alive, and the core keeps the assignment.
    upstream.send(1)
    #expect(subscriber.values == [0, 1])
    #expect(upstream.history == [.requested(.unlimited)])
    withExtendedLifetime(model) {}
  }

  @Test func aWriteReachesItsEarlierSubscribers() {
    let model = Observed()
    let early = Recorder(requesting: .unlimited)
    model.$x.subscribe(early)
    let late = Recorder(requesting: .unlimited)
    var isFirst = true
    let cancellable = model.objectWillChange.sink {
      guard isFirst else { return }
      isFirst = false
      early.cancel()
      model.$x.subscribe(late)
    }
    model.x = 1
    #expect(early.values == [0], "cancelled before its turn")
    #expect(late.values == [0])
    model.x = 2
    #expect(late.values == [0, 2])
    _ = cancellable
  }

  @Test func concurrentWritesHonourDemandAndNeverOverlap() {
    for demand in [Subscribers.Demand.max(11), .unlimited] {
      let model = SharedModel()
      let probe = OverlapProbe()
      model.model.$x.setFailureType(to: TestError.self).subscribe(ProbeSubscriber(probe: probe, demand: demand))
      onThreads(4) { _ in for value in 0..<25 { model.model.x = value } }
      #expect(probe.count == (demand == .unlimited ? 101 : 11))
      #expect(!probe.hasOverlapped)
    }
  }

  /// Any thread writes a published property through its storage, which is locked. The class itself is constant.
  private struct SharedModel: @unchecked Sendable {
    let model = Model()
  }

  // MARK: assign(to:)

  @Test func aSubscriptionAfterTheObjectsReleaseIsCancelled() {
    let upstream = ManualPublisher<Int, Never>(subscription: nil)
    do {
      let model = Model()
      upstream.assign(to: &model.$x)
    }
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    #expect(upstream.send(1) == .none)
    upstream.send(completion: .finished)
    #expect(subscription.history == [.cancelled])
  }

  @Test func anAssignedValueIsAnOrdinaryWrite() {
    let model = Observed()
    var log: [String] = []
    let one = model.objectWillChange.sink { log.append("will change from \(model.x)") }
    let two = model.$x.sink { log.append("\($0) while \(model.x)") }
    [7].publisher.assign(to: &model.$x)
    #expect(log == ["0 while 0", "will change from 0", "7 while 0"])
    #expect(model.x == 7)
    _ = (one, two)
  }

  @Test func assignWritesEachValueAndRequestsUnlimitedDemandAtOnce() {
    let model = Model()
    let upstream = ManualPublisher<Int, Never>()
    upstream.assign(to: &model.$x)
    #expect(upstream.history == [.requested(.unlimited)])
    let subscriber = Recorder()
    model.$x.subscribe(subscriber)
    #expect(upstream.send(1) == .none)
    #expect(model.x == 1)
    subscriber.request(.max(3))
    upstream.send(2)
    upstream.send(3)
    upstream.send(4)
    #expect(subscriber.values == [1, 2, 3])
    subscriber.cancel()
    upstream.send(completion: .finished)
    upstream.send(5)
    #expect(model.x == 5)
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func aFinishedAssignmentIsReleased() {
    let model = Model()
    var releasedCount = 0
    for _ in 0..<3 {
      let upstream = PassthroughSubject<Int, Never>()
      let captured = CallsOnDeinit { releasedCount += 1 }
      upstream.map { value in
        withExtendedLifetime(captured) { value }
      }.assign(to: &model.$x)
      upstream.send(1)
      upstream.send(completion: .finished)
    }
    #expect(releasedCount == 3)
    withExtendedLifetime(model) {}
  }

  @Test func assignKeepsNothingAliveAndCancelsAfterTheObjectsRelease() {
    let upstream = ManualPublisher<Int, Never>()
    weak var weakModel: Model?
    var subscription: AnyCancellable?
    do {
      let model = Model()
      weakModel = model
      upstream.assign(to: &model.$x)
      subscription = model.$x.sink { _ in }
    }
    #expect(weakModel == nil)
    #expect(upstream.history == [.requested(.unlimited)], "a subscriber keeps the publisher alive")
    subscription?.cancel()
    subscription = nil
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(upstream.send(1) == .none)
  }
}

extension Publisher where Failure == Never {

  /// Subscribes a sink that drops the first value.
  fileprivate func dropFirstForTest(_ body: @escaping (Output) -> Void) -> AnyCancellable {
    var isFirst = true
    return sink {
      if !isFirst { body($0) }
      isFirst = false
    }
  }
}
