import Combine
import CombineTesting

/// 22: the clock of a test scheduler moves only when the test moves it. Half a second takes no time, and the events are
/// always the same.
struct TestingInVirtualTime: Recipe {
  let number = 22
  let title = "Testing in virtual time"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let scheduler = TestScheduler(initialClock: 0)
    let publisher: TestablePublisher<String, Never> = scheduler.createRelativeTestablePublisher([
      (100, .input("A")),
      (200, .input("B")),
      (300, .input("C")),
    ])
    let subscriber = scheduler.createTestableSubscriber(String.self, Never.self)
    scheduler.schedule(after: 200) { publisher.subscribe(subscriber) }
    scheduler.resume()

    let expected: TestSequence<String, Never> = [
      (200, .subscription),
      (300, .input("A")),
      (400, .input("B")),
      (500, .input("C")),
    ]
    timeline.expect("recorded output", subscriber.recordedOutput, expected)

    // The scheduler replaces the queue of an operator.
    let debounced = TestScheduler().debounced([(100, .input("c")), (150, .input("co")), (500, .input("combine"))])
    timeline.expect("debounced", debounced, [(200, .subscription), (550, .input("co")), (900, .input("combine"))])
  }
}

extension TestScheduler {

  /// Returns the events that remain of some input after a debounce of 200 milliseconds.
  fileprivate func debounced(_ input: TestSequence<String, Never>) -> TestSequence<String, Never> {
    let publisher = createRelativeTestablePublisher(input)
    let configuration = Configuration(cancelled: 1000)
    return start(configuration: configuration) {
      publisher.debounce(for: .milliseconds(200), scheduler: self)
    }
    .recordedOutput
  }
}
