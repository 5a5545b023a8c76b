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

  @Test func aRequestForNothingTraps() async {
    await #expect(processExitsWith: .failure) {
      let subscriber = RecordingSubscriber<Int, Never>()
      let model = Model()
      model.$x.subscribe(subscriber)
      subscriber.request(.none)
    }
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

  @Test func aSubscriptionMadeInACallbackGetsTheOldValue() {
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

  @Test func anInnerWriteFinishesBeforeTheOuterOneStores() {
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

  @Test func theSetterOfTheProjectionDoesNothing() {
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

  // MARK: assign(to:)

  @Test func assignWritesEachValueAndAsksForEverythingAtOnce() {
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

  @Test func assignKeepsNothingAliveAndCancelsWhenTheObjectIsGone() {
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

  /// A sink that passes over the first value.
  fileprivate func dropFirstForTest(_ body: @escaping (Output) -> Void) -> AnyCancellable {
    var isFirst = true
    return sink {
      if !isFirst { body($0) }
      isFirst = false
    }
  }
}
