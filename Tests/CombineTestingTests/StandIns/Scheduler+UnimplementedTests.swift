import CombineTesting
import Foundation
import TestSupport
import Testing

/// The failures of a scheduler that must not be used, with their messages.
@Suite struct SchedulerUnimplementedTests {

  @Test func everyUseOfAnUnimplementedSchedulerFails() {
    let log = SharedLog<String>()
    func expectFailure(_ message: String, _ use: () -> Void) {
      #expect(knownFailures(use).map(\.message) == ["\(message) a scheduler that should not be used"])
      #expect(log.values == [])
    }
    let scheduler: AnySchedulerOf<OperationQueue> = .unimplemented()
    let start = OperationQueue.immediate.now
    #expect(scheduler.minimumTolerance == .zero)
    expectFailure("somebody reads the clock of") { _ = scheduler.now }
    expectFailure("an action is scheduled on") { scheduler.schedule { log.append("ran") } }
    expectFailure("a delayed action is scheduled on") { scheduler.schedule(after: start) { log.append("ran") } }
    expectFailure("a repeating action is scheduled on") {
      scheduler.schedule(after: start, interval: .seconds(1)) { log.append("ran") }.cancel()
    }
  }
}
