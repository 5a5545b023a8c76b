import CombineTesting
import TestSupport
import Testing

@testable import CombineCore

/// What a scheduler sees, and examples. `TimedModelTests` have every sequence of events.
@Suite struct ThrottleTests {

  private let scheduler = VirtualScheduler()
  private let upstream = ManualPublisher<Int, TestError>()

  private static let tolerance = VirtualScheduler.tolerance

  /// Subscribes a subscriber to a throttle of 60 and clears the traffic of that.
  private func attach(
    requesting demand: Subscribers.Demand = .unlimited,
    returning: [Subscribers.Demand] = [],
    latest: Bool = true
  ) -> RecordingSubscriber<Int, TestError> {
    let downstream = RecordingSubscriber<Int, TestError>(requesting: demand, returning: returning)
    upstream.throttle(for: 60, scheduler: scheduler, latest: latest).subscribe(downstream)
    scheduler.clearTraffic()
    return downstream
  }

  @Test func keepsItsArguments() {
    let publisher: Publishers.Throttle<ManualPublisher<Int, TestError>, VirtualScheduler> =
      upstream.throttle(for: 10, scheduler: scheduler, latest: true)
    #expect(publisher.upstream === upstream)
    #expect(publisher.interval == 10)
    #expect(publisher.scheduler === scheduler)
    #expect(publisher.latest)
    #expect(!Publishers.Throttle(upstream: upstream, interval: 4, scheduler: scheduler, latest: false).latest)
    #expect(scheduler.traffic == [])
  }

  // MARK: Traffic

  @Test func readsTheClockWhenMadeAndWhenSubscribedTo() {
    let upstream = ManualPublisher<Int, TestError>(subscription: nil)
    upstream.throttle(for: 60, scheduler: scheduler, latest: true).subscribe(RecordingSubscriber())
    #expect(scheduler.traffic == [.now])
    upstream.send(subscription: ManualSubscription())
    #expect(scheduler.traffic == [.now, .now])
  }

  @Test func readsTheClockBeforeTheDownstreamReceivesItsSubscription() {
    let downstream = RecordingSubscriber<Int, TestError>()
    downstream.onSubscription = { [scheduler] _ in #expect(scheduler.traffic == [.now, .now]) }
    upstream.throttle(for: 60, scheduler: scheduler, latest: true).subscribe(downstream)
    #expect(downstream.events == [.subscription("Throttle")])
  }

  @Test func aValueWithoutDemandReadsTheClockAndIsDroppedForGood() {
    let downstream = attach(requesting: .none)
    upstream.send(0)
    #expect(scheduler.traffic == [.now])
    downstream.request(.unlimited)
    scheduler.advance(by: 1000)
    #expect(downstream.values == [])
  }

  @Test(arguments: [true, false])
  func aSecondValueReplacesNothingIfTheFirstTookTheDemand(latest: Bool) {
    let downstream = attach(requesting: .max(1), latest: latest)
    upstream.send(0)
    upstream.send(1)
    scheduler.advance(by: 1000)
    #expect(downstream.values == [0])
  }

  @Test(arguments: [true, false])
  func schedulesOneEmissionForEachInterval(latest: Bool) {
    let downstream = attach(latest: latest)
    upstream.send(0)
    #expect(scheduler.traffic == [.now, .run(nil)])
    #expect(downstream.values == [])
    scheduler.runDue()
    #expect(scheduler.traffic == [.now, .run(nil), .now])
    #expect(downstream.values == [0])

    scheduler.advance(to: 45)
    scheduler.clearTraffic()
    upstream.send(1)
    let waiting: [VirtualScheduler.Traffic] = [.now, .minimumTolerance, .at(60, tolerance: Self.tolerance, nil)]
    #expect(scheduler.traffic == waiting)
    scheduler.advance(to: 60)
    #expect(scheduler.traffic == waiting + [.now])

    scheduler.advance(to: 121)
    scheduler.clearTraffic()
    upstream.send(2)
    #expect(scheduler.traffic == [.now, .run(nil)])
    scheduler.runDue()
    #expect(scheduler.traffic == [.now, .run(nil), .now])
  }

  @Test func aCompletionWithAPendingValueSchedulesNothing() {
    let downstream = attach()
    upstream.send(0)
    scheduler.advance(to: 45)
    scheduler.clearTraffic()
    upstream.send(1)
    upstream.send(completion: .failure("end"))
    let traffic: [VirtualScheduler.Traffic] = [.now, .minimumTolerance, .at(60, tolerance: Self.tolerance, nil), .now]
    #expect(scheduler.traffic == traffic)
    scheduler.advance(to: 60)
    #expect(scheduler.traffic == traffic, "the clock is not read")
    #expect(downstream.events.last == .failure("end"))
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure("end")])
  func aCompletionWithoutAPendingValueIsScheduledAtOnce(_ completion: Subscribers.Completion<TestError>) {
    let downstream = attach()
    upstream.send(0)
    scheduler.advance(to: 10)
    scheduler.clearTraffic()
    upstream.send(completion: completion)
    #expect(scheduler.traffic == [.now, .run(nil)])
    scheduler.runDue()
    #expect(scheduler.traffic == [.now, .run(nil)])
    #expect(downstream.events.last == Event(completion))
  }

