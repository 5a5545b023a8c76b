import Foundation
import TestSupport
import Testing

@testable import CombineTesting

/// Tasks that wait on a scheduler whose clock an asynchronous test moves, on the main actor like these tasks.
@MainActor
@Suite struct ControlledSchedulerAsyncTests {

  @Test func aSleepingTaskEndsWhenTheClockReachesItsTime() async throws {
    let scheduler = DispatchQueue.test
    let hasEnded = Guarded(false)
    let task = Task {
      try await scheduler.sleep(for: .seconds(1))
      hasEnded.withLock { $0 = true }
    }
    await scheduler.advance()
    await scheduler.advance(by: .milliseconds(999))
    #expect(!hasEnded.withLock { $0 })
    await scheduler.advance(by: .milliseconds(1))
    #expect(hasEnded.withLock { $0 })
    try await task.value
  }

  @Test func aTaskMaySleepAgainDuringOneAdvance() async throws {
    let scheduler = DispatchQueue.test
    let start = scheduler.now
    let times = Guarded<[Int]>([])
    let task = Task {
      for _ in 0..<3 {
        try await scheduler.sleep(for: .seconds(1))
        let nanoseconds = start.distance(to: scheduler.now).magnitude
        times.withLock { $0.append(nanoseconds / 1_000_000_000) }
      }
    }
    await scheduler.advance(by: .seconds(2))
    #expect(times.withLock { $0 } == [1, 2])
    await scheduler.run()
    #expect(times.withLock { $0 } == [1, 2, 3])
    try await task.value
  }

  @Test func anAsynchronousTimerTicksDuringAnAdvance() async {
    let scheduler = DispatchQueue.test
    let count = Guarded(0)
    let task = Task {
      for await _ in scheduler.timer(interval: .seconds(1)).prefix(11) { count.withLock { $0 += 1 } }
    }
    await scheduler.advance(by: .seconds(10))
    #expect(count.withLock { $0 } == 10)
    await scheduler.advance(to: scheduler.now.advanced(by: .seconds(1)))
    #expect(count.withLock { $0 } == 11)
    task.cancel()
    await task.value
    await scheduler.run()
  }

  @Test func anAsynchronousTimerTicksDuringARun() async {
    let scheduler = RunLoop.test
    let count = Guarded(0)
    let task = Task {
      for await _ in scheduler.timer(interval: .seconds(1)).prefix(10) { count.withLock { $0 += 1 } }
    }
    await scheduler.run()
    #expect(count.withLock { $0 } == 10)
    task.cancel()
    await task.value
  }

  /// One turn of the main queue is enough, however busy the machine is.
  @Test func aTaskOnTheMainActorSleepsAtTheFirstTurn() async throws {
    let scheduler = DispatchQueue.test
    for _ in 0..<100 {
      let task = Task { try await scheduler.sleep(for: .seconds(1)) }
      await withCheckedContinuation { turn in DispatchQueue.main.async { turn.resume() } }
      scheduler.advanceNow(by: .seconds(1))
      try await task.value
    }
  }

  /// Each yield of the scheduler lets the main actor do what waits for it, also on a busy machine.
  @Test func aTaskThatOthersOnTheMainActorStartSleepsAfterAsManyYields() async throws {
    let scheduler = DispatchQueue.test
    for _ in 0..<100 {
      let task = Task {
        try await Task {
          try await Task { try await scheduler.sleep(for: .seconds(1)) }.value
        }.value
      }
      await scheduler.advance(by: .seconds(1))
      try await task.value
    }
  }

  @Test func aThousandTicksTakeAThousandSeconds() async {
    let scheduler = DispatchQueue.test
    let count = Guarded(0)
    let token = scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1)), interval: .seconds(1)) {
      count.withLock { $0 += 1 }
    }
    scheduler.advanceNow(by: .seconds(1000))
    #expect(count.withLock { $0 } == 1000)
    token.cancel()
  }

  @Test func theNumberOfYieldsComesFromTheEnvironment() async {
    #expect(TaskYield.count(from: nil) == 20)
    #expect(TaskYield.count(from: "many") == 20)
    #expect(TaskYield.count(from: "7") == 7)
    #expect(TaskYield.count(from: "-7") == 0)
    #expect(TaskYield.count(from: "10001") == 10_000)
    await #expect(processExitsWith: .success) {
      setenv("TASK_MEGA_YIELD_COUNT", "3", 1)
      #expect(TaskYield.count == 3)
    }
  }
}

extension ControlledScheduler {

  /// The synchronous method, which an asynchronous test does not get by its name.
  fileprivate func advanceNow(by stride: SchedulerTimeType.Stride) {
    advance(by: stride)
  }
}
