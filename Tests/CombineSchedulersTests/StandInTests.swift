import CombineSchedulersTesting
import Foundation
import TestSupport
import Testing

/// What the stand-ins for each scheduler of the platform have in common.
@Suite struct StandInTests {

  private final class Log: Sendable {
    private let entries = Guarded<[String]>([])
    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
    func take() -> [String] { entries.withLock { exchange(&$0, with: []) } }
  }

  private func expectControl<Time: StandInTime, Options>(
    of scheduler: ControlledScheduler<Time, Options>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let log = Log()
    let start = scheduler.now
    func elapsed() -> String { "\(scheduler.now.nanosecondsSinceStart - start.nanosecondsSinceStart)" }
    #expect(scheduler.minimumTolerance == .zero, sourceLocation: sourceLocation)

    scheduler.schedule { log.note("now") }
    scheduler.schedule(after: start.advanced(by: .milliseconds(20))) { log.note("second at \(elapsed())") }
    scheduler.schedule(after: start.advanced(by: .milliseconds(10))) {
      log.note("first at \(elapsed())")
      scheduler.schedule { log.note("then at \(elapsed())") }
    }
    #expect(log.take() == [], sourceLocation: sourceLocation)
    scheduler.advance()
    #expect(log.take() == ["now"], sourceLocation: sourceLocation)
    scheduler.advance(by: .milliseconds(10))
    #expect(log.take() == ["first at 10000000", "then at 10000000"], sourceLocation: sourceLocation)
    scheduler.advance(to: start.advanced(by: .seconds(1)))
    #expect(log.take() == ["second at 20000000"], sourceLocation: sourceLocation)
    #expect(elapsed() == "1000000000", sourceLocation: sourceLocation)

    let ticks = scheduler.schedule(after: scheduler.now.advanced(by: .seconds(0.1)), interval: .seconds(0.1)) {
      log.note("tick")
    }
    scheduler.advance(by: .seconds(0.3))
    #expect(log.take() == ["tick", "tick", "tick"], sourceLocation: sourceLocation)
    ticks.cancel()
    scheduler.run()
    #expect(log.take() == [], sourceLocation: sourceLocation)

    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(60))) { log.note("a minute later") }
    scheduler.run()
    #expect(log.take() == ["a minute later"], sourceLocation: sourceLocation)
    #expect(elapsed() == "61300000000", sourceLocation: sourceLocation)
  }

  @Test func theClockOfAStandInMovesWhenTold() {
    expectControl(of: DispatchQueue.test)
    expectControl(of: RunLoop.test)
    expectControl(of: OperationQueue.test)
    expectControl(of: AnySchedulerOf<DispatchQueue>.test)
  }

  private func expectImmediacy<Time: StandInTime, Options>(
    of scheduler: AnyScheduler<Time, Options>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let log = Log()
    #expect(scheduler.now == scheduler.now, sourceLocation: sourceLocation)
    #expect(scheduler.minimumTolerance == .zero, sourceLocation: sourceLocation)
    scheduler.schedule { log.note("now") }
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1))) { log.note("delayed") }
    scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { log.note("repeating") }.cancel()
    #expect(log.take() == ["now", "delayed", "repeating"], sourceLocation: sourceLocation)
  }

  @Test func anImmediateStandInRunsActionsAtOnceAndOnce() {
    expectImmediacy(of: DispatchQueue.immediate)
    expectImmediacy(of: RunLoop.immediate)
    expectImmediacy(of: OperationQueue.immediate)
    let _: AnySchedulerOf<RunLoop> = .immediate
  }

  @Test func operatorsWorkInControlledTime() {
    let scheduler = RunLoop.test
    let subject = PassthroughSubject<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    subject.delay(for: 2, scheduler: scheduler).subscribe(subscriber)
    subject.send(1)
    scheduler.advance(by: 1.5)
    #expect(subscriber.values == [])
    scheduler.advance(by: 0.5)
    #expect(subscriber.values == [1])
  }

  /// What must not be done with a scheduler that should not be used, and what is said of it.
  @Test func everyUseOfAnUnimplementedSchedulerFails() {
    let log = Log()
    func expectFailure(_ message: String, _ use: () -> Void) {
      #expect(knownFailures(use).map(\.message) == ["\(message) a scheduler that should not be used"])
      #expect(log.take() == [])
    }
    let scheduler: AnySchedulerOf<OperationQueue> = .unimplemented()
    let start = OperationQueue.immediate.now
    #expect(scheduler.minimumTolerance == .zero)
    expectFailure("somebody reads the clock of") { _ = scheduler.now }
    expectFailure("an action is scheduled on") { scheduler.schedule { log.note("ran") } }
    expectFailure("a delayed action is scheduled on") { scheduler.schedule(after: start) { log.note("ran") } }
    expectFailure("a repeating action is scheduled on") {
      scheduler.schedule(after: start, interval: .seconds(1)) { log.note("ran") }.cancel()
    }
  }

  @Test func aRepetitionThatNobodyStopsFailsTheRun() {
    let scheduler = DispatchQueue.test
    let log = Log()
    let ticks = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { log.note("tick") }
    let failures = knownFailures { scheduler.run(limit: .seconds(2)) }
    #expect(
      failures.map(\.message) == [
        """
        the scheduler stopped at the limit of the run, 2.0 seconds after the start: 1 action waits, \
        the next one until 3.0 seconds after the start. Does something repeat that nobody cancels?
        """
      ]
    )
    #expect(log.take() == ["tick", "tick", "tick"])
    ticks.cancel()
  }

  @Test func timeThatStandsStillFailsTheRun() {
    let agenda = VirtualAgenda<VirtualTime>(clock: 0, mostActionsAtOneTime: 100)
    let scheduler = TestSchedulerOf<DispatchQueue>(agenda: agenda)
    func again() { scheduler.schedule(again) }
    again()
    let failures = knownFailures { scheduler.advance(by: .seconds(2)) }
    #expect(
      failures.map(\.message) == [
        """
        the scheduler stopped at 0.0 seconds after the start, where 100 actions have run and more are due. \
        Does an action schedule itself without a delay?
        """
      ]
    )
  }

  @Test(arguments: [0, 1, -1, 999, 1_000_000_007, 86_400_000_000_001])
  func instantsAreCountedExactly(nanoseconds: Int) {
    if nanoseconds > -1_000_000_000 {
      #expect(DispatchQueue.SchedulerTimeType(nanosecondsSinceStart: nanoseconds).nanosecondsSinceStart == nanoseconds)
    }
    #expect(RunLoop.SchedulerTimeType(nanosecondsSinceStart: nanoseconds).nanosecondsSinceStart == nanoseconds)
    #expect(OperationQueue.SchedulerTimeType(nanosecondsSinceStart: nanoseconds).nanosecondsSinceStart == nanoseconds)
  }

  @Test func farInstantsAreClamped() {
    #expect(RunLoop.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: .infinity)).nanosecondsSinceStart == .max)
    #expect(RunLoop.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: -1e30)).nanosecondsSinceStart == .min)
    #expect(DispatchQueue.SchedulerTimeType(.distantFuture).nanosecondsSinceStart > 1 << 60)
  }
}
