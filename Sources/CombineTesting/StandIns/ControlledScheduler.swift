import CombineExtras

/// A stand-in for a scheduler of the platform, whose clock moves only when it is told to.
///
/// It has the instants and options of the scheduler that it stands in for, so that it fits where `AnySchedulerOf` is
/// asked for:
///
/// ```swift
/// func show(_ names: some Publisher<String, Never>, on scheduler: AnySchedulerOf<DispatchQueue>) -> AnyCancellable {
///   names.delay(for: .seconds(1), scheduler: scheduler).sink { print($0) }
/// }
/// let scheduler = DispatchQueue.test
/// let cancellable = show(Just("Ada"), on: scheduler.eraseToAnyScheduler())
/// scheduler.advance(by: .milliseconds(999))
/// scheduler.advance(by: .milliseconds(1))  // prints Ada
/// cancellable.cancel()
/// ```
///
/// Actions for one time run in the order in which they were scheduled, and may schedule more. Any thread may schedule
/// and cancel actions. Time is for one thread to move: the one that runs the actions.
public final class ControlledScheduler<SchedulerTimeType: StandInTime, SchedulerOptions>: Scheduler, Sendable {

  /// The clock counts nanoseconds: whole numbers, where a sum of the platform's fractions would miss its date.
  private let agenda: VirtualAgenda<VirtualTime>

  /// Creates a scheduler with nothing to do. ``CombineCore/Scheduler/test`` is shorter.
  ///
  /// ```swift
  /// let scheduler = TestSchedulerOf<DispatchQueue>()
  /// scheduler.schedule { print("now") }
  /// scheduler.advance()  // prints now
  /// ```
  public convenience init() {
    self.init(agenda: VirtualAgenda(clock: 0))
  }

  package init(agenda: VirtualAgenda<VirtualTime>) {
    self.agenda = agenda
  }

  /// The current time.
  public var now: SchedulerTimeType {
    SchedulerTimeType(nanosecondsSinceStart: agenda.now.ticks)
  }

  /// Zero: this clock is exact.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  // MARK: Scheduling

  /// Schedules an action for the present instant, after those that already wait for it. It never runs before this call
  /// returns.
  ///
  /// - Parameters:
  ///   - options: This scheduler ignores them.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    agenda.schedule(at: agenda.now, action)
  }

  /// Schedules an action for an instant.
  ///
  /// - Parameters:
  ///   - date: When to run it; at once if the instant has passed.
  ///   - tolerance: This scheduler ignores it.
  ///   - options: This scheduler ignores them.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    agenda.schedule(at: virtualTime(of: date), action)
  }

  /// Schedules an action for an instant, and then again and again.
  ///
  /// - Parameters:
  ///   - date: When to run it first; at once if the instant has passed.
  ///   - interval: The time between two runs; one below zero counts as zero.
  ///   - tolerance: This scheduler ignores it.
  ///   - options: This scheduler ignores them.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: An `AnyCancellable` that stops the repetition and releases the action when it is cancelled or released.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    agenda.repetition(from: virtualTime(of: date), every: max(virtualInterval(of: interval), 0), action)
  }

  private func virtualTime(of date: SchedulerTimeType) -> VirtualTime {
    VirtualTime(date.nanosecondsSinceStart)
  }

  private func virtualInterval(of stride: SchedulerTimeType.Stride) -> VirtualTimeInterval {
    let start = SchedulerTimeType(nanosecondsSinceStart: 0)
    return VirtualTimeInterval(start.advanced(by: stride).nanosecondsSinceStart)
  }

  // MARK: Moving the clock

  /// Lets a time pass: runs the actions that become due in it, and those that they schedule for it.
  ///
  /// ```swift
  /// let scheduler = RunLoop.test
  /// let ticks = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { print("tick") }
  /// scheduler.advance(by: .seconds(2))  // prints tick, three times
  /// ticks.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - stride: How far to move the clock; by zero, or without this, it runs what is due now.
  ///   - fileID: Where a failure is shown: a test fails if a million actions run without the clock moving.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  public func advance(
    by stride: SchedulerTimeType.Stride = .zero,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    let end = agenda.now + virtualInterval(of: stride)
    report(agenda.run(until: end), at: CallSite(fileID, filePath, line, column))
  }

  /// Lets time pass until an instant: runs the actions that become due until then, and those that they schedule.
  ///
  /// ```swift
  /// let scheduler = OperationQueue.test
  /// let date = scheduler.now.advanced(by: .seconds(3))
  /// scheduler.schedule(after: date) { print("three") }
  /// scheduler.advance(to: date)  // prints three
  /// ```
  ///
  /// - Parameters:
  ///   - date: Where to move the clock. It does not go back: for an instant that has passed, nothing runs.
  ///   - fileID: Where a failure is shown: a test fails if a million actions run without the clock moving.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  public func advance(
    to date: SchedulerTimeType,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    report(agenda.run(until: virtualTime(of: date)), at: CallSite(fileID, filePath, line, column))
  }

  /// Runs all actions in the order of their times, and those that they schedule, until none is left.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// scheduler.schedule(after: scheduler.now.advanced(by: .seconds(60))) { print("a minute later") }
  /// scheduler.run()  // prints a minute later
  /// ```
  ///
  /// - Parameters:
  ///   - limit: How far the clock may go: a test fails, and the rest of the actions stay where they are, when something
  ///     is left to do after that, such as a timer that nobody stops.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  public func run(
    limit: SchedulerTimeType.Stride = .seconds(3600),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    let end = agenda.now + virtualInterval(of: limit)
    report(agenda.run(limit: end), at: CallSite(fileID, filePath, line, column))
  }

  private func report(_ outcome: VirtualAgenda<VirtualTime>.Outcome, at callSite: CallSite) {
    switch outcome {
    case .done:
      break
    case .limitReached(let next, let waiting):
      TestFailure.record(
        """
        the scheduler stopped at the limit of the run, \(seconds(agenda.now)): \
        \(waiting) \(waiting == 1 ? "action waits" : "actions wait"), the next one until \(seconds(next)). \
        Does something repeat that nobody cancels?
        """,
        at: callSite
      )
    case .standstill(let time):
      TestFailure.record(
        """
        the scheduler stopped at \(seconds(time)), where \(agenda.mostActionsAtOneTime) actions \
        have run and more are due. Does an action schedule itself without a delay?
        """,
        at: callSite
      )
    }
  }

  private func seconds(_ time: VirtualTime) -> String {
    "\(Duration.nanoseconds(time.ticks)) after the start"
  }
}

/// A stand-in for a scheduler of the platform, whose clock moves only when it is told to.
///
/// ```swift
/// let scheduler: TestSchedulerOf<DispatchQueue> = DispatchQueue.test
/// scheduler.run()
/// ```
public typealias TestSchedulerOf<S: Scheduler> = ControlledScheduler<S.SchedulerTimeType, S.SchedulerOptions>
where S.SchedulerTimeType: StandInTime

extension Scheduler where SchedulerTimeType: StandInTime {

  /// A new stand-in whose clock moves only when it is told to.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// let cancellable = Just("Ada").receive(on: scheduler).sink { print($0) }
  /// scheduler.advance()  // prints Ada
  /// cancellable.cancel()
  /// ```
  public static var test: ControlledScheduler<SchedulerTimeType, SchedulerOptions> { ControlledScheduler() }
}
