import CombineTesting
import Foundation
import TestSupport
import Testing

@MainActor
@Suite struct SchedulerTimerTests {

  @Test func elementsAreTheTimesOfTheTicks() async {
    let scheduler = DispatchQueue.test
    let start = scheduler.now
    let timer = scheduler.timer(interval: .seconds(2))
    // The timer runs from the call on, and buffers what nobody awaits.
    await scheduler.advance(by: .seconds(7))
    var times: [DispatchQueue.SchedulerTimeType] = []
    for await time in timer.prefix(3) { times.append(time) }
    #expect(times == [2, 4, 6].map { start.advanced(by: .seconds($0)) })
  }

  @Test func endingTheIterationStopsTheTimer() async {
    let scheduler = DispatchQueue.test
    let task = Task {
      for await _ in scheduler.timer(interval: .seconds(1)) { break }
    }
    await scheduler.run()
    #expect(scheduler.now == DispatchQueue.test.now.advanced(by: .seconds(1)))
    await task.value
  }

  @Test func cancellingTheTaskStopsTheTimer() async {
    let scheduler = DispatchQueue.test
    let task = Task {
      for await _ in scheduler.timer(interval: .seconds(1)) {}
    }
    await scheduler.advance(by: .seconds(2))
    task.cancel()
    await task.value
    await scheduler.run()
    #expect(scheduler.now == DispatchQueue.test.now.advanced(by: .seconds(2)))
  }

  @Test func releasingTheSequenceStopsTheTimer() async {
    let scheduler = DispatchQueue.test
    do {
      _ = scheduler.timer(interval: .seconds(1))
    }
    await scheduler.run()
    #expect(scheduler.now == DispatchQueue.test.now)
  }

  @Test func theSequenceEndsIfTheSchedulerDropsTheTimer() async {
    let scheduler = VirtualScheduler()
    let timer = scheduler.timer(interval: 5, tolerance: 2, options: 7)
    #expect(scheduler.traffic == [.now, .every(5, interval: 5, tolerance: 2, 7)])
    scheduler.advance(to: 5)
    scheduler.dropAll()
    var times: [VirtualScheduler.SchedulerTimeType] = []
    for await time in timer { times.append(time) }
    #expect(times == [5])
  }
}
