import CombineTesting
import TestSupport
import Testing

struct TestSchedulerConfigurationTests {

  private let scheduler = TestScheduler()

  @Test func createsSubscribesAndCancels() {
    var created: [VirtualTime] = []
    var cancelled: [VirtualTime] = []
    let subscriber = scheduler.start {
      created.append(scheduler.now)
      return Empty<Int, Never>(completeImmediately: false)
        .handleEvents(receiveCancel: { cancelled.append(scheduler.now) })
    }
    #expect(created == [100])
    #expect(subscriber.recordedOutput == [(200, .subscription)])
    #expect(subscriber.recordedDemandLog == [(200, .unlimited, .credit(amount: .unlimited))])
    #expect(cancelled == [900])
    #expect(scheduler.now == 900)
  }

  @Test func timesMayBeChosen() {
    var created: [VirtualTime] = []
    let subscriber = scheduler.start(
      configuration: .init(created: 10, subscribed: 20, cancelled: 45, subscriberOptions: .oneAtATime)
    ) {
      created.append(scheduler.now)
      return scheduler.createRelativeTestablePublisher([(10, .input(1)), (20, .input(2)), (30, .input(3))])
        as TestablePublisher<Int, Never>
    }
    #expect(created == [10])
    #expect(subscriber.recordedOutput == [(20, .subscription), (30, .input(1)), (40, .input(2))])
    #expect(subscriber.recordedDemandLog.last! == (40, .max(1), .credit(amount: .max(1))))
  }

  @Test func theTestMayMoveTheTime() {
    let subscriber = scheduler.start(configuration: .init(pausedOnStart: true)) { Just(1) }
    #expect(scheduler.now == 0)
    #expect(subscriber.recordedOutput == [])
    scheduler.advance(to: 199)
    #expect(subscriber.recordedOutput == [])
    scheduler.advance(by: 1)
    #expect(subscriber.recordedOutput == [(200, .subscription), (200, .input(1)), (200, .completion(.finished))])
  }

  @Test func subscribesNoEarlierThanItCreates() {
    let subscriber = scheduler.start(configuration: .init(created: 300)) { Just(1) }
    #expect(subscriber.recordedOutput.first! == (300, .subscription))
  }

  @Test func defaultConfiguration() {
    let configuration = TestScheduler.Configuration.default
    #expect(!configuration.pausedOnStart)
    #expect([configuration.created, configuration.subscribed, configuration.cancelled] == [100, 200, 900])
    #expect(configuration.subscriberOptions.initialDemand == .unlimited)
    #expect(configuration.subscriberOptions.subsequentDemand == .none)
    #expect(configuration.subscriberOptions.demandReplenishmentDelay == 100)
    #expect(configuration.subscriberOptions.negativeBalanceHandler == nil)
  }

  @Test func publisherIsKeptNoLongerThanItIsNeeded() {
    final class Kept {}
    weak var kept: Kept?
    let subscriber = scheduler.start { () -> AnyPublisher<Int, Never> in
      let object = Kept()
      kept = object
      return Just(1).map { number in withExtendedLifetime(object) { number } }.eraseToAnyPublisher()
    }
    #expect(subscriber.recordedOutput.count == 3)
    #expect(kept == nil)
  }

  /// The point of virtual time. The fastest of several runs counts, because other tests may run at the same time.
  @Test func testOfNineHundredMillisecondsTakesLessThanFive() {
    let fastest = (0..<20).map { _ in
      ContinuousClock().measure {
        let scheduler = TestScheduler()
        let publisher: TestablePublisher<String, Never> = scheduler.createRelativeTestablePublisher([
          (100, .input("a")), (150, .input("b")), (400, .input("c")),
        ])
        let subscriber = scheduler.start {
          publisher.map { $0.uppercased() }.debounce(for: 100, scheduler: scheduler)
        }
        #expect(subscriber.recordedOutput == [(200, .subscription), (450, .input("B")), (700, .input("C"))])
        #expect(scheduler.now == 900)
      }
    }.min()!
    #expect(fastest < .milliseconds(5))
  }
}
