import EntwineTest
import Testing

@Suite struct TestableSubscriberTests {

  private let scheduler = TestScheduler()

  /// A subscription that counts its calls, and answers requests.
  private final class Upstream: Subscription {
    var requests: [Subscribers.Demand] = []
    var cancelCount = 0
    var onRequest: () -> Void = {}
    func request(_ demand: Subscribers.Demand) {
      requests.append(demand)
      onRequest()
    }
    func cancel() { cancelCount += 1 }
  }

  private func options(
    _ initial: Subscribers.Demand,
    _ subsequent: Subscribers.Demand,
    handler: (() -> Void)? = nil
  ) -> TestableSubscriberOptions {
    TestableSubscriberOptions(
      initialDemand: initial,
      subsequentDemand: subsequent,
      negativeBalanceHandler: handler
    )
  }

  @Test func recordsWithTheTime() {
    let publisher: TestablePublisher<Int, Never> = scheduler.createRelativeTestablePublisher([
      (10, .input(1)), (20, .completion(.finished)),
    ])
    let subscriber = scheduler.start { publisher }
    #expect(subscriber.recordedOutput == [(200, .subscription), (210, .input(1)), (220, .completion(.finished))])
    let expected: DemandLedger<VirtualTime> = [
      (200, .unlimited, .credit(amount: .unlimited)), (210, .unlimited, .debit(authorized: true)),
    ]
    #expect(subscriber.recordedDemandLog == expected)
    let sequence: TestableSubscriber<Int, Never>.Sequence = subscriber.recordedOutput
    #expect(sequence.count == 3)
  }