  @Test func theIntervalCountsFromTheTimeOfTheActualEmission() {
    let downstream = attach()
    upstream.send(0)
    // The scheduler is late.
    scheduler.delayPending(to: 20)
    scheduler.advance(to: 20)
    #expect(downstream.values == [0])
    scheduler.clearTraffic()
    upstream.send(1)
    #expect(scheduler.traffic == [.now, .minimumTolerance, .at(80, tolerance: Self.tolerance, nil)])
  }

  @Test func aValueAtTheEndOfTheIntervalIsNotDelayed() {
    _ = attach()
    upstream.send(0)
    scheduler.runDue()
    scheduler.advance(to: 60)
    scheduler.clearTraffic()
    upstream.send(1)
    #expect(scheduler.traffic == [.now, .run(nil)])
  }

  @Test(arguments: [true, false])
  func furtherValuesWithOnePendingOnlyReadTheClock(latest: Bool) {
    _ = attach(latest: latest)
    upstream.send(0)
    upstream.send(1)
    upstream.send(2)
    #expect(scheduler.traffic == [.now, .run(nil), .now, .now])
  }

  @Test func valuesAndCompletionsInTheEndingStateReadNoClock() {
    let downstream = attach()
    upstream.send(0)
    upstream.send(completion: .finished)
    scheduler.clearTraffic()
    #expect(upstream.send(1) == .none)
    upstream.send(completion: .failure("late"))
    #expect(scheduler.traffic == [])
    scheduler.advance(by: 1000)
    #expect(downstream.events == [.subscription("Throttle"), .value(0), .finished])
  }

  // MARK: Cancel

  @Test func cancelStopsAScheduledEmissionWhichReadsNoClock() {
    let downstream = attach()
    upstream.send(0)
    downstream.cancel()
    scheduler.clearTraffic()
    scheduler.advance(by: 1000)
    #expect(scheduler.traffic == [])
    #expect(downstream.values == [])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test(arguments: [true, false])
  func cancelStopsAScheduledCompletion(withValue: Bool) {
    let downstream = attach()
    if withValue { upstream.send(0) }
    upstream.send(completion: .finished)
    downstream.cancel()
    downstream.cancel()
    scheduler.clearTraffic()
    scheduler.advance(by: 1000)
    #expect(scheduler.traffic == [])
    #expect(downstream.events == [.subscription("Throttle")])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func cancelReleasesTheDownstreamAndThePendingValueBeforeTheUpstreamIsCancelled() {
    final class Value {}
    var isReleased = false
    weak var waiting: Value?
    let upstream = ManualPublisher<Value, TestError>()
    var conduit: (any Subscription)?
    do {
      let downstream = RecordingSubscriber<Value, TestError>(
        onSubscription: { $0.request(.unlimited) },
        onDeinit: { isReleased = true }
      )
      upstream.throttle(for: 60, scheduler: scheduler, latest: true).subscribe(downstream)
      let value = Value()
      waiting = value
      upstream.send(value)
      conduit = downstream.subscription
      downstream.dropSubscription()
    }
    #expect(!isReleased)
    #expect(waiting != nil)
    upstream.subscription!.onCancel = {
      #expect(isReleased)
      #expect(waiting == nil)
    }
    conduit!.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(isReleased)
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure("end")])
  func completionReleasesTheDownstream(_ completion: Subscribers.Completion<TestError>) {
    weak var released: RecordingSubscriber<Int, TestError>?
    do {
      let downstream = attach()
      released = downstream
      upstream.send(completion: completion)
      scheduler.runDue()
    }
    #expect(released == nil, "while it keeps its subscription, and the upstream the conduit")
  }

  @Test func releasesAReplacedValueWithoutHoldingALock() {
    final class Value {
      var onDeinit: () -> Void
      init(onDeinit: @escaping () -> Void = {}) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }
    let upstream = ManualPublisher<Value, TestError>()
    let downstream = RecordingSubscriber<Value, TestError>(requesting: .max(2))
    upstream.throttle(for: 60, scheduler: scheduler, latest: true).subscribe(downstream)
    var isReleased = false
    upstream.send(
      Value {
        isReleased = true
        downstream.request(.max(1))
      }
    )
    upstream.send(Value())
    #expect(isReleased)
  }

