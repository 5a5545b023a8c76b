import CombineDispatch
import Dispatch
import TestSupport
import Testing

@Suite struct DispatchQueueSchedulerTests {

  private let queue = DispatchQueue(label: "DispatchQueueSchedulerTests")

  @Test func knowsTheTime() {
    let before = DispatchTime.now()
    let now = queue.now.dispatchTime
    let after = DispatchTime.now()
    #expect(before <= now)
    #expect(now <= after)
    #expect(queue.minimumTolerance == .zero)
  }

  @Test func optionsHaveDefaults() {
    let options = DispatchQueue.SchedulerOptions()
    #expect(options.qos == .unspecified)
    #expect(options.flags == [])
    #expect(options.group == nil)
  }

  @Test func runsActionsForNowLaterAndInOrder() {
    let log = SharedLog<Int>()
    queue.sync {
      for number in 0..<100 { queue.schedule { log.append(number) } }
      #expect(log.values.isEmpty, "the action never runs during the call")
    }
    #expect(log.wait(for: 100) == Array(0..<100))
  }

  @Test func runsActionsOnTheQueue() {
    let key = DispatchSpecificKey<Int>()
    queue.setSpecific(key: key, value: 42)
    let log = SharedLog<Int?>()
    queue.schedule { log.append(DispatchQueue.getSpecific(key: key)) }
    queue.schedule(after: queue.now) { log.append(DispatchQueue.getSpecific(key: key)) }
    log.wait(for: 2)
    let token = queue.schedule(after: queue.now, interval: 3600) { log.append(DispatchQueue.getSpecific(key: key)) }
    #expect(log.wait(for: 3) == [42, 42, 42])
    token.cancel()
  }

  @Test func groupWaitsForAnActionForNow() {
    let log = SharedLog<Int>()
    let group = DispatchGroup()
    let isAllowed = DispatchSemaphore(value: 0)
    queue.schedule(options: .init(qos: .userInitiated, group: group)) {
      isAllowed.wait()
      log.append(1)
    }
    #expect(group.wait(timeout: .now()) == .timedOut)
    isAllowed.signal()
    #expect(group.wait(timeout: .now() + 60) == .success)
    #expect(log.values == [1])
  }

  @Test func delayedAndRepeatingActionsIgnoreTheGroup() {
    let group = DispatchGroup()
    let options = DispatchQueue.SchedulerOptions(group: group)
    let token = queue.sync {
      queue.schedule(after: queue.now, tolerance: .zero, options: options) {}
      return queue.schedule(after: queue.now, interval: 1, tolerance: .zero, options: options) {
        #expect(group.wait(timeout: .now()) == .success)
      }
    }
    #expect(group.wait(timeout: .now()) == .success)
    token.cancel()
  }

  // The thread sanitizer replaces blocks given to `dispatch_after` by its own, without their flags.
  #if THREAD_SANITIZER
    private static let delays = [false]
  #else
    private static let delays = [false, true]
  #endif

  @Test(arguments: delays)
  func barrierFlagIsHonoured(isDelayed: Bool) {
    let queue = DispatchQueue(label: "DispatchQueueSchedulerTests.concurrent", attributes: .concurrent)
    let log = SharedLog<Int>()
    let isRunning = DispatchSemaphore(value: 0)
    let isAllowed = DispatchSemaphore(value: 0)
    queue.schedule {
      isRunning.signal()
      isAllowed.wait()
      log.append(1)
    }
    isRunning.wait()
    if isDelayed {
      queue.schedule(after: queue.now, tolerance: .zero, options: .init(flags: .barrier)) { log.append(2) }
      pass(milliseconds: 20)  // Without the barrier, the action would run too early here.
    } else {
      queue.schedule(options: .init(flags: .barrier)) { log.append(2) }
      queue.schedule { log.append(3) }
    }
    #expect(log.values.isEmpty, "the barrier waits for the first action, and the third for the barrier")
    isAllowed.signal()
    #expect(log.wait(for: isDelayed ? 2 : 3) == (isDelayed ? [1, 2] : [1, 2, 3]))
  }

  @Test func anIntervalThatNeverPassesFiresOnceForAnyTolerance() {
    let log = SharedLog<Int>()
    let token = queue.schedule(after: queue.now, interval: .nanoseconds(.max), tolerance: .nanoseconds(.max)) {
      log.append(1)
    }
    let other = queue.schedule(after: queue.now, interval: .nanoseconds(.min), tolerance: .nanoseconds(.min)) {
      log.append(2)
    }
    while log.wait(for: log.values.count + 1).filter({ $0 == 2 }).count < 3 {}
    other.cancel()
    pass(milliseconds: 20)
    token.cancel()
    #expect(log.values.filter { $0 == 1 } == [1])
  }

