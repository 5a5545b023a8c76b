import CombineExtras
import TestSupport
import Testing

@Suite struct MaterializeTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Signals = RecordingSubscriber<Signal<Int, TestError>, Never>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure("wrong")])
  func describesEachEvent(_ end: Subscribers.Completion<TestError>) {
    let upstream = Upstream()
    let signals = Signals(requesting: .unlimited)
    upstream.materialize().subscribe(signals)
    upstream.send(1)
    upstream.send(completion: end)
    #expect(signals.values == [.subscription, .input(1), .completion(end)])
    #expect(signals.events.last == .finished)
    #expect(!upstream.history.contains(.cancelled))
  }

  @Test func eachSignalNeedsDemand() {
    let upstream = Upstream()
    let signals = Signals()
    upstream.materialize().subscribe(signals)
    #expect(signals.values == [])
    signals.request(.max(2))
    #expect(signals.values == [.subscription])
    #expect(upstream.history == [.requested(.max(1))])
    upstream.send(1)
    upstream.send(completion: .finished)
    #expect(signals.values == [.subscription, .input(1)])
    #expect(signals.events.last != .finished)
    signals.request(.max(1))
    #expect(signals.events.suffix(2) == [.value(.completion(.finished)), .finished])
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure("wrong")])
  func theReverseGivesTheEventsBack(_ end: Subscribers.Completion<TestError>) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    upstream.materialize().dematerialize().subscribe(downstream)
    upstream.send(1)
    upstream.send(completion: end)
    #expect(downstream.events.dropFirst() == [.value(1), Event(end)])
  }

  @Test func theSignalOfTheCompletionNeedsDemandAndCancelsTheUpstream() {
    let upstream = ManualPublisher<Signal<Int, TestError>, Never>()
    let downstream = Downstream(requesting: .max(2))
    upstream.dematerialize().subscribe(downstream)
    #expect(upstream.send(.subscription) == .max(1))
    #expect(upstream.send(.input(1)) == .none)
    upstream.send(.completion(.finished))
    #expect(downstream.events.dropFirst() == [.value(1), .finished])
    #expect(upstream.history == [.requested(.max(2)), .cancelled])
    upstream.send(.input(2))
    #expect(downstream.values == [1])
  }

  @Test func aFinishInsideTheCancelAtTheSignalOfTheCompletionIsIgnored() {
    let upstream = ManualPublisher<Signal<Int, TestError>, Never>()
    let downstream = Downstream(requesting: .unlimited)
    upstream.dematerialize().subscribe(downstream)
    upstream.subscription?.onCancel = { upstream.send(completion: .finished) }
    upstream.send(.completion(.failure("signalled")))
    #expect(downstream.events.dropFirst() == [.failure("signalled")])
  }

  @Test func aValueInsideTheCancelAtTheSignalOfTheCompletionDoesNotHoldTheCompletionBack() {
    let upstream = ManualPublisher<Signal<Int, TestError>, Never>()
    let downstream = Downstream()
    upstream.dematerialize().subscribe(downstream)
    upstream.subscription?.onCancel = { upstream.send(.input(1)) }
    upstream.send(.completion(.finished))
    #expect(downstream.events.dropFirst() == [.finished])
  }

  @Test func aFinishWithoutASignalFinishes() {
    let upstream = ManualPublisher<Signal<Int, TestError>, Never>()
    let downstream = Downstream(requesting: .unlimited)
    upstream.dematerialize().subscribe(downstream)
    upstream.send(.input(1))
    upstream.send(completion: .finished)
    #expect(downstream.events.dropFirst() == [.value(1), .finished])
  }

  @Test func signalsOutOfSequenceFailIfSoConfigured() {
    for signals: [Signal<Int, TestError>] in [
      [.input(1)], [.completion(.finished)], [.subscription, .input(1), .subscription],
    ] {
      let downstream = Downstream(requesting: .unlimited)
      ExtraPublishers.DematerializedSignals(upstream: signals.publisher, outOfSequence: TestError("order")) { $0 }
        .subscribe(downstream)
      #expect(downstream.events.last == .failure("order"))
    }
  }

  @Test func limitedDemandLosesNothing() {
    let downstream = Downstream(requesting: .max(2))
    [1, 2, 3].publisher.setFailureType(to: TestError.self).materialize().dematerialize().subscribe(downstream)
    #expect(downstream.values == [1, 2])
    downstream.request(.max(2))
    #expect(downstream.events.suffix(2) == [.value(3), .finished])
  }

  @Test func eventsInsideTheLastSignalAreIgnored() {
    let upstream = ManualPublisher<Int, TestError>()
    let downstream = RecordingSubscriber<String, Never>(requesting: .max(2))
    downstream.onValue = { signal in
      guard signal == "completion finished" else { return .none }
      upstream.send(1)
      upstream.send(completion: .failure("late"))
      return .none
    }
    upstream.materialize().map { signal in
      if case .completion(let completion) = signal { "completion \(completion)" } else { "\(signal.value ?? 0)" }
    }
    .subscribe(downstream)
    upstream.send(completion: .finished)
    #expect(downstream.values == ["0", "completion finished"])
    #expect(downstream.events.last == .finished)
  }
}
