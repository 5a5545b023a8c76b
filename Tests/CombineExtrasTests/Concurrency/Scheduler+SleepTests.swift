import CombineTesting
import Foundation
import TestSupport
import Testing

@MainActor
@Suite struct SchedulerSleepTests {

  private let scheduler = DispatchQueue.test

  @Test func returnsWhenTheIntervalHasPassed() async throws {
    let hasEnded = Guarded(false)
    let task = Task { [scheduler] in
      try await scheduler.sleep(for: .seconds(2))
      hasEnded.withLock { $0 = true }
    }
    await scheduler.advance(by: .seconds(1))
    #expect(!hasEnded.withLock { $0 })
    await scheduler.advance(by: .seconds(1))
    try await task.value
    await scheduler.run()
    #expect(scheduler.now == DispatchQueue.test.now.advanced(by: .seconds(2)))
  }

  @Test func returnsAtATime() async throws {
    let date = scheduler.now.advanced(by: .seconds(3))
    let task = Task { [scheduler] in
      try await scheduler.sleep(until: date)
      return scheduler.now
    }
    await scheduler.run()
    #expect(try await task.value == date)
  }

  @Test(arguments: [0, -1])
  func anIntervalThatIsNotPositiveEndsAtTheNextAction(seconds: Int) async throws {
    let task = Task { [scheduler] in try await scheduler.sleep(for: .seconds(seconds)) }
    await scheduler.advance()
    try await task.value
    #expect(scheduler.now == DispatchQueue.test.now)
    let past = Task { [scheduler] in try await scheduler.sleep(until: DispatchQueue.test.now) }
    await scheduler.advance()
    try await past.value
  }

  @Test func endsAtOnceOnAnImmediateScheduler() async throws {
    try await DispatchQueue.immediate.sleep(for: .seconds(1000))
    try await DispatchQueue.immediate.sleep(for: .zero)
  }

  @Test func throwsIfTheSchedulerDropsItsAction() async {
    let scheduler = VirtualScheduler()
    let task = Task { try await scheduler.sleep(for: 5, options: 7) }
    while scheduler.pendingCount == 0 { await Task.yield() }
    scheduler.dropAll()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func throwsIfTheTaskWasCancelledBefore() async {
    let log = SharedLog<String>()
    let scheduler = AnySchedulerOf<DispatchQueue>(
      minimumTolerance: { .zero },
      now: { .startOfStandIn },
      scheduleImmediately: { _, _ in log.append("now") },
      delayed: { _, _, _, _ in log.append("delayed") },
      interval: { _, _, _, _, _ in
        log.append("repeating")
        return AnyCancellable {}
      }
    )
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await scheduler.sleep(for: .seconds(1))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(log.values == [])
  }

  @Test func aCancellationEndsTheSleepAndRemovesItsAction() async {
    let task = Task { [scheduler] in try await scheduler.sleep(for: .seconds(1)) }
    await scheduler.advance()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await scheduler.run()
    #expect(scheduler.now == DispatchQueue.test.now)
  }

  /// A test on the main actor can so rely on it that one pause of the actor brings the task to its sleep.
  @Test func callsTheSchedulerOnTheActorOfItsCaller() async throws {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    defer { DispatchQueue.main.setSpecific(key: mark, value: nil) }
    let calls = Guarded<[Bool?]>([])
    let scheduler = AnySchedulerOf<DispatchQueue>(
      minimumTolerance: { .zero },
      now: { .startOfStandIn },
      scheduleImmediately: { _, action in
        calls.withLock { $0.append(DispatchQueue.getSpecific(key: mark)) }
        action()
      },
      delayed: { _, _, _, _ in },
      interval: { _, _, _, _, action in
        calls.withLock { $0.append(DispatchQueue.getSpecific(key: mark)) }
        action()
        return AnyCancellable {}
      }
    )
    try await scheduler.sleep(for: .zero)
    try await scheduler.sleep(for: .seconds(1))
    try await scheduler.sleep(until: scheduler.now.advanced(by: .seconds(1)))
    #expect(calls.withLock { $0 } == [true, true, true])
  }

  @Test func passesToleranceAndOptionsToTheScheduler() async throws {
    let calls = Guarded<[String]>([])
    let scheduler = AnyScheduler<DispatchQueue.SchedulerTimeType, Int>(
      minimumTolerance: { .zero },
      now: { .startOfStandIn },
      scheduleImmediately: { options, action in
        calls.withLock { $0.append("now \(options ?? 0)") }
        action()
      },
      delayed: { _, _, _, _ in },
      interval: { _, interval, tolerance, options, action in
        calls.withLock { $0.append("\(interval.magnitude) \(tolerance.magnitude) \(options ?? 0)") }
        action()
        return AnyCancellable { calls.withLock { $0.append("cancelled") } }
      }
    )
    try await scheduler.sleep(for: .nanoseconds(5), tolerance: .nanoseconds(2), options: 7)
    try await scheduler.sleep(for: .zero, options: 8)
    #expect(calls.withLock { $0 } == ["5 2 7", "cancelled", "now 8"])
  }
}
