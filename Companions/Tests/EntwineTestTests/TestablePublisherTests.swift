import EntwineTest
import Testing

@Suite struct TestablePublisherTests {

  private let scheduler = TestScheduler()

  private typealias Script = TestSequence<String, Never>

  @Test func aRelativePublisherCountsFromTheSubscription() {
    let publisher = scheduler.createRelativeTestablePublisher([(0, .input("A")), (100, .input("B"))] as Script)
    let subscriber = scheduler.start { publisher }
    #expect(subscriber.recordedOutput == [(200, .subscription), (200, .input("A")), (300, .input("B"))])
  }

  @Test func anAbsolutePublisherSkipsWhatHasPassed() {
    let script: Script = [(100, .input("A")), (200, .input("B")), (300, .input("C"))]
    let publisher = scheduler.createAbsoluteTestablePublisher(script)
    let subscriber = scheduler.start { publisher }
    #expect(subscriber.recordedOutput == [(200, .subscription), (200, .input("B")), (300, .input("C"))])
  }

  @Test(arguments: [true, false])
  func aValueWaitsForDemand(isRelative: Bool) {
    let script: Script = [(10, .input("A")), (20, .input("B")), (30, .input("C"))]
    let publisher =
      isRelative
      ? scheduler.createRelativeTestablePublisher(script) : scheduler.createAbsoluteTestablePublisher(script)
    let options = TestableSubscriberOptions(initialDemand: .max(1), subsequentDemand: .max(1))
    let subscriber = scheduler.createTestableSubscriber(String.self, Never.self, options: options)
    publisher.subscribe(subscriber)
    scheduler.resume()
    #expect(
      subscriber.recordedOutput == [(0, .subscription), (10, .input("A")), (110, .input("B")), (210, .input("C"))]
    )
  }

  @Test func aCompletionDropsTheValuesThatWait() {
    let script: Script = [(10, .input("A")), (20, .input("B")), (30, .completion(.finished))]
    let publisher = scheduler.createRelativeTestablePublisher(script)
    let options = TestableSubscriberOptions(initialDemand: .max(1), subsequentDemand: .max(5))
    let subscriber = scheduler.createTestableSubscriber(String.self, Never.self, options: options)
    publisher.subscribe(subscriber)
    scheduler.resume()
    #expect(subscriber.recordedOutput == [(0, .subscription), (10, .input("A")), (30, .completion(.finished))])
  }

  @Test func whatFollowsACompletionIsIgnored() {
    let script: Script = [(10, .completion(.finished)), (10, .input("A")), (20, .completion(.finished))]
    let publisher = scheduler.createRelativeTestablePublisher(script)
    let subscriber = scheduler.start { publisher }
    #expect(subscriber.recordedOutput == [(200, .subscription), (210, .completion(.finished))])
  }

  @Test func aCancelRemovesTheRest() {
    final class Keeper: Subscriber {
      var subscription: (any Subscription)?
      var values: [String] = []
      func receive(subscription: any Subscription) {
        self.subscription = subscription
        subscription.request(.unlimited)
      }
      func receive(_ input: String) -> Subscribers.Demand {
        values.append(input)
        return .none
      }
      func receive(completion: Subscribers.Completion<Never>) {}
    }
    let publisher = scheduler.createRelativeTestablePublisher([(10, .input("A")), (20, .input("B"))] as Script)
    // It keeps the subscription, so that only the cancel can remove the values.
    let cancelling = Keeper()
    publisher.subscribe(cancelling)
    scheduler.schedule(after: 15) { cancelling.subscription?.cancel() }
    let releasing = Keeper()
    publisher.subscribe(releasing)
    scheduler.schedule(after: 15) { releasing.subscription = nil }
    scheduler.resume()
    #expect(cancelling.values == ["A"])
    #expect(releasing.values == ["A"])
    #expect(scheduler.now == 15)
  }

  #if DEBUG
    @Test func aSubscriptionInTheSequenceIsAnAssertionFailure() async {
      await #expect(processExitsWith: .failure) {
        let script: TestSequence<String, Never> = [(10, .subscription)]
        let scheduler = TestScheduler()
        let publisher = scheduler.createRelativeTestablePublisher(script)
        _ = scheduler.start { publisher }
      }
    }
  #endif
}
