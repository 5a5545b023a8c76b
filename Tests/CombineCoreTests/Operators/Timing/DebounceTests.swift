import CombineTesting
import TestSupport
import Testing

@testable import CombineCore

@Suite struct DebounceTests {

  private typealias Traffic = VirtualScheduler.Traffic

  private let scheduler = VirtualScheduler()
  private let upstream = ManualPublisher<Int, TestError>()

  private func attach(
    requesting demand: Subscribers.Demand = .unlimited,
    returning: [Subscribers.Demand] = [],
    options: VirtualScheduler.SchedulerOptions? = nil
  ) -> RecordingSubscriber<Int, TestError> {
    let downstream = RecordingSubscriber<Int, TestError>(requesting: demand, returning: returning)
    upstream.debounce(for: 10, scheduler: scheduler, options: options).subscribe(downstream)
    return downstream
  }

  @Test func keepsItsArguments() {
    let publisher: Publishers.Debounce<ManualPublisher<Int, TestError>, VirtualScheduler> =
      upstream.debounce(for: 10, scheduler: scheduler, options: 3)
    #expect(publisher.upstream === upstream)
    #expect(publisher.dueTime == 10)
    #expect(publisher.scheduler === scheduler)
    #expect(publisher.options == 3)
    let other = Publishers.Debounce(upstream: upstream, dueTime: 4, scheduler: scheduler, options: nil)
    #expect(other.dueTime == 4)
    #expect(other.options == nil)
    #expect(upstream.debounce(for: 10, scheduler: scheduler).options == nil)
    #expect(scheduler.traffic == [])
  }

  @Test func subscribingCausesNoTraffic() {
    _ = attach()
    #expect(scheduler.traffic == [])
    #expect(upstream.history == [.requested(.unlimited)])
  }

  // MARK: Traffic

  /// One timer runs at a time. It is set again when it fires, if the pause goes on.
  @Test func setsOneTimerForManyValues() {
    let downstream = attach()
    scheduler.logsCancellations = true
    upstream.send(0)
    scheduler.advance(to: 3)
    upstream.send(3)
    scheduler.advance(to: 7)
    upstream.send(7)
    let traffic = Traffic.timer(at: 0, interval: 10) + [.now, .now]
    #expect(scheduler.traffic == traffic)
    scheduler.advance(to: 10)
    let next = Traffic.every(17, interval: 10, tolerance: VirtualScheduler.tolerance, nil)
    #expect(scheduler.traffic == traffic + [.minimumTolerance, next, .cancelled(1)])
    #expect(downstream.values == [])
    scheduler.advance(to: 1000)
    #expect(scheduler.traffic == traffic + [.minimumTolerance, next, .cancelled(1), .cancelled(2)])
    #expect(downstream.values == [7])
    #expect(scheduler.pendingCount == 0)
  }

  /// The pause has moved to an earlier date, so the timer would be late.
  @Test func setsAnotherTimerIfTheClockWasSetBack() {
    let clock = ClockSetBack(scheduler)
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    upstream.debounce(for: 10, scheduler: clock).subscribe(downstream)
    clock.offset = 100
    upstream.send(1)
    clock.offset = 0
    scheduler.advance(to: 4)
    upstream.send(2)
    scheduler.advance(to: 13)
    #expect(downstream.values == [])
    scheduler.advance(to: 14)
    #expect(downstream.values == [2])
    scheduler.advance(to: 1000)
    #expect(downstream.values == [2])
    #expect(scheduler.aliveTokenCount == 0)
  }

  @Test func setsAnotherTimerIfTheSchedulerHasDroppedIt() {
    let downstream = attach()
    upstream.send(1)
    scheduler.dropAll()
    upstream.send(2)
    scheduler.advance(by: 100)
    #expect(downstream.values == [2])
    #expect(scheduler.aliveTokenCount == 0)
  }

