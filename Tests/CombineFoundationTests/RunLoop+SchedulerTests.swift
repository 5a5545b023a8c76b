import CombineFoundation
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite struct RunLoopSchedulerTests {

  @Test func knowsTheTime() {
    let before = Date()
    let now = RunLoop.main.now.date
    let after = Date()
    #expect(before <= now)
    #expect(now <= after)
    #expect(RunLoop.main.minimumTolerance == .zero)
  }

  // MARK: Immediate actions

  @Test func runsActionsInOrderWhenTheLoopRuns() {
    let (before, after) = onRunLoopThread { loop in
      let log = SharedLog<Int>()
      for number in 0..<100 { loop.schedule { log.append(number) } }
      let before = log.values
      loop.run { log.values.count == 100 }
      return (before, log.values)
    }
    #expect(before.isEmpty, "the action never runs during the call")
    #expect(after == Array(0..<100))
  }

  @Test func wakesASleepingLoop() {
    let sleeping = SleepingRunLoop()
    let log = SharedLog<Thread>()
    for count in 1...5 {
      // The loop most likely sleeps by now.
      Thread.sleep(forTimeInterval: 0.01)
      sleeping.runLoop.schedule { log.append(Thread.current) }
      #expect(log.wait(for: count, seconds: 10).count == count)
    }
    #expect(log.values.allSatisfy { $0 === sleeping.thread })
  }

  @Test func wakesASleepingLoopForADelayedAction() {
    let sleeping = SleepingRunLoop()
    let log = SharedLog<Int>()
    Thread.sleep(forTimeInterval: 0.01)
    sleeping.runLoop.schedule(after: .init(Date() + 0.2)) { log.append(2) }
    sleeping.runLoop.schedule(after: .init(Date() + 0.1)) { log.append(1) }
    let token = sleeping.runLoop.schedule(after: .init(Date() + 0.3), interval: 3600) { log.append(3) }
    #expect(log.wait(for: 3, seconds: 10) == [1, 2, 3])
    token.cancel()
  }

  @Test func anActionMayScheduleTheNextOnASleepingLoop() {
    let sleeping = SleepingRunLoop()
    let log = SharedLog<Int>()
    @Sendable func step(_ number: Int) {
      log.append(number)
      if number < 100 { sleeping.runLoop.schedule { step(number + 1) } }
    }
    sleeping.runLoop.schedule { step(1) }
    #expect(log.wait(for: 100, seconds: 10) == Array(1...100))
  }

  @Test func runsActionsOfEachThreadInOrder() {
    let sleeping = SleepingRunLoop()
    let log = SharedLog<(thread: Int, number: Int)>()
    let count = 2000
    for thread in 0..<4 {
      Thread {
        for number in 0..<count {
          switch number % 3 {
          case 0: sleeping.runLoop.schedule { log.append((thread, number)) }
          case 1: sleeping.runLoop.schedule(after: sleeping.runLoop.now) { log.append((thread, number)) }
          default: sleeping.runLoop.schedule(after: .init(Date() + 0.001)) { log.append((thread, number)) }
          }
          if number % 100 == 0 { Thread.sleep(forTimeInterval: 0.001) }
        }
      }.start()
    }
    let entries = log.wait(for: 4 * count, seconds: 60)
    #expect(entries.count == 4 * count)
    for thread in 0..<4 {
      let numbers = entries.filter { $0.thread == thread }.map(\.number)
      #expect(Set(numbers).count == count)
      #expect(numbers.filter { $0 % 3 == 0 } == Array(stride(from: 0, to: count, by: 3)))
      #expect(numbers.filter { $0 % 3 == 1 } == Array(stride(from: 1, to: count, by: 3)))
    }
  }

  @Test func runsNothingInAnotherMode() {
    let mode = RunLoop.Mode("RunLoopSchedulerTests")
    let (before, after) = onRunLoopThread { loop in
      let log = SharedLog<Int>()
      loop.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: mode)
      loop.schedule { log.append(1) }
      loop.schedule(after: loop.now) { log.append(2) }
      let token = loop.schedule(after: loop.now, interval: 3600) { log.append(3) }
      loop.run(in: mode, for: 0.05)
      let before = log.values
      loop.run { log.values.count == 3 }
      token.cancel()
      return (before, log.values)
    }
    #expect(before.isEmpty)
    #expect(after == [1, 2, 3])
  }

  @Test func aNestedRunOfTheLoopRunsTheOtherActions() {
    let values = onRunLoopThread { loop in
      let log = SharedLog<String>()
      loop.schedule {
        log.append("outer begins")
        loop.schedule { log.append("inner") }
        loop.run { log.values.contains("inner") && log.values.contains("delayed") }
        log.append("outer ends")
      }
      loop.schedule { log.append("second") }
      loop.schedule(after: .init(Date() + 0.02)) { log.append("delayed") }
      loop.run { log.values.count == 5 }
      return log.values
    }
    #expect(values == ["outer begins", "second", "inner", "delayed", "outer ends"])
  }

  @Test func actionsThatScheduleThemselvesDoNotStarveTheLoop() {
    let hasFired = onRunLoopThread { loop in
      var stops = false
      let fired = SharedLog<Void>()
      loop.add(Timer(fire: Date() + 0.01, interval: 0, repeats: false) { _ in fired.signal() }, forMode: .default)
      func again() {
        if !stops { loop.schedule(again) }
      }
      again()
      let hasFired = loop.run { !fired.values.isEmpty }
      stops = true
      return hasFired
    }
    #expect(hasFired)
  }

  // MARK: Delayed actions

  @Test func runsActionsNotBeforeTheirDateAndInOrderOfDates() {
    let (start, entries) = onRunLoopThread { loop in
      let log = SharedLog<(Int, Date)>()
      let start = Date()
      for (number, delay) in [(3, 0.09), (1, 0.03), (2, 0.06), (4, 0.09)] {
        loop.schedule(after: .init(start + delay), tolerance: 3600) { log.append((number, Date())) }
      }
      loop.run { log.values.count == 4 }
      return (start, log.values)
    }
    #expect(entries.map(\.0) == [1, 2, 3, 4])
    for (entry, delay) in zip(entries, [0.03, 0.06, 0.09, 0.09]) {
      #expect(entry.1 >= start + delay)
    }
  }

  @Test func actionsForPastDatesRunSoonButNotAtOnce() {
    let (before, after) = onRunLoopThread { loop in
      let log = SharedLog<Int>()
      loop.schedule(after: .init(.distantPast)) { log.append(1) }
      let token = loop.schedule(after: .init(.distantPast), interval: 3600) { log.append(2) }
      let before = log.values
      loop.run { log.values.count == 2 }
      token.cancel()
      return (before, log.values)
    }
    #expect(before.isEmpty)
    #expect(after == [1, 2])
  }

  @Test func actionsForDistantAndInfiniteDatesNeverRun() {
    let values = onRunLoopThread { loop in
      let log = SharedLog<Int>()
      loop.schedule(after: .init(.distantFuture)) { log.append(1) }
      loop.schedule(after: .init(Date(timeIntervalSinceReferenceDate: .infinity))) { log.append(2) }
      loop.schedule(after: .init(Date() + 0.02)) { log.append(3) }
      loop.run { !log.values.isEmpty }
      loop.run(for: 0.02)
      return log.values
    }
    #expect(values == [3])
  }

  @Test func releasesActionsAfterTheyRun() {
    let isReleased = onRunLoopThread { loop in
      weak var weakObject: Object?
      let log = SharedLog<Int>()
      do {
        let object = Object()
        weakObject = object
        loop.schedule { withExtendedLifetime(object) { log.append(1) } }
        loop.schedule(after: loop.now) { withExtendedLifetime(object) { log.append(2) } }
      }
      loop.run { log.values.count == 2 }
      return weakObject == nil
    }
    #expect(isReleased)
  }

  // A separate process, whose memory nothing else uses. The sanitizer's memory would hide the measured growth.
  #if !THREAD_SANITIZER
    @Test(.inLongRuns) func manyDelayedActionsDoNotNeedATimerEach() async {
      await #expect(processExitsWith: .success) {
        // A timer is never deallocated. A hundred thousand timers would keep about 40 MB.
        let growth = onRunLoopThread { loop in
          func round() {
            let log = SharedLog<Int>()
            for number in 0..<1000 {
              loop.schedule(after: .init(Date() + 0.001)) { if number == 999 { log.append(1) } }
            }
            loop.run { !log.values.isEmpty }
          }
          for _ in 0..<20 { round() }
          let before = residentKilobytes()
          for _ in 0..<100 { round() }
          return residentKilobytes() - before
        }
        #expect(growth < 20_000)
      }
    }
  #endif

  // MARK: Repeating

  @Test func repeatsFromTheDateOnceInEachInterval() {
    let (date, dates, isAnyCancellable) = onRunLoopThread { loop in
      let log = SharedLog<Date>()
      let date = Date() + 0.05
      let token = loop.schedule(after: .init(date), interval: 0.02, tolerance: 0.001) { log.append(Date()) }
      loop.run { log.values.count >= 5 }
      token.cancel()
      return (date, log.values, token is AnyCancellable)
    }
    #expect(isAnyCancellable)
    #expect(dates.count == 5)
    for (index, time) in dates.enumerated() {
      #expect(time >= date + 0.02 * Double(index) - 0.000001)
    }
  }

  @Test(.inLongRuns) func aSlowActionSkipsTheMissedRuns() {
    let (date, dates) = onRunLoopThread { loop in
      let log = SharedLog<Date>()
      let date = Date()
      let token = loop.schedule(after: .init(date), interval: 0.1) {
        log.append(Date())
        if log.values.count == 1 { Thread.sleep(forTimeInterval: 0.25) }
      }
      loop.run { log.values.count == 3 }
      token.cancel()
      return (date, log.values)
    }
    // The runs at 0.1 and 0.2 were missed. The next runs are on the grid after them, without a burst.
    #expect(dates[1] >= date + 0.3 - 0.000001)
    #expect(dates[2] >= date + 0.4 - 0.000001)
  }

  @Test(arguments: [0, -1] as [TimeInterval])
  func aNonpositiveIntervalIsTheShortestOne(interval: TimeInterval) {
    let sleeping = SleepingRunLoop()
    let log = SharedLog<Date>()
    let start = Date()
    let token = sleeping.runLoop.schedule(after: .init(start), interval: .init(interval)) { log.append(Date()) }
    let dates = log.wait(for: 50).prefix(50)
    token.cancel()
    #expect(dates.count == 50)
    for (index, date) in dates.enumerated() {
      #expect(date >= start + 0.0001 * Double(index) - 0.000001)
    }
  }

  @Test func cancellingStopsTheRepetitionAndReleasesTheAction() {
    let (isReleased, before, after) = onRunLoopThread { loop in
      let log = SharedLog<Int>()
      weak var weakObject: Object?
      let token: any Cancellable
      do {
        let object = Object()
        weakObject = object
        token = loop.schedule(after: loop.now, interval: 0.001) { withExtendedLifetime(object) { log.append(1) } }
      }
      loop.run { log.values.count >= 2 }
      token.cancel()
      let isReleased = weakObject == nil
      let before = log.values.count
      loop.run(for: 0.03)
      return (isReleased, before, log.values.count)
    }
    #expect(isReleased)
    #expect(before == after)
  }

  @Test func releasingTheTokenStopsTheRepetition() {
    let (before, after) = onRunLoopThread { loop in
      let log = SharedLog<Int>()
      var token: (any Cancellable)? = loop.schedule(after: loop.now, interval: 0.001) { log.append(1) }
      loop.run { log.values.count >= 2 && token != nil }
      token = nil
      let before = log.values.count
      loop.run(for: 0.03)
      return (before, log.values.count)
    }
    #expect(before == after)
  }

  @Test func anActionMayCancelItsOwnRepetition() {
    let values = onRunLoopThread { loop in
      let log = SharedLog<Int>()
      var token: (any Cancellable)?
      token = loop.schedule(after: loop.now, interval: 0.001) {
        log.append(1)
        token?.cancel()
      }
      loop.run(for: 0.05)
      return log.values
    }
    #expect(values == [1])
  }

  @Test func cancellingFromAnotherThreadStopsTheRepetition() {
    let sleeping = SleepingRunLoop()
    for _ in 0..<50 {
      let log = SharedLog<Int>()
      let token = sleeping.runLoop.schedule(after: sleeping.runLoop.now, interval: 0.0001) { log.append(1) }
      #expect(log.wait(for: 2, seconds: 10).count >= 2)
      token.cancel()
      let fence = SharedLog<Int>()
      sleeping.runLoop.schedule { fence.append(log.values.count) }
      let before = fence.wait(for: 1, seconds: 10)
      sleeping.runLoop.schedule(after: .init(Date() + 0.002)) { fence.append(log.values.count) }
      #expect(fence.wait(for: 2, seconds: 10).last == before.first)
    }
  }

  @Test func aNestedRunOfTheLoopDuringARepeatedActionKeepsTheRepetition() {
    let values = onRunLoopThread { loop in
      let log = SharedLog<Int>()
      var depth = 0
      let token = loop.schedule(after: loop.now, interval: 0.005) {
        depth += 1
        log.append(depth)
        loop.run(for: 0.02)
        depth -= 1
      }
      loop.run { log.values.count == 4 }
      token.cancel()
      return log.values
    }
    #expect(values == [1, 1, 1, 1], "a repeated action is not nested")
  }

  // MARK: The thread

  @Test func aReleasedLoopReleasesItsActions() {
    let ended = onRunLoopThread { loop in
      let object = Object()
      loop.schedule(after: .init(.distantFuture)) { withExtendedLifetime(object) {} }
      return UncheckedSendable(Remains(loop: loop, object: object))
    }
    // The loop is released with its thread, which is about to end.
    let deadline = Date() + 60
    while ended.value.loop != nil, Date() < deadline { Thread.sleep(forTimeInterval: 0.001) }
    #expect(ended.value.loop == nil)
    // The first use of another loop removes the entries of ended threads.
    onRunLoopThread { loop in loop.schedule {} }
    // Another test may remove entries as well, and be the last to release the action.
    while ended.value.object != nil, Date() < deadline { Thread.sleep(forTimeInterval: 0.001) }
    #expect(ended.value.object == nil)
  }
}

private struct Remains {
  weak var loop: RunLoop?
  weak var object: Object?
}

private final class Object {}

private func residentKilobytes() -> Int {
  let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
  let pages = status?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  return (pages ?? 0) * 4
}
