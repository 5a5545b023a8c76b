import Entwine
import EntwineTest
import Testing

@Suite struct MaterializeTests {

  typealias Signals = PassthroughSubject<Signal<Int, TestError>, Never>

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(.first)])
  func theFirstSignalIsTheSubscriptionAndTheLastTheCompletion(_ end: Subscribers.Completion<TestError>) {
    let scheduler = TestScheduler()
    let source: TestablePublisher<Int, TestError> = scheduler.createRelativeTestablePublisher([
      (10, .input(1)), (20, .input(2)), (30, .completion(end)),
    ])
    let subscriber = scheduler.start { source.materialize() }
    let expected: TestSequence<Signal<Int, TestError>, Never> = [
      (200, .subscription), (200, .input(.subscription)), (210, .input(.input(1))), (220, .input(.input(2))),
      (230, .input(.completion(end))), (230, .completion(.finished)),
    ]
    #expect(subscriber.recordedOutput == expected)
  }

  @Test func eachSignalNeedsDemand() {
    let received = Just(1).materialize().received(requesting: .max(1))
    #expect(received.values == [.subscription])
    received.request(.max(1))
    #expect(received.values == [.subscription, .input(1)])
    received.request(.max(1))
    #expect(received.values == [.subscription, .input(1), .completion(.finished)])
    #expect(received.signals.last == .completion(.finished))
  }

  @Test func aCancelReachesTheUpstream() {
    var cancels = 0
    let subject = PassthroughSubject<Int, Never>()
    let received = subject.handleEvents(receiveCancel: { cancels += 1 }).materialize().received()
    received.cancel()
    subject.send(1)
    #expect(cancels == 1)
    #expect(received.values == [.subscription])
  }

  @Test func dematerializeGivesTheEventsBack() {
    let subject = PassthroughSubject<Int, TestError>()
    let received = subject.materialize().dematerialize().received()
    subject.send(1)
    subject.send(completion: .finished)
    #expect(received.signals == [.input(1), .completion(.finished)])
  }

  @Test func aFailureIsTheErrorOfTheSource() {
    let received = Fail<Int, TestError>(error: .first).materialize().dematerialize().received()
    #expect(received.signals == [.completion(.failure(.sourceError(.first)))])
  }

  @Test(arguments: [
    [Signal<Int, TestError>.input(1)], [.completion(.finished)], [.completion(.failure(.first))],
    [.subscription, .subscription],
  ])
  func aSignalOutOfSequenceFails(_ signals: [Signal<Int, TestError>]) {
    let received = signals.publisher.dematerialize().received()
    #expect(received.signals == [.completion(.failure(.outOfSequence))])
  }

  @Test(arguments: [Signal<Int, TestError>.completion(.finished), .subscription])
  func theEndCancelsTheUpstreamAndNothingFollows(_ last: Signal<Int, TestError>) {
    var cancels = 0
    let subject = Signals()
    let received = subject.handleEvents(receiveCancel: { cancels += 1 }).dematerialize().received()
    subject.send(.subscription)
    subject.send(last)
    #expect(received.signals.count == 1)
    #expect(cancels == 1)
    subject.send(.input(1))
    subject.send(completion: .finished)
    #expect(received.signals.count == 1)
  }

  /// In the original a limited demand loses elements.
  @Test func limitedDemandLosesNothing() {
    let received = (1...4).publisher.materialize().dematerialize().received(requesting: .max(2))
    #expect(received.values == [1, 2])
    received.request(.max(1))
    #expect(received.values == [1, 2, 3])
    received.request(.unlimited)
    #expect(received.signals == [.input(1), .input(2), .input(3), .input(4), .completion(.finished)])
  }

  /// In the original the downstream stays open for ever.
  @Test func anUpstreamThatFinishesInTheMiddleFinishes() {
    let received = [Signal<Int, TestError>.subscription, .input(1)].publisher.dematerialize().received()
    #expect(received.signals == [.input(1), .completion(.finished)])
  }

  @Test func theErrorOfTheSourceIsUnwrapped() {
    let publisher = Fail<Int, TestError>(error: .second).materialize().dematerialize()
      .assertNoDematerializationFailure()
    #expect(publisher.received().signals == [.completion(.failure(.second))])
  }

  @Test func anUnwrappedSignalOutOfSequenceEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      _ = Just(Signal<Int, TestError>.input(1)).dematerialize().assertNoDematerializationFailure().received()
    }
  }

  @Test func anyTypeMayDescribeSignals() {
    struct Wrapped: SignalConvertible {
      var signal: Signal<Int, TestError>
      init(_ signal: Signal<Int, TestError>) { self.signal = signal }
    }
    let signals: [Signal<Int, TestError>] = [.subscription, .input(1), .completion(.finished)]
    let received = signals.map(Wrapped.init).publisher.dematerialize().received()
    #expect(received.signals == [.input(1), .completion(.finished)])
    #expect(Signal<Int, TestError>(.input(1)).signal == .input(1))
  }
}
