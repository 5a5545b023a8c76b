import CombineTesting
import TestSupport
import Testing

@testable import CombineCore

@Suite struct CollectByTimeMachineTests {

  @Test func byTimeEachArrayUsesOneDemandAndWithoutDemandNothingIsLost() {
    var state = CollectByTimeMachine<Int>(count: nil)
    #expect(state.answer == .max(1))
    #expect(state.tick() == nil)
    #expect(state.receive(1) == nil)
    #expect(state.tick() == nil, "no demand")
    #expect(state.receive(2) == nil)
    #expect(state.request(.max(2)) == .max(1))
    #expect(state.tick() == [1, 2])
    #expect(state.demand == .max(1))
    #expect(state.tick() == nil)
    #expect(state.demand == .max(1), "an empty interval uses none")
    #expect(state.didSend(.max(3)) == .none)
    #expect(state.demand == .max(4))
  }

  @Test func byTimeUnlimitedDemandStaysUnlimited() {
    var requested = CollectByTimeMachine<Int>(count: nil)
    #expect(requested.request(.max(1)) == .max(1))
    #expect(requested.request(.unlimited) == .unlimited)
    #expect(requested.answer == .none)
    var returned = CollectByTimeMachine<Int>(count: nil)
    #expect(returned.request(.max(1)) == .max(1))
    #expect(returned.receive(1) == nil)
    #expect(returned.tick() == [1])
    #expect(returned.didSend(.unlimited) == .unlimited)
    #expect(returned.didSend(.unlimited) == .none)
    #expect(returned.answer == .none)
  }

  @Test func byCountAnArrayIsFullWithItsLastElement() {
    var state = CollectByTimeMachine<Int>(count: 2)
    #expect(state.answer == .none)
    #expect(state.receive(1) == nil)
    #expect(state.receive(2) == [1, 2])
    #expect(state.receive(3) == nil)
    #expect(state.tick() == [3], "for any demand")
    #expect(state.tick() == nil)
    #expect(state.didSend(.max(3)) == .max(6))
    #expect(state.demand == .none)
  }

  @Test func requestsAreTranslated() {
    var byTime = CollectByTimeMachine<Int>(count: nil)
    #expect(byTime.request(.none) == .none)
    #expect(byTime.request(.max(7)) == .max(1))
    #expect(byTime.request(.unlimited) == .unlimited)
    var byCount = CollectByTimeMachine<Int>(count: 3)
    #expect(byCount.request(.none) == .none)
    #expect(byCount.request(.max(7)) == .max(21))
    #expect(byCount.request(.max(.max)) == .unlimited)
    #expect(byCount.request(.unlimited) == .unlimited)
  }

  @Test(arguments: [0, -1, .min])
  func anArrayHasAtLeastOneElement(count: Int) {
    var state = CollectByTimeMachine<Int>(count: count)
    #expect(state.receive(1) == [1])
    #expect(state.request(.max(2)) == .max(2))
  }
}

/// Behaviour of collecting by time only. `TimingLifeCycleTests` and `TimingThreadTests` test what it shares with
/// others.
@Suite struct CollectByTimeTests {

  private typealias Traffic = VirtualScheduler.Traffic
  typealias Strategy = Publishers.TimeGroupingStrategy<VirtualScheduler>

  private let scheduler = VirtualScheduler()
  private let upstream = ManualPublisher<Int, TestError>()

  private func strategy(count: Int?) -> Strategy {
    if let count { .byTimeOrCount(scheduler, 10, count) } else { .byTime(scheduler, 10) }
  }

  private func attach(
    count: Int?,
    requesting demand: Subscribers.Demand? = .unlimited,
    options: VirtualScheduler.SchedulerOptions? = nil
  ) -> RecordingSubscriber<[Int], TestError> {
    let downstream = RecordingSubscriber<[Int], TestError>(onSubscription: { if let demand { $0.request(demand) } })
    upstream.collect(strategy(count: count), options: options).subscribe(downstream)
    return downstream
  }

