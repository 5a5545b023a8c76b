import TestSupport
import Testing

@_spi(Companions) @testable import CombineTesting

@Suite(.capturesFailures) struct TestSchedulerTests {

  /// The events, with their times.
  private final class Journal {
    let scheduler: TestScheduler
    private(set) var entries: [String] = []

    init(_ scheduler: TestScheduler) {
      self.scheduler = scheduler
    }

    func note(_ event: String) {
      entries.append("\(event) \(scheduler.now)")
    }
  }

  private let scheduler = TestScheduler()
  private let journal: Journal

  init() {
    journal = Journal(scheduler)
  }

  // MARK: The order of actions

  @Test func clockMovesOnlyWhenTheTestMovesIt() {
    scheduler.schedule(after: 100) { journal.note("A") }
    scheduler.schedule { journal.note("B") }
    #expect(scheduler.now == 0)
    #expect(journal.entries.isEmpty)
  }

  @Test func startsAtItsInitialClock() {
    let scheduler = TestScheduler(initialClock: 500)
    var times: [VirtualTime] = []
    scheduler.schedule { times.append(scheduler.now) }
    scheduler.schedule(after: 510) { times.append(scheduler.now) }
    scheduler.resume()
    #expect(times == [500, 510])
  }

  @Test func runsInOrderOfTime() {
    for time in [300, 100, 200] { scheduler.schedule(after: VirtualTime(time)) { journal.note("ran at") } }
    scheduler.resume()
    #expect(journal.entries == ["ran at 100", "ran at 200", "ran at 300"])
  }

  @Test func runsActionsOfOneTimeInOrderOfScheduling() {
    for number in 0..<50 { scheduler.schedule(after: VirtualTime(number % 2 * 10)) { journal.note("\(number) at") } }
    scheduler.resume()
    let even = stride(from: 0, to: 50, by: 2).map { "\($0) at 0" }
    let odd = stride(from: 1, to: 50, by: 2).map { "\($0) at 10" }
    #expect(journal.entries == even + odd)
  }

