import CombineExtras
import Foundation
import TestSupport
import Testing

/// The stand-ins for each scheduler of the platform that run every action during the scheduling call.
@Suite struct SchedulerImmediateTests {

  private func expectImmediacy<Time: StandInTime, Options>(
    of scheduler: AnyScheduler<Time, Options>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let log = SharedLog<String>()
    #expect(scheduler.now == scheduler.now, sourceLocation: sourceLocation)
    #expect(scheduler.minimumTolerance == .zero, sourceLocation: sourceLocation)
    scheduler.schedule { log.append("now") }
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1))) { log.append("delayed") }
    scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { log.append("repeating") }.cancel()
    #expect(log.values == ["now", "delayed", "repeating"], sourceLocation: sourceLocation)
  }

  @Test func anImmediateStandInRunsEachActionOnceAtOnce() {
    expectImmediacy(of: DispatchQueue.immediate)
    expectImmediacy(of: RunLoop.immediate)
    expectImmediacy(of: OperationQueue.immediate)
    expectImmediacy(of: UIScheduler.immediate)
    expectImmediacy(of: ImmediateSchedulerOf<DispatchQueue>(now: .startOfStandIn).eraseToAnyScheduler())
    let _: AnySchedulerOf<RunLoop> = .immediate
  }

  @Test func theClockOfAnImmediateStandInNeverMoves() {
    let now = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 17))
    let scheduler = ImmediateSchedulerOf<DispatchQueue>(now: now)
    scheduler.schedule(after: now.advanced(by: .seconds(1))) { #expect(scheduler.now == now) }
    #expect(scheduler.now == now)
    #expect(DispatchQueue.immediate.now.dispatchTime.uptimeNanoseconds == 1)
    #expect(RunLoop.immediate.now.date == Date(timeIntervalSince1970: 0))
    #expect(OperationQueue.immediate.now.date == Date(timeIntervalSince1970: 0))
  }
}

/// Operators with timers on schedulers that run every action during the scheduling call.
@Suite struct ImmediateTimersTests {

  /// A scheduler that runs every action at once, and reads the time.
  private struct AtOnce: Scheduler {
    typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
    typealias SchedulerOptions = Never
    var now: SchedulerTimeType { DispatchQueue.main.now }
    var minimumTolerance: SchedulerTimeType.Stride { .zero }
    func schedule(options: Never?, _ action: @escaping () -> Void) { action() }
    func schedule(
      after: SchedulerTimeType,
      tolerance: SchedulerTimeType.Stride,
      options: Never?,
      _ action: @escaping () -> Void
    ) {
      action()
    }
    func schedule(
      after: SchedulerTimeType,
      interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride,
      options: Never?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      action()
      return AnyCancellable {}
    }
  }

  private typealias Upstream = PassthroughSubject<Int, TestError>

  /// The events of 1, 2 and a finish, where the interval ends at once.
  private func events<P: Publisher<Int, TestError>>(_ make: (Upstream) -> P) -> [Event<Int>] {
    let upstream = Upstream()
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    make(upstream).subscribe(downstream)
    upstream.send(1)
    upstream.send(2)
    upstream.send(completion: .finished)
    return Array(downstream.events.dropFirst())
  }

  private func expectIntervalsToBeOverAtOnce<S: Scheduler>(
    on scheduler: S,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let all: [Event<Int>] = [.value(1), .value(2), .finished]
    func expect(_ events: [Event<Int>], _ expected: [Event<Int>], _ name: Comment) {
      #expect(events == expected, name, sourceLocation: sourceLocation)
    }
    expect(events { $0.debounce(for: .seconds(1), scheduler: scheduler) }, all, "debounce")
    expect(events { $0.throttle(for: .seconds(1), scheduler: scheduler, latest: true) }, all, "throttle, latest")
    expect(events { $0.throttle(for: .seconds(1), scheduler: scheduler, latest: false) }, all, "throttle, first")
    expect(events { $0.delay(for: .seconds(1), scheduler: scheduler) }, all, "delay")
    expect(events { $0.timeout(.seconds(1), scheduler: scheduler) }, [.finished], "timeout")
    expect(
      events { $0.timeout(.seconds(1), scheduler: scheduler, customError: { "late" }) },
      [.failure("late")],
      "timeout, an error"
    )
    expect(
      events { $0.collect(.byTime(scheduler, .seconds(1))).map { $0.reduce(0, +) } },
      [.value(3), .finished],
      "collect by time"
    )
    expect(
      events { $0.collect(.byTimeOrCount(scheduler, .seconds(1), 1)).map { $0.reduce(0, +) } },
      all,
      "collect by time or count"
    )
    expect(events { $0.receive(on: scheduler) }, all, "receive(on:)")
    expect(events { $0.subscribe(on: scheduler) }, all, "subscribe(on:)")
    expect(
      events { $0.measureInterval(using: scheduler).map { _ in 1 } },
      [.value(1), .value(1), .finished],
      "measure"
    )
  }

  @Test func everyOperatorWithTimersWorksOnASchedulerThatDoesNotWait() {
    expectIntervalsToBeOverAtOnce(on: ImmediateScheduler.shared)
    expectIntervalsToBeOverAtOnce(on: AtOnce())
    expectIntervalsToBeOverAtOnce(on: DispatchQueue.immediate)
    expectIntervalsToBeOverAtOnce(on: RunLoop.immediate)
    expectIntervalsToBeOverAtOnce(on: OperationQueue.immediate)
  }
}
