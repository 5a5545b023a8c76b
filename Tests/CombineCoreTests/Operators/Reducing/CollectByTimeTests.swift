import TestSupport
import Testing

@testable import CombineCore

@Suite struct CollectByTimeStateTests {

  @Test func byTimeEachArrayUsesOneDemandAndNothingIsLostWithout() {
    var state = CollectByTimeState<Int>(count: nil)
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
    state.didSend(.max(3))
    #expect(state.demand == .max(4))
  }

  @Test func byCountAnArrayIsFullWithItsLastElement() {
    var state = CollectByTimeState<Int>(count: 2)
    #expect(state.answer == .none)
    #expect(state.receive(1) == nil)
    #expect(state.receive(2) == [1, 2])
    #expect(state.receive(3) == nil)
    #expect(state.tick() == [3], "whatever the demand")
    #expect(state.tick() == nil)
    state.didSend(.max(3))
    #expect(state.demand == .none)
  }

  @Test func requestsAreTranslated() {
    var byTime = CollectByTimeState<Int>(count: nil)
    #expect(byTime.request(.none) == .none)
    #expect(byTime.request(.max(7)) == .max(1))
    #expect(byTime.request(.unlimited) == .max(1))
    var byCount = CollectByTimeState<Int>(count: 3)
    #expect(byCount.request(.none) == .none)
    #expect(byCount.request(.max(7)) == .max(21))
    #expect(byCount.request(.max(.max)) == .unlimited)
    #expect(byCount.request(.unlimited) == .unlimited)
  }

  @Test(arguments: [0, -1, .min])
  func anArrayHasAtLeastOneElement(count: Int) {
    var state = CollectByTimeState<Int>(count: count)
    #expect(state.receive(1) == [1])
    #expect(state.request(.max(2)) == .max(2))
  }
}

/// What collecting by time does by itself; what it shares with others is in `TimingLifeCycleTests`, `TimingThreadTests`.
@Suite struct CollectByTimeTests {

  private typealias Traffic = VirtualScheduler.Traffic
  typealias Strategy = Publishers.TimeGroupingStrategy<VirtualScheduler>

  private let scheduler = VirtualScheduler()
  private let upstream = ManualPublisher<Int, TestError>()

