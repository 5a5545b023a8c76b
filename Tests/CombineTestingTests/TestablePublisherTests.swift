import CombineTesting
import TestSupport
import Testing

private struct Refused: Error, Equatable {}

struct TestablePublisherTests {

  private let scheduler = TestScheduler()
  private let script: TestSequence<String, Never> = [(100, .input("A")), (200, .input("B")), (300, .input("C"))]

  // MARK: Cold

  @Test func aRelativePublisherPlaysToEachSubscriberFromTheBeginning() {
    let publisher = scheduler.createRelativeTestablePublisher(script)
    let first = scheduler.createTestableSubscriber(String.self, Never.self)
    let second = scheduler.createTestableSubscriber(String.self, Never.self)
    scheduler.schedule(after: 200) { publisher.subscribe(first) }
    scheduler.schedule(after: 350) { publisher.subscribe(second) }
    scheduler.resume()
    #expect(
      first.recordedOutput == [(200, .subscription), (300, .input("A")), (400, .input("B")), (500, .input("C"))]
    )
    #expect(
      second.recordedOutput == [(350, .subscription), (450, .input("A")), (550, .input("B")), (650, .input("C"))]
    )
  }

  @Test func valueAtZeroComesAfterTheSubscription() {
    let publisher: TestablePublisher<String, Never> = scheduler.createRelativeTestablePublisher([(0, .input("A"))])
    let subscriber = scheduler.createTestableSubscriber(String.self, Never.self)
    publisher.subscribe(subscriber)
    #expect(subscriber.recordedOutput == [(0, .subscription)])
    scheduler.advance()
    #expect(subscriber.recordedOutput == [(0, .subscription), (0, .input("A"))])
  }

  // MARK: Hot

  @Test func anAbsolutePublisherPlaysOnce() {
    let publisher = scheduler.createAbsoluteTestablePublisher(script)
    let first = scheduler.createTestableSubscriber(String.self, Never.self)
    let second = scheduler.createTestableSubscriber(String.self, Never.self)
    scheduler.schedule(after: 50) { publisher.subscribe(first) }
    scheduler.schedule(after: 200) { publisher.subscribe(second) }
    scheduler.resume()
    #expect(
      first.recordedOutput == [(50, .subscription), (100, .input("A")), (200, .input("B")), (300, .input("C"))]
    )
    #expect(second.recordedOutput == [(200, .subscription), (200, .input("B")), (300, .input("C"))])
  }

  @Test func anAbsolutePublisherThatHasEndedSendsNothing() {
    let publisher: TestablePublisher<String, Never> = scheduler.createAbsoluteTestablePublisher([
      (100, .input("A")), (150, .completion(.finished)),
    ])
    let subscriber = scheduler.start { publisher }
    #expect(subscriber.recordedOutput == [(200, .subscription)])
  }

  // MARK: The script

  @Test func scriptNeedNotBeSorted() {
    let publisher: TestablePublisher<Int, Refused> = scheduler.createRelativeTestablePublisher([
      (30, .completion(.failure(Refused()))), (20, .input(2)), (10, .input(1)), (20, .input(3)),
    ])
    let subscriber = scheduler.start { publisher }
    #expect(
      subscriber.recordedOutput == [
        (200, .subscription), (210, .input(1)), (220, .input(2)), (220, .input(3)),
        (230, .completion(.failure(Refused()))),
      ]
    )
  }

  @Test func recordedOutputCanBePlayed() {
    let played = scheduler.start { scheduler.createRelativeTestablePublisher(script) }
    let other = TestScheduler()
    let again = other.start(configuration: .init(subscribed: 150)) {
      other.createAbsoluteTestablePublisher(played.recordedOutput)
    }
    #expect(TestSequence(again.recordedOutput.dropFirst()) == TestSequence(played.recordedOutput.dropFirst()))
    #expect(again.recordedOutput.first! == (150, .subscription))
  }

  @Test func nothingFollowsACompletion() {
    let publisher: TestablePublisher<Int, Never> = scheduler.createRelativeTestablePublisher([
      (10, .completion(.finished)), (10, .input(1)), (20, .completion(.finished)),
    ])
    let subscriber = scheduler.start { publisher.validatingDemand() }
    #expect(subscriber.recordedOutput == [(200, .subscription), (210, .completion(.finished))])
    #expect(scheduler.now == 900)
  }

  // MARK: Demand

  @Test func eventsWithoutDemandAreHeld() {
    let publisher: TestablePublisher<Int, Never> = scheduler.createRelativeTestablePublisher([
      (10, .input(1)), (20, .input(2)), (30, .input(3)), (40, .completion(.finished)),
    ])
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .never)
    publisher.validatingDemand().subscribe(subscriber)
    scheduler.schedule(after: 15) { subscriber.request(.max(2)) }
    scheduler.schedule(after: 50) { subscriber.request(.max(1)) }
    scheduler.resume()
    #expect(
      subscriber.recordedOutput == [
        (0, .subscription), (15, .input(1)), (20, .input(2)), (50, .input(3)), (50, .completion(.finished)),
      ]
    )
  }

  @Test func completionNeedsNoDemand() {
    let publisher: TestablePublisher<Int, Never> = scheduler.createRelativeTestablePublisher([
      (40, .completion(.finished))
    ])
    let subscriber = scheduler.start(configuration: .init(subscriberOptions: .never)) { publisher }
    #expect(subscriber.recordedOutput == [(200, .subscription), (240, .completion(.finished))])
  }

  @Test func anAbsolutePublisherHoldsValuesWithoutDemand() {
    let publisher = scheduler.createAbsoluteTestablePublisher(script)
    let subscriber = scheduler.createTestableSubscriber(
      String.self,
      Never.self,
      options: .batches(of: 1, pause: 150)
    )
    publisher.validatingDemand().subscribe(subscriber)
    scheduler.resume()
    #expect(
      subscriber.recordedOutput == [(0, .subscription), (100, .input("A")), (250, .input("B")), (400, .input("C"))]
    )
  }

  @Test func aRequestDuringAValueKeepsTheOrder() {
    let publisher: TestablePublisher<Int, Never> = scheduler.createRelativeTestablePublisher([
      (10, .input(1)), (10, .input(2)), (10, .input(3)),
    ])
    let subscriber = RecordingSubscriber<Int, Never>()
    subscriber.onValue = { [unowned subscriber] value in
      // Nothing may arrive during this call.
      let count = subscriber.events.count
      subscriber.request(.max(1))
      #expect(subscriber.events.count == count)
      return .none
    }
    publisher.subscribe(subscriber)
    scheduler.resume()
    #expect(subscriber.values == [])
    subscriber.request(.max(1))
    #expect(subscriber.values == [1, 2, 3])
  }

  // MARK: Cancelling

  @Test func cancelRemovesTheRestFromTheSchedule() {
    let publisher = scheduler.createRelativeTestablePublisher(script)
    let subscriber = scheduler.createTestableSubscriber(String.self, Never.self)
    publisher.validatingDemand().subscribe(subscriber)
    scheduler.schedule(after: 200) { subscriber.cancel() }
    scheduler.resume()
    #expect(subscriber.recordedOutput == [(0, .subscription), (100, .input("A")), (200, .input("B"))])
    #expect(scheduler.now == 200)
  }

  @Test func cancelDuringTheSubscriptionOrAValue() {
    let publisher = scheduler.createRelativeTestablePublisher(script)
    let atOnce = RecordingSubscriber<String, Never>(onSubscription: { $0.cancel() })
    publisher.subscribe(atOnce)
    let atFirstValue = RecordingSubscriber<String, Never>(requesting: .unlimited)
    atFirstValue.onValue = { [unowned atFirstValue] _ in
      atFirstValue.cancel()
      return .max(1)
    }
    publisher.subscribe(atFirstValue)
    scheduler.resume()
    #expect(atOnce.values == [])
    #expect(atFirstValue.values == ["A"])
    #expect(scheduler.now == 100)
  }

  // MARK: Lifetime

  @Test(arguments: ["cancelled", "completed", "never played"])
  func releasesItsSubscriber(end: String) {
    var scheduler: TestScheduler? = TestScheduler()
    var isAlive = true
    do {
      let subscriber = RecordingSubscriber<String, Never>(
        onSubscription: { $0.request(.unlimited) },
        onDeinit: { isAlive = false }
      )
      scheduler!.createRelativeTestablePublisher(script + [(400, .completion(.finished))]).subscribe(subscriber)
      switch end {
      case "cancelled": subscriber.cancel()
      case "completed": scheduler!.resume()
      default: break
      }
      subscriber.dropSubscription()
    }
    // Events that were never played are released with their scheduler.
    if end == "never played" { scheduler = nil }
    #expect(!isAlive)
  }
}
