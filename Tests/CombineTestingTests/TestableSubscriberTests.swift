import CombineTesting
import TestSupport
import Testing

@Suite(.capturesFailures) struct TestableSubscriberTests {

  private let scheduler = TestScheduler()
  private let upstream = ManualPublisher<Int, Never>()

  private func subscriber(_ options: TestableSubscriberOptions = .default) -> TestableSubscriber<Int, Never> {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: options)
    upstream.subscribe(subscriber)
    return subscriber
  }

  // MARK: Recording

  @Test func recordsEverythingWithTheTime() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
    scheduler.schedule(after: 10) { upstream.subscribe(subscriber) }
    scheduler.schedule(after: 20) { upstream.send(1) }
    scheduler.schedule(after: 20) { upstream.send(2) }
    scheduler.schedule(after: 30) { upstream.send(completion: .finished) }
    scheduler.resume()
    #expect(
      subscriber.recordedOutput
        == [(10, .subscription), (20, .input(1)), (20, .input(2)), (30, .completion(.finished))]
    )
    #expect(
      subscriber.recordedDemandLog == [
        (10, .unlimited, .credit(amount: .unlimited)),
        (20, .unlimited, .debit(authorized: true)),
        (20, .unlimited, .debit(authorized: true)),
      ]
    )
  }

  @Test func recordsAFailure() {
    struct Refused: Error, Equatable {}
    let subscriber = scheduler.createTestableSubscriber(Int.self, Refused.self)
    Fail(error: Refused()).subscribe(subscriber)
    #expect(subscriber.recordedOutput == [(0, .subscription), (0, .completion(.failure(Refused())))])
  }

  @Test func recordsEventsAfterTheEndToo() {
    let subscriber = subscriber()
    upstream.send(completion: .finished)
    upstream.send(7)
    subscriber.cancel()
    upstream.send(8)
    #expect(
      subscriber.recordedOutput == [(0, .subscription), (0, .completion(.finished)), (0, .input(7)), (0, .input(8))]
    )
  }

  @Test func secondSubscriptionIsCancelledAndNotRecorded() {
    let subscriber = subscriber()
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(second.history == [.cancelled])
    #expect(subscriber.recordedOutput == [(0, .subscription)])
    #expect(upstream.history == [.requested(.unlimited)])
  }

  // MARK: Cancelling

  @Test func cancelsOnce() {
    let subscriber = subscriber()
    subscriber.cancel()
    subscriber.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func cancelsALaterSubscription() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
    subscriber.cancel()
    upstream.subscribe(subscriber)
    #expect(upstream.history == [.cancelled])
    #expect(subscriber.recordedDemandLog.isEmpty)
  }

  @Test func hasNothingToCancelAfterTheCompletion() {
    let subscriber = subscriber()
    upstream.send(completion: .finished)
    subscriber.cancel()
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func dropsItsSubscription() {
    var isAlive = true
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
    subscriber.receive(subscription: ManualSubscription(onDeinit: { isAlive = false }))
    #expect(isAlive)
    subscriber.receive(completion: .finished)
    #expect(!isAlive)
  }

  // MARK: Demand

  @Test func requestsNothing() {
    let subscriber = subscriber(.never)
    #expect(upstream.history == [])
    #expect(subscriber.recordedDemandLog == [(0, .none, .credit(amount: .none))])
    #expect(subscriber.recordedOutput == [(0, .subscription)])
  }

  @Test func requestsWhenTheTestRequests() {
    let subscriber = subscriber(.never)
    scheduler.advance(to: 5)
    subscriber.request(.max(2))
    subscriber.request(.none)
    upstream.send(1)
    #expect(upstream.history == [.requested(.max(2))])
    #expect(
      subscriber.recordedDemandLog
        == [
          (0, .none, .credit(amount: .none)), (5, .max(2), .credit(amount: .max(2))),
          (5, .max(1), .debit(authorized: true)),
        ]
    )
    subscriber.cancel()
    subscriber.request(.max(3))
    #expect(upstream.history == [.requested(.max(2)), .cancelled])
    #expect(subscriber.recordedDemandLog.count == 3)
  }

  @Test func requestsOneAtATimeByReturnedDemand() {
    let subscriber = subscriber(.oneAtATime)
    #expect(upstream.send(1) == .max(1))
    #expect(upstream.send(2) == .max(1))
    #expect(upstream.history == [.requested(.max(1))])
    #expect(
      subscriber.recordedDemandLog == [
        (0, .max(1), .credit(amount: .max(1))),
        (0, .none, .debit(authorized: true)),
        (0, .max(1), .credit(amount: .max(1))),
        (0, .none, .debit(authorized: true)),
        (0, .max(1), .credit(amount: .max(1))),
      ]
    )
  }

  @Test func requestsAfterAPauseWithoutAnInitialDemand() {
    let options = TestableSubscriberOptions(
      initialDemand: .none,
      subsequentDemand: .max(2),
      demandReplenishmentDelay: 50
    )
    let subscriber = subscriber(options)
    #expect(upstream.history == [])
    scheduler.resume()
    #expect(upstream.history == [.requested(.max(2))])
    #expect(
      subscriber.recordedDemandLog == [(0, .none, .credit(amount: .none)), (50, .max(2), .credit(amount: .max(2)))]
    )
  }

  @Test func cancelRemovesTheWaitingRequest() {
    let subscriber = subscriber(.batches(of: 1, pause: 50))
    upstream.send(1)
    subscriber.cancel()
    scheduler.resume()
    #expect(scheduler.now == 0)
  }

  @Test func requestsInBatches() {
    _ = subscriber(.batches(of: 3))
    #expect((1...7).map { upstream.send($0) } == [.none, .none, .max(3), .none, .none, .max(3), .none])
    #expect(upstream.history == [.requested(.max(3))])
  }

  @Test func requestsAfterAPause() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .batches(of: 2, pause: 50))
    (1...5).publisher.subscribe(subscriber)
    scheduler.resume()
    #expect(
      subscriber.recordedOutput == [
        (0, .subscription), (0, .input(1)), (0, .input(2)), (50, .input(3)), (50, .input(4)), (100, .input(5)),
        (100, .completion(.finished)),
      ]
    )
    #expect(
      subscriber.recordedDemandLog == [
        (0, .max(2), .credit(amount: .max(2))),
        (0, .max(1), .debit(authorized: true)),
        (0, .none, .debit(authorized: true)),
        (50, .max(2), .credit(amount: .max(2))),
        (50, .max(1), .debit(authorized: true)),
        (50, .none, .debit(authorized: true)),
        (100, .max(2), .credit(amount: .max(2))),
        (100, .max(1), .debit(authorized: true)),
      ]
    )
  }

  @Test func requestsMoreAHundredTicksLaterByDefault() {
    let options = TestableSubscriberOptions(initialDemand: .max(1), subsequentDemand: .max(2))
    _ = subscriber(options)
    upstream.send(1)
    scheduler.advance(to: 99)
    #expect(upstream.history == [.requested(.max(1))])
    scheduler.advance(to: 100)
    #expect(upstream.history == [.requested(.max(1)), .requested(.max(2))])
  }

  @Test func requestsNothingAfterTheEnd() {
    let isEndedBy: [(TestableSubscriber<Int, Never>) -> Void] = [
      { $0.receive(completion: .finished) }, { $0.cancel() },
    ]
    for end in isEndedBy {
      var options = TestableSubscriberOptions.batches(of: 1, pause: 50)
      options.negativeBalanceHandler = {}
      let subscriber = subscriber(options)
      upstream.subscription?.clear()
      upstream.send(1)
      end(subscriber)
      scheduler.advance(by: 100)
      #expect(!upstream.history.contains(.requested(.max(1))))
      #expect(upstream.send(2) == .none)
    }
  }

  @Test func requestsNothingInALateValue() {
    for pause in [0, 50] as [VirtualTimeInterval] {
      let subscriber = subscriber(.batches(of: 1, pause: pause))
      subscriber.cancel()
      upstream.subscription?.clear()
      #expect(upstream.send(1) == .none)
      scheduler.resume()
      #expect(upstream.history == [])
      #expect(subscriber.recordedDemandLog.count == 2)
    }
  }

  // MARK: Excess values

  @Test func anUnrequestedValueFailsTheTest() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .never)
    let line = #line - 1
    upstream.subscribe(subscriber)
    expectFailure("TestableSubscriber got a value at 0 that it had not asked for, 17.", line: line) {
      upstream.send(17)
    }
    #expect(subscriber.recordedOutput == [(0, .subscription), (0, .input(17))])
    #expect(
      subscriber.recordedDemandLog == [(0, .none, .credit(amount: .none)), (0, .none, .debit(authorized: false))]
    )
  }

  @Test func aHandlerMayReceiveUnrequestedValues() {
    var count = 0
    let subscriber = subscriber(
      TestableSubscriberOptions(initialDemand: .max(1), negativeBalanceHandler: { count += 1 })
    )
    upstream.send(1)
    #expect(count == 0)
    upstream.send(2)
    upstream.send(3)
    #expect(count == 2)
    #expect(
      subscriber.recordedDemandLog == [
        (0, .max(1), .credit(amount: .max(1))),
        (0, .none, .debit(authorized: true)),
        (0, .none, .debit(authorized: false)),
        (0, .none, .debit(authorized: false)),
      ]
    )
  }

  // MARK: Threads

  @Test func recordsFromSeveralThreads() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
    subscriber.receive(subscription: Subscriptions.empty)
    onThreads(4) { thread in
      for number in 0..<200 {
        _ = subscriber.receive(thread * 1000 + number)
        if number == 100 { subscriber.request(.max(1)) }
      }
    }
    let values = subscriber.recordedOutput.compactMap(\.1.value)
    #expect(Set(values).count == 800)
    for thread in 0..<4 {
      #expect(values.filter { $0 / 1000 == thread } == Array(thread * 1000..<thread * 1000 + 200))
    }
  }
}
