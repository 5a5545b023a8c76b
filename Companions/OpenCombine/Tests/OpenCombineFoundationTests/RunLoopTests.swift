import Foundation
import OpenCombineFoundation
import Testing

@Suite struct RunLoopTests {

  /// The loop of the test's own thread, which only the tests below run.
  private let loop = RunLoop.current

  /// Runs the loop until the condition holds.
  private func run(until isDone: () -> Bool) {
    let end = Date(timeIntervalSinceNow: 60)
    while !isDone(), Date() < end { _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
  }

  @Test func runsActionsOnTheLoopAndNotAtOnce() {
    var loops: [RunLoop] = []
    loop.ocombine.schedule { loops.append(.current) }
    #expect(loops.isEmpty)
    run { !loops.isEmpty }
    #expect(loops == [loop])
  }

  @Test func runsActionsAtADate() {
    let scheduler = loop.ocombine
    let date = scheduler.now.advanced(by: .milliseconds(20))
    var time: RunLoop.OCombine.SchedulerTimeType?
    scheduler.schedule(after: date) { time = scheduler.now }
    run { time != nil }
    #expect(time.map { $0.date >= date.date } == true)
  }

  @Test func repeatsAnActionUntilTheCancel() {
    var runs = 0
    let repetition = loop.ocombine.schedule(after: loop.ocombine.now, interval: .milliseconds(1)) { runs += 1 }
    run { runs >= 3 }
    repetition.cancel()
    let runsAtTheCancel = runs
    // Ten intervals later there was no other run.
    var isLater = false
    loop.ocombine.schedule(after: loop.ocombine.now.advanced(by: .milliseconds(10))) { isLater = true }
    run { isLater }
    #expect(isLater)
    #expect(runs == runsAtTheCancel)
  }

  @Test func isASchedulerOfOperators() {
    var events: [String] = []
    let sink = [1, 2].publisher
      .receive(on: RunLoop.OCombine(loop))
      .sink(receiveCompletion: { events.append("\($0)") }, receiveValue: { events.append("\($0)") })
    #expect(events.isEmpty)
    run { events.last == "finished" }
    #expect(events == ["1", "2", "finished"])
    sink.cancel()
  }

  @Test func theTimesAreThoseOfTheLoopItself() {
    let time: RunLoop.SchedulerTimeType = loop.ocombine.now
    let stride: RunLoop.OCombine.SchedulerTimeType.Stride = time.distance(to: time.advanced(by: .seconds(2)))
    #expect(abs(stride.timeInterval - 2) < 1e-6)
    #expect(loop.ocombine.minimumTolerance == loop.minimumTolerance)
    #expect(loop.ocombine.runLoop === loop)
  }

  @Test func timersSendDates() {
    let ticks = Timer.OCombine.TimerPublisher(interval: 0.001, runLoop: loop, mode: .default)
    var dates: [Date] = []
    let sink = ticks.autoconnect().prefix(2).sink { dates.append($0) }
    run { dates.count == 2 }
    #expect(dates.count == 2)
    #expect(dates == dates.sorted())
    sink.cancel()
  }
}