  @Test func anActionThatOutlivesTheOperatorDoesNothing() {
    do {
      let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      let upstream = ManualPublisher<Int, TestError>()
      upstream.throttle(for: 60, scheduler: scheduler, latest: true).subscribe(downstream)
      upstream.send(0)
      downstream.dropSubscription()
    }
    scheduler.clearTraffic()
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: 1000)
    #expect(scheduler.traffic == [])
  }

  @Test func oneActionServesAllEmissions() {
    // An action that runs again, or late, has nothing to do.
    let downstream = attach()
    upstream.send(0)
    scheduler.duplicatePending()
    scheduler.clearTraffic()
    scheduler.runDue()
    #expect(downstream.values == [0])
    #expect(scheduler.traffic == [.now])
  }

  // MARK: Order at subscription

  @Test func deliversTheValueAndTheFinishOfJustInOneAction() {
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    Just(1).throttle(for: 60, scheduler: scheduler, latest: true).subscribe(downstream)
    #expect(scheduler.traffic == [.now, .now, .now, .run(nil), .now])
    #expect(scheduler.pendingCount == 1)
    scheduler.runDue()
    #expect(downstream.events == [.subscription("Throttle"), .value(1), .finished])
  }

  // MARK: Schedulers

  @Test(arguments: [true, false])
  func deliversEveryEventAtOnceWithTheImmediateScheduler(latest: Bool) {
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .max(3))
    upstream.throttle(for: 60, scheduler: ImmediateScheduler.shared, latest: latest).subscribe(downstream)
    for value in 1...4 { upstream.send(value) }
    upstream.send(completion: .finished)
    #expect(downstream.events == [.subscription("Throttle"), .value(1), .value(2), .value(3), .finished])
  }

  @Test func deliversNestedWithTheImmediateScheduler() {
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    upstream.throttle(for: 60, scheduler: ImmediateScheduler.shared, latest: true).subscribe(downstream)
    downstream.onValue = { [upstream] value in
      if value < 3 { upstream.send(value + 1) }
      if value == 3 { upstream.send(completion: .finished) }
      return .none
    }
    upstream.send(1)
    #expect(downstream.events == [.subscription("Throttle"), .value(1), .value(2), .value(3), .finished])
  }

  // MARK: Times

  @Test(arguments: [true, false])
  func theFirstValueAndOneAfterAPauseArePublishedAtOnce(latest: Bool) {
    marbles {
      "a--------b---------------c--"
      $0[0].throttle(for: 12, scheduler: $0.scheduler, latest: latest)
      "a-----------b------------c--"
    }
    // The interval ends when the clock reaches its time.
    marbles {
      "a-----------b----"
      $0[0].throttle(for: 12, scheduler: $0.scheduler, latest: latest)
      "a-----------b----"
    }
  }

  @Test func publishesTheLatestOrTheFirstOfSeveralValues() {
    marbles {
      "(ab)-c-de--f--"
      $0[0].throttle(for: 6, scheduler: $0.scheduler, latest: true)
      "b-----c-----f--"
    }
    marbles {
      "(ab)-c-de--f--"
      $0[0].throttle(for: 6, scheduler: $0.scheduler, latest: false)
      "a-----c-----d--"
    }
  }

  @Test func theFinishFollowsAPendingValueAtItsTime() {
    marbles {
      "a-b-|"
      $0[0].throttle(for: 6, scheduler: $0.scheduler, latest: true)
      "a-----(b|)"
    }
    marbles {
      "a-b-#"
      $0[0].throttle(for: 6, scheduler: $0.scheduler, latest: true)
      "a-----(b#)"
    }
  }

  @Test func withoutAPendingValueTheFinishIsPublishedAtOnce() {
    marbles {
      "a-|"
      $0[0].throttle(for: 6, scheduler: $0.scheduler, latest: true)
      "a-|"
    }
    marbles {
      "a-#"
      $0[0].throttle(for: 6, scheduler: $0.scheduler, latest: true)
      "a-#"
    }
  }

  @Test(arguments: ["a-b-----|", "a-b-|", "a-b-#"])
  func cancelDropsAPendingValueAndTheFinish(input: String) {
    marbles {
      input
      $0[0].throttle(for: 6, scheduler: $0.scheduler, latest: true)
      "a----!"
    }
  }

  // MARK: Measured on Combine

  // A tick is 100 ms.
  @Test func followsAPublishedProperty() {
    marbles {
      "-12---34-5---6"
      $0.property(startingWith: "0", setByInput: 0).throttle(for: 5, scheduler: $0.scheduler, latest: false)
      "0----1----3----6"
    }
    marbles {
      "-12---34-5--6"
      $0.property(startingWith: "0", setByInput: 0).throttle(for: 5, scheduler: $0.scheduler, latest: true)
      "0----2----5----6"
    }
  }

  @Test func followsASubject() {
    marbles {
      "(12)------(34)------(56)---------------------7"
      $0[0].throttle(for: 10, scheduler: $0.scheduler, latest: true)
      "2---------4---------6------------------------7"
    }
    marbles {
      "(12)------(34)------(56)---------------------7"
      $0[0].throttle(for: 10, scheduler: $0.scheduler, latest: false)
      "1---------3---------5------------------------7"
    }
  }
}
