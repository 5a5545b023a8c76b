import CombineExtras

/// A stand-in for a scheduler of the platform, whose clock moves only when the test moves it.
///
/// It has the instants and options of the scheduler that it stands in for, so it can be passed as an `AnySchedulerOf`:
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
/// Actions for the same time run in the order in which they were scheduled. An action may schedule further actions.
///
/// Any thread may schedule and cancel actions. Only one thread may move the clock, and the actions run on it.
public final class ControlledScheduler<SchedulerTimeType: StandInTime, SchedulerOptions>: Scheduler, Sendable {

  /// The clock counts whole nanoseconds. A sum of the platform's fractional seconds might miss its date.
  private let agenda: VirtualAgenda<VirtualTime>

  /// Creates a scheduler without actions. ``CombineCore/Scheduler/test`` is a shorthand.
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

  /// The smallest tolerance, which is zero because virtual time is exact.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  // MARK: Scheduling

  /// Runs an action at the current time, after the actions that already wait for that time.
  ///
  /// The action never runs before this call returns.
  ///
  /// - Parameters:
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    agenda.schedule(at: agenda.now, action)
  }

  /// Runs an action at a time.
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs. If it has passed, the action runs at the current time.
  ///   - tolerance: Ignored. Virtual time is exact.
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    agenda.schedule(at: virtualTime(of: date), action)
  }

  /// Runs an action repeatedly, for the first time at a given time.
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs first. If it has passed, the action runs at the current time.
  ///   - interval: The interval between two runs. A negative interval counts as zero.
  ///   - tolerance: Ignored. Virtual time is exact.
  ///   - options: Ignored.
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

  /// Moves the clock by an interval, and runs the actions that become due.
  ///
  /// Actions that these schedule within the interval run too. The test fails if a million actions run at the same time.
  ///
  /// ```swift
  /// let scheduler = RunLoop.test
  /// let ticks = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { print("tick") }
  /// scheduler.advance(by: .seconds(2))  // prints tick, three times
  /// ticks.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - stride: The interval by which the clock moves. With zero, which is the default, the actions that are due now
  ///     run.
  ///   - fileID: The place at which a failure is reported.
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

  /// Moves the clock to a time, and runs the actions that become due.
  ///
  /// Actions that these schedule up to that time run too. The test fails if a million actions run at the same time.
  ///
  /// ```swift
  /// let scheduler = OperationQueue.test
  /// let date = scheduler.now.advanced(by: .seconds(3))
  /// scheduler.schedule(after: date) { print("three") }
  /// scheduler.advance(to: date)  // prints three
  /// ```
  ///
  /// - Parameters:
  ///   - date: The time to which the clock moves. The clock does not move back: if the time has passed, no action runs.
  ///   - fileID: The place at which a failure is reported.
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

  /// Runs all actions in the order of their times, including those that they schedule, until none is left.
  ///
  /// The test fails if actions are left after the limit, for example because nobody cancels a timer. These actions
  /// remain scheduled.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// scheduler.schedule(after: scheduler.now.advanced(by: .seconds(60))) { print("a minute later") }
  /// scheduler.run()  // prints a minute later
  /// ```
  ///
  /// - Parameters:
  ///   - limit: The maximum interval by which the clock moves.
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

/// A stand-in for a scheduler of the platform, whose clock moves only when the test moves it.
///
/// ```swift
/// let scheduler: TestSchedulerOf<DispatchQueue> = DispatchQueue.test
/// scheduler.run()
/// ```
public typealias TestSchedulerOf<S: Scheduler> = ControlledScheduler<S.SchedulerTimeType, S.SchedulerOptions>
where S.SchedulerTimeType: StandInTime

extension Scheduler where SchedulerTimeType: StandInTime {

  /// A new stand-in for this scheduler, whose clock moves only when the test moves it.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// let cancellable = Just("Ada").receive(on: scheduler).sink { print($0) }
  /// scheduler.advance()  // prints Ada
  /// cancellable.cancel()
  /// ```
  public static var test: ControlledScheduler<SchedulerTimeType, SchedulerOptions> { ControlledScheduler() }
}
