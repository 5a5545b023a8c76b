import CombineExtras
import TestSupport
import Testing

@Suite struct TrampolineSchedulerTests {

  @Test func runsAnActionInTheCallAndThoseScheduledMeanwhileAfterIt() {
    let scheduler = TrampolineScheduler.shared
    var log: [String] = []
    scheduler.schedule {
      log.append("1a")
      scheduler.schedule { log.append("2") }
      scheduler.schedule { log.append("3") }
      log.append("1b")
    }
    #expect(log == ["1a", "1b", "2", "3"])
  }

  @Test func eachThreadHasItsOwnQueue() {
    let log = SharedLog<String>()
    TrampolineScheduler.shared.schedule {
      onThreads(1) { _ in TrampolineScheduler.shared.schedule { log.append("thread") } }
      log.append("first")
    }
    #expect(log.values == ["thread", "first"])
  }

  @Test func hasTheClockOfTheImmediateScheduler() {
    let scheduler = TrampolineScheduler.shared
    #expect(scheduler.now == ImmediateScheduler.shared.now)
    #expect(scheduler.minimumTolerance == ImmediateScheduler.shared.minimumTolerance)
  }

  @Test func aDateEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let scheduler = TrampolineScheduler.shared
      scheduler.schedule(after: scheduler.now) {}
    }
  }

  @Test func aRepetitionEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let scheduler = TrampolineScheduler.shared
      _ = scheduler.schedule(after: scheduler.now, interval: 1) {}
    }
  }
}
