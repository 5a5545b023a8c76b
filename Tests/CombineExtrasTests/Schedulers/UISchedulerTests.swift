import CombineExtras
import Foundation
import TestSupport
import Testing
import XCTest

@Suite struct UISchedulerTests {

  @MainActor
  @Test func runsAnActionInTheCallOnTheMainQueue() {
    var log: [String] = []
    UIScheduler.shared.schedule {
      log.append("outer")
      UIScheduler.shared.schedule { log.append("inner") }
    }
    #expect(log == ["outer", "inner"])
  }

  @MainActor
  @Test func deliversValuesInTheSendOnTheMainQueue() {
    let subject = PassthroughSubject<Int, Never>()
    var values: [Int] = []
    let cancellable = subject.receive(on: UIScheduler.shared).sink { values.append($0) }
    subject.send(1)
    #expect(values == [1])
    cancellable.cancel()
  }

  @Test func runsAnActionOnTheMainQueueLaterFromElsewhere() async {
    let log = SharedLog<String>()
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        // The main queue is busy until the call has returned.
        let hasReturned = DispatchSemaphore(value: 0)
        DispatchQueue.main.async { hasReturned.wait() }
        UIScheduler.shared.schedule {
          dispatchPrecondition(condition: .onQueue(.main))
          log.append("action")
          continuation.resume()
        }
        log.append("end of the call")
        hasReturned.signal()
      }
    }
    #expect(log.values == ["end of the call", "action"])
  }

  @MainActor
  @Test func aQueueThatRunsOnTheMainThreadIsNotTheMainQueue() async {
    let log = SharedLog<String>()
    DispatchQueue(label: "other").sync {
      UIScheduler.shared.schedule { log.append("action") }
      log.append("end of the block")
    }
    #expect(log.values == ["end of the block"])
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    #expect(log.values == ["end of the block", "action"])
  }

  @MainActor
  @Test func runsDatedActionsOnTheMainQueueLater() async {
    let log = SharedLog<String>()
    let scheduler = UIScheduler.shared
    await withCheckedContinuation { continuation in
      scheduler.schedule(after: scheduler.now, tolerance: scheduler.minimumTolerance) {
        dispatchPrecondition(condition: .onQueue(.main))
        log.append("date")
        continuation.resume()
      }
      #expect(log.values == [])
    }
    let token = Guarded<AnyCancellable?>(nil)
    await withCheckedContinuation { continuation in
      let repetition = scheduler.schedule(after: scheduler.now, interval: .milliseconds(1), tolerance: .zero) {
        dispatchPrecondition(condition: .onQueue(.main))
        log.append("interval")
        if log.values.count == 3 {
          token.withLock { exchange(&$0, with: nil) }?.cancel()
          continuation.resume()
        }
      }
      token.withLock { $0 = AnyCancellable(repetition) }
    }
    #expect(log.values == ["date", "interval", "interval"])
  }

  @Test func hasTheClockOfTheMainQueue() {
    let before = DispatchQueue.main.now
    let now = UIScheduler.shared.now
    #expect(before <= now)
    #expect(now <= DispatchQueue.main.now)
    #expect(UIScheduler.shared.minimumTolerance == DispatchQueue.main.minimumTolerance)
  }

  @MainActor
  @Test func canBeErased() {
    let scheduler: AnySchedulerOf<UIScheduler> = .shared
    var hasRun = false
    scheduler.schedule { hasRun = true }
    #expect(hasRun)
  }
}

#if os(Linux)
  /// On Linux, XCTest runs tests on the first thread, outside any block of a queue.
  final class UISchedulerXCTests: XCTestCase {

    func testTheFirstThreadCountsAsTheMainQueue() {
      XCTAssertTrue(Thread.isMainThread)
      var hasRun = false
      UIScheduler.shared.schedule { hasRun = true }
      XCTAssertTrue(hasRun)
    }
  }
#endif
