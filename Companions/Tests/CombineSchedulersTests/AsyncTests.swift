import CombineSchedulers
import Dispatch
import Testing

/// Asynchronous code as in tests that were written for combine-schedulers.
@MainActor
@Suite struct AsyncTests {

  @Test func aTaskSleepsForASecond() async throws {
    let scheduler = DispatchQueue.test
    var hasEnded = false
    let task = Task {
      try await scheduler.sleep(for: .seconds(1))
      hasEnded = true
    }
    #expect(!hasEnded)
    await scheduler.advance(by: 1)
    #expect(hasEnded)
    try await task.value
  }

  @Test func anAsynchronousTimerTicksTenTimes() async {
    let scheduler = DispatchQueue.test
    var count = 0
    let task = Task {
      for await _ in scheduler.timer(interval: .seconds(1)) { count += 1 }
    }
    await scheduler.advance(by: 10)
    #expect(count == 10)
    task.cancel()
    await scheduler.run()
    #expect(count == 10)
  }

  @Test func anAsynchronousTimerTicksAThousandTimes() async {
    let scheduler = DispatchQueue.test
    var count = 0
    let task = Task {
      for await _ in scheduler.timer(interval: .seconds(1)) { count += 1 }
    }
    await scheduler.advance(by: .seconds(1000))
    #expect(count == 1000)
    task.cancel()
    await scheduler.run()
  }

  @Test func tenTicksComeOutOfARun() async {
    let scheduler = DispatchQueue.test
    var count = 0
    let task = Task {
      for await _ in scheduler.timer(interval: .seconds(1)).prefix(10) { count += 1 }
    }
    await scheduler.run()
    #expect(count == 10)
    await task.value
  }

  @Test func aTimerPublisherTicks() {
    let scheduler = DispatchQueue.test
    var count = 0
    let cancellable = Publishers.Timer(every: .seconds(1), scheduler: scheduler).autoconnect().sink { _ in count += 1 }
    scheduler.advance(by: 1)
    scheduler.advance(by: 2)
    #expect(count == 3)
    cancellable.cancel()
    scheduler.run()
    #expect(count == 3)
  }

  @Test func aDelayOfDecadesComesOutOfARun() {
    let scheduler = DispatchQueue.test
    var value: Int?
    let cancellable = Just(1).delay(for: 1_000_000_000, scheduler: scheduler).sink { value = $0 }
    scheduler.run()
    #expect(value == 1)
    cancellable.cancel()
  }
}