  @Test func runsAnActionNotBeforeItsDate() {
    let log = SharedLog<DispatchTime>()
    let date = queue.now.advanced(by: .milliseconds(30))
    queue.schedule(after: date) { log.append(.now()) }
    queue.schedule(after: date, tolerance: .seconds(3600)) { log.append(.now()) }
    let times = log.wait(for: 2)
    #expect(times.count == 2)
    #expect(times.allSatisfy { $0 >= date.dispatchTime })
  }

  @Test func actionsForPastDatesRunSoonButNotAtOnce() {
    let log = SharedLog<Int>()
    let past = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1))
    let token = queue.sync {
      queue.schedule(after: past) { log.append(1) }
      let token = queue.schedule(after: past, interval: .seconds(3600)) { log.append(2) }
      #expect(log.values.isEmpty)
      return token
    }
    #expect(log.wait(for: 2).sorted() == [1, 2])
    token.cancel()
  }

  @Test func repeatsFromTheDateOnceInEachInterval() {
    let log = SharedLog<DispatchTime>()
    let date = queue.now.advanced(by: .milliseconds(20))
    let token = queue.schedule(after: date, interval: .milliseconds(10)) { log.append(.now()) }
    let times = log.wait(for: 4)
    token.cancel()
    #expect(token is AnyCancellable)
    #expect(times.count >= 4)
    for (index, time) in times.prefix(4).enumerated() {
      #expect(time >= date.dispatchTime + .milliseconds(10 * index))
    }
  }

  @Test(.inLongRuns) func theDatesDoNotDriftAndThoseThatHavePassedCountAsOne() {
    let last = shortestDuration(below: 0.6) {
      let log = SharedLog<DispatchTime>()
      let date = queue.now.advanced(by: .milliseconds(50))
      let token = queue.schedule(after: date, interval: .milliseconds(50)) {
        log.append(.now())
        // The first run takes until after the third date, so one run is for the dates of the second and the third.
        let duration = log.values.count == 1 ? 110 : 30
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(duration))
      }
      let runs = log.wait(for: 10).prefix(10)
      token.cancel()
      return Double(runs[9].uptimeNanoseconds - date.dispatchTime.uptimeNanoseconds) / 1e9
    }
    #expect(last > 0.49 && last < 0.6, "the tenth run is for the eleventh date: \(last)")
  }

  @Test func negativeIntervalAndToleranceCountAsZero() {
    let log = SharedLog<Int>()
    let token = queue.schedule(after: queue.now, interval: .seconds(-1), tolerance: .seconds(-1)) { log.append(1) }
    #expect(log.wait(for: 3).count >= 3)
    token.cancel()
  }

  @Test func cancellingOnTheQueueStopsTheRepetitionAndReleasesTheAction() {
    let log = SharedLog<Int>()
    weak var weakObject: Object?
    let token: any Cancellable
    do {
      let object = Object()
      weakObject = object
      token = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
        _ = object
        log.append(1)
      }
    }
    log.wait(for: 2)
    #expect(weakObject != nil)
    queue.sync { token.cancel() }
    #expect(weakObject == nil)
    let count = log.values.count
    pass(milliseconds: 20)
    #expect(log.values.count == count)
  }

  @Test func releasingTheTokenStopsTheRepetition() {
    let log = SharedLog<Int>()
    var token: (any Cancellable)? = queue.schedule(after: queue.now, interval: .milliseconds(1)) { log.append(1) }
    log.wait(for: 2)
    #expect(token != nil)
    queue.sync { token = nil }
    let count = log.values.count
    pass(milliseconds: 20)
    #expect(log.values.count == count)
  }

  @Test func actionMayCancelItsOwnRepetition() {
    let log = SharedLog<Int>()
    let token = SharedLog<any Cancellable>()
    queue.sync {
      token.append(
        queue.schedule(after: queue.now, interval: .milliseconds(1)) {
          log.append(1)
          token.values[0].cancel()
        }
      )
    }
    log.wait(for: 1)
    pass(milliseconds: 20)
    #expect(log.values == [1])
  }

  @Test func anActionForTheDistantFutureNeverRuns() {
    let log = SharedLog<Int>()
    let token = queue.schedule(after: .init(.distantFuture), interval: 1) { log.append(1) }
    queue.schedule(after: .init(.distantFuture)) { log.append(2) }
    pass(milliseconds: 20)
    token.cancel()
    #expect(log.values.isEmpty)
  }

  /// Waits for a time by the queue's own clock. All actions due on the queue before that have run afterwards.
  private func pass(milliseconds: Int) {
    let passed = DispatchSemaphore(value: 0)
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { passed.signal() }
    #expect(passed.wait(timeout: .now() + 60) == .success)
  }
}

private final class Object {}
