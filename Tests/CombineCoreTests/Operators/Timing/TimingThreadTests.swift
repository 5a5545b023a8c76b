import CombineCore
import Dispatch
import TestSupport
import Testing

/// The operators that serialize their calls downstream, with two threads that send and those of the scheduler.
///
/// Timers of the scheduler fire at once and again, often before their token is returned.
@Suite(.serialized) struct TimingThreadTests {

  static let operators = [TimingOperator.debounce, .throttle, .delay, .timeout, .receiveOn, .collectByTimeOrCount]

  /// A scheduler whose timers fire, except where that ends the stream, or repeats until the stream ends.
  private func scheduler(for timingOperator: TimingOperator, workers: Int) -> ThreadScheduler {
    ThreadScheduler(workers: workers, firesTimers: ![.timeout, .collectByTimeOrCount].contains(timingOperator))
  }

  @Test(arguments: operators, [1, 3])
  func twoThreadsMaySendAndNoneOverlapsDownstream(_ timingOperator: TimingOperator, workers: Int) {
    let scheduler = scheduler(for: timingOperator, workers: workers)
    let upstream = SharedUpstream<Int>()
    let downstream = ExclusiveSubscriber<Int>()
    timingOperator.attach(downstream, to: upstream, on: scheduler)
    let count = 2000
    onThreads(2) { thread in
      for number in 0..<count { upstream.send(thread * count + number) }
    }
    scheduler.drain()
    let values = downstream.values
    upstream.finish()
    scheduler.finish()  // This ends only if every timer was cancelled.

    #expect(downstream.overlapCount == 0)
    #expect(downstream.completionCount == 1)
    #expect(downstream.values == values, "nothing follows the completion")
    #expect(Set(values).count == values.count, "each value at most once")
    switch timingOperator {
    case .delay, .timeout, .receiveOn, .collectByTimeOrCount:
      #expect(values.count == 2 * count)
      #expect(values.filter { $0 < count } == Array(0..<count), "in the order of each thread")
      #expect(values.filter { $0 >= count } == Array(count..<2 * count), "in the order of each thread")
    default:
      #expect(!values.isEmpty, "the last value at least")
    }
  }

  @Test(arguments: operators)
  func theCompletionIsLastAndScheduledEventsKeepTheirOrder(_ timingOperator: TimingOperator) {
    for _ in 0..<50 {
      let scheduler = scheduler(for: timingOperator, workers: 3)
      let upstream = SharedUpstream<Int>()
      let downstream = ExclusiveSubscriber<Int>()
      timingOperator.attach(downstream, to: upstream, on: scheduler)
      for number in 0..<20 { upstream.send(number) }
      upstream.finish()
      scheduler.finish()
      #expect(downstream.overlapCount == 0)
      #expect(downstream.lateCount == 0)
      #expect(downstream.completionCount == 1)
      // The others drop values.
      guard ![.debounce, .throttle].contains(timingOperator) else { continue }
      #expect(downstream.values == Array(0..<20))
    }
  }

  @Test(arguments: operators)
  func aCancelRacesWithSending(_ timingOperator: TimingOperator) {
    for _ in 0..<50 {
      let scheduler = scheduler(for: timingOperator, workers: 2)
      let upstream = SharedUpstream<Int>()
      let downstream = ExclusiveSubscriber<Int>()
      timingOperator.attach(downstream, to: upstream, on: scheduler)
      onThreads(2) { thread in
        if thread == 0 {
          for number in 0..<50 { upstream.send(number) }
          upstream.finish()
        } else {
          downstream.cancel()
        }
      }
      scheduler.finish()
      #expect(downstream.overlapCount == 0)
      #expect(downstream.lateCount == 0)
      #expect(upstream.cancelCount + downstream.completionCount == 1, "either cancelled or completed")
    }
  }

  // MARK: One downstream callback while another runs

  /// Blocks the thread of the downstream's first value until another callback begins, or for a moment.
  ///
  /// The moment is too short to fail a correct operator, and long enough to catch a wrong one.
  private func hold(
    _ timingOperator: TimingOperator,
    then inside: @escaping (SharedUpstream<Int>) -> Void,
    afterwards: @escaping (RecordingSubscriber<Int, TestError>) -> Void = { _ in }
  ) -> (events: [Event<Int>], overlapped: Bool) {
    let scheduler = scheduler(for: timingOperator, workers: 2)
    let upstream = SharedUpstream<Int>()
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    let next = DispatchSemaphore(value: 0)
    var overlapped = false
    downstream.onValue = { [unowned downstream] value in
      if value == 1 {
        inside(upstream)
        overlapped = next.wait(timeout: .now() + .milliseconds(30)) == .success
        afterwards(downstream)
      } else {
        next.signal()
      }
      return .none
    }
    downstream.onCompletion = { _ in next.signal() }
    timingOperator.attach(downstream, to: upstream, on: scheduler)
    upstream.send(1)
    scheduler.finish()
    return (Array(downstream.events.dropFirst()), overlapped)
  }

  @Test(arguments: operators)
  func aValueWaitsForThePreviousValue(_ timingOperator: TimingOperator) {
    let result = hold(timingOperator) { $0.send(2) }
    #expect(!result.overlapped)
    #expect(result.events == [.value(1), .value(2)])
  }