  @Test func keepsItsArguments() {
    let publisher: Publishers.CollectByTime<ManualPublisher<Int, TestError>, VirtualScheduler> =
      upstream.collect(.byTimeOrCount(scheduler, 10, 4), options: 3)
    #expect(publisher.upstream === upstream)
    #expect(publisher.options == 3)
    guard case .byTimeOrCount(let context, 10, 4) = publisher.strategy else {
      Issue.record("\(publisher.strategy)")
      return
    }
    #expect(context === scheduler)
    #expect(upstream.collect(.byTime(scheduler, 10)).options == nil)
    let made = Publishers.CollectByTime(upstream: upstream, strategy: strategy(count: nil), options: 5)
    #expect(made.options == 5)
    guard case .byTime(_, 10) = made.strategy else {
      Issue.record("\(made.strategy)")
      return
    }
    #expect(scheduler.traffic == [])
  }

  // MARK: Times

  /// The arrays that the letters stand for.
  private static let arrays: [Character: [Int]] = [
    "x": [1, 2], "y": [3, 4, 5], "z": [6, 7],
    "a": [0, 1], "b": [2, 3], "c": [4], "d": [5, 6], "e": [7, 8], "f": [9],
    "r": [0, 1, 2, 3, 4], "s": [5, 6, 7, 8, 9], "t": [2, 3, 4, 5, 6], "u": [7, 8, 9],
    "l": [1, 2, 3, 4], "m": [5, 6], "n": [1, 2, 3], "o": [4, 5], "p": [3], "q": [8],
  ]

  // Values that an input sends at a time precede a tick of that time. Values measured after the tick are drawn one
  // later.

  @Test func publishesAnArrayAtEachTickAndTheRestAtTheFinish() {
    marbles(of: Int.self, outputs: Self.arrays) {
      "(12)-----(345)--|"
      $0[0].collect(.byTime($0.scheduler, 8))
      "--------x-------(y|)"
    }
  }

  @Test func aFailureDropsTheRest() {
    marbles(of: Int.self, outputs: Self.arrays) {
      "(12)-----(345)--#"
      $0[0].collect(.byTime($0.scheduler, 8))
      "--------x-------#"
    }
    marbles(of: Int.self, outputs: Self.arrays) {
      "(123)-#"
      $0[0].collect(.byTimeOrCount($0.scheduler, 8, 2))
      "x-----#"
    }
  }

  @Test func aCancelDropsTheRest() {
    marbles(of: Int.self, outputs: Self.arrays) {
      "(12)-----(345)-----|"
      $0[0].collect(.byTime($0.scheduler, 8))
      "--------x------!"
      "^--------------!"
    }
  }

  @Test func anIntervalWithoutValuesPublishesNothing() {
    marbles(of: Int.self, outputs: Self.arrays) {
      "-1234--------56---------------|"
      $0[0].collect(.byTime($0.scheduler, 10))
      "----------l---------m---------|"
    }
  }

  @Test func intervalsAreCountedFromTheSubscription() {
    marbles(of: Int.self, outputs: Self.arrays) {
      "-0123456789----"
      $0[0].collect(.byTime($0.scheduler, 5))
      "-----r----s----"
    }
    marbles(of: Int.self, outputs: Self.arrays) {
      "--1-2-3-4-5-6-7-"
      $0[0].collect(.byTime($0.scheduler, 5))
      "-----x----y----z"
    }
    marbles(of: Int.self, outputs: Self.arrays) {
      "1-2^-345---"
      $0[0].collect(.byTime($0.scheduler, 5))
      "   ^----y--"
    }
  }

  @Test func aFullArrayIsPublishedAtOnceAndTheTicksContinue() {
    marbles(of: Int.self, outputs: Self.arrays) {
      "-0123456789--"
      $0[0].collect(.byTimeOrCount($0.scheduler, 5, 2))
      "--a-bc-d-ef--"
    }
    marbles(of: Int.self, outputs: Self.arrays) {
      "----0123456789---"
      $0[0].collect(.byTimeOrCount($0.scheduler, 5, 5))
      "-----a----t----u-"
    }
    marbles(of: Int.self, outputs: Self.arrays) {
      "-12345-------67---------------|"
      $0[0].collect(.byTimeOrCount($0.scheduler, 10, 3))
      "---n------o---------z---------|"
    }
  }

  @Test func severalArraysMayBeFullAtTheSameTime() {
    marbles(of: Int.self, outputs: Self.arrays) {
      "(123)----(45678)-|"
      $0[0].collect(.byTimeOrCount($0.scheduler, 8, 2))
      "x-------p(oz)---q|"
    }
  }

  // MARK: Traffic

