import CombineTesting
import TestSupport
import Testing

@testable import CombineCore

@Suite struct TimeoutMachineTests {

  @Test func onlyTheFirstRequestSetsATimer() {
    var state = TimeoutMachine()
    let first = state.timers.add()
    let second = state.request()
    #expect(second == first + 1)
    #expect(state.request() == nil)
    #expect(state.timers.fire(first)?.isLatest == false)
    #expect(state.timers.fire(second!)?.isLatest == true)
  }

  @Test func aValueInvalidatesTheTimerBeforeTheNextIsSet() {
    var state = TimeoutMachine()
    let first = state.timers.add()
    state.timers.setToken(Subscriptions.empty, of: first).cancel()
    let step = state.restart()
    #expect(step.retired.first != nil)
    #expect(state.timers.fire(first) == nil)
    #expect(state.timers.fire(step.timer)?.isLatest == true)
  }
}

/// Behaviour of `timeout` only. `TimingLifeCycleTests` and `TimingThreadTests` test what it shares with others.
@Suite struct TimeoutTests {

  private typealias Traffic = VirtualScheduler.Traffic

  private let scheduler = VirtualScheduler()
  private let upstream = ManualPublisher<Int, TestError>()

  private func attach(
    requesting demand: Subscribers.Demand? = .unlimited,
    returning: [Subscribers.Demand] = [],
    options: VirtualScheduler.SchedulerOptions? = nil,
    customError: (() -> TestError)? = nil
  ) -> RecordingSubscriber<Int, TestError> {
    var rest = returning[...]
    let downstream = RecordingSubscriber<Int, TestError>(
      onSubscription: { if let demand { $0.request(demand) } },
      onValue: { _ in rest.popFirst() ?? .none }
    )
    upstream.timeout(10, scheduler: scheduler, options: options, customError: customError).subscribe(downstream)
    return downstream
  }

  @Test func keepsItsArguments() {
    let publisher: Publishers.Timeout<ManualPublisher<Int, TestError>, VirtualScheduler> =
      upstream.timeout(10, scheduler: scheduler, options: 3) { "late" }
    #expect(publisher.upstream === upstream)
    #expect(publisher.interval == 10)
    #expect(publisher.scheduler === scheduler)
    #expect(publisher.options == 3)
    #expect(publisher.customError?() == "late")
    let other = upstream.timeout(10, scheduler: scheduler)
    #expect(other.options == nil)
    let hasError = other.customError != nil
    #expect(!hasError)
    let made = Publishers.Timeout(upstream: upstream, interval: 4, scheduler: scheduler, options: 5, customError: nil)
    #expect(made.interval == 4)
    #expect(made.options == 5)
    #expect(scheduler.traffic == [])
  }

  // MARK: Traffic

  @Test func setsATimerBeforeTheDownstreamReceivesItsSubscription() {
    let downstream = RecordingSubscriber<Int, TestError>()
    downstream.onSubscription = { [scheduler] _ in
      #expect(scheduler.traffic == Traffic.timer(at: 0, interval: 10, 3))
    }
    upstream.timeout(10, scheduler: scheduler, options: 3).subscribe(downstream)
    #expect(downstream.events == [.subscription("Timeout")])
    #expect(scheduler.traffic.count == 3)
  }

