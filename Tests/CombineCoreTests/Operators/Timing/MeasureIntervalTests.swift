import CombineTesting
import TestSupport
import Testing

/// Behaviour of `measureInterval` only. `TimingLifeCycleTests` tests its life cycle.
@Suite struct MeasureIntervalTests {

  private typealias Stride = VirtualScheduler.SchedulerTimeType.Stride

  private let scheduler = VirtualScheduler()
  private let upstream = ManualPublisher<String, TestError>()

  @Test func keepsItsArgumentsButNoOptions() {
    let publisher: Publishers.MeasureInterval<ManualPublisher<String, TestError>, VirtualScheduler> =
      upstream.measureInterval(using: scheduler, options: 3)
    #expect(publisher.upstream === upstream)
    #expect(publisher.scheduler === scheduler)
    #expect(Publishers.MeasureInterval(upstream: upstream, scheduler: scheduler).scheduler === scheduler)
    #expect(scheduler.traffic == [])
  }

  @Test func measuresFromTheSubscriptionAndFromValueToValue() {
    marbles {
      "a----^--b------(cd)------#"
      $0[0].measureInterval(using: $0.scheduler)
      "     ^--3------(70)------#"
    }
    marbles {
      "---a--|"
      $0[0].measureInterval(using: $0.scheduler)
      "---3--|"
    }
  }

  @Test func readsTheClockForTheSubscriptionAndForEachValueOnly() {
    let publisher = upstream.measureInterval(using: scheduler)
    #expect(scheduler.traffic == [])
    publisher.subscribe(RecordingSubscriber(requesting: .unlimited))
    for value in ["a", "b", "c"] { #expect(upstream.send(value) == .none) }
    upstream.send(completion: .failure("end"))
    #expect(scheduler.traffic == [.now, .now, .now, .now])
  }

  @Test func theCompletionNeedsNoDemand() {
    let downstream = RecordingSubscriber<Stride, TestError>()
    upstream.measureInterval(using: scheduler).subscribe(downstream)
    upstream.send(completion: .finished)
    #expect(downstream.events == [.subscription("MeasureInterval"), .finished])
    #expect(upstream.history == [])
  }

  @Test func readsTheClockBeforeTheDownstreamReceivesItsSubscription() {
    let downstream = RecordingSubscriber<Stride, TestError>()
    downstream.onSubscription = { [scheduler] _ in
      #expect(scheduler.traffic == [.now])
      scheduler.advance(by: 4)
    }
    upstream.measureInterval(using: scheduler).subscribe(downstream)
    upstream.send("a")
    #expect(downstream.values == [4])
  }

  /// A clock that can be set back.
  private final class Clock: Scheduler {
    typealias SchedulerTimeType = VirtualScheduler.SchedulerTimeType
    typealias SchedulerOptions = Never
    var now: SchedulerTimeType = 100
    var minimumTolerance: SchedulerTimeType.Stride { fatalError("not read") }
    func schedule(options: Never?, _ action: @escaping () -> Void) { fatalError("not used") }
    func schedule(
      after date: SchedulerTimeType,
      tolerance: SchedulerTimeType.Stride,
      options: Never?,
      _ action: @escaping () -> Void
    ) { fatalError("not used") }
    func schedule(
      after date: SchedulerTimeType,
      interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride,
      options: Never?,
      _ action: @escaping () -> Void
    ) -> any Cancellable { fatalError("not used") }
  }

  @Test func isNegativeIfTheClockGoesBack() {
    let clock = Clock()
    let downstream = RecordingSubscriber<Stride, TestError>(requesting: .unlimited)
    upstream.measureInterval(using: clock).subscribe(downstream)
    clock.now = 60
    upstream.send("a")
    clock.now = 70
    upstream.send("b")
    #expect(downstream.values == [-40, 10])
  }

  @Test func forwardsRequestsAndReturnedDemandUnchanged() {
    let downstream = RecordingSubscriber<Stride, TestError>(
      requesting: .max(3),
      returning: [.max(2), .none, .unlimited]
    )
    upstream.measureInterval(using: scheduler).subscribe(downstream)
    downstream.request(.none)
    for value in ["a", "b", "c"] { #expect(upstream.send(value) == .none) }
    #expect(
      upstream.history == [.requested(.max(3)), .requested(.none), .requested(.max(2)), .requested(.unlimited)]
    )
  }

  @Test func theUpstreamMaySendDuringARequest() {
    let downstream = RecordingSubscriber<Stride, TestError>(requesting: .max(1), returning: [.max(1), .max(1)])
    upstream.subscription!.onRequest = { [scheduler, upstream] _ in
      scheduler.advance(by: 10)
      upstream.send("next")
    }
    upstream.measureInterval(using: scheduler).subscribe(downstream)
    #expect(downstream.values == [10, 10, 10])
  }

  @Test func readsNoClockAfterTheEnd() {
    let cancelled = RecordingSubscriber<Stride, TestError>(requesting: .unlimited)
    upstream.measureInterval(using: scheduler).subscribe(cancelled)
    cancelled.cancel()
    upstream.send("late")
    let completed = RecordingSubscriber<Stride, TestError>(requesting: .unlimited)
    upstream.measureInterval(using: scheduler).subscribe(completed)
    upstream.send(completion: .finished)
    upstream.send("late")
    #expect(scheduler.traffic == [.now, .now], "the two subscriptions")
    #expect(cancelled.values == [])
    #expect(completed.values == [])
  }

  @Test func worksWithTheImmediateScheduler() {
    let downstream = RecordingSubscriber<ImmediateScheduler.SchedulerTimeType.Stride, Never>(requesting: .unlimited)
    [1, 2].publisher.measureInterval(using: ImmediateScheduler.shared).subscribe(downstream)
    #expect(downstream.events == [.subscription("MeasureInterval"), .value(0), .value(0), .finished])
  }
}