  @Test(arguments: [nil, 2])
  func setsOneTimerBeforeTheDownstreamReceivesItsSubscription(count: Int?) {
    let downstream = RecordingSubscriber<[Int], TestError>()
    downstream.onSubscription = { [scheduler] _ in
      #expect(scheduler.traffic == Traffic.timer(at: 0, interval: 10, 3))
    }
    upstream.collect(strategy(count: count), options: 3).subscribe(downstream)
    #expect(downstream.events == [.subscription("CollectByTime")])
    #expect(upstream.history == [])
    scheduler.advance(by: 100)
    #expect(scheduler.traffic.count == 3, "the timer repeats")
    #expect(downstream.events.count == 1, "no empty arrays")
  }

  @Test func aFullArrayIsScheduledAndTheTimerContinues() {
    let downstream = attach(count: 2, options: 3)
    scheduler.logsCancellations = true
    scheduler.advance(to: 8)
    scheduler.clearTraffic()
    #expect(upstream.send(1) == .none)
    #expect(scheduler.traffic == [])
    #expect(upstream.send(2) == .none)
    #expect(scheduler.traffic == [.run(3)])
    #expect(downstream.values == [])
    scheduler.runDue()
    #expect(downstream.values == [[1, 2]])
    upstream.send(3)
    scheduler.advance(to: 10)
    #expect(downstream.values == [[1, 2], [3]], "the interval was not restarted")
    #expect(scheduler.traffic == [.run(3)])
  }

  @Test func aTickDeliversInItsOwnAction() {
    let downstream = attach(count: nil, requesting: .max(9), options: 3)
    scheduler.clearTraffic()
    #expect(upstream.send(1) == .max(1))
    scheduler.advance(to: 10)
    #expect(downstream.values == [[1]])
    #expect(scheduler.traffic == [])
  }

  @Test(arguments: [nil, 2], [Subscribers.Completion<TestError>.finished, .failure("end")])
  func aCompletionCancelsTheTimerAndIsOneAction(count: Int?, completion: Subscribers.Completion<TestError>) {
    let downstream = attach(count: count, requesting: Subscribers.Demand.none, options: 3)
    upstream.send(1)
    scheduler.clearTraffic()
    scheduler.logsCancellations = true
    upstream.send(completion: completion)
    #expect(scheduler.traffic == [.cancelled(1), .run(3)])
    #expect(downstream.events.count == 1)
    scheduler.advance(by: 100)
    // The remaining values need no demand.
    let events: [Event<[Int]>] = completion == .finished ? [.value([1]), .finished] : [.failure("end")]
    #expect(downstream.events.dropFirst() == events[...])
    #expect(scheduler.aliveTokenCount == 0)
    #expect(upstream.history == [])
  }

  @Test func aTickComesAfterTheFullArraysThatWait() {
    let downstream = attach(count: 2, options: 3)
    scheduler.advance(to: 9)
    for value in 1...3 { upstream.send(value) }
    scheduler.delayPending(to: 11, includingTimers: false)
    scheduler.advance(to: 10)
    #expect(downstream.values == [[1, 2]], "the tick delivers the oldest array")
    scheduler.advance(to: 11)
    #expect(downstream.values == [[1, 2], [3]])
  }

  @Test(arguments: [nil, 2])
  func worksIfCancellingATokenHasNoEffect(count: Int?) {
    scheduler.tokensWork = false
    let downstream = attach(count: count)
    upstream.send(1)
    upstream.send(completion: .finished)
    scheduler.advance(by: 100)
    #expect(downstream.events == [.subscription("CollectByTime"), .value([1]), .finished])
    let cancelled = attach(count: count)
    upstream.send(1)
    cancelled.cancel()
    scheduler.advance(by: 100)
    #expect(cancelled.events.count == 1)
  }

  // MARK: Demand

  @Test func byTimeRequestsOneValueForEachRequest() {
    let downstream = attach(count: nil, requesting: nil)
    downstream.request(.none)
    #expect(upstream.history == [])
    downstream.request(.max(5))
    downstream.request(.unlimited)
    #expect(upstream.history == [.requested(.max(1)), .requested(.unlimited)])
  }

