import Foundation
import TestSupport
import Testing

@_spi(Companions) @testable import CombineTesting

/// The stand-ins for each scheduler of the platform whose clock the test moves.
@Suite(.capturesFailures) struct ControlledSchedulerTests {

  private final class Log: Sendable {
    private let entries = Guarded<[String]>([])
    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
    func take() -> [String] { entries.withLock { exchange(&$0, with: []) } }
  }

  private func expectControl<Time, Options>(
    of scheduler: ControlledScheduler<Time, Options>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let log = Log()
    let start = scheduler.now
    #expect(scheduler.minimumTolerance == .zero, sourceLocation: sourceLocation)

    scheduler.schedule(options: nil) { log.note("now") }
    scheduler.schedule(after: start.advanced(by: .milliseconds(20)), tolerance: .zero, options: nil) {
      log.note("second")
      #expect(scheduler.now == start.advanced(by: .milliseconds(20)), sourceLocation: sourceLocation)
    }
    scheduler.schedule(after: start.advanced(by: .milliseconds(10)), tolerance: .zero, options: nil) {
      log.note("first")
      #expect(scheduler.now == start.advanced(by: .milliseconds(10)), sourceLocation: sourceLocation)
      scheduler.schedule(options: nil) { log.note("then") }
    }
    #expect(log.take() == [], sourceLocation: sourceLocation)
    scheduler.advance()
    #expect(log.take() == ["now"], sourceLocation: sourceLocation)
    scheduler.advance(by: .milliseconds(10))
    #expect(log.take() == ["first", "then"], sourceLocation: sourceLocation)
    scheduler.advance(to: start.advanced(by: .seconds(1)))
    #expect(log.take() == ["second"], sourceLocation: sourceLocation)
    #expect(scheduler.now == start.advanced(by: .seconds(1)), sourceLocation: sourceLocation)

    // Sums of fractions of a second are exact.
    let ticks = scheduler.schedule(after: scheduler.now.advanced(by: .seconds(0.1)), interval: .seconds(0.1)) {
      log.note("tick")
    }
    scheduler.advance(by: .seconds(0.3))
    #expect(log.take() == ["tick", "tick", "tick"], sourceLocation: sourceLocation)
    ticks.cancel()
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(0.3)), tolerance: .zero, options: nil) {
      log.note("after three tenths")
    }
    for _ in 0..<3 { scheduler.advance(by: .seconds(0.1)) }
    #expect(log.take() == ["after three tenths"], sourceLocation: sourceLocation)

    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1_000_000_000)), tolerance: .zero, options: nil) {
      log.note("decades later")
    }
    scheduler.run()
    #expect(log.take() == ["decades later"], sourceLocation: sourceLocation)
    let end = scheduler.now
    scheduler.advance(to: start)
    #expect(scheduler.now == end, sourceLocation: sourceLocation)
  }

  @Test func theTestMovesTheClockOfAStandIn() {
    expectControl(of: DispatchQueue.test)
    expectControl(of: UIScheduler.test)
    expectControl(of: RunLoop.test)
    expectControl(of: OperationQueue.test)
    expectControl(of: AnySchedulerOf<DispatchQueue>.test)
    expectControl(of: TestSchedulerOf<DispatchQueue>(now: .init(DispatchTime(uptimeNanoseconds: 5_000))))
    expectControl(of: ControlledScheduler<VirtualTime, Never>(now: 17))
  }

  @Test func startsAtAFixedTime() {
    #expect(DispatchQueue.test.now.dispatchTime.uptimeNanoseconds == 1)
    #expect(UIScheduler.test.now.dispatchTime.uptimeNanoseconds == 1)
    #expect(RunLoop.test.now.date == Date(timeIntervalSince1970: 0))
    #expect(OperationQueue.test.now.date == Date(timeIntervalSince1970: 0))
    #expect(DispatchQueue.test !== DispatchQueue.test)
  }

  @Test func repetitionsKeepTheirOrder() {
    let scheduler = DispatchQueue.test
    let log = Log()
    func repetition(every seconds: Int, from start: Int, _ name: String) -> any Cancellable {
      let date = scheduler.now.advanced(by: .seconds(start))
      return scheduler.schedule(after: date, interval: .seconds(seconds)) { log.note(name) }
    }
    let tokens = [repetition(every: 2, from: 0, "two"), repetition(every: 1, from: 0, "one")]
    scheduler.advance()
    #expect(log.take() == ["two", "one"])
    scheduler.advance(by: .seconds(1))
    #expect(log.take() == ["one"])
    scheduler.advance(by: .seconds(1))
    #expect(log.take() == ["two", "one"])
    for token in tokens { token.cancel() }

    let others = [repetition(every: 2, from: 2, "two"), repetition(every: 3, from: 3, "three")]
    scheduler.advance(by: .seconds(6))
    #expect(log.take() == ["two", "three", "two", "two", "three"])
    for token in others { token.cancel() }
  }

  @Test func actionForThePastRunsNow() {
    let scheduler = DispatchQueue.test
    let start = scheduler.now
    scheduler.advance(by: .seconds(1))
    let now = scheduler.now
    let log = Log()
    let ranAt = Guarded<DispatchQueue.SchedulerTimeType?>(nil)
    scheduler.schedule(after: start) { ranAt.withLock { $0 = scheduler.now } }
    scheduler.run()
    #expect(ranAt.withLock { $0 } == now)
    let token = scheduler.schedule(after: start, interval: .seconds(1)) { log.note("tick") }
    scheduler.advance(by: .seconds(1))
    #expect(log.take() == ["tick", "tick"])
    token.cancel()
  }

  @Test(arguments: [0, -1])
  func repetitionWithoutAnIntervalRunsOncePerAdvance(seconds: Int) {
    let scheduler = DispatchQueue.test
    let log = Log()
    let token = scheduler.schedule(after: scheduler.now, interval: .seconds(seconds)) {
      log.note("tick")
      scheduler.advance()
    }
    scheduler.advance(by: .seconds(5))
    #expect(log.take() == ["tick"])
    scheduler.run()
    #expect(log.take() == ["tick"])
    token.cancel()
    scheduler.advance()
    #expect(log.take() == [])
  }

  @Test func tokenCancelsInTheActionAndWhenItIsReleased() {
    let scheduler = RunLoop.test
    let log = Log()
    let token = Guarded<AnyCancellable?>(nil)
    let inside = scheduler.schedule(after: scheduler.now, interval: 1) {
      log.note("inside")
      token.withLock { $0 }?.cancel()
    }
    token.withLock { $0 = AnyCancellable(inside) }
    var released: (any Cancellable)? = scheduler.schedule(after: scheduler.now, interval: 1) { log.note("released") }
    scheduler.advance()
    #expect(released != nil)
    released = nil
    scheduler.run()
    #expect(log.take() == ["inside", "released"])
  }

  @Test func tokenDoesNotRetainTheScheduler() {
    weak var weakScheduler: TestSchedulerOf<DispatchQueue>?
    let token = {
      let scheduler = DispatchQueue.test
      weakScheduler = scheduler
      return scheduler.schedule(after: scheduler.now, interval: .seconds(1)) {}
    }()
    #expect(weakScheduler == nil)
    token.cancel()
  }

  @Test func anyThreadMayScheduleAndCancel() {
    let scheduler = DispatchQueue.test
    let ran = Guarded(0)
    onThreads(4) { _ in
      for _ in 0..<200 {
        scheduler.schedule { ran.withLock { $0 += 1 } }
        scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { ran.withLock { $0 += 1000 } }.cancel()
      }
    }
    scheduler.run()
    #expect(ran.withLock { $0 } == 800)
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
    let failures = capturedFailures { scheduler.run(limit: .seconds(2)) }
    #expect(
      failures.map(\.message) == [
        """
        the scheduler stopped at the limit of the run: 1 action waits for a later time. \
        Does something repeat that nobody cancels?
        """
      ]
    )
    #expect(log.take() == ["tick", "tick", "tick"])
    ticks.cancel()
  }

  @Test func timeThatStandsStillFailsTheRun() {
    let agenda = VirtualAgenda<DispatchQueue.SchedulerTimeType>(clock: .startOfStandIn, mostActionsAtOneTime: 100)
    let scheduler = TestSchedulerOf<DispatchQueue>(agenda: agenda)
    func again() { scheduler.schedule(again) }
    again()
    let failures = capturedFailures { scheduler.advance(by: .seconds(2)) }
    #expect(
      failures.map(\.message) == [
        """
        the scheduler stopped: 100 actions have run at one time and more are due. \
        Does an action schedule itself without a delay?
        """
      ]
    )
  }
}
