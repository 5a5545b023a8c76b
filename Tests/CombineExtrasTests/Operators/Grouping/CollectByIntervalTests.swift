import CombineExtras
import CombineTesting
import Dispatch
import TestSupport
import Testing

@Suite struct CollectByIntervalTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<[Int], TestError>

  @Test func publishesAnArrayAfterEachDurationWithoutEmptyOnes() {
    marbles(outputs: ["x": ["a", "b"], "y": ["c"], "z": ["d"]]) {
      "-a-b--c---------d-|"
      $0[0].collect(for: 5, scheduler: $0.scheduler)
      "-----x----y-------(z|)"
    }
  }

  @Test func aFullArrayIsPublishedAtOnceAndTheNextOneBeginsThen() {
    marbles(outputs: ["x": ["a", "b"], "y": ["c"], "z": ["d"]]) {
      "-a-b--c-d----|"
      $0[0].collect(for: 4, maxCount: 2, scheduler: $0.scheduler)
      "---x---y---z-|"
    }
  }

  @Test func arraysOverlapIfTheIntervalIsShorter() {
    marbles(outputs: ["x": ["a", "b"], "y": ["b", "c"], "z": ["c"]]) {
      "-a-b-c----|"
      $0[0].collect(for: 4, every: 2, scheduler: $0.scheduler)
      "----x-y-z-|"
    }
  }

  @Test func aDurationBetweenTwoIntervalsClosesAnArrayBetweenThem() {
    marbles(outputs: ["x": ["a", "b"], "y": ["b", "c"], "z": ["c", "d"], "w": ["d"]]) {
      "-a--b--c--d|"
      $0[0].collect(for: 5, every: 3, scheduler: $0.scheduler)
      "-----x--y--(zw|)"
    }
  }

  @Test func elementsBetweenArraysAreDroppedIfTheIntervalIsLonger() {
    marbles(outputs: ["x": ["a"], "y": ["d"]]) {
      "-a-b-c-d--|"
      $0[0].collect(for: 2, every: 6, scheduler: $0.scheduler)
      "--x-----y-|"
    }
  }

  @Test func afterAFullArrayTheNextIntervalBeginsOne() {
    marbles(outputs: ["x": ["a", "b"], "y": ["d"]]) {
      "-ab-c--d------|"
      $0[0].collect(for: 5, every: 5, maxCount: 2, scheduler: $0.scheduler)
      "--x-------y---|"
    }
  }

  @Test func aFailureDropsTheArraysThatHaveBegun() {
    marbles(outputs: ["x": ["a"]]) {
      "-a---b-#"
      $0[0].collect(for: 4, scheduler: $0.scheduler)
      "----x--#"
    }
  }

  @Test(arguments: [nil, 3, 5] as [Int?], [true, false])
  func leavesNoTimerAfterTheEnd(_ interval: Int?, _ cancels: Bool) {
    let scheduler = TestScheduler()
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    upstream.collect(for: 5, every: interval.map { .seconds($0) }, maxCount: 9, scheduler: scheduler)
      .subscribe(downstream)
    scheduler.advance(by: 7)
    if cancels { downstream.cancel() } else { upstream.send(completion: .finished) }
    let end = scheduler.now
    scheduler.resume()
    #expect(scheduler.now == end)
    #expect(upstream.history.contains(.cancelled) == cancels)
  }

  @Test func anAbandonedSubscriptionLeavesNoTimer() {
    let scheduler = TestScheduler()
    do {
      let upstream = Upstream()
      let downstream = Downstream(requesting: .unlimited)
      upstream.collect(for: 5, every: 3, scheduler: scheduler).subscribe(downstream)
      scheduler.advance(by: 4)
      upstream.send(1)
      downstream.dropSubscription()
      upstream.dropSubscriber()
    }
    let end = scheduler.now
    scheduler.resume()
    #expect(scheduler.now == end)
  }

  @Test func aSchedulerWithoutAClockDoesNotRecur() {
    let downstream = RecordingSubscriber<[Int], Never>(requesting: .unlimited)
    (1...5).publisher.collect(for: .seconds(1), every: .seconds(2), maxCount: 2, scheduler: ImmediateScheduler.shared)
      .subscribe(downstream)
    #expect(downstream.events.last == .finished)
  }

  /// Elements come on two threads while the scheduler closes arrays on a third one.
  @Test func noElementIsLostWhileTimeRuns() {
    let subject = PassthroughSubject<Int, Never>()
    let log = SharedLog<Int>()
    let scheduler = DispatchQueue(label: "collect")
    let isDone = DispatchSemaphore(value: 0)
    let sink = subject.collect(for: .microseconds(50), maxCount: 7, scheduler: scheduler)
      .sink { _ in
        isDone.signal()
      } receiveValue: {
        for number in $0 { log.append(number) }
      }
    onThreads(2) { thread in
      for number in 0..<2000 where number % 2 == thread { subject.send(number) }
    }
    subject.send(completion: .finished)
    // The completion may be left to the scheduler's thread, which is publishing an array.
    #expect(isDone.wait(timeout: .now() + 60) == .success)
    #expect(log.values.sorted() == Array(0..<2000))
    sink.cancel()
  }
}
