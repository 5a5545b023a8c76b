import Foundation
import Testing

@testable import EntwineTest

@Suite struct TestSchedulerTests {

  private let scheduler = TestScheduler()

  /// Notes the time of each event.
  private final class Journal {
    let scheduler: TestScheduler
    var entries: [String] = []
    init(_ scheduler: TestScheduler) { self.scheduler = scheduler }
    func note(_ event: String) { entries.append("\(event) \(scheduler.now)") }
  }

  private let journal: Journal

  init() {
    journal = Journal(scheduler)
  }

  @Test func hasItsOwnDefaults() {
    #expect(scheduler.now == 0)
    #expect(TestScheduler(initialClock: 17).now == 17)
    #expect(scheduler.minimumTolerance == 1)
    let configuration = TestScheduler.Configuration.default
    #expect(!configuration.pausedOnStart)
    #expect([configuration.created, configuration.subscribed, configuration.cancelled] == [100, 200, 900])
    #expect(configuration.subscriberOptions.initialDemand == .unlimited)
    #expect(configuration.subscriberOptions.subsequentDemand == .none)
    #expect(configuration.subscriberOptions.demandReplenishmentDelay == 100)
    #expect(configuration.subscriberOptions.negativeBalanceHandler == nil)
  }

  @Test func runsActionsInOrderOfTimeAndThenOfScheduling() {
    scheduler.schedule(after: 300) { journal.note("third") }
    scheduler.schedule(after: 100) { journal.note("first") }
    scheduler.schedule(after: 300, tolerance: 50) { journal.note("fourth") }
    scheduler.schedule(after: 200) { journal.note("second") }
    scheduler.schedule { journal.note("now") }
    #expect(journal.entries == [])
    scheduler.resume()
    #expect(journal.entries == ["now 0", "first 100", "second 200", "third 300", "fourth 300"])
  }

  @Test func anActionForThePastRunsAtThePresentBeforeTheOthers() {
    scheduler.schedule(after: 100) {
      scheduler.schedule { journal.note("now") }
      scheduler.schedule(after: 50) { journal.note("past") }
    }
    scheduler.schedule(after: 100) { journal.note("waiting") }
    scheduler.resume()
    #expect(journal.entries == ["past 100", "waiting 100", "now 100"])
  }

  @Test func anActionAtTheSameTickRunsAfterThoseThatWait() {
    scheduler.schedule(after: 100) {
      journal.note("first")
      scheduler.schedule(after: 100) { journal.note("new") }
    }
    scheduler.schedule(after: 100) { journal.note("second") }
    scheduler.resume()
    #expect(journal.entries == ["first 100", "second 100", "new 100"])
  }

  @Test func aRepetitionKeepsItsPlaceAtATie() {
    let token = scheduler.schedule(after: 200, interval: 2) { journal.note("tick") }
    scheduler.schedule(after: 210) { token.cancel() }
    scheduler.resume()
    #expect(journal.entries == [200, 202, 204, 206, 208, 210].map { "tick \($0)" })
  }

  @Test func aRepetitionForThePastGoesOnFromThePresent() {
    scheduler.schedule(after: 100) {
      var token: (any Cancellable)?
      token = scheduler.schedule(after: 50, interval: 30) {
        journal.note("tick")
        if scheduler.now >= 160 { token?.cancel() }
      }
    }
    scheduler.resume()
    #expect(journal.entries == ["tick 100", "tick 130", "tick 160"])
  }

  @Test(arguments: [0, -5] as [VirtualTimeInterval])
  func aRepetitionWithoutAnIntervalRunsOnce(interval: VirtualTimeInterval) {
    let token = scheduler.schedule(after: 10, interval: interval) { journal.note("tick") }
    scheduler.resume()
    #expect(journal.entries == ["tick 10"])
    token.cancel()
  }

  @Test func aTokenCancelsInItsActionAndWhenItIsReleased() {
    var inside: (any Cancellable)?
    inside = scheduler.schedule(after: 10, interval: 10) {
      journal.note("inside")
      inside?.cancel()
    }
    var released: (any Cancellable)? = scheduler.schedule(after: 10, interval: 10) { journal.note("released") }
    scheduler.schedule(after: 25) { released = nil }
    scheduler.resume()
    #expect(released == nil)
    #expect(journal.entries == ["inside 10", "released 10", "released 20"])
  }