  /// A scheduler that runs its actions late still gives each element its pause.
  @Test func aLateTimerPublishesOnce() {
    let downstream = attach()
    upstream.send(1)
    scheduler.advance(to: 5)
    upstream.send(2)
    scheduler.delayPending(to: 50)
    scheduler.advance(to: 49)
    #expect(downstream.values == [])
    scheduler.advance(to: 50)
    #expect(downstream.values == [2])
    scheduler.advance(to: 1000)
    #expect(downstream.values == [2])
  }

  @Test func passesItsOptionsToTheTimersButNotWithTheCompletion() {
    _ = attach(options: 3)
    upstream.send(1)
    upstream.send(completion: .finished)
    #expect(scheduler.traffic == Traffic.timer(at: 0, interval: 10, 3) + [.run(nil)])
  }

  @Test func setsTimersWithoutDemandToo() {
    let downstream = attach(requesting: .none)
    upstream.send(1)
    #expect(scheduler.traffic == Traffic.timer(at: 0, interval: 10))
    scheduler.advance(by: 100)
    #expect(downstream.values == [])
    downstream.request(.unlimited)
    scheduler.advance(by: 100)
    #expect(downstream.values == [], "dropped for good")
  }

  // MARK: Timers

  @Test func cancelsTheTimerBeforeItPublishes() {
    let downstream = attach()
    scheduler.logsCancellations = true
    downstream.onValue = { [scheduler] _ in
      #expect(scheduler.traffic.last == .cancelled(1))
      return .none
    }
    upstream.send(1)
    scheduler.advance(by: 10)
    #expect(downstream.values == [1])
    #expect(scheduler.traffic == Traffic.timer(at: 0, interval: 10) + [.cancelled(1)], "and once")
  }

  @Test func reflectsDemandAndCurrentValue() {
    let downstream = attach(requesting: .none)
    func child(_ label: String) -> String {
      reflectedChild(label, of: upstream.subscriber!).map { String(describing: $0) } ?? "missing"
    }
    #expect(reflectedChild("downstream", of: upstream.subscriber!) as AnyObject? === downstream)
    #expect(child("downstreamDemand") == "max(0)")
    #expect(child("currentValue") == "nil")
    downstream.request(.max(4))
    upstream.send(1)
    upstream.send(2)
    #expect(child("downstreamDemand") == "max(4)")
    #expect(child("currentValue") == "Optional(2)")
    scheduler.advance(by: 10)
    #expect(child("downstreamDemand") == "max(3)")
    #expect(child("currentValue") == "Optional(2)", "it is not cleared")
  }

  @Test func releasesEveryToken() {
    let downstream = attach()
    upstream.send(1)
    upstream.send(2)
    #expect(scheduler.aliveTokenCount == 1)
    scheduler.advance(by: 100)
    #expect(scheduler.aliveTokenCount == 0)
    #expect(downstream.values == [2])
    upstream.send(3)
    #expect(scheduler.aliveTokenCount == 1)
    upstream.send(completion: .finished)
    #expect(scheduler.aliveTokenCount == 0)

    let cancelled = attach()
    upstream.send(4)
    #expect(scheduler.aliveTokenCount == 1)
    cancelled.cancel()
    #expect(scheduler.aliveTokenCount == 0)
  }

  @Test func worksIfCancellingATokenHasNoEffect() {
    let downstream = attach()
    scheduler.tokensWork = false
    upstream.send(1)
    upstream.send(2)
    scheduler.advance(by: 100)
    #expect(downstream.values == [2])
    upstream.send(3)
    downstream.cancel()
    scheduler.advance(by: 100)
    #expect(downstream.values == [2])
    let timers = Traffic.timer(at: 0, interval: 10) + [.now] + Traffic.timer(at: 100, interval: 10)
    #expect(scheduler.traffic == timers)
  }

  @Test func completesOnceIfCancellingATokenHasNoEffect() {
    let downstream = attach()
    scheduler.tokensWork = false
    upstream.send(1)
    upstream.send(completion: .finished)
    scheduler.advance(by: 100)
    #expect(downstream.events == [.subscription("Debounce"), .finished])
  }