  @Test func subscribingAndRequestingSetsTwoTimers() {
    _ = attach(options: 3)
    let timer = Traffic.timer(at: 0, interval: 10, 3)
    #expect(scheduler.traffic == timer + timer)
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test(arguments: [Subscribers.Demand.none, .max(2), .unlimited])
  func onlyTheFirstRequestSetsATimerForAnyDemand(_ demand: Subscribers.Demand) {
    let downstream = attach(requesting: nil)
    scheduler.advance(to: 4)
    scheduler.clearTraffic()
    scheduler.logsCancellations = true
    upstream.subscription!.onRequest = { [scheduler, upstream] _ in
      // When the upstream receives the request, the new timer is set, and after that the previous one is cancelled.
      let traffic = Traffic.timer(at: 4, interval: 10) + [.cancelled(1)]
      #expect(scheduler.traffic == traffic || upstream.history.count > 1)
    }
    downstream.request(demand)
    downstream.request(.max(7))
    downstream.request(.none)
    #expect(scheduler.traffic.count == 4)
    #expect(upstream.history == [.requested(demand), .requested(.max(7)), .requested(.none)])
    scheduler.advance(to: 13)
    #expect(downstream.events == [.subscription("Timeout")])
    scheduler.advance(to: 14)
    #expect(downstream.events == [.subscription("Timeout"), .finished])
  }

  @Test func aValueCancelsTheTimerSetsAnotherAndIsScheduled() {
    let downstream = attach(requesting: nil, options: 3)
    scheduler.clearTraffic()
    scheduler.logsCancellations = true
    scheduler.advance(to: 6)
    #expect(upstream.send(1) == .none)
    #expect(scheduler.traffic == [.cancelled(1)] + Traffic.timer(at: 6, interval: 10, 3) + [.run(3)])
    #expect(downstream.values == [])
    scheduler.runDue()
    #expect(downstream.values == [1])
    #expect(scheduler.traffic.count == 5)
  }

  @Test func aCompletionCancelsTheTimerAndIsScheduled() {
    let downstream = attach(requesting: nil, options: 3)
    scheduler.clearTraffic()
    scheduler.logsCancellations = true
    upstream.send(completion: .failure("end"))
    #expect(scheduler.traffic == [.cancelled(1), .run(3)])
    #expect(downstream.events.count == 1)
    scheduler.advance(by: 100)
    #expect(downstream.events == [.subscription("Timeout"), .failure("end")])
    #expect(upstream.history == [])
    #expect(scheduler.traffic.count == 2)
  }

  // MARK: The end of the time

  @Test func cancelDuringTheUpstreamsCancelDropsTheCompletion() {
    var calls = 0
    let downstream = attach(customError: {
      calls += 1
      return "late"
    })
    upstream.subscription!.onCancel = { [unowned downstream] in downstream.cancel() }
    scheduler.advance(to: 10)
    #expect(downstream.events == [.subscription("Timeout")])
    #expect(calls == 0)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func cancelDuringTheClosureDropsItsError() {
    var cancel: () -> Void = {}
    let downstream = attach(customError: {
      cancel()
      return "late"
    })
    cancel = { [unowned downstream] in downstream.cancel() }
    scheduler.advance(to: 10)
    #expect(downstream.events == [.subscription("Timeout")])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func finishesAnIntervalAfterTheSubscriptionWithoutARequest() {
    let downstream = attach(requesting: nil)
    scheduler.advance(to: 9)
    #expect(downstream.events.count == 1)
    scheduler.advance(to: 10)
    #expect(downstream.events == [.subscription("Timeout"), .finished])
    #expect(upstream.history == [.cancelled])
  }

  @Test func eachArrivalRestartsTheInterval() {
    marbles {
      "--a--b--c-d-----e"
      $0[0].timeout(4, scheduler: $0.scheduler)
      "--a--b--c-d---|"
      "^-------------!"
    }
  }

  @Test func theIntervalStartsAtTheSubscription() {
    marbles {
      "a--^-----b"
      $0[0].timeout(4, scheduler: $0.scheduler)
      "   ^---|"
      "   ^---!"
    }
  }

  @Test func failsIfThereIsAnErrorClosure() {
    struct Late: Error {}
    marbles(failure: Late()) {
      "--a------b"
      $0[0].mapError { _ in Late() }.timeout(4, scheduler: $0.scheduler) { Late() }
      "--a---#"
      "^-----!"
    }
  }

  @Test(arguments: ["--a---|", "--a---#", "--a--(b|)"])
  func forwardsTheUpstreamsCompletion(input: String) {
    marbles(failure: MarbleError()) {
      input
      $0[0].timeout(4, scheduler: $0.scheduler)
      input
    }
  }

  @Test func publishesNothingAfterACancel() {
    marbles {
      "--a-----b"
      $0[0].timeout(4, scheduler: $0.scheduler)
      "--a--!"
      "^----!"
    }
  }

  @Test func theIntervalStartsAtTheArrivalOfAValueNotAtItsDelivery() {
    let downstream = attach()
    scheduler.advance(to: 5)
    upstream.send(1)
    scheduler.delayPending(to: 14, includingTimers: false)
    scheduler.advance(to: 14)
    #expect(downstream.values == [1])
    scheduler.advance(to: 15)
    #expect(downstream.events.last == .finished)
  }

  @Test func failsWithTheClosuresErrorAfterTheUpstreamsCancel() {
    var calls = 0
    let downstream = attach { [upstream] in
      calls += 1
      #expect(upstream.history.last == .cancelled)
      return "late"
    }
    downstream.onCompletion = { _ in #expect(calls == 1) }
    upstream.send(1)
    scheduler.advance(by: 5)
    #expect(calls == 0)
    scheduler.advance(by: 100)
    #expect(downstream.events == [.subscription("Timeout"), .value(1), .failure("late")])
    #expect(calls == 1)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func theStateHasEndedWhenTheUpstreamIsCancelled() {
    let downstream = attach()
    upstream.subscription!.onCancel = { [scheduler, upstream] in
      scheduler.clearTraffic()
      #expect(upstream.send(1) == .none)
      upstream.send(completion: .failure("late"))
      downstream.request(.max(1))
      #expect(scheduler.traffic == [])
    }
    scheduler.advance(by: 100)
    #expect(downstream.events == [.subscription("Timeout"), .finished])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    upstream.send(2)
    upstream.send(completion: .finished)
    #expect(scheduler.traffic == [])
  }

  @Test func dropsScheduledValuesWhenTheIntervalEnds() {
    let downstream = attach()
    upstream.send(1)
    upstream.send(2)
    // The scheduler is late with values, but not with timers.
    scheduler.delayPending(to: 100, includingTimers: false)
    scheduler.advance(to: 50)
    #expect(downstream.events == [.subscription("Timeout"), .finished])
    scheduler.advance(to: 200)
    #expect(downstream.events == [.subscription("Timeout"), .finished])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func cancelsAndReleasesItsTimerAtTheEnd() {
    let downstream = attach()
    upstream.send(1)
    scheduler.runDue()
    #expect(scheduler.aliveTokenCount == 1)
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: 10)
    #expect(downstream.events.last == .finished)
    #expect(scheduler.aliveTokenCount == 0)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func worksIfCancellingATokenHasNoEffect() {
    scheduler.tokensWork = false
    let downstream = attach()
    for _ in 0..<3 {
      scheduler.advance(by: 8)
      upstream.send(1)
    }
    scheduler.advance(by: 100)
    #expect(downstream.values == [1, 1, 1])
    #expect(downstream.events.count == 5)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    let cancelled = attach()
    cancelled.cancel()
    scheduler.advance(by: 100)
    #expect(cancelled.events == [.subscription("Timeout")])
  }

  // MARK: Deliveries

  @Test func forwardsRequestsAndReturnedDemand() {
    let downstream = attach(requesting: .max(1), returning: [.max(3), .none])
    upstream.send(1)
    upstream.send(2)
    #expect(upstream.history == [.requested(.max(1))])
    scheduler.runDue()
    #expect(upstream.history == [.requested(.max(1)), .requested(.max(3))])
    downstream.request(.none)
    #expect(upstream.history.last == .requested(.none))
  }

  @Test func requestsTheReturnedDemandEvenAfterACancelDuringTheValue() {
    let downstream = attach()
    downstream.onValue = { [unowned downstream] _ in
      downstream.cancel()
      return .max(2)
    }
    upstream.send(1)
    upstream.send(2)
    scheduler.runDue()
    #expect(downstream.values == [1])
    #expect(upstream.history == [.requested(.unlimited), .cancelled, .requested(.max(2))])
  }

  @Test func cancelDropsScheduledValuesAndACompletion() {
    let downstream = attach()
    upstream.send(1)
    upstream.send(completion: .finished)
    scheduler.clearTraffic()
    downstream.cancel()
    scheduler.advance(by: 100)
    #expect(downstream.events == [.subscription("Timeout")])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(scheduler.traffic == [])
    #expect(scheduler.aliveTokenCount == 0)
  }

  @Test func eventsAfterACompletionAreScheduledButNotPublished() {
    let downstream = attach(requesting: nil)
    upstream.send(completion: .finished)
    scheduler.clearTraffic()
    #expect(upstream.send(1) == .none)
    #expect(scheduler.traffic == Traffic.timer(at: 0, interval: 10) + [.run(nil)])
    scheduler.clearTraffic()
    upstream.send(completion: .failure("second"))
    #expect(scheduler.traffic == [.run(nil)])
    scheduler.advance(by: 100)
    #expect(downstream.events == [.subscription("Timeout"), .finished])
    #expect(upstream.history == [])
    #expect(scheduler.aliveTokenCount == 0)
  }

  @Test func theCompletionActionLeavesNoTimerBehind() {
    let downstream = attach(requesting: nil)
    upstream.send(completion: .finished)
    downstream.request(.max(1))
    scheduler.runDue()
    #expect(downstream.events == [.subscription("Timeout"), .finished])
    #expect(scheduler.aliveTokenCount == 0)
    #expect(scheduler.pendingCount == 0)
  }

  // MARK: Retention

  @Test func theTimerKeepsTheConduitAliveUntilTheIntervalEnds() {
    weak var released: RecordingSubscriber<Int, TestError>?
    do {
      let downstream = attach()
      downstream.dropsSubscriptionOnCompletion = true
      released = downstream
      upstream.dropSubscriber()
    }
    #expect(released != nil)
    scheduler.advance(by: 9)
    #expect(released != nil)
    scheduler.advance(by: 1)
    #expect(released == nil)
    #expect(scheduler.pendingCount == 0)
  }

  // MARK: Schedulers that do not wait

  @Test func onASchedulerThatDoesNotWaitTheIntervalEndsAfterTheSubscription() {
    scheduler.isImmediate = true
    let downstream = attach(customError: { "late" })
    #expect(downstream.events == [.subscription("Timeout"), .failure("late")])
    #expect(upstream.history == [.cancelled])
    #expect(upstream.send(1) == .none)
    #expect(downstream.events.count == 2)
    #expect(!scheduler.hasTimers)
  }

  @Test func cancelsTheUpstreamOnceIfTheDownstreamCancelsAScheduledTimeout() {
    scheduler.isImmediate = true
    let downstream = RecordingSubscriber<Int, TestError>(onSubscription: { $0.cancel() })
    upstream.timeout(10, scheduler: scheduler).subscribe(downstream)
    #expect(downstream.events == [.subscription("Timeout")])
    #expect(upstream.history == [.cancelled])
  }

  @Test func theTimerOfTheRequestMayFireAtOnce() {
    let downstream = attach(requesting: nil)
    scheduler.isImmediate = true
    downstream.request(.max(1))
    #expect(downstream.events == [.subscription("Timeout"), .finished])
    #expect(upstream.history == [.cancelled])
  }

  @Test func theTimerOfAValueMayFireAtOnce() {
    let downstream = attach()
    scheduler.isImmediate = true
    upstream.send(1)
    #expect(downstream.events == [.subscription("Timeout"), .finished])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }
}
