// Imports only as in tests that were written for Entwine.
import Dispatch
import Entwine
import EntwineTest
import XCTest

/// Recipes 19 to 22, in XCTest.
final class RecipeXCTests: XCTestCase {

  /// 19: tests a publisher by the events of the test's subscriber. The test waits for the completion.
  func testPublisher() {
    let finished = expectation(description: "finished")
    var received: [Int] = []
    let cancellable = Measurement().lengths(
      of: ["Ada", "Grace", "Barbara"].publisher.setFailureType(to: Measurement.Failure.self)
    )
    .sink(
      receiveCompletion: { completion in
        XCTAssertEqual(completion, .finished)
        finished.fulfill()
      },
      receiveValue: { received.append($0) }
    )
    wait(for: [finished], timeout: 5)
    XCTAssertEqual(received, [3, 5, 7])
    withExtendedLifetime(cancellable) {}
  }

  /// 20: tests the end of a pipeline. A subject sends values, a failure, and nothing after that.
  func testSubscriber() {
    let names = PassthroughSubject<String, Measurement.Failure>()
    var received: [Int] = []
    var completions: [Subscribers.Completion<Measurement.Failure>] = []
    let cancellable = Measurement().lengths(of: names)
      .sink(receiveCompletion: { completions.append($0) }, receiveValue: { received.append($0) })

    names.send("Ada")
    names.send("Grace")
    XCTAssertEqual(received, [3, 5])
    XCTAssertEqual(completions, [])

    names.send("")
    XCTAssertEqual(completions, [.failure(.emptyName)])

    names.send("Barbara")
    names.send(completion: .finished)
    XCTAssertEqual(received, [3, 5])
    XCTAssertEqual(completions, [.failure(.emptyName)])
    withExtendedLifetime(cancellable) {}
  }

  /// 21: sends values with real delays on a queue. The test waits for the completion.
  func testRealDelays() {
    let finished = expectation(description: "failed")
    let queue = DispatchQueue(label: "recipe 21")
    let names = PassthroughSubject<String, Measurement.Failure>()
    var received: [Int] = []
    // The main queue delivers the values that the test compares.
    let cancellable = Measurement().lengths(of: names)
      .receive(on: DispatchQueue.main)
      .sink(
        receiveCompletion: { completion in
          XCTAssertEqual(completion, .failure(.emptyName))
          finished.fulfill()
        },
        receiveValue: { received.append($0) }
      )
    for (number, name) in ["Ada", "Grace", ""].enumerated() {
      queue.asyncAfter(deadline: .now() + .milliseconds(20 * (number + 1))) { names.send(name) }
    }
    wait(for: [finished], timeout: 5)
    XCTAssertEqual(received, [3, 5])
    withExtendedLifetime(cancellable) {}
  }

  /// 22: uses virtual time, so that no real time passes.
  func testVirtualTime() {
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
    XCTAssertEqual(expected, subscriber.recordedOutput)
  }
}
