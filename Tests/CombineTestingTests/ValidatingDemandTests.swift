import CombineTesting
import TestSupport
import Testing

@Suite(.capturesFailures) struct ValidatingDemandTests {

  private let scheduler = TestScheduler()
  private let upstream = ManualPublisher<Int, Never>()

  /// Records the forwarded events. It requests `demand`, or nothing if that is `.none`.
  private func subscribe(_ demand: Subscribers.Demand, line: UInt = #line) -> RecordingSubscriber<Int, Never> {
    let subscriber = RecordingSubscriber<Int, Never>(
      onSubscription: { if demand > .none { $0.request(demand) } }
    )
    upstream.validatingDemand(line: line).subscribe(subscriber)
    return subscriber
  }

  // MARK: Violations of the contract

  @Test func exceedingTheDemandFailsTheTest() {
    let subscriber = subscribe(.max(2))
    let line = #line - 1
    upstream.send(1)
    upstream.send(2)
    let message =
      "ManualPublisher<Int, Never> sent a value that nobody asked for: it is number 3, and 2 were asked for"
    expectFailure(message, line: line) { upstream.send(3) }
    // The value is forwarded all the same.
    #expect(subscriber.values == [1, 2, 3])
    subscriber.request(.max(2))
    upstream.send(4)
    expectFailure("it is number 5, and 4 were asked for", line: line) { upstream.send(5) }
  }

  @Test func aValueWithoutAnyDemandFailsTheTest() {
    _ = subscribe(.none)
    let line = #line - 1
    expectFailure("it is number 1, and 0 were asked for", line: line) { upstream.send(1) }
  }

  @Test func valuesThatCombineItselfSendsUnrequestedAreAccepted() {
    let changes = ObservableObjectPublisher()
    var count = 0
    let subscriber = AnySubscriber<Void, Never>(
      receiveSubscription: { $0.request(.max(1)) },
      receiveValue: {
        count += 1
        return .none
      }
    )
    changes.validatingDemand().map {}.validatingDemand().subscribe(subscriber)
    for _ in 0..<3 { changes.send() }
    #expect(count == 3)
  }

