import CombineCore
import TestSupport
import Testing

/// The convenience forms of `schedule`. Each calls a requirement once.
@Suite struct SchedulerTests {

  private let scheduler = VirtualScheduler()
  private let tolerance = VirtualScheduler.tolerance

  @Test func anActionAloneIsScheduledWithoutOptions() {
    var runs = 0
    scheduler.schedule { runs += 1 }
    #expect(scheduler.traffic == [.run(nil)], "neither the clock nor the tolerance is read")
    #expect(runs == 0)
    scheduler.runDue()
    #expect(runs == 1)
  }

  @Test func aDateAloneGetsTheMinimumTolerance() {
    var runs = 0
    scheduler.schedule(after: 5) { runs += 1 }
    #expect(scheduler.traffic == [.minimumTolerance, .at(5, tolerance: tolerance, nil)])
    scheduler.advance(to: 4)
    #expect(runs == 0)
    scheduler.advance(to: 100)
    #expect(runs == 1)
  }

  @Test func aDateWithAToleranceIsScheduledWithoutOptions() {
    var runs = 0
    scheduler.schedule(after: 5, tolerance: 2) { runs += 1 }
    #expect(scheduler.traffic == [.at(5, tolerance: 2, nil)])
    scheduler.advance(to: 100)
    #expect(runs == 1)
  }

  @Test func anIntervalAloneGetsTheMinimumTolerance() {
    var runs = 0
    let token = scheduler.schedule(after: 5, interval: 10) { runs += 1 }
    #expect(scheduler.traffic == [.minimumTolerance, .every(5, interval: 10, tolerance: tolerance, nil)])
    scheduler.advance(to: 25)
    #expect(runs == 3)
    token.cancel()
    scheduler.advance(to: 100)
    #expect(runs == 3, "the token of the requirement is returned")
  }

  @Test func anIntervalWithAToleranceIsScheduledWithoutOptions() {
    var runs = 0
    let token = scheduler.schedule(after: 5, interval: 10, tolerance: 2) { runs += 1 }
    #expect(scheduler.traffic == [.every(5, interval: 10, tolerance: 2, nil)])
    scheduler.advance(to: 15)
    #expect(runs == 2)
    token.cancel()
    scheduler.advance(to: 100)
    #expect(runs == 2)
  }

  @Test func worksThroughAnyScheduler() {
    func run(on scheduler: some Scheduler<VirtualScheduler.SchedulerTimeType>) {
      scheduler.schedule {}
      scheduler.schedule(after: 5) {}
    }
    run(on: scheduler)
    #expect(scheduler.traffic == [.run(nil), .minimumTolerance, .at(5, tolerance: tolerance, nil)])
  }
}
