import CombineCore
import TestSupport
import Testing

@Suite struct AssertNoFailureTests {

  @Test func forwardsValuesFinishesAndSubscriptionsInAnyOrder() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, Never>(onValue: { _ in .max(2) })
    upstream.assertNoFailure().subscribe(subscriber)
    for value in 1...3 { #expect(upstream.send(value) == .max(2)) }
    upstream.send(completion: .finished)
    upstream.send(completion: .finished)
    let late = ManualSubscription()
    upstream.send(subscription: late)
    upstream.send(subscription: late)
    subscriber.request(.max(42))
    subscriber.cancel()
    subscriber.cancel()

    #expect(
      subscriber.events == [
        .subscription("ManualSubscription"), .value(1), .value(2), .value(3), .finished, .finished,
        .subscription("ManualSubscription"), .subscription("ManualSubscription"),
      ]
    )
    #expect(upstream.history == [])
    #expect(late.history == [.requested(.max(42)), .cancelled, .cancelled])
  }

  @Test func aFailureStopsTheProcessWithPrefixAndError() async {
    await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Fail<Int, TestError>(error: "broken").assertNoFailure("promise", file: "Somewhere.swift", line: 12)
        .subscribe(RecordingSubscriber())
    }.expectTrap(saying: "Somewhere.swift:12: Fatal error: promise: broken\n")
  }

  @Test func withoutAPrefixTheMessageIsTheErrorAndTheCallersPlace() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Fail<Int, TestError>(error: "broken").assertNoFailure().subscribe(RecordingSubscriber())
    }
    result.expectTrap(saying: "Fatal error: broken\n")
    result.expectTrap(saying: "AssertNoFailureTests.swift:")
  }

  @Test func aFailureAfterAFinishStopsTheProcessToo() async {
    await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let upstream = ManualPublisher<Int, TestError>()
      upstream.assertNoFailure().subscribe(RecordingSubscriber())
      upstream.send(completion: .finished)
      upstream.send(completion: .failure("late"))
    }.expectTrap(saying: "Fatal error: late\n")
  }

  @Test func keepsItsArguments() {
    let upstream = ManualPublisher<Int, TestError>()
    let publisher = upstream.assertNoFailure("p", file: "f", line: 3)
    #expect(publisher.upstream === upstream)
    #expect(publisher.prefix == "p")
    #expect(publisher.file.description == "f")
    #expect(publisher.line == 3)
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    upstream.assertNoFailure("p", file: "f", line: 3).subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "AssertNoFailure", children: ["file", "line", "prefix"])
    #expect(reflectedChild("prefix", of: upstream.subscriber!) as? String == "p")
    #expect(reflectedChild("line", of: upstream.subscriber!) as? UInt == 3)
  }
}
