import CombineTesting
import Foundation
import TestSupport
import Testing

/// The stand-ins for each scheduler of the platform whose clock the test moves.
@Suite struct ControlledSchedulerTests {

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

  @Test func theTestMovesTheClockOfAStandIn() {
    expectControl(of: DispatchQueue.test)
    expectControl(of: RunLoop.test)
    expectControl(of: OperationQueue.test)
    expectControl(of: AnySchedulerOf<DispatchQueue>.test)
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

  @Test func anEndlessRepetitionFailsTheRun() {
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
}
