import TestSupport
import Testing

@testable import CombineExtras

/// A view model, as a client writes it in the Swift 6 language mode. It compiles without `assumeIsolated`.
@MainActor private final class Model {
  var names: [String] = []
  var last = ""
  var isComplete = false
  var cancellables: Set<AnyCancellable> = []
  let changes = AsyncLog<String>()

  func show(_ publisher: some Publisher<String, TestError>) {
    publisher
      .sink(on: MainActor.shared) { [unowned self] _ in
        isComplete = true
        changes.append("complete")
      } receiveValue: { [unowned self] name in
        names.append(name)
        changes.append(name)
      }
      .store(in: &cancellables)
  }

  func assign(_ publisher: some Publisher<String, Never>) {
    publisher
      .receive(on: MainActor.shared)
      .handleEvents(receiveOutput: { [changes] in changes.append($0) })
      .assign(to: \.last, on: self)
      .store(in: &cancellables)
  }
}

/// An actor whose state a closure changes.
private actor Counter {
  var values: [Int] = []
  let changes = AsyncLog<Int>()

  func cancel(_ cancellable: AnyCancellable, whileSending subject: PassthroughSubject<Int, Never>) -> [Int] {
    subject.send(10)
    cancellable.cancel()
    return values
  }

  /// Sends many values, and returns the number that had been delivered when the actor next had time for other work.
  func deliveredInARow(of count: Int, sentBy subject: PassthroughSubject<Int, Never>) async -> Int {
    for value in 1...count { subject.send(value) }
    while values.isEmpty { await Task.yield() }
    return values.count
  }

  func snapshot() -> [Int] { values }
}

/// A function outside any actor that changes a model on the main actor.
private func connect(_ publisher: some Publisher<String, Never>, to model: Model) -> AnyCancellable {
  publisher.sink(on: MainActor.shared) { name in
    model.names.append(name)
    model.changes.append(name)
  }
}

@Suite(.timeLimit(.minutes(10))) struct ReceiveOnActorTests {

  @MainActor @Test func aModelChangesItsStateInTheClosure() async {
    let model = Model()
    let subject = PassthroughSubject<String, TestError>()
    model.show(subject)
    subject.send("a")
    // The delivery is never inside the upstream's call.
    #expect(model.names == [])
    subject.send("b")
    subject.send(completion: .finished)
    #expect(await model.changes.first(3) == ["a", "b", "complete"])
    #expect(model.names == ["a", "b"])
    #expect(model.isComplete)
  }

  @Test func codeOutsideTheActorConnectsAModel() async {
    let model = await MainActor.run { Model() }
    let subject = PassthroughSubject<String, Never>()
    let cancellable = connect(subject, to: model)
    subject.send("a")
    await model.changes.first(1)
    #expect(await model.names == ["a"])
    cancellable.cancel()
  }

  @MainActor @Test func assignsToAPropertyOnTheMainActor() async {
    let model = Model()
    let subject = PassthroughSubject<String, Never>()
    model.assign(subject)
    await Task.detached { subject.send("a") }.value
    #expect(await model.changes.first(1) == ["a"])
    #expect(model.last == "a")
    model.cancellables = []
  }

  @Test func valuesArriveInOrder() async {
    let counter = Counter()
    let cancellable = (1...1000).publisher.sink(on: counter) { counter, value in
      counter.values.append(value)
      counter.changes.append(value)
    }
    await counter.changes.first(1000)
    #expect(await counter.snapshot() == Array(1...1000))
    cancellable.cancel()
  }

  /// A backlog of slow deliveries would keep the main actor from its user.
  @Test func theActorDoesOtherWorkWhileManyValuesWait() async {
    let counter = Counter()
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink(on: counter) { counter, value in
      counter.values.append(value)
      counter.changes.append(value)
    }
    let inARow = await counter.deliveredInARow(of: 10_000, sentBy: subject)
    #expect(inARow < 10_000)
    await counter.changes.first(10_000)
    #expect(await counter.snapshot() == Array(1...10_000))
    cancellable.cancel()
  }

  @Test func theCompletionFollowsTheValues() async {
    let log = AsyncLog<Event<Int>>()
    let counter = Counter()
    let cancellable = [1, 2].publisher.setFailureType(to: TestError.self).append(Fail(error: "wrong"))
      .sink(on: counter) { _, completion in
        log.append(Event(completion))
      } receiveValue: { _, value in
        log.append(.value(value))
      }
    #expect(await log.first(3) == [.value(1), .value(2), .failure("wrong")])
    cancellable.cancel()
  }

  /// Values that were sent before the cancellation are dropped, too.
  @MainActor @Test func nothingArrivesAfterACancelOnTheActor() async {
    let model = Model()
    let released = AsyncLog<Bool>()
    let subject = PassthroughSubject<String, Never>()
    do {
      let token = Token(CallsOnDeinit { released.append(true) })
      let cancellable = subject.sink(on: MainActor.shared) { name in
        withExtendedLifetime(token) { model.names.append(name) }
      }
      subject.send("a")
      subject.send("b")
      cancellable.cancel()
    }
    subject.send("c")
    // The task that would have delivered has ended when the closure is released.
    await released.first(1)
    #expect(model.names == [])
  }

  @Test func aCancelOnAnotherActorIsExactToo() async {
    let counter = Counter()
    let released = AsyncLog<Bool>()
    let subject = PassthroughSubject<Int, Never>()
    do {
      let token = Token(CallsOnDeinit { released.append(true) })
      let cancellable = subject.sink(on: counter) { counter, value in
        withExtendedLifetime(token) { counter.values.append(value) }
      }
      let before = await counter.cancel(cancellable, whileSending: subject)
      #expect(before == [])
    }
    await released.first(1)
    #expect(await counter.snapshot() == [])
  }

  @Test func passesDemandUnchanged() async {
    let upstream = ManualPublisher<Int, Never>()
    let requests = AsyncLog<Subscribers.Demand>()
    upstream.subscription?.onRequest = { requests.append($0) }
    let probe = AsyncProbe<Int, Never>(requesting: .max(2)) { _, value in value == 1 ? .max(3) : .none }
    upstream.receive(on: Counter()).subscribe(probe)
    #expect(requests.values == [.max(2)])
    #expect(upstream.send(1) == .none)
    #expect(await requests.first(2) == [.max(2), .max(3)])
    #expect(probe.log.values == [.value(1)])
    probe.cancel()
    #expect(upstream.history.last == .cancelled)
  }

  @Test func aSubscriptionThatArrivesLateOrTwiceIsCancelled() {
    let upstream = ManualPublisher<Int, Never>()
    let probe = AsyncProbe<Int, Never>(requesting: .max(1))
    upstream.receive(on: Counter()).subscribe(probe)
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(second.history == [.cancelled])
    probe.cancel()
    probe.cancel()
    #expect(upstream.history.filter { $0 == .cancelled }.count == 1)
    let late = ManualSubscription()
    upstream.send(subscription: late)
    #expect(late.history == [.cancelled])
  }
}
