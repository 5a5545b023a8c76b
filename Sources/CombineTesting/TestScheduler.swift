import CombineCore

/// A scheduler whose clock moves only when it is told to, for tests of what takes time.
///
/// Actions wait until the clock reaches their time. ``resume(fileID:filePath:line:column:)`` runs them all, without a
/// pause, with the clock at the time of each; ``advance(by:fileID:filePath:line:column:)`` runs those of the next
/// stretch. Actions for one time run in the order in which they were scheduled, and may schedule more.
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
/// Any thread may schedule and cancel actions. Time is for one thread to move: the one that runs the actions.
public final class TestScheduler: Scheduler, Sendable {

  /// An instant on this scheduler's clock.
  public typealias SchedulerTimeType = VirtualTime

  /// There are no options.
  public typealias SchedulerOptions = Never

  /// The actions that wait, and the clock.
  let agenda: VirtualAgenda<VirtualTime>

  /// The time that the clock does not pass.
  let maxClock: VirtualTime

  /// Creates a scheduler.
  ///
  /// ```swift
  /// let scheduler = TestScheduler(initialClock: 500)
  /// print(scheduler.now)  // prints 500
  /// ```
  ///
  /// - Parameters:
  ///   - initialClock: Where the clock starts, in ticks.
  ///   - maxClock: The last time at which actions run, in ticks. A test that would go on beyond it, as with a timer
  ///     that nobody stops, fails instead of running for ever.
  public convenience init(initialClock: VirtualTime = 0, maxClock: VirtualTime = 100_000) {
    self.init(agenda: VirtualAgenda(clock: initialClock), maxClock: maxClock)
  }

  package init(agenda: VirtualAgenda<VirtualTime>, maxClock: VirtualTime = 100_000) {
    self.agenda = agenda
    self.maxClock = maxClock
  }

  // MARK: The clock

  /// The current time.
  public var now: VirtualTime { agenda.now }

  /// Zero: virtual time is exact.
  public var minimumTolerance: VirtualTimeInterval { 0 }

  // MARK: Scheduling

  /// Schedules an action for the present instant, after those that already wait for it. It never runs before this call
  /// returns.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule { print("at once") }
  /// scheduler.resume()  // prints at once
  /// ```
  ///
  /// - Parameters:
  ///   - options: This scheduler has none.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    agenda.schedule(at: now, action)
  }

  /// Schedules an action for an instant.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: 100) { print("it is \(scheduler.now)") }
  /// scheduler.resume()  // prints it is 100
  /// ```
  ///
  /// - Parameters:
  ///   - date: When to run it; at once if the instant has passed, after the actions that already wait for now.
  ///   - tolerance: Ignored: virtual time is exact.
  ///   - options: This scheduler has none.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: VirtualTime,
    tolerance: VirtualTimeInterval,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    agenda.schedule(at: date, action)
  }

  /// Schedules an action for an instant, and then again and again.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let ticks = scheduler.schedule(after: 100, interval: 50) { print("tick at \(scheduler.now)") }
  /// scheduler.advance(to: 200)  // prints tick at 100, tick at 150, tick at 200
  /// ticks.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - date: When to run it first; at once if the instant has passed.
  ///   - interval: The time between two runs. One below zero counts as zero, which lets time stand still.
  ///   - tolerance: Ignored: virtual time is exact.
  ///   - options: This scheduler has none.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: An `AnyCancellable` that stops the repetition and releases the action when it is cancelled or released.
  public func schedule(
    after date: VirtualTime,
    interval: VirtualTimeInterval,
    tolerance: VirtualTimeInterval,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    agenda.repetition(from: date, every: max(interval, 0), action)
  }

  // MARK: Moving the clock

  /// Runs all actions in the order of their times, and those that they schedule, until none is left.
  ///
  /// A test fails, and the rest of the actions stay where they are, when the clock would pass `maxClock`, or when a
  /// million actions have been run for one time.
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

  /// Runs all actions until none is left: ``resume(fileID:filePath:line:column:)`` by another usual name.
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

  /// Lets a time pass: runs the actions that become due in it, and those that they schedule for it.
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
  ///   - interval: How far to move the clock; by zero, or without this, it runs what is due now.
  ///   - fileID: Where a failure is shown: past `maxClock` the clock does not move, and the test fails.
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

  /// Lets time pass until an instant: runs the actions that become due until then, and those that they schedule.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: 100) { print("A") }
  /// scheduler.advance(to: 100)  // prints A
  /// ```
  ///
  /// - Parameters:
  ///   - time: Where to move the clock. It does not go back: for an instant that has passed, nothing runs.
  ///   - fileID: Where a failure is shown: past `maxClock` the clock does not move, and the test fails.
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
