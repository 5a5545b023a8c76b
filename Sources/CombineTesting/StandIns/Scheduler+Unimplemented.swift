import CombineExtras

extension Scheduler where SchedulerTimeType: StandInTime {

  /// Returns a scheduler that fails the test when it is used, to prove that a test schedules no action.
  ///
  /// Reading the clock is a use too. The scheduler never runs its actions.
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
  ///   - reason: The reason why the scheduler must not be used. The failure's message contains it.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  /// - Returns: A scheduler that fails the test when it is used.
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

/// A scheduler that must not be used, with the instants and options of another one.
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