  @Test func aTokenRetainsTheScheduler() {
    weak var weakScheduler: TestScheduler?
    var token: (any Cancellable)?
    do {
      let scheduler = TestScheduler()
      weakScheduler = scheduler
      token = scheduler.schedule(after: 10, interval: 10) {}
    }
    #expect(weakScheduler != nil)
    token?.cancel()
    token = nil
    #expect(weakScheduler == nil)
  }

  @Test func resumeInsideAnActionNests() {
    scheduler.schedule(after: 100) {
      journal.note("outer")
      scheduler.resume()
      journal.note("end of outer")
    }
    scheduler.schedule(after: 200) { journal.note("inner") }
    scheduler.resume()
    #expect(journal.entries == ["outer 100", "inner 200", "end of outer 200"])
  }

  @Test func maxClockEndsTheRunWithAWarningOnly() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let scheduler = TestScheduler(maxClock: 500)
      var times: [VirtualTime] = []
      let token = scheduler.schedule(after: 100, interval: 100) { times.append(scheduler.now) }
      scheduler.schedule(after: 1000) { times.append(scheduler.now) }
      scheduler.resume()
      precondition(times == [100, 200, 300, 400, 500])
      precondition(scheduler.now == 500)
      token.cancel()
      fflush(nil)
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("500"))
    #expect(output.contains("Actions that wait: 2."))
  }

  @Test func theClockStaysAtTheLastActionBeforeMaxClock() {
    let scheduler = TestScheduler(maxClock: 500)
    scheduler.schedule(after: 300) {}
    scheduler.schedule(after: 501) {}
    scheduler.resume()
    #expect(scheduler.now == 300)
  }

  @Test func startCreatesSubscribesAndCancels() {
    var created: [VirtualTime] = []
    var cancelled: [VirtualTime] = []
    let subscriber = scheduler.start {
      created.append(scheduler.now)
      return Empty<Int, Never>(completeImmediately: false)
        .handleEvents(receiveCancel: { cancelled.append(scheduler.now) })
    }
    #expect(created == [100])
    #expect(subscriber.recordedOutput == [(200, .subscription)])
    #expect(cancelled == [900])
    #expect(scheduler.now == 900)
  }

  @Test func startMayLeaveTheClockToTheTest() {
    var configuration = TestScheduler.Configuration.default
    configuration.pausedOnStart = true
    configuration.created = 5
    configuration.subscribed = 5
    let subscriber = scheduler.start(configuration: configuration) { Just(1) }
    #expect(scheduler.now == 0)
    scheduler.resume()
    #expect(subscriber.recordedOutput == [(5, .subscription), (5, .input(1)), (5, .completion(.finished))])
  }

  @Test func startRunsTheActionsThatWereScheduledBefore() {
    scheduler.schedule(after: 150) { journal.note("before") }
    _ = scheduler.start { Just(1) }
    #expect(journal.entries == ["before 150"])
  }

  @Test func startMayBeRepeated() {
    _ = scheduler.start { Just(1) }
    let subscriber = scheduler.start { Just(2) }
    #expect(subscriber.recordedOutput == [(900, .subscription), (900, .input(2)), (900, .completion(.finished))])
  }

  @Test func aCreationAfterTheSubscriptionTraps() async {
    await #expect(processExitsWith: .failure) {
      var configuration = TestScheduler.Configuration.default
      configuration.created = 201
      _ = TestScheduler().start(configuration: configuration) { Just(1) }
    }
  }

  @Test func tasksAreOrderedByTimeAndNumber() {
    func task(_ id: Int, _ time: VirtualTime) -> TestSchedulerTask {
      TestSchedulerTask(id: id, time: time, interval: 0, action: {})
    }
    #expect(task(2, 100) < task(1, 200))
    #expect(task(1, 100) < task(2, 100))
    #expect(task(1, 100) == task(1, 200))
    #expect(task(1, 100) != task(2, 100))
  }
}
