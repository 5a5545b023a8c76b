import CombineExtras

extension Scheduler where SchedulerTimeType: StandInTime {

  /// A stand-in that fails the test when it is used: for a test that claims that nothing is scheduled.
  ///
  /// Reading the clock is a use too. Actions do not run.
  ///
  /// ```swift
  /// func show(_ name: String, on scheduler: AnySchedulerOf<DispatchQueue>) {
  ///   guard !name.isEmpty else { return }
  ///   scheduler.schedule { print(name) }
  /// }
  /// show("", on: .unimplemented())
  /// ```
  ///
  /// - Parameters:
  ///   - reason: Why it should not be used, to be said with the failure.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  /// - Returns: The stand-in.
  public static func unimplemented(
    _ reason: String = "",
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> AnySchedulerOf<Self> {
    AnyScheduler(UnimplementedStandIn(reason: reason, callSite: CallSite(fileID, filePath, line, column)))
  }
}

/// A scheduler, with the instants and options of another one, that should not be used.
private struct UnimplementedStandIn<Time: StandInTime, Options>: Scheduler {

  typealias SchedulerTimeType = Time
  typealias SchedulerOptions = Options

  let reason: String
  let callSite: CallSite

  private func fail(_ use: String) {
    TestFailure.record("\(use) a scheduler that should not be used\(reason.isEmpty ? "" : ": ")\(reason)", at: callSite)
  }

  var now: Time {
    fail("somebody reads the clock of")
    return Time(nanosecondsSinceStart: 0)
  }

  var minimumTolerance: Time.Stride { .zero }

  func schedule(options: Options?, _ action: @escaping () -> Void) {
    fail("an action is scheduled on")
  }

  func schedule(after date: Time, tolerance: Time.Stride, options: Options?, _ action: @escaping () -> Void) {
    fail("a delayed action is scheduled on")
  }

  func schedule(
    after date: Time,
    interval: Time.Stride,
    tolerance: Time.Stride,
    options: Options?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    fail("a repeating action is scheduled on")
    return Subscriptions.empty
  }
}
