import TestSupport
import Testing

@testable import CombineCore

@Suite struct TimerTableTests {

  private final class Token: Cancellable {
    let cancelled: () -> Void
    init(_ cancelled: @escaping () -> Void) { self.cancelled = cancelled }
    func cancel() { cancelled() }
  }

  /// Logs the cancelled tokens.
  private final class Log {
    var cancelled: [String] = []
    func token(_ name: String) -> any Cancellable { Token { [unowned self] in cancelled.append(name) } }
  }

  @Test func onlyTheLatestTimerCounts() {
    let log = Log()
    var table = TimerTable()
    let first = table.add()
    table.setToken(log.token("first"), of: first).cancel()
    let second = table.add()
    #expect(log.cancelled == [], "the earlier timer is cancelled after the later one is set")
    table.setToken(log.token("second"), of: second).cancel()
    #expect(log.cancelled == ["first"])
    #expect(table.fire(first) == nil)
    #expect(table.fire(second)?.isLatest == true)
    #expect(table.isEmpty)
  }

  @Test func aTimerFiresOnce() {
    let log = Log()
    var table = TimerTable()
    let timer = table.add()
    table.setToken(log.token("timer"), of: timer).cancel()
    table.fire(timer)?.token?.cancel()
    #expect(log.cancelled == ["timer"])
    #expect(table.fire(timer) == nil)
  }

  @Test func anOutdatedTimerThatFiresReturnsItsToken() {
    let log = Log()
    var table = TimerTable()
    let first = table.add()
    table.setToken(log.token("first"), of: first).cancel()
    let second = table.add()
    let fired = table.fire(first)
    #expect(fired?.isLatest == false)
    fired?.token?.cancel()
    #expect(log.cancelled == ["first"])
    table.setToken(log.token("second"), of: second).cancel()
    #expect(log.cancelled == ["first"])
  }

  @Test func aTokenThatArrivesAfterTheTimerFiredIsCancelled() {
    let log = Log()
    var table = TimerTable()
    let timer = table.add()
    let fired = table.fire(timer)
    #expect(fired?.isLatest == true)
    #expect(fired?.token == nil)
    table.setToken(log.token("late"), of: timer).cancel()
    #expect(log.cancelled == ["late"])
    #expect(table.isEmpty)
  }

  @Test func aTokenThatArrivesAfterAllWereRemovedIsCancelled() {
    let log = Log()
    var table = TimerTable()
    let timer = table.add()
    table.removeAll().cancel()
    table.setToken(log.token("late"), of: timer).cancel()
    #expect(log.cancelled == ["late"])
  }

  @Test func tokensMayArriveInAnyOrder() {
    let log = Log()
    var table = TimerTable()
    let timers = (table.add(), table.add(), table.add())
    table.setToken(log.token("1"), of: timers.0).cancel()
    #expect(log.cancelled == [], "the third may not exist yet")
    table.setToken(log.token("3"), of: timers.2).cancel()
    #expect(log.cancelled == ["1"])
    table.setToken(log.token("2"), of: timers.1).cancel()
    #expect(log.cancelled == ["1", "2"])
    #expect(table.fire(timers.2)?.isLatest == true)
  }

  @Test func removingAllReturnsTheTokensInOrder() {
    let log = Log()
    var table = TimerTable()
    let timers = (table.add(), table.add(), table.add())
    table.setToken(log.token("1"), of: timers.0).cancel()
    table.setToken(log.token("2"), of: timers.1).cancel()
    #expect(log.cancelled == ["1"])
    table.removeAll().cancel()
    #expect(log.cancelled == ["1", "2"])
    #expect(table.isEmpty)
    table.setToken(log.token("3"), of: timers.2).cancel()
    #expect(log.cancelled == ["1", "2", "3"])
  }

  @Test func cancelsEveryOutdatedTokenOnceOldestFirst() {
    let log = Log()
    var retired = RetiredTimers()
    retired.cancel()
    retired.add(nil)
    retired.add(log.token("1"))
    retired.add(log.token("2"))
    retired.add(log.token("3"))
    retired.cancel()
    #expect(log.cancelled == ["1", "2", "3"])
  }

  @Test func startingATimerReadsTheClockAndThenTheTolerance() {
    let scheduler = VirtualScheduler()
    scheduler.advance(to: 5)
    var runs = 0
    let token = TimerSchedule(interval: 10, scheduler: scheduler, options: 3).startTimer { runs += 1 }
    #expect(scheduler.traffic == [.now, .minimumTolerance, .every(15, interval: 10, tolerance: 7, 3)])
    scheduler.advance(to: 25)
    #expect(runs == 2)
    token.cancel()
    scheduler.advance(to: 100)
    #expect(runs == 2)
  }
}
