import CombineCore
import Dispatch
import Foundation
import TestSupport
import Testing

/// Tests that the harness detects the faults that it is for.
@Suite(.inLongRuns) struct HarnessTests {

  /// A publisher that exposes its subscriber for misuse.
  private final class Broken: Publisher, @unchecked Sendable {

    typealias Output = Item
    typealias Failure = TestError

    private struct Ignorant: Subscription {
      let combineIdentifier = CombineIdentifier()
      func request(_ demand: Subscribers.Demand) {}
      func cancel() {}
    }

    private(set) var subscriber: (any Subscriber<Item, TestError>)!  // Set before the threads start.

    func receive<S: Subscriber>(subscriber: S) where S.Input == Item, S.Failure == TestError {
      self.subscriber = subscriber
    }

    func greet() { subscriber.receive(subscription: Ignorant()) }

    /// Releases the subscriber, which would otherwise be kept alive.
    func forget() { subscriber = nil }
  }

  /// Returns the findings of a misbehaving publisher.
  private func findings(
    requesting demand: Subscribers.Demand = .unlimited,
    order: CheckingSubscriber<Item, TestError>.Order = .gapless,
    respond: @escaping @Sendable (CheckingSubscriber<Item, TestError>, Item) -> Subscribers.Demand = { _, _ in .none },
    _ misbehave: (Broken, CheckingSubscriber<Item, TestError>, Round) -> Void
  ) -> [String] {
    problems(ofStressing: "a broken publisher", rounds: 1, seconds: 20) { round in
      let downstream = CheckingSubscriber(round, named: "it", requesting: demand, order: order, respond: respond)
      let publisher = Broken()
      publisher.subscribe(downstream)
      misbehave(publisher, downstream, round)
      publisher.forget()
      downstream.releaseContents()
      round.judge(downstream)
    }
  }

  private func send(_ number: Int, to publisher: Broken, _ round: Round) {
    _ = publisher.subscriber.receive(Item(source: 0, number: number, round.tally))
  }

  @Test func findsNothingInACorrectPublisher() {
    let found = findings { publisher, downstream, round in
      publisher.greet()
      for number in 0..<3 { send(number, to: publisher, round) }
      publisher.subscriber.receive(completion: .finished)
    }
    #expect(found.isEmpty)
  }

  @Test func findsEventsThatAreTooEarlyTooLateOrTooMany() {
    #expect(
      findings { publisher, _, round in send(0, to: publisher, round) }
        == ["round 0: it: a value before the subscription", "round 0: it: value number 1 where 0 were asked for"]
    )
    let late = findings { publisher, _, round in
      publisher.greet()
      publisher.subscriber.receive(completion: .finished)
      publisher.subscriber.receive(completion: .finished)
      send(0, to: publisher, round)
      publisher.greet()
    }
    #expect(
      late == [
        "round 0: it: completion number 2", "round 0: it: a value after the completion",
        "round 0: it: subscription number 2", "round 0: it: a subscription after the completion",
      ]
    )
  }

  @Test func findsValuesBeyondDemand() {
    let found = findings(requesting: .max(1), respond: { _, item in item.number == 0 ? .max(1) : .none }) {
      publisher,
      _,
      round in
      publisher.greet()
      for number in 0..<3 { send(number, to: publisher, round) }
    }
    #expect(found == ["round 0: it: value number 3 where 2 were asked for"])
  }

  @Test func findsValuesThatAreLostRepeatedOrOutOfOrder() {
    let numbers = [0, 1, 3, 3, 2]
    func found(_ order: CheckingSubscriber<Item, TestError>.Order) -> [String] {
      findings(order: order) { publisher, _, round in
        publisher.greet()
        for number in numbers { send(number, to: publisher, round) }
      }
    }
    let (gap, twice, back) = (
      "round 0: it: value 3 of source 0 after 1", "round 0: it: value 3 of source 0 after 3",
      "round 0: it: value 2 of source 0 after 3"
    )
    #expect(found(.gapless) == [gap, twice, back])
    #expect(found(.ascending) == [twice, back])
    #expect(found(.rising) == [back])
    #expect(found(.any) == [])
  }

  @Test func findsValuesAfterACancelOnTheSameThreadOnly() {
    let found = findings { publisher, downstream, round in
      publisher.greet()
      downstream.cancel()
      round.run([{ [self] _ in send(0, to: publisher, round) }])
      send(1, to: publisher, round)
      publisher.subscriber.receive(completion: .finished)
    }
    #expect(
      found == [
        "round 0: it: a value on a thread that has cancelled",
        "round 0: it: a completion on a thread that has cancelled",
      ]
    )
  }

  @Test func findsOverlappingCallsOfTwoThreadsButNotNestedCallsOfOne() {
    let first = DispatchSemaphore(value: 0)
    let second = DispatchSemaphore(value: 0)
    let found = findings(
      order: .any,
      respond: { downstream, item in
        switch item.number {
        case 0:
          first.signal()
          second.wait()
        case 1:
          second.signal()
        case 2:
          _ = downstream.receive(Item(source: 0, number: 3, Tally()))
        default:
          break
        }
        return .none
      }
    ) { publisher, _, round in
      publisher.greet()
      round.run(threads: 2) { [self] worker in
        if worker.index == 1 { first.wait() }
        send(worker.index, to: publisher, round)
      }
      send(2, to: publisher, round)
    }
    #expect(found == ["round 0: it: entered by two threads at once"])
  }

  @Test func findsLeaks() {
    final class Knot {
      var own: Knot?
      let token: Tally.Token
      init(_ round: Round) {
        token = Tally.Token(round.tally)
        round.involve("knot", self)
      }
    }
    var knots: [Knot] = []
    let found = problems(ofStressing: "a leak", rounds: 3, seconds: 20) { round in
      let knot = Knot(round)
      if round.number == 1 {
        knot.own = knot
        knots.append(knot)
      }
    }
    #expect(found == ["round 1: 1 objects leaked; [\"knot\"]"])
    for knot in knots { knot.own = nil }
  }

  @Test func theWatchdogReportsWhatHangsAndEndsTheProcess() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await stress("two that wait for each other", rounds: 1, seconds: 1) { round in
        let subject = PassthroughSubject<Item, TestError>()
        let downstream = CheckingSubscriber<Item, TestError>(round, requesting: .max(7))
        subject.subscribe(downstream)
        let never = DispatchSemaphore(value: 0)
        round.run([
          { worker in
            worker.note("waits for the other, step", 42)
            never.wait()
          },
          { worker in worker.note("comes and goes") },
        ])
      }
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    for line in [
      "watchdog: two that wait for each other has made no progress for 1 s",
      "thread 0, action 1: waits for the other, step 42",
      "thread 1, action 2: has ended 0",
      "downstream: downstream",
      "last request: 7",
      "subscription: Optional(PassthroughSubject)",
      "watchdog: the process ends here",
    ] {
      #expect(text.contains(line), "\(line)")
    }
  }

  @Test func theWatchdogDoesNotEndAProcessThatMakesProgress() async {
    // Each round takes less than the limit, and all together take more.
    await stress("slow but going on", rounds: 4, seconds: 1) { _ in
      Thread.sleep(forTimeInterval: 0.4)
    }
  }
}
