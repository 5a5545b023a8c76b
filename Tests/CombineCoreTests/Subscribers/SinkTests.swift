import CombineCore
import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite struct SinkTests {

  private final class Token {}

  private typealias Sink = Subscribers.Sink<Int, TestError>

  /// A sink with a log of what its closures saw, and weak references to what they capture.
  private final class Fixture {
    var events: [Event<Int>] = []
    weak var valueToken: Token?
    weak var completionToken: Token?
    private(set) var sink: Sink!

    init(onValue: @escaping () -> Void = {}) {
      let (valueToken, completionToken) = (Token(), Token())
      (self.valueToken, self.completionToken) = (valueToken, completionToken)
      sink = Sink(
        receiveCompletion: { [unowned self] in
          withExtendedLifetime(completionToken) {}
          switch $0 {
          case .finished: events.append(.finished)
          case .failure(let error): events.append(.failure(error))
          }
        },
        receiveValue: { [unowned self] in
          withExtendedLifetime(valueToken) {}
          events.append(.value($0))
          onValue()
        }
      )
    }

    var hasReleasedClosures: Bool { valueToken == nil && completionToken == nil }
  }

  @Test func asksForEverythingOnceAndKeepsTheFirstSubscription() {
    let fixture = Fixture()
    let (first, second) = (ManualSubscription(), ManualSubscription())
    fixture.sink.receive(subscription: first)
    fixture.sink.receive(subscription: second)
    #expect(first.history == [.requested(.unlimited)])
    #expect(second.history == [.cancelled])
    fixture.sink.receive(subscription: first)
    #expect(first.history == [.requested(.unlimited), .cancelled])
    fixture.sink.cancel()
    #expect(first.history == [.requested(.unlimited), .cancelled, .cancelled])
  }

  @Test func takesValuesWithoutASubscription() {
    let fixture = Fixture()
    #expect(fixture.sink.receive(1) == .none)
    #expect(fixture.events == [.value(1)])
  }

  @Test(arguments: [true, false], [true, false])
  func aCompletionEndsItOnceWithOrWithoutASubscription(hasSubscription: Bool, finishes: Bool) {
    let fixture = Fixture()
    let subscription = ManualSubscription()
    if hasSubscription { fixture.sink.receive(subscription: subscription) }
    let end: Event<Int> = finishes ? .finished : .failure("failure")
    fixture.sink.receive(completion: finishes ? .finished : .failure(TestError()))
    fixture.sink.receive(completion: .finished)
    #expect(fixture.sink.receive(1) == .none)
    #expect(fixture.events == [end])
    #expect(fixture.hasReleasedClosures)
    #expect(!subscription.history.contains(.cancelled))

    let late = ManualSubscription()
    fixture.sink.receive(subscription: late)
    #expect(late.history == [.cancelled])
  }

  @Test func aCompletionReleasesTheSubscription() {
    let fixture = Fixture()
    weak var weakSubscription: ManualSubscription?
    do {
      let subscription = ManualSubscription()
      weakSubscription = subscription
      fixture.sink.receive(subscription: subscription)
    }
    #expect(weakSubscription != nil)
    fixture.sink.receive(completion: .finished)
    #expect(weakSubscription == nil)
  }

  @Test func cancellingReleasesTheClosuresBeforeItCancelsUpstreamOnce() {
    let fixture = Fixture()
    let subscription = ManualSubscription()
    fixture.sink.receive(subscription: subscription)
    subscription.onCancel = { #expect(fixture.hasReleasedClosures) }
    fixture.sink.cancel()
    fixture.sink.cancel()
    fixture.sink.receive(completion: .finished)
    _ = fixture.sink.receive(1)
    #expect(subscription.history == [.requested(.unlimited), .cancelled])
    #expect(fixture.events.isEmpty)
  }

  @Test func cancellingBeforeASubscriptionDoesNothing() {
    let fixture = Fixture()
    fixture.sink.cancel()
    #expect(!fixture.hasReleasedClosures)
    let subscription = ManualSubscription()
    fixture.sink.receive(subscription: subscription)
    _ = fixture.sink.receive(1)
    #expect(subscription.history == [.requested(.unlimited)])
    #expect(fixture.events == [.value(1)])
  }

  @Test func cancellingInsideTheValueClosureReleasesTheClosuresAfterIt() {
    var sink: Sink!
    var wasAlive = false
    weak var weakToken: Token?
    do {
      let token = Token()
      weakToken = token
      sink = Sink(
        receiveCompletion: { _ in },
        receiveValue: { _ in
          sink.cancel()
          wasAlive = weakToken != nil
          withExtendedLifetime(token) {}
        }
      )
    }
    sink.receive(subscription: ManualSubscription())
    _ = sink.receive(1)
    #expect(wasAlive)
    #expect(weakToken == nil)
  }

  @Test func completingInsideTheValueClosureReleasesTheClosuresAfterIt() {
    var fixture: Fixture!
    fixture = Fixture(onValue: { fixture.sink.receive(completion: .finished) })
    _ = fixture.sink.receive(1)
    #expect(fixture.events == [.value(1), .finished])
    #expect(fixture.hasReleasedClosures)
  }

  private final class CallsOnDeinit {
    let action: () -> Void
    init(_ action: @escaping () -> Void) { self.action = action }
    deinit { action() }
  }

  @Test func aCompletionCausedByReleasingTheValueClosureIsIgnored() {
    var completions = 0
    var sink: Sink!
    do {
      let trigger = CallsOnDeinit { sink.receive(completion: .failure("nested")) }
      sink = Sink(
        receiveCompletion: { completion in
          completions += 1
          #expect(completion == .finished)
          sink.receive(completion: .failure("from the closure"))
        },
        receiveValue: { _ in withExtendedLifetime(trigger) {} }
      )
    }
    sink.receive(completion: .finished)
    #expect(completions == 1)
  }

  @Test func aCompletionCausedByReleasingTheClosuresOnCancelIsNotDelivered() {
    let subject = PassthroughSubject<Int, Never>()
    var completions = 0
    var cancellable: AnyCancellable?
    do {
      let trigger = CallsOnDeinit { subject.send(completion: .finished) }
      cancellable = subject.sink(
        receiveCompletion: { _ in completions += 1 },
        receiveValue: { _ in withExtendedLifetime(trigger) {} }
      )
    }
    cancellable?.cancel()
    #expect(completions == 0)
  }

  @Test func theOperatorsDeliverBeforeTheyReturnAndStopWhenDropped() {
    var values: [Int] = []
    var completion: Subscribers.Completion<Never>?
    let cancellable = [1, 2].publisher.sink(receiveCompletion: { completion = $0 }, receiveValue: { values.append($0) })
    #expect(values == [1, 2])
    #expect(completion == .finished)
    _ = cancellable

    let subject = PassthroughSubject<Int, Never>()
    _ = subject.sink { values.append($0) }
    subject.send(3)
    #expect(values == [1, 2])
  }

  @Test func reflectsItself() {
    expectReflection(of: Fixture().sink!, description: "Sink")
  }

  @Test func valuesFromManyThreadsAllArriveAndACancelEndsThemSafely() {
    for _ in 0..<50 {
      let counter = Counter()
      let sink = Subscribers.Sink<Int, Never>(
        receiveCompletion: { _ in },
        receiveValue: { _ in counter.add() }
      )
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for value in 0..<50 { _ = sink.receive(value) }
      }
      #expect(counter.count == 200)
      sink.receive(subscription: Subscriptions.empty)
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        if index == 0 {
          sink.cancel()
        } else {
          for value in 0..<50 { _ = sink.receive(value) }
        }
      }
      let final = counter.count
      _ = sink.receive(1)
      #expect(counter.count == final)
    }
  }

  private final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.wrappingAdd(1, ordering: .relaxed) }
  }
}