  /// A downstream that requests while it receives its subscription may make its upstream wait for another thread. That
  /// thread must not wait for the subscription.
  @Test(arguments: operators)
  func aRequestedValueDoesNotWaitForTheSubscriptionToReturn(_ timingOperator: TimingOperator) {
    let scheduler = scheduler(for: timingOperator, workers: 2)
    let upstream = SharedUpstream<Int>()
    let next = DispatchSemaphore(value: 0)
    var hasArrived = false
    let downstream = AnySubscriber<Int, TestError>(
      receiveSubscription: {
        $0.request(.unlimited)
        upstream.send(1)
        hasArrived = next.wait(timeout: .now() + .seconds(60)) == .success
      },
      receiveValue: { _ in
        next.signal()
        return .none
      }
    )
    timingOperator.attach(downstream, to: upstream, on: scheduler)
    upstream.finish()
    scheduler.finish()
    #expect(hasArrived)
  }

  @Test(arguments: operators)
  func aCompletionOnAnotherThreadDoesNotOvertakeTheSubscription(_ timingOperator: TimingOperator) {
    let scheduler = scheduler(for: timingOperator, workers: 2)
    let upstream = SharedUpstream<Int>()
    let log = Guarded<[String]>([])
    let downstream = AnySubscriber<Int, TestError>(
      receiveSubscription: { _ in
        onThreads(1) { _ in upstream.finish() }
        scheduler.drain()
        log.withLock { $0.append("subscription") }
      },
      receiveCompletion: { _ in log.withLock { $0.append("completion") } }
    )
    timingOperator.attach(downstream, to: upstream, on: scheduler)
    scheduler.finish()
    #expect(log.withLock { $0 } == ["subscription", "completion"])
  }

  @Test(arguments: operators)
  func aCompletionWaitsForThePreviousValue(_ timingOperator: TimingOperator) {
    let result = hold(timingOperator) { $0.finish() }
    #expect(!result.overlapped)
    #expect(result.events == [.value(1), .finished])
  }

  @Test(arguments: operators)
  func aPendingValueIsDroppedIfTheDownstreamHasCancelled(_ timingOperator: TimingOperator) {
    let result = hold(timingOperator, then: { $0.send(2) }, afterwards: { $0.cancel() })
    #expect(!result.overlapped)
    #expect(result.events == [.value(1)])
  }

  // MARK: Timers that end the stream or an array

  @Test func aTimeoutRacesWithValuesACompletionAndACancel() {
    for _ in 0..<100 {
      let scheduler = ThreadScheduler(workers: 2)
      let upstream = SharedUpstream<Int>()
      let downstream = ExclusiveSubscriber<Int>()
      upstream.timeout(10, scheduler: scheduler).subscribe(downstream)
      onThreads(2) { thread in
        if thread == 0 {
          for number in 0..<20 { upstream.send(number) }
          upstream.finish()
        } else {
          downstream.cancel()
        }
      }
      scheduler.finish()  // This ends only if every timer was cancelled.
      #expect(downstream.overlapCount == 0)
      #expect(downstream.lateCount == 0)
      #expect(upstream.cancelCount <= 1, "by the downstream or by the timer")
      #expect(downstream.completionCount <= 1)
      #expect(upstream.cancelCount + downstream.completionCount > 0)
    }
  }

  @Test(arguments: [nil, 3])
  func arraysEndedByTicksHoldEveryValueOnceAndInOrder(count: Int?) {
    let scheduler = ThreadScheduler(workers: 1)
    let upstream = SharedUpstream<Int>()
    let downstream = ExclusiveSubscriber<[Int]>()
    let strategy: Publishers.TimeGroupingStrategy<ThreadScheduler> =
      if let count { .byTimeOrCount(scheduler, 10, count) } else { .byTime(scheduler, 10) }
    upstream.collect(strategy).subscribe(downstream)
    onThreads(2) { thread in
      for number in 0..<1000 { upstream.send(thread * 1000 + number) }
    }
    upstream.finish()
    scheduler.finish()  // This ends only if the timer was cancelled.
    #expect(downstream.overlapCount == 0)
    #expect(downstream.lateCount == 0)
    #expect(downstream.completionCount == 1)
    #expect(downstream.values.allSatisfy { !$0.isEmpty && $0.count <= count ?? .max })
    let values = downstream.values.flatMap { $0 }
    #expect(values.sorted() == Array(0..<2000))
    #expect(values.filter { $0 < 1000 } == Array(0..<1000))
  }

  @Test func ticksRaceWithTheCompletionAndNothingIsLost() {
    for _ in 0..<100 {
      let scheduler = ThreadScheduler(workers: 3)
      let upstream = SharedUpstream<Int>()
      let downstream = ExclusiveSubscriber<[Int]>()
      upstream.collect(.byTime(scheduler, 10)).subscribe(downstream)
      for number in 0..<50 { upstream.send(number) }
      upstream.finish()
      scheduler.finish()
      #expect(downstream.values.flatMap { $0 } == Array(0..<50))
      #expect(downstream.completionCount == 1)
      #expect(downstream.lateCount == 0)
      #expect(downstream.overlapCount == 0)
    }
  }
}
