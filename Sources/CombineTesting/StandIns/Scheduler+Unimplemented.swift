import CombineExtras

extension Scheduler where SchedulerTimeType: StandInTime {

  /// Returns a scheduler that fails the test when it is used, to prove that a test uses no scheduler.
  ///
  /// ``UnimplementedScheduler`` says more.
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
  ///   - prefix: The reason why the scheduler must not be used. The failure's message begins with it.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  /// - Returns: A scheduler that fails the test when it is used.
  public static func unimplemented(
    _ prefix: String = "",
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> AnySchedulerOf<Self> {
    AnyScheduler(
      UnimplementedSchedulerOf<Self>(
        prefix: prefix,
        time: .startOfStandIn,
        callSite: CallSite(fileID, filePath, line, column)
      )
    )
  }
}

/// A scheduler that fails the test when it is used, with the instants and options of another one.
///
/// Use it to prove that a test uses no scheduler. Every use is a failure: to schedule an action in any of the three
/// ways, and to read the time or the smallest tolerance. After the failure, an action runs immediately, before the call
/// returns. A repeating action runs once.
///
/// If no test is running, the message is written to the standard error stream.
///
/// ```swift
/// let scheduler = UnimplementedSchedulerOf<DispatchQueue>("a search without a text", now: .startOfStandIn)
/// let search = Empty<String, Never>().receive(on: scheduler)
/// ```
public struct UnimplementedScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {

  /// The text at the beginning of each failure's message.
  public let prefix: String

  private let time: SchedulerTimeType

  /// The place at which a failure is reported. With `nil`, it is the test itself.
  private let callSite: CallSite?

  /// Creates a scheduler that fails the test when it is used.
  ///
  /// ```swift
  /// let scheduler = UnimplementedSchedulerOf<RunLoop>("no timer", now: .startOfStandIn)
  /// print(scheduler.prefix)  // prints no timer
  /// ```
  ///
  /// - Parameters:
  ///   - prefix: The text at the beginning of each failure's message.
  ///   - now: The time that the scheduler shows.
  public init(_ prefix: String = "", now: SchedulerTimeType) {
    self.init(prefix: prefix, time: now, callSite: nil)
  }

  fileprivate init(prefix: String, time: SchedulerTimeType, callSite: CallSite?) {
    self.prefix = prefix
    self.time = time
    self.callSite = callSite
  }

  private func fail(_ use: String) {
    let sentence = "\(use) a scheduler that must not be used."
    TestFailure.record(prefix.isEmpty ? sentence : "\(prefix) - \(sentence)", at: callSite)
  }

  /// The time that the scheduler was created with. Reading it is a failure.
  public var now: SchedulerTimeType {
    fail("The time is read from")
    return time
  }

  /// The smallest tolerance, which is zero. Reading it is a failure.
  public var minimumTolerance: SchedulerTimeType.Stride {
    fail("The minimum tolerance is read from")
    return .zero
  }

  /// Fails the test, and runs an action before the call returns.
  ///
  /// - Parameters:
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    fail("An action is scheduled on")
    action()
  }

  /// Fails the test, and runs an action before the call returns.
  ///
  /// - Parameters:
  ///   - date: Ignored.
  ///   - tolerance: Ignored.
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    fail("A delayed action is scheduled on")
    action()
  }

  /// Fails the test, and runs an action once, before the call returns.
  ///
  /// - Parameters:
  ///   - date: Ignored.
  ///   - interval: Ignored.
  ///   - tolerance: Ignored.
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: A cancellable that does nothing.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    fail("A repeating action is scheduled on")
    action()
    return Subscriptions.empty
  }
}

extension UnimplementedScheduler: Sendable where SchedulerTimeType: Sendable, SchedulerTimeType.Stride: Sendable {}

/// A scheduler that fails the test when it is used, with the instants and options of the scheduler `S`.
///
/// ```swift
/// let scheduler = UnimplementedSchedulerOf<OperationQueue>(now: .startOfStandIn)
/// let search = Empty<String, Never>().receive(on: scheduler)
/// ```
public typealias UnimplementedSchedulerOf<S: Scheduler> = UnimplementedScheduler<
  S.SchedulerTimeType, S.SchedulerOptions
>
