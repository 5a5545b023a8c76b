import CombineTesting
import Dispatch
import TestSupport
import Testing

/// Recipes 19 to 22, in Swift Testing.
struct RecipeTests {

  /// 19: tests a publisher by the events of the test's subscriber. Each event confirms an expectation.
  @Test func publisher() async {
    await confirmation("values", expectedCount: 3) { value in
      await confirmation("finished") { finished in
        let cancellable = Measurement().lengths(
          of: ["Ada", "Grace", "Barbara"].publisher.setFailureType(to: Measurement.Failure.self)
        )
        .sink(
          receiveCompletion: { completion in
            #expect(completion == .finished)
            finished()
          },
          receiveValue: { length in
            #expect([3, 5, 7].contains(length))
            value()
          }
        )
        withExtendedLifetime(cancellable) {}
      }
    }
  }

  /// 20: tests the end of a pipeline. A subject sends values, a failure, and nothing after that.
  @Test func subscriber() {
    let names = PassthroughSubject<String, Measurement.Failure>()
    var received: [Int] = []
    var completions: [Subscribers.Completion<Measurement.Failure>] = []
    let cancellable = Measurement().lengths(of: names)
      .sink(receiveCompletion: { completions.append($0) }, receiveValue: { received.append($0) })

    names.send("Ada")
    names.send("Grace")
    #expect(received == [3, 5])
    #expect(completions == [])

    names.send("")
    #expect(completions == [.failure(.emptyName)])

    names.send("Barbara")
    names.send(completion: .finished)
    #expect(received == [3, 5])
    #expect(completions == [.failure(.emptyName)])
    withExtendedLifetime(cancellable) {}
  }

  /// 21: sends values with real delays on a queue. The test waits for the completion.
  @Test(.timeLimit(.minutes(10))) func realDelays() async {
    let queue = DispatchQueue(label: "recipe 21")
    let names = PassthroughSubject<String, Measurement.Failure>()
    let received = Guarded<[Int]>([])
    let completion = await withCheckedContinuation { continuation in
      let cancellable = Guarded<AnyCancellable?>(nil)
      let subscription = Measurement().lengths(of: names)
        .sink(
          receiveCompletion: { completion in
            cancellable.withLock { $0 = nil }
            continuation.resume(returning: completion)
          },
          receiveValue: { length in received.withLock { $0.append(length) } }
        )
      cancellable.withLock { $0 = subscription }
      for (number, name) in ["Ada", "Grace", ""].enumerated() {
        queue.asyncAfter(deadline: .now() + .milliseconds(20 * (number + 1))) { names.send(name) }
      }
    }
    #expect(received.withLock { $0 } == [3, 5])
    #expect(completion == .failure(.emptyName))
  }

  /// 22: uses virtual time, so that no real time passes.
  @Test func virtualTime() {
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
    #expect(subscriber.recordedOutput == expected)
  }
}