  @Test func anythingAfterTheCompletionFailsTheTest() {
    let subscriber = subscribe(.unlimited)
    let line = #line - 1
    upstream.send(completion: .finished)
    expectFailure("sent a value after its completion", line: line) { upstream.send(1) }
    expectFailure("sent a completion after its completion", line: line) { upstream.send(completion: .finished) }
    expectFailure("sent a subscription after its completion", line: line) {
      upstream.send(subscription: ManualSubscription())
    }
    #expect(
      subscriber.events == [
        .subscription("ValidatingDemand"), .finished, .value(1), .finished, .subscription("ValidatingDemand"),
      ]
    )
  }

  @Test func anythingAfterCancelFailsTheTest() {
    let subscriber = subscribe(.unlimited)
    let line = #line - 1
    upstream.send(1)
    subscriber.cancel()
    expectFailure("sent a value after it was cancelled", line: line) { upstream.send(2) }
    expectFailure("sent a completion after it was cancelled", line: line) { upstream.send(completion: .finished) }
    #expect(subscriber.values == [1, 2])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func eventsAfterACancelOnAnyThreadFailTheTest() {
    let subscriber = subscribe(.unlimited)
    let line = #line - 1
    nonisolated(unsafe) let cancelled = subscriber  // This thread waits for the other.
    onThreads(1) { _ in cancelled.cancel() }
    expectFailure("sent a value after it was cancelled", line: line) { upstream.send(1) }
  }

  @Test func eventsSentDuringCancelFailTheTest() {
    let subscriber = subscribe(.unlimited)
    let line = #line - 1
    upstream.subscription?.onCancel = { upstream.send(1) }
    expectFailure("sent a value after it was cancelled, while it was being cancelled", line: line) {
      subscriber.cancel()
    }
  }

  @Test func aSecondSubscriptionFailsTheTest() {
    let subscriber = subscribe(.max(1))
    let line = #line - 1
    let second = ManualSubscription()
    expectFailure("sent a second subscription", line: line) { upstream.send(subscription: second) }
    #expect(subscriber.events == [.subscription("ValidatingDemand"), .subscription("ValidatingDemand")])
    // Each subscription leads to its own upstream.
    #expect(second.history == [.requested(.max(1))])
    #expect(upstream.history == [.requested(.max(1))])
  }

  @Test func eventsBeforeTheSubscriptionFailTheTest() {
    let upstream = ManualPublisher<Int, Never>(subscription: nil)
    upstream.validatingDemand().subscribe(RecordingSubscriber<Int, Never>(requesting: .max(1)))
    let line = #line - 1
    expectFailure("sent a value before its subscription", line: line) { upstream.send(1) }
    upstream.send(subscription: ManualSubscription())
    expectFailure("it is number 2, and 1 were asked for", line: line) { upstream.send(2) }
  }

  @Test func theFailureIsShownWhereTheCheckerWasMade() {
    let checked = upstream.validatingDemand()
    let line = #line - 1
    checked.subscribe(RecordingSubscriber<Int, Never>())
    expectFailure("nobody asked for", line: line) { upstream.send(1) }
  }

  /// As documented: this package behaves as Combine does.
  @Test(arguments: [true, false]) func delayAndReceiveOnCannotBeCancelledAtTheEnd(isDelay: Bool) {
    func schedule(_ subject: PassthroughSubject<Int, Never>) -> AnyPublisher<Int, Never> {
      isDelay
        ? subject.delay(for: 10, scheduler: scheduler).eraseToAnyPublisher()
        : subject.receive(on: scheduler).eraseToAnyPublisher()
    }
    let subject = PassthroughSubject<Int, Never>()
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
    schedule(subject).validatingDemand().subscribe(subscriber)
    let line = #line - 1
    subject.send(completion: .finished)
    subscriber.cancel()
    expectFailure("sent a completion after it was cancelled", line: line) { scheduler.resume() }
    #expect(subscriber.recordedOutput.last?.1 == .completion(.finished))
  }

  // MARK: Conforming streams

  @Test func demandOfEveryOriginCounts() {
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1), returning: [.max(2), .none, .none, .max(1)])
    upstream.validatingDemand().subscribe(subscriber)
    upstream.send(1)  // returns 2
    subscriber.request(.max(1))
    for value in 2...5 { upstream.send(value) }
    #expect(subscriber.values == [1, 2, 3, 4, 5])
    expectFailure("it is number 6, and 5 were asked for", line: #line - 5) { upstream.send(6) }
  }

  @Test func demandAndCancelPassUnchanged() {
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(3), returning: [.none, .max(7)])
    upstream.validatingDemand().subscribe(subscriber)
    #expect(upstream.send(1) == .none)
    #expect(upstream.send(2) == .max(7))
    subscriber.request(.unlimited)
    subscriber.cancel()
    #expect(upstream.history == [.requested(.max(3)), .requested(.unlimited), .cancelled])
  }

  @Test func failurePassesUnchanged() {
    struct Refused: Error, Equatable {}
    let subscriber = scheduler.start { Fail<Int, Refused>(error: Refused()).validatingDemand() }
    #expect(subscriber.recordedOutput == [(200, .subscription), (200, .completion(.failure(Refused())))])
  }

  @Test(arguments: ["default", "one at a time", "batches", "slowly", "never"])
  func cleanPipelinesPass(way: String) {
    let options: TestableSubscriberOptions =
      switch way {
      case "one at a time": .oneAtATime
      case "batches": .batches(of: 3)
      case "slowly": .batches(of: 2, pause: 30)
      case "never": .never
      default: .default
      }
    let configuration = TestScheduler.Configuration(subscriberOptions: options)
    func expectSame<P: Publisher>(_ tested: @escaping (TestScheduler) -> P) where P.Output: Equatable {
      let (plain, checked) = (TestScheduler(), TestScheduler())
      let expected = plain.start(configuration: configuration) { tested(plain) }
      let subscriber = checked.start(configuration: configuration) { tested(checked).validatingDemand() }
      #expect(
        subscriber.recordedOutput.mapFailure { _ in Same() } == expected.recordedOutput.mapFailure { _ in Same() }
      )
      #expect(subscriber.recordedDemandLog == expected.recordedDemandLog)
    }
    func source(_ scheduler: TestScheduler) -> TestablePublisher<Int, Never> {
      scheduler.createRelativeTestablePublisher(
        TestSequence((1...20).map { (VirtualTime($0 * 10), .input($0)) }) + [(300, .completion(.finished))]
      )
    }
    expectSame { source($0) }
    expectSame { source($0).map { $0 * 2 }.filter { $0 % 3 == 0 } }
    expectSame { source($0).flatMap(maxPublishers: .max(2)) { [$0, -$0].publisher } }
    expectSame { source($0).buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest) }
    expectSame { source($0).zip((1...7).publisher).map { $0 + $1 } }
    expectSame { source($0).merge(with: source($0).map { -$0 }) }
    expectSame { source($0).combineLatest(source($0)).map { $0 + $1 } }
    expectSame { source($0).collect(4) }
    expectSame { source($0).prefix(5) }
    expectSame { source($0).tryMap { if $0 == 9 { throw Same() } else { $0 } } }
    expectSame { source($0).delay(for: 7, scheduler: $0) }
  }

  private struct Same: Error, Equatable {}

  // MARK: Threads

  @Test func requestsAndValuesMayComeOnSeveralThreads() {
    // A thread that uses demand has added it before. So no order of the threads is a mistake.
    let upstream = ConcurrentPublisher<Int, Never>()
    let received = Guarded(0)
    let subscription = Guarded<(any Subscription)?>(nil)
    upstream.validatingDemand().subscribe(
      AnySubscriber(
        receiveSubscription: { new in subscription.withLock { $0 = new } },
        receiveValue: { _ in
          received.withLock { $0 += 1 }
          return .none
        }
      )
    )
    onThreads(4) { _ in
      for number in 0..<300 {
        subscription.withLock { $0 }?.request(.max(1))
        upstream.send(number)
      }
    }
    #expect(received.withLock { $0 } == 1200)
  }

  @Test func aRacingValueOfAnotherThreadIsAccepted() {
    // While one thread is in `cancel()`, another is still sending. It cannot know of the cancel yet.
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    upstream.validatingDemand().subscribe(subscriber)
    nonisolated(unsafe) let upstream = self.upstream  // One thread at a time: this one waits for the other.
    upstream.subscription?.onCancel = { onThreads(1) { _ in upstream.send(1) } }
    subscriber.cancel()
    #expect(subscriber.values == [1])
  }
}