  @Test func supportsAllFormsOfScheduling() {
    scheduler.schedule(after: 10, interval: 100, tolerance: 1, options: nil) { journal.note("tolerant tick") }.cancel()
    let ticks = scheduler.schedule(after: 10, interval: 15) { journal.note("tick") }
    let tolerantTicks = scheduler.schedule(after: 12, interval: 15, tolerance: 1) { journal.note("tock") }
    scheduler.schedule(options: nil) { journal.note("now") }
    scheduler.schedule { journal.note("now too") }
    scheduler.schedule(after: 5) { journal.note("after") }
    scheduler.schedule(after: 6, tolerance: 3) { journal.note("tolerant") }
    scheduler.schedule(after: 7, tolerance: 3, options: nil) { journal.note("all") }
    scheduler.advance(to: 30)
    ticks.cancel()
    tolerantTicks.cancel()
    #expect(
      journal.entries
        == ["now 0", "now too 0", "after 5", "tolerant 6", "all 7", "tick 10", "tock 12", "tick 25", "tock 27"]
    )
    #expect(scheduler.minimumTolerance == 0)
  }

  @Test func actionMaySchedule() {
    scheduler.schedule(after: 100) {
      journal.note("outer")
      scheduler.schedule { journal.note("now") }
      scheduler.schedule(after: 150) { journal.note("later") }
      journal.note("outer ends")
    }
    scheduler.schedule(after: 100) { journal.note("second") }
    scheduler.resume()
    #expect(journal.entries == ["outer 100", "outer ends 100", "second 100", "now 100", "later 150"])
  }

  @Test func actionsForThePastRunNow() {
    scheduler.schedule(after: 100) {
      scheduler.schedule(after: 50) { journal.note("past") }
      scheduler.schedule { journal.note("now") }
    }
    scheduler.schedule(after: 100) { journal.note("waiting") }
    scheduler.resume()
    #expect(journal.entries == ["past 100", "waiting 100", "now 100"])
  }

  @Test func actionMayMoveTheClock() {
    scheduler.schedule(after: 100) {
      journal.note("outer")
      scheduler.advance(by: 50)
      journal.note("outer ends")
    }
    scheduler.schedule(after: 120) { journal.note("inner") }
    scheduler.schedule(after: 160) { journal.note("last") }
    scheduler.advance(to: 130)
    #expect(journal.entries == ["outer 100", "inner 120", "outer ends 150"])
    #expect(scheduler.now == 150)
    scheduler.resume()
    #expect(journal.entries.last == "last 160")
  }

  // MARK: Moving the clock

  @Test func resumeStopsAtTheLastAction() {
    scheduler.schedule(after: 300) { journal.note("A") }
    scheduler.resume()
    #expect(scheduler.now == 300)
    scheduler.resume()
    #expect(journal.entries == ["A 300"])
  }

  @Test func runDoesWhatResumeDoes() {
    scheduler.schedule(after: 300) { journal.note("A") }
    scheduler.run()
    #expect(journal.entries == ["A 300"])
  }

  @Test func advanceRunsTheActionsThatBecomeDue() {
    for time in [100, 150, 200] { scheduler.schedule(after: VirtualTime(time)) { journal.note("A") } }
    scheduler.advance(by: 99)
    #expect(journal.entries == [])
    scheduler.advance(by: 1)
    #expect(journal.entries == ["A 100"])
    scheduler.advance(to: 170)
    #expect(journal.entries == ["A 100", "A 150"])
    #expect(scheduler.now == 170)
  }

  @Test func advanceByZeroRunsTheActionsThatAreDue() {
    scheduler.schedule { journal.note("now") }
    scheduler.schedule(after: 1) { journal.note("later") }
    scheduler.advance()
    #expect(journal.entries == ["now 0"])
    scheduler.advance(by: 0)
    #expect(journal.entries == ["now 0"])
  }

  @Test func clockNeverMovesBack() {
    scheduler.advance(to: 100)
    scheduler.schedule { journal.note("now") }
    scheduler.advance(to: 50)
    #expect(scheduler.now == 100)
    #expect(journal.entries == [])
    scheduler.resume()
    #expect(journal.entries == ["now 100"])
  }

  // MARK: Repetition

  @Test func repeatsUntilTheActionCancels() {
    var count = 0
    var token: (any Cancellable)?
    token = scheduler.schedule(after: 50, interval: 25) {
      journal.note("tick")
      count += 1
      if count == 3 { token?.cancel() }
    }
    scheduler.resume()
    #expect(journal.entries == ["tick 50", "tick 75", "tick 100"])
    #expect(scheduler.now == 100)
  }

  @Test func cancelledRepetitionNeverRuns() {
    scheduler.schedule(after: 50, interval: 25) { journal.note("tick") }.cancel()
    scheduler.resume()
    #expect(journal.entries == [])
    #expect(scheduler.now == 0)
  }

  @Test func releasedRepetitionEnds() {
    var token: (any Cancellable)? = scheduler.schedule(after: 50, interval: 25) { journal.note("tick") }
    scheduler.advance(to: 80)
    #expect(token is AnyCancellable)
    token = nil
    scheduler.resume()
    #expect(journal.entries == ["tick 50", "tick 75"])
  }

  @Test func repetitionKeepsItsPlaceAmongActionsOfOneTime() {
    let token = scheduler.schedule(after: 10, interval: 10) {
      journal.note("tick")
      scheduler.schedule(after: scheduler.now + 10) { journal.note("from tick") }
    }
    scheduler.schedule(after: 20) { journal.note("early bird") }
    scheduler.advance(to: 20)
    token.cancel()
    #expect(journal.entries == ["tick 10", "tick 20", "early bird 20", "from tick 20"])
  }

  @Test func cancellingReleasesTheAction() {
    final class Kept {}
    weak var kept: Kept?
    let token = {
      let object = Kept()
      kept = object
      return scheduler.schedule(after: 10, interval: 10) { withExtendedLifetime(object) {} }
    }()
    #expect(kept != nil)
    token.cancel()
    #expect(kept == nil)
  }

  @Test func objectsReleasedWithAnActionMayUseTheScheduler() {
    final class LastWord {
      let scheduler: TestScheduler
      let say: () -> Void
      init(_ scheduler: TestScheduler, _ say: @escaping () -> Void) { (self.scheduler, self.say) = (scheduler, say) }
      deinit { scheduler.schedule(say) }
    }
    var said = 0
    for isCancelled in [true, false] {
      let token = {
        let lastWord = LastWord(scheduler) { said += 1 }
        scheduler.schedule(after: 5) { withExtendedLifetime(lastWord) {} }
        let other = LastWord(scheduler) { said += 10 }
        return scheduler.schedule(after: 10, interval: 10) { withExtendedLifetime(other) {} }
      }()
      if isCancelled { token.cancel() }
      scheduler.advance(by: 20)
    }
    scheduler.resume()
    #expect(said == 22)
  }

  // MARK: Endless tests

  @Test func endlessRepetitionFailsTheTestAtMaxClock() {
    let scheduler = TestScheduler(maxClock: 1000)
    var count = 0
    let token = scheduler.schedule(after: 100, interval: 100) { count += 1 }
    let message =
      "TestScheduler stopped at its maxClock, 1000: the clock was to go on to 1100, with 1 action waiting. Does"
    expectFailure(message) { scheduler.resume() }
    #expect(count == 10)
    #expect(scheduler.now == 1000)
    token.cancel()
    scheduler.resume()
    #expect(count == 10)
  }

  @Test func maxClockIsAHundredThousandByDefault() {
    scheduler.schedule(after: 100_000) { journal.note("A") }
    scheduler.schedule(after: 100_001) { journal.note("B") }
    expectFailure("maxClock, 100000: the clock was to go on to 100001, with 1 action waiting") { scheduler.run() }
    #expect(scheduler.now == 100_000)
    #expect(journal.entries == ["A 100000"])
  }

  @Test func advanceStopsAtMaxClock() {
    let scheduler = TestScheduler(maxClock: 1000)
    scheduler.advance(to: 1000)
    expectFailure("the clock was to go on to 1010, with 0 actions waiting. For") { scheduler.advance(by: 10) }
    #expect(scheduler.now == 1000)
    expectFailure("was to go on to 1001") { scheduler.advance(to: 1001) }
  }

  @Test func standstillFailsTheTest() {
    let scheduler = TestScheduler(agenda: VirtualAgenda(clock: 0, mostActionsAtOneTime: 1000))
    func again() { scheduler.schedule { again() } }
    scheduler.schedule(after: 7) { again() }
    expectFailure("TestScheduler stopped at 7, where 1000 actions have run and more are due.") { scheduler.resume() }
  }

  @Test func standstillIsAMillionActionsAtOneTime() {
    #expect(VirtualAgenda(clock: 0).mostActionsAtOneTime == 1_000_000)
  }

  @Test(arguments: [0, -5] as [VirtualTimeInterval])
  func repetitionWithoutAnIntervalRunsOnce(interval: VirtualTimeInterval) {
    let token = scheduler.schedule(after: 7, interval: interval) { journal.note("tick") }
    scheduler.resume()
    #expect(journal.entries == ["tick 7"])
    token.cancel()
  }

  @Test func manyActionsWithTimePassingAreNoStandstill() {
    let scheduler = TestScheduler(agenda: VirtualAgenda(clock: 0, mostActionsAtOneTime: 100))
    var count = 0
    for number in 0..<990 { scheduler.schedule(after: VirtualTime(number / 99)) { count += 1 } }
    scheduler.resume()
    #expect(count == 990)
  }

  // MARK: Threads

  @Test func anyThreadMaySchedule() {
    let ran = Guarded(0)
    onThreads(4) { [scheduler] _ in
      for number in 0..<500 {
        scheduler.schedule(after: VirtualTime(number)) { ran.withLock { $0 += 1 } }
        scheduler.schedule(after: VirtualTime(number), interval: 10) { ran.withLock { $0 += 1_000_000 } }.cancel()
      }
    }
    scheduler.resume()
    #expect(ran.withLock { $0 } == 2000)
    #expect(scheduler.now == 499)
  }

  @Test func otherThreadsMayScheduleWhileTimeMoves() {
    let ran = Guarded(0)
    onThreads(3) { [scheduler] thread in
      for number in 0..<500 {
        if thread == 0 {
          scheduler.advance(by: 1)
        } else {
          scheduler.schedule(after: VirtualTime(number)) { ran.withLock { $0 += 1 } }
        }
      }
    }
    scheduler.resume()
    #expect(ran.withLock { $0 } == 1000)
  }
}
