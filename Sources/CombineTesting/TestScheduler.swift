import CombineCore

/// A scheduler for tests, whose clock moves only when the test moves it.
///
/// Actions wait until the clock reaches their time. ``resume(fileID:filePath:line:column:)`` runs all of them without a
/// pause and sets the clock to the time of each. ``advance(by:fileID:filePath:line:column:)`` runs the actions that
/// become due in an interval. Actions for the same time run in the order in which they were scheduled. A repeating action
/// keeps its place in that order. An action may schedule further actions.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let cancellable = Just("A")
///   .delay(for: .seconds(2), scheduler: scheduler)
///   .sink { print("\($0) at \(scheduler.now)") }
/// scheduler.resume()  // prints A at 2000
/// cancellable.cancel()
/// ```
///
/// Any thread may schedule and cancel actions. Only one thread may move the clock, and the actions run on it.
public final class TestScheduler: Scheduler, Sendable {

  /// An instant on this scheduler's clock.
  public typealias SchedulerTimeType = VirtualTime

  /// The type of the options. This scheduler has none.
  public typealias SchedulerOptions = Never

  /// The waiting actions and the clock.
  let agenda: VirtualAgenda<VirtualTime>

  /// The last time that the clock can reach.
  let maxClock: VirtualTime

  /// Creates a scheduler.
  ///
  /// ```swift
  /// let scheduler = TestScheduler(initialClock: 500)
  /// print(scheduler.now)  // prints 500
  /// ```
  ///
  /// - Parameters:
  ///   - initialClock: The time at which the clock starts, in ticks.
  ///   - maxClock: The last time at which actions run, in ticks. A test that needs more time, for example because
  ///     nobody cancels a timer, fails instead of running forever.
  public convenience init(initialClock: VirtualTime = 0, maxClock: VirtualTime = 100_000) {
    self.init(agenda: VirtualAgenda(clock: initialClock), maxClock: maxClock)
  }

  init(agenda: VirtualAgenda<VirtualTime>, maxClock: VirtualTime = 100_000) {
    self.agenda = agenda
    self.maxClock = maxClock
  }

  // MARK: The clock

  /// The current time.
  public var now: VirtualTime { agenda.now }

  /// The smallest tolerance, which is zero because virtual time is exact.
  public var minimumTolerance: VirtualTimeInterval { 0 }

  // MARK: Scheduling

  /// Runs an action at the current time, after the actions that already wait for that time.
  ///
  /// The action never runs before this call returns.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule { print("at once") }
  /// scheduler.resume()  // prints at once
  /// ```
  ///
  /// - Parameters:
  ///   - options: Ignored. This scheduler has no options.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    agenda.schedule(at: now, action)
  }

  /// Runs an action at a time.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: 100) { print("it is \(scheduler.now)") }
  /// scheduler.resume()  // prints it is 100
  /// ```
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs. If it has passed, the action runs at the current time, before the
  ///     actions that wait for the current time.
  ///   - tolerance: Ignored. Virtual time is exact.
  ///   - options: Ignored. This scheduler has no options.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: VirtualTime,
    tolerance: VirtualTimeInterval,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    agenda.schedule(at: date, action)
  }

  /// Runs an action repeatedly, for the first time at a given time.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let ticks = scheduler.schedule(after: 100, interval: 50) { print("tick at \(scheduler.now)") }
  /// scheduler.advance(to: 200)  // prints tick at 100, tick at 150, tick at 200
  /// ticks.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs first. If it has passed, the action runs at the current time.
  ///   - interval: The interval between two runs. With zero or a negative interval, the action runs once.
  ///   - tolerance: Ignored. Virtual time is exact.
  ///   - options: Ignored. This scheduler has no options.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: An `AnyCancellable` that stops the repetition and releases the action when it is cancelled or released.
  public func schedule(
    after date: VirtualTime,
    interval: VirtualTimeInterval,
    tolerance: VirtualTimeInterval,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    agenda.repetition(from: date, every: interval > 0 ? interval : nil, action)
  }

  // MARK: Moving the clock

  /// Runs all actions in the order of their times, including those that they schedule, until none is left.
  ///
  /// The test fails if an action is due after `maxClock`, or if a million actions have run at the same time. The other
  /// actions then remain scheduled.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: 100) { print("A") }
  /// scheduler.schedule(after: 300) { print("B") }
  /// scheduler.resume()  // prints A, B
  /// print(scheduler.now)  // prints 300
  /// ```
  ///
  /// - Parameters:
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  public func resume(
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    run(until: nil, CallSite(fileID, filePath, line, column))
  }

  /// Runs all actions until none is left, like ``resume(fileID:filePath:line:column:)``.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: 100) { print("A") }
  /// scheduler.run()  // prints A
  /// ```
  ///
  /// - Parameters:
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  public func run(
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    run(until: nil, CallSite(fileID, filePath, line, column))
  }

  /// Moves the clock by an interval, and runs the actions that become due.
  ///
  /// Actions that these schedule within the interval run too. The clock does not pass `maxClock`; if it would, the test
  /// fails.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: 100) { print("A") }
  /// scheduler.schedule(after: 300) { print("B") }
  /// scheduler.advance(by: 200)  // prints A
  /// print(scheduler.now)  // prints 200
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The interval by which the clock moves. With zero, which is the default, the actions that are due now
  ///     run.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  public func advance(
    by interval: VirtualTimeInterval = 0,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    run(until: now + interval, CallSite(fileID, filePath, line, column))
  }

  /// Moves the clock to a time, and runs the actions that become due.
  ///
  /// Actions that these schedule up to that time run too. The clock does not pass `maxClock`; if it would, the test
  /// fails.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: 100) { print("A") }
  /// scheduler.advance(to: 100)  // prints A
  /// ```
  ///
  /// - Parameters:
  ///   - time: The time to which the clock moves. The clock does not move back: if the time has passed, no action runs.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  public func advance(
    to time: VirtualTime,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    run(until: time, CallSite(fileID, filePath, line, column))
  }

  private func run(until end: VirtualTime?, _ callSite: CallSite) {
    switch agenda.run(until: end, limit: maxClock) {
    case .done:
      break
    case .limitReached(let next, let waiting):
      let question = waiting > 0 ? " Does something repeat that nobody cancels?" : ""
      TestFailure.record(
        """
        TestScheduler stopped at its maxClock, \(maxClock): the clock was to go on to \(next), with \(waiting) \
        \(waiting == 1 ? "action" : "actions") waiting.\(question) For a longer test give it a greater maxClock.
        """,
        at: callSite
      )
    case .standstill(let time):
      TestFailure.record(
        """
        TestScheduler stopped at \(time), where \(agenda.mostActionsAtOneTime) actions have run and more \
        are due. Does an action schedule itself without a delay?
        """,
        at: callSite
      )
    }
  }
}