  @Test func byTimeDemandExample() {
    let downstream = attach(count: nil, requesting: .max(2))
    downstream.onValue = { $0.contains(0) || $0.contains(5) ? .max(1) : .none }
    var answers = 0
    for value in 0..<100 {
      if upstream.send(value) == .max(1) { answers += 1 }
      if value % 3 == 2 { scheduler.advance(by: 10) }
    }
    scheduler.advance(by: 10)
    #expect(downstream.values == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]])
    #expect(answers == 100)
    #expect(upstream.history == [.requested(.max(1))])
    downstream.request(.max(2))
    #expect(upstream.history == [.requested(.max(1)), .requested(.max(1))])
  }

  @Test func byCountDemandExample() {
    let downstream = attach(count: 2, requesting: .max(2))
    downstream.onValue = { $0.contains(0) ? .max(1) : $0.contains(2) ? .max(5) : .none }
    var demand = Subscribers.Demand.max(4)
    upstream.subscription!.onRequest = { demand += $0 }
    #expect(upstream.history == [.requested(.max(4))])
    var next = 0
    for _ in 0..<6 {
      scheduler.advance(by: 10)
      for _ in 0..<3 where demand > .none {
        demand -= 1
        #expect(upstream.send(next) == .none)
        next += 1
      }
    }
    scheduler.advance(by: 10)
    #expect(downstream.values == [[0, 1], [2], [3, 4], [5]])
    #expect(upstream.history == [.requested(.max(4)), .requested(.max(2))])
  }

  @Test func byCountMultipliesRequests() {
    let downstream = attach(count: 3, requesting: nil)
    downstream.request(.none)
    downstream.request(.max(2))
    downstream.request(.unlimited)
    #expect(upstream.history == [.requested(.max(6)), .requested(.unlimited)])
  }

  // MARK: The end

  @Test(arguments: [nil, 2])
  func cancelDropsEverything(count: Int?) {
    let downstream = attach(count: count)
    for value in 1...3 { upstream.send(value) }
    downstream.cancel()
    scheduler.advance(by: 100)
    #expect(downstream.events.count == 1)
    #expect(upstream.history.last == .cancelled)
    #expect(scheduler.aliveTokenCount == 0)
    let buffer = reflectedChild("buffer", of: upstream.subscriber!) as? [Int]
    #expect(buffer == [])
  }

  @Test(arguments: [nil, 2])
  func cancelWhileEndingStopsNothing(count: Int?) {
    let downstream = attach(count: count)
    upstream.send(1)
    upstream.send(completion: .finished)
    let history = upstream.history
    downstream.cancel()
    scheduler.advance(by: 100)
    #expect(downstream.events == [.subscription("CollectByTime"), .value([1]), .finished])
    #expect(upstream.history == history)
  }

  @Test func reflectsItsCollectedValues() {
    _ = attach(count: 3)
    upstream.send(1)
    upstream.send(2)
    let conduit = upstream.subscriber!
    let (buffer, count) = (
      reflectedChild("buffer", of: conduit) as? [Int], reflectedChild("count", of: conduit) as? Int
    )
    #expect(buffer == [1, 2])
    #expect(count == 3)
  }

  @Test(arguments: [nil, 2])
  func anAbandonedConduitStopsItsTimer(count: Int?) {
    weak var conduit: AnyObject?
    do {
      let downstream = attach(count: count)
      conduit = downstream.subscription as AnyObject?
      downstream.dropSubscription()
      upstream.dropSubscriber()
    }
    #expect(conduit == nil)
    #expect(scheduler.pendingCount == 0)
    #expect(scheduler.aliveTokenCount == 0)
  }

  // MARK: Immediate scheduler

  @Test func withTheImmediateSchedulerPublishesArraysByCountAndAtTheFinish() {
    let byTime = RecordingSubscriber<[Int], Never>(requesting: .unlimited)
    [1, 2, 3].publisher.collect(.byTime(ImmediateScheduler.shared, .seconds(1))).subscribe(byTime)
    #expect(byTime.events == [.subscription("CollectByTime"), .value([1, 2, 3]), .finished])
    let byCount = RecordingSubscriber<[Int], Never>(requesting: .unlimited)
    [1, 2, 3].publisher.collect(.byTimeOrCount(ImmediateScheduler.shared, .seconds(1), 2)).subscribe(byCount)
    #expect(byCount.events == [.subscription("CollectByTime"), .value([1, 2]), .value([3]), .finished])
  }
}