  @Test func worksIfATimerFiresBeforeItsTokenIsReturned() {
    let downstream = attach(requesting: .max(2))
    scheduler.isImmediate = true
    upstream.send(1)
    #expect(downstream.values == [1])
    #expect(scheduler.pendingCount == 0, "the late token was cancelled")
    #expect(scheduler.aliveTokenCount == 0)
    upstream.send(2)
    upstream.send(3)
    #expect(downstream.values == [1, 2])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func publishesAtOnceWithTheImmediateScheduler() {
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .max(2))
    upstream.debounce(for: 10, scheduler: ImmediateScheduler.shared).subscribe(downstream)
    upstream.send(1)
    #expect(downstream.values == [1])
    upstream.send(2)
    upstream.send(3)
    upstream.send(completion: .finished)
    #expect(downstream.events == [.subscription("Debounce"), .value(1), .value(2), .finished])
  }

  @Test func valuesDuringTheSchedulingCallReplaceItsTimer() {
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    upstream.debounce(for: 10, scheduler: ImmediateScheduler.shared).subscribe(downstream)
    downstream.onValue = { [upstream] value in
      if value < 3 { upstream.send(value + 1) }
      return .none
    }
    upstream.send(1)
    #expect(downstream.values == [1, 2, 3])
  }

  // MARK: Completion and cancel

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure("end")])
  func dropsAPendingValueAtTheCompletion(_ completion: Subscribers.Completion<TestError>) {
    let downstream = attach(requesting: .none)
    downstream.request(.max(1))
    scheduler.logsCancellations = true
    upstream.send(1)
    upstream.send(completion: completion)
    #expect(scheduler.traffic == Traffic.timer(at: 0, interval: 10) + [.cancelled(1), .run(nil)])
    #expect(downstream.events == [.subscription("Debounce")])
    scheduler.advance(by: 100)
    let end: Event<Int> = completion == .finished ? .finished : .failure("end")
    #expect(downstream.events == [.subscription("Debounce"), end])
  }

  @Test func cancelWhileEndingStopsNothing() {
    let downstream = attach()
    upstream.send(completion: .finished)
    downstream.cancel()
    scheduler.advance(by: 100)
    #expect(downstream.events == [.subscription("Debounce"), .finished])
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func cancelsTimersThenTheUpstream() {
    let downstream = attach()
    upstream.send(1)
    scheduler.logsCancellations = true
    scheduler.clearTraffic()
    upstream.subscription!.onCancel = { [scheduler] in #expect(scheduler.traffic == [.cancelled(1)]) }
    downstream.cancel()
    #expect(scheduler.traffic == [.cancelled(1)])
    #expect(scheduler.pendingCount == 0)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    scheduler.advance(by: 100)
    #expect(downstream.values == [])
  }

  @Test func demandReturnedAfterACancelDuringTheDeliveryIsIgnored() {
    let downstream = attach(requesting: .max(1))
    downstream.onValue = { [unowned downstream] _ in
      downstream.cancel()
      return .max(3)
    }
    upstream.send(1)
    scheduler.advance(by: 10)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(reflectedChild("downstreamDemand", of: upstream.subscriber!) as? Subscribers.Demand == .max(0))
  }

  // MARK: Times

  @Test func publishesTheLatestValueOnceAfterAPause() {
    marbles {
      "a--b---c----------"
      $0[0].debounce(for: 10, scheduler: $0.scheduler)
      "-----------------c"
    }
  }

  @Test func aValueAtTheEndOfThePauseReplacesThePendingOne() {
    // Events of an input precede actions scheduled for the same time.
    marbles {
      "a----b---------"
      $0[0].debounce(for: 5, scheduler: $0.scheduler)
      "----------b"
    }
    marbles {
      "a-----b---------"
      $0[0].debounce(for: 5, scheduler: $0.scheduler)
      "-----a-----b"
    }
  }

  @Test func theCompletionIsNotDelayedAndDropsAPendingValue() {
    marbles {
      "a--------b-|"
      $0[0].debounce(for: 5, scheduler: $0.scheduler)
      "-----a-----|"
    }
    marbles {
      "a--------b-#"
      $0[0].debounce(for: 5, scheduler: $0.scheduler)
      "-----a-----#"
    }
    marbles {
      Just("a").debounce(for: 5, scheduler: $0.scheduler)
      "|"
    }
  }

  @Test func cancelDropsAPendingValue() {
    marbles {
      "a--------b------|"
      $0[0].debounce(for: 5, scheduler: $0.scheduler)
      "-----a-----!"
      "^----------!"
    }
  }

  // MARK: Measured on Combine

  // A tick is 50 ms.
  @Test func followsAPublishedProperty() {
    marbles {
      "--1-2-3----------567"
      $0.property(startingWith: "0", setByInput: 0).debounce(for: 10, scheduler: $0.scheduler)
      "----------------3------------7"
    }
  }

  // From here on, a tick is 100 ms.
  @Test func followsAPublishedPropertyWithTwoPauses() {
    marbles {
      "-123------4"
      $0.property(startingWith: "0", setByInput: 0).debounce(for: 5, scheduler: $0.scheduler)
      "--------3------4"
    }
  }

  @Test func followsASubject() {
    marbles {
      "-12---34---56"
      $0[0].debounce(for: 5, scheduler: $0.scheduler)
      "-----------------6"
    }
    marbles {
      "-12--------34"
      $0[0].debounce(for: 5, scheduler: $0.scheduler)
      "-------2---------4"
    }
  }

  // MARK: Release

  @Test func releasesAReplacedValue() {
    final class Value {}
    let upstream = ManualPublisher<Value, TestError>()
    upstream.debounce(for: 10, scheduler: scheduler).subscribe(RecordingSubscriber(requesting: .unlimited))
    weak var first: Value?
    do {
      let value = Value()
      first = value
      upstream.send(value)
    }
    #expect(first != nil)
    upstream.send(Value())
    #expect(first == nil)
  }

  /// The deinitializer of a value calls the operator. That call would trap on a held lock.
  @Test func releasesAReplacedValueWithoutHoldingALock() {
    final class Value {
      var onDeinit: () -> Void
      init(onDeinit: @escaping () -> Void = {}) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }
    let upstream = ManualPublisher<Value, TestError>()
    let downstream = RecordingSubscriber<Value, TestError>()
    upstream.debounce(for: 10, scheduler: scheduler).subscribe(downstream)
    var isReleased = false
    upstream.send(
      Value {
        isReleased = true
        downstream.request(.max(1))
      }
    )
    upstream.send(Value())
    #expect(isReleased)
    scheduler.advance(by: 10)
    #expect(downstream.values.count == 1)
  }
}

/// A scheduler whose clock can be set. Its timers fire after the intervals of the moment in which they were set.
private final class ClockSetBack: Scheduler {

  typealias SchedulerTimeType = VirtualScheduler.SchedulerTimeType
  typealias SchedulerOptions = VirtualScheduler.SchedulerOptions

  private let scheduler: VirtualScheduler
  var offset: SchedulerTimeType.Stride = 0

  init(_ scheduler: VirtualScheduler) { self.scheduler = scheduler }

  var now: SchedulerTimeType { scheduler.time.advanced(by: offset) }
  var minimumTolerance: SchedulerTimeType.Stride { 0 }

  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    scheduler.schedule(options: options, action)
  }

  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    scheduler.schedule(after: date.advanced(by: 0 - offset), tolerance: tolerance, options: options, action)
  }

  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    scheduler.schedule(
      after: date.advanced(by: 0 - offset),
      interval: interval,
      tolerance: tolerance,
      options: options,
      action
    )
  }
}
