import CombineTesting
import Foundation
import TestSupport
import Testing

/// The failures of a scheduler that must not be used, with their messages.
@Suite(.capturesFailures) struct SchedulerUnimplementedTests {

  /// Uses the scheduler in every way.
  private func expectFailures<Time, Options>(
    of scheduler: AnyScheduler<Time, Options>,
    prefix: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let log = Guarded<[String]>([])
    func note(_ action: String) { log.withLock { $0.append(action) } }
    func expectFailure(_ sentence: String, then actions: [String] = [], _ use: () -> Void) {
      let message = "\(prefix)\(sentence) a scheduler that must not be used."
      #expect(capturedFailures(use).map(\.message) == [message], sourceLocation: sourceLocation)
      #expect(log.withLock { exchange(&$0, with: []) } == actions, sourceLocation: sourceLocation)
    }
    var start: Time?
    expectFailure("The time is read from") { start = scheduler.now }
    expectFailure("The minimum tolerance is read from") { #expect(scheduler.minimumTolerance == .zero) }
    expectFailure("An action is scheduled on", then: ["ran"]) {
      scheduler.schedule(options: nil) { note("ran") }
    }
    expectFailure("A delayed action is scheduled on", then: ["ran"]) {
      scheduler.schedule(after: start!, tolerance: .zero, options: nil) { note("ran") }
    }
    expectFailure("A repeating action is scheduled on", then: ["ran"]) {
      scheduler.schedule(after: start!, interval: .seconds(1), tolerance: .zero, options: nil) { note("ran") }
        .cancel()
    }
  }

  @Test func everyUseFailsTheTestAndThenRunsTheActionOnce() {
    expectFailures(of: DispatchQueue.unimplemented(), prefix: "")
    expectFailures(of: RunLoop.unimplemented("no loop"), prefix: "no loop - ")
    let operations: AnySchedulerOf<OperationQueue> = .unimplemented("no queue")
    expectFailures(of: operations, prefix: "no queue - ")
    expectFailures(
      of: AnyScheduler(UnimplementedSchedulerOf<UIScheduler>("no view", now: .startOfStandIn)),
      prefix: "no view - "
    )
  }

  @Test func showsItsTime() {
    let now = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 17))
    let scheduler = UnimplementedSchedulerOf<DispatchQueue>("", now: now)
    _ = capturedFailures { #expect(scheduler.now == now) }
    _ = capturedFailures { #expect(DispatchQueue.unimplemented().now.dispatchTime.uptimeNanoseconds == 1) }
    _ = capturedFailures { #expect(RunLoop.unimplemented().now.date == Date(timeIntervalSince1970: 0)) }
  }

  @Test func reportsAtTheCallOrAtTheTestWithoutOne() {
    let line = #line + 1
    let scheduler: AnySchedulerOf<DispatchQueue> = .unimplemented()
    #expect(capturedFailures { scheduler.schedule {} }.map { $0.sourceLocation?.line } == [line])
    let other = UnimplementedSchedulerOf<DispatchQueue>(now: .startOfStandIn)
    let location = Test.current?.sourceLocation
    #expect(location != nil)
    #expect(capturedFailures { other.schedule {} }.map(\.sourceLocation) == [location])
  }

  @Test func writesAMessageIfNoTestIsRunning() async {
    let failures = await capturedFailures {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        onThreads(1) { _ in UnimplementedSchedulerOf<RunLoop>("no loop", now: .startOfStandIn).schedule {} }
      }
      let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(output.contains("no loop - An action is scheduled on a scheduler that must not be used.\n"))
    }
    // The other process forwards the issue to this test. Swift 6.2 puts a line in front.
    #expect(failures.map { $0.message.contains("no loop - ") } == [true])
  }
}