  private func strategy(_ interval: Int = 10, count: Int?) -> Strategy {
    let interval = VirtualScheduler.SchedulerTimeType.Stride(interval)
    return if let count { .byTimeOrCount(scheduler, interval, count) } else { .byTime(scheduler, interval) }
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

  @Test func holdsWhatItWasGiven() {
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

  // MARK: Results

  struct Row: CustomTestStringConvertible {
    let testDescription: String
    var interval: Int
    var count: Int?
    /// Times, and what is sent at each, after a tick that is due.
    var sent: [(Int, ClosedRange<Int>)]
    var end: (Int, Subscribers.Completion<TestError>)?
    /// What is delivered, and when.
    var delivered: [String]
  }

  static let rows = [
    Row(
      testDescription: "by time, finish",
      interval: 20,
      sent: [(0, 1...2), (20, 3...5)],
      end: (30, .finished),
      delivered: ["20: [1, 2]", "30: [3, 4, 5]", "30: finished"]
    ),
    Row(
      testDescription: "by time, failure",
      interval: 20,
      sent: [(0, 1...2), (20, 3...5)],
      end: (30, .failure("end")),
      delivered: ["20: [1, 2]", "30: failure(end)"]
    ),
    Row(
      testDescription: "by time, an interval without values",
      interval: 10,
      sent: [(1, 1...1), (2, 2...2), (3, 3...3), (4, 4...4), (13, 5...5), (14, 6...6)],
      end: (30, .finished),
      delivered: ["10: [1, 2, 3, 4]", "20: [5, 6]", "30: finished"]
    ),
    Row(
      testDescription: "by time, one a unit",
      interval: 5,
      sent: (0...9).map { ($0, $0...$0) },
      delivered: ["5: [0, 1, 2, 3, 4]", "10: [5, 6, 7, 8, 9]"]
    ),
    Row(
      testDescription: "by time, one each 0.4 s",
      interval: 10,
      sent: [(4, 1...1), (8, 2...2), (12, 3...3), (16, 4...4), (19, 5...5), (24, 6...6), (28, 7...7)],
      delivered: ["10: [1, 2]", "20: [3, 4, 5]", "30: [6, 7]"]
    ),
    Row(
      testDescription: "by count 2 in 5, one a unit",
      interval: 5,
      count: 2,
      sent: (0...9).map { ($0, $0...$0) },
      delivered: ["1: [0, 1]", "3: [2, 3]", "5: [4]", "6: [5, 6]", "8: [7, 8]", "10: [9]"]
    ),
    Row(
      testDescription: "by count 5 in 5, three units later",
      interval: 5,
      count: 5,
      sent: (3...12).map { ($0, $0...$0) },
      delivered: ["5: [3, 4]", "9: [5, 6, 7, 8, 9]", "15: [10, 11, 12]"]
    ),
    Row(
      testDescription: "by count 3 in 1 s",
      interval: 10,
      count: 3,
      sent: [(1, 1...1), (2, 2...2), (3, 3...3), (4, 4...4), (5, 5...5), (13, 6...6), (14, 7...7)],
      end: (30, .finished),
      delivered: ["3: [1, 2, 3]", "10: [4, 5]", "20: [6, 7]", "30: finished"]
    ),
    Row(
      testDescription: "by count 2 in 2 s, several at once",
      interval: 20,
      count: 2,
      sent: [(0, 1...3), (20, 4...8)],
      end: (40, .finished),
      delivered: ["0: [1, 2]", "20: [3]", "20: [4, 5]", "20: [6, 7]", "40: [8]", "40: finished"]
    ),
  ]

  @Test(arguments: rows)
  func sends(_ row: Row) {
    var delivered: [String] = []
    let downstream = RecordingSubscriber<[Int], TestError>(requesting: .unlimited)
    downstream.onValue = { [scheduler] in
      delivered.append("\(scheduler.time): \($0)")
      return .none
    }
    downstream.onCompletion = { [scheduler] in
      switch $0 {
      case .finished: delivered.append("\(scheduler.time): finished")
      case .failure(let error): delivered.append("\(scheduler.time): failure(\(error))")
      }
    }
    upstream.collect(strategy(row.interval, count: row.count)).subscribe(downstream)
    for (time, values) in row.sent {
      scheduler.advance(to: .init(time))
      for value in values { upstream.send(value) }
    }
    if let (time, completion) = row.end {
      scheduler.advance(to: .init(time))
      upstream.send(completion: completion)
    }
    scheduler.advance(by: 1000)
    #expect(delivered == row.delivered)
  }

  // MARK: Traffic

  @Test(arguments: [nil, 2])
  func armsOneTimerBeforeTheDownstreamGetsItsSubscription(count: Int?) {
    let downstream = RecordingSubscriber<[Int], TestError>()
    downstream.onSubscription = { [scheduler] _ in
      #expect(scheduler.traffic == Traffic.timer(at: 0, interval: 10, 3))
    }
    upstream.collect(strategy(count: count), options: 3).subscribe(downstream)
    #expect(downstream.events == [.subscription("CollectByTime")])
    #expect(upstream.history == [])
    scheduler.advance(by: 100)
    #expect(scheduler.traffic.count == 3, "the timer repeats by itself")
    #expect(downstream.events.count == 1, "no empty arrays")
  }

  @Test func aFullArrayIsScheduledAndTheTimerGoesOn() {
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
    #expect(downstream.values == [[1, 2], [3]], "the interval was not started anew")
    #expect(scheduler.traffic == [.run(3)])
  }

  @Test func aTickDeliversInItsOwnAction() {
    let downstream = attach(count: nil, options: 3)
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
    // What is left needs no demand.
    let events: [Event<[Int]>] = completion == .finished ? [.value([1]), .finished] : [.failure("end")]
    #expect(downstream.events.dropFirst() == events[...])
    #expect(scheduler.aliveTokenCount == 0)
    #expect(upstream.history == [])
  }

  @Test func fullArraysOnTheirWayComeBeforeAFailure() {
    let downstream = attach(count: 2)
    for value in 1...3 { upstream.send(value) }
    upstream.send(completion: .failure("end"))
    scheduler.runDue()
    #expect(downstream.events == [.subscription("CollectByTime"), .value([1, 2]), .failure("end")])
  }

  @Test(arguments: [nil, 2])
  func doesWithoutTheEffectOfTokens(count: Int?) {
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

  @Test func byTimeAsksForOneValueForEachRequest() {
    let downstream = attach(count: nil, requesting: nil)
    downstream.request(.none)
    #expect(upstream.history == [])
    downstream.request(.max(5))
    downstream.request(.unlimited)
    #expect(upstream.history == [.requested(.max(1)), .requested(.max(1))])
  }

  @Test func byTimeCollectsOnWithoutDemand() {
    let downstream = attach(count: nil, requesting: nil)
    for value in 1...25 {
      #expect(upstream.send(value) == .max(1))
      scheduler.advance(by: 1)
    }
    #expect(downstream.values == [])
    downstream.request(.max(1))
    #expect(downstream.values == [], "nothing is delivered before the interval's end")
    scheduler.advance(to: 30)
    #expect(downstream.values == [Array(1...25)])
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

  @Test func byCountReturnedDemandIsForwardedWhileEndingAndNotAfterACancel() {
    let downstream = attach(count: 1, requesting: nil)
    downstream.onValue = { _ in .max(2) }
    upstream.send(1)
    upstream.send(completion: .finished)
    downstream.request(.max(9))
    scheduler.runDue()
    #expect(upstream.history == [.requested(.max(2))])

    let cancelled = attach(count: 1, requesting: nil)
    upstream.subscription!.clear()
    cancelled.onValue = { [unowned cancelled] _ in
      cancelled.cancel()
      return .max(2)
    }
    upstream.send(1)
    scheduler.runDue()
    #expect(upstream.history == [.cancelled])
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
    for value in 1...3 { upstream.send(value) }
    upstream.send(completion: .finished)
    upstream.subscription!.clear()
    downstream.cancel()
    scheduler.advance(by: 100)
    #expect(downstream.values.flatMap { $0 } == [1, 2, 3])
    #expect(downstream.events.last == .finished)
    #expect(upstream.history == [])
  }

  @Test func showsWhatItHasCollected() {
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

  @Test func withTheImmediateSchedulerArraysComeByCountAndAtTheEnd() {
    let byTime = RecordingSubscriber<[Int], Never>(requesting: .unlimited)
    [1, 2, 3].publisher.collect(.byTime(ImmediateScheduler.shared, .seconds(1))).subscribe(byTime)
    #expect(byTime.events == [.subscription("CollectByTime"), .value([1, 2, 3]), .finished])
    let byCount = RecordingSubscriber<[Int], Never>(requesting: .unlimited)
    [1, 2, 3].publisher.collect(.byTimeOrCount(ImmediateScheduler.shared, .seconds(1), 2)).subscribe(byCount)
    #expect(byCount.events == [.subscription("CollectByTime"), .value([1, 2]), .value([3]), .finished])
  }
}