  @Test func asksAfterTheDelayWithoutAnInitialDemand() {
    let publisher: TestablePublisher<Int, Never> = scheduler.createRelativeTestablePublisher([
      (10, .input(1)), (20, .input(2)), (30, .input(3)),
    ])
    var configuration = TestScheduler.Configuration.default
    configuration.subscriberOptions = options(.none, .unlimited)
    let subscriber = scheduler.start(configuration: configuration) { publisher }
    #expect(
      subscriber.recordedOutput == [(200, .subscription), (300, .input(1)), (300, .input(2)), (300, .input(3))]
    )
    #expect(
      subscriber.recordedDemandLog == [
        (200, .none, .credit(amount: .none)),
        (300, .unlimited, .credit(amount: .unlimited)),
        (300, .unlimited, .debit(authorized: true)),
        (300, .unlimited, .debit(authorized: true)),
        (300, .unlimited, .debit(authorized: true)),
      ]
    )
  }

  @Test func logsOneEntryWithoutAnyDemand() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: options(.none, .none))
    let upstream = Upstream()
    subscriber.receive(subscription: upstream)
    scheduler.resume()
    #expect(upstream.requests == [])
    let e: DemandLedger<VirtualTime> = [(0, .none, .credit(amount: .none))]
    #expect(subscriber.recordedDemandLog == e)
  }

  @Test func replenishesItsDemandAfterTheDelay() {
    let publisher: TestablePublisher<Int, Never> = scheduler.createRelativeTestablePublisher([
      (10, .input(1)), (20, .input(2)), (30, .input(3)), (140, .input(4)),
    ])
    var configuration = TestScheduler.Configuration.default
    configuration.subscriberOptions = options(.max(2), .max(2))
    let subscriber = scheduler.start(configuration: configuration) { publisher }
    #expect(
      subscriber.recordedOutput
        == [(200, .subscription), (210, .input(1)), (220, .input(2)), (320, .input(3)), (340, .input(4))]
    )
    #expect(
      subscriber.recordedDemandLog == [
        (200, .max(2), .credit(amount: .max(2))),
        (210, .max(1), .debit(authorized: true)),
        (220, .none, .debit(authorized: true)),
        (320, .max(2), .credit(amount: .max(2))),
        (320, .max(1), .debit(authorized: true)),
        (340, .none, .debit(authorized: true)),
        (440, .max(2), .credit(amount: .max(2))),
      ]
    )
  }

  @Test func asksAgainWhenAReplenishmentIsUsedUpInItsRequest() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: options(.max(1), .max(1)))
    let upstream = Upstream()
    upstream.onRequest = { [unowned subscriber] in if scheduler.now < 300 { _ = subscriber.receive(7) } }
    subscriber.receive(subscription: upstream)
    scheduler.resume()
    #expect(upstream.requests == [.max(1), .max(1), .max(1), .max(1)])
    #expect(subscriber.recordedOutput.map(\.0) == [0, 0, 100, 200])
  }

  @Test func aSecondSubscriptionIsCancelledAndLeavesNoTrace() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
    let (first, second) = (Upstream(), Upstream())
    subscriber.receive(subscription: first)
    subscriber.receive(subscription: second)
    #expect(first.cancelCount == 0)
    #expect(second.cancelCount == 1)
    #expect(second.requests == [])
    #expect(subscriber.recordedOutput == [(0, .subscription)])
    #expect(subscriber.recordedDemandLog.count == 1)
  }

  @Test func aSubscriptionAfterACancelIsAccepted() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
    let (first, second) = (Upstream(), Upstream())
    subscriber.receive(subscription: first)
    subscriber.cancel()
    subscriber.cancel()
    #expect(first.cancelCount == 1)
    subscriber.receive(subscription: second)
    #expect(second.requests == [.unlimited])
    #expect(second.cancelCount == 0)
    #expect(subscriber.recordedOutput == [(0, .subscription), (0, .subscription)])
  }

  @Test func aCancelRemovesTheWaitingRequest() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: options(.max(1), .max(1)))
    let upstream = Upstream()
    subscriber.receive(subscription: upstream)
    #expect(subscriber.receive(1) == .none)
    subscriber.cancel()
    scheduler.resume()
    #expect(upstream.requests == [.max(1)])
    #expect(scheduler.now == 0)
  }

  @Test func theSubscriptionIsHeldAfterACompletion() {
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: options(.max(1), .max(1)))
    let (first, second) = (Upstream(), Upstream())
    subscriber.receive(subscription: first)
    _ = subscriber.receive(1)
    subscriber.receive(completion: .finished)
    subscriber.receive(subscription: second)
    #expect(second.cancelCount == 1)
    scheduler.resume()
    #expect(first.requests == [.max(1), .max(1)])
    #expect(subscriber.recordedDemandLog.last! == (100, .max(1), .credit(amount: .max(1))))
  }

  @Test func aValueWithoutDemandCallsTheHandler() {
    var count = 0
    let subscriber = scheduler.createTestableSubscriber(
      Int.self,
      Never.self,
      options: options(.max(1), .none) { count += 1 }
    )
    subscriber.receive(subscription: Upstream())
    _ = subscriber.receive(1)
    #expect(count == 0)
    _ = subscriber.receive(2)
    #expect(count == 1)
    #expect(subscriber.recordedOutput == [(0, .subscription), (0, .input(1)), (0, .input(2))])
    #expect(
      subscriber.recordedDemandLog == [
        (0, .max(1), .credit(amount: .max(1))), (0, .none, .debit(authorized: true)),
        (0, .none, .debit(authorized: false)),
      ]
    )
  }

  @Test func theHandlerIsCalledAfterTheRecords() {
    var note: () -> Void = {}
    var counts: [Int] = []
    let subscriber = scheduler.createTestableSubscriber(
      Int.self,
      Never.self,
      options: options(.none, .none) { note() }
    )
    note = { [unowned subscriber] in
      counts = [subscriber.recordedOutput.count, subscriber.recordedDemandLog.count]
    }
    subscriber.receive(subscription: Upstream())
    _ = subscriber.receive(1)
    #expect(counts == [2, 2])
  }

  #if DEBUG
    @Test func aValueWithoutDemandTrapsWithoutAHandler() async {
      await #expect(processExitsWith: .failure) {
        let options = TestableSubscriberOptions(initialDemand: .none)
        let subscriber = TestScheduler().createTestableSubscriber(Int.self, Never.self, options: options)
        subscriber.receive(subscription: Subscriptions.empty)
        _ = subscriber.receive(1)
      }
    }
  #endif

  @Test func isReleasedWithItsLastOwnerAndThenCancels() {
    weak var released: TestableSubscriber<Int, Never>?
    let upstream = Upstream()
    do {
      let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: options(.max(1), .max(1)))
      released = subscriber
      subscriber.receive(subscription: upstream)
      _ = subscriber.receive(1)
    }
    #expect(released == nil)
    #expect(upstream.cancelCount == 1)
    scheduler.resume()
    #expect(scheduler.now == 0)
    #expect(upstream.requests == [.max(1)])
  }
}
