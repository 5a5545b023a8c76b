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
/// Actions for the same time run in the order in which they were scheduled. A repeating action keeps its place in that
/// order. An action may schedule further actions, and may move the clock.
///
/// Each method that moves the clock exists twice. In an asynchronous function, the one that is called lets other tasks
/// run before each action and at the end. A task that an action resumes can so schedule its next action before the clock
/// moves on:
///
/// ```swift
/// @MainActor
/// func ticksEverySecond() async {
///   let scheduler = DispatchQueue.test
///   let ticks = Task {
///     for await _ in scheduler.timer(interval: .seconds(1)).prefix(2) { print("tick") }
///   }
///   await scheduler.advance()
///   await scheduler.advance(by: .seconds(2))  // tick, tick
///   await ticks.value
/// }
/// ```
///
/// Before each action, these methods yield 20 times. The environment variable `TASK_MEGA_YIELD_COUNT` sets another
/// number. A task on the main actor, as above, runs at each yield until it waits. A task elsewhere probably does, but on
/// a busy machine its thread may be late, and the clock then moves on without it.
///
/// Any thread may schedule and cancel actions. Only one thread may move the clock, and the actions run on it.
public final class ControlledScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler, Sendable
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {

  private let agenda: VirtualAgenda<SchedulerTimeType>

  /// Creates a scheduler without actions.
  ///
  /// ```swift
  /// let scheduler = TestSchedulerOf<DispatchQueue>(now: .startOfStandIn)
  /// scheduler.schedule { print("now") }
  /// scheduler.advance()  // prints now
  /// ```
  ///
  /// - Parameter now: The time at which the clock starts.
  public convenience init(now: SchedulerTimeType) {
    self.init(agenda: VirtualAgenda(clock: now))
  }

  init(agenda: VirtualAgenda<SchedulerTimeType>) {
    self.agenda = agenda
  }

  /// The current time.
  public var now: SchedulerTimeType { agenda.now }

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
  ///   - date: The time at which the action runs. If it has passed, the action runs at the current time, before the
  ///     actions that wait for the current time.
  ///   - tolerance: Ignored. Virtual time is exact.
  ///   - options: Ignored.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    agenda.schedule(at: date, action)
  }

  /// Runs an action repeatedly, for the first time at a given time.
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs first. If it has passed, the action runs at the current time.
  ///   - interval: The interval between two runs. With zero or a negative interval, the action runs once each time that
  ///     the clock is moved.
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
    agenda.repetition(from: date, every: interval, action)
  }

  // MARK: Moving the clock

  /// Moves the clock by an interval, and runs the actions that become due.
  ///
  /// Actions that these schedule within the interval run too. The test fails if a million actions run at the same time.
  ///
  /// ```swift
  /// let scheduler = RunLoop.test
  /// let ticks = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { print("tick") }
  /// scheduler.advance(by: .seconds(2))  // prints tick, tick, tick
  /// ticks.cancel()
  /// ```
  ///
  /// - Parameter stride: The interval by which the clock moves. With zero, which is the default, the actions that are
  ///   due now run.
  public func advance(by stride: SchedulerTimeType.Stride = .zero) {
    report(agenda.run(until: now.advanced(by: stride)), at: nil)
  }

  /// Moves the clock by an interval, runs the actions that become due, and lets other tasks run before each.
  ///
  /// ```swift
  /// @MainActor
  /// func waitsForASecond(_ scheduler: TestSchedulerOf<DispatchQueue>) async throws {
  ///   let wait = Task { try await scheduler.sleep(for: .seconds(1)) }
  ///   await scheduler.advance()  // the task schedules the end of its sleep
  ///   await scheduler.advance(by: .seconds(1))
  ///   try await wait.value
  /// }
  /// ```
  ///
  /// - Parameter stride: The interval by which the clock moves. With zero, which is the default, the actions that are
  ///   due now run.
  @MainActor
  public func advance(by stride: SchedulerTimeType.Stride = .zero) async {
    report(await agenda.runYielding(until: now.advanced(by: stride)), at: nil)
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
  /// - Parameter instant: The time to which the clock moves. The clock does not move back: if the time has passed, no
  ///   action runs.
  public func advance(to instant: SchedulerTimeType) {
    report(agenda.run(until: instant), at: nil)
  }

  /// Moves the clock to a time, runs the actions that become due, and lets other tasks run before each.
  ///
  /// ```swift
  /// @MainActor
  /// func waits(until date: DispatchQueue.SchedulerTimeType, on scheduler: TestSchedulerOf<DispatchQueue>) async throws {
  ///   let wait = Task { try await scheduler.sleep(until: date) }
  ///   await scheduler.advance()  // the task schedules the end of its sleep
  ///   await scheduler.advance(to: date)
  ///   try await wait.value
  /// }
  /// ```
  ///
  /// - Parameter instant: The time to which the clock moves. The clock does not move back: if the time has passed, no
  ///   action runs.
  @MainActor
  public func advance(to instant: SchedulerTimeType) async {
    report(await agenda.runYielding(until: instant), at: nil)
  }

  /// Runs all actions in the order of their times, including those that they schedule, until none is left.
  ///
  /// A repeating action that nobody cancels makes this call endless. ``run(limit:fileID:filePath:line:column:)`` then
  /// fails the test.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// scheduler.schedule(after: scheduler.now.advanced(by: .seconds(60))) { print("a minute later") }
  /// scheduler.run()  // prints a minute later
  /// ```
  public func run() {
    report(agenda.run(), at: nil)
  }

  /// Runs all actions until none is left, and lets other tasks run before each.
  ///
  /// ```swift
  /// @MainActor
  /// func threeTicks(_ scheduler: TestSchedulerOf<DispatchQueue>) async {
  ///   let ticks = Task { await scheduler.timer(interval: .seconds(1)).prefix(3).reduce(0) { sum, _ in sum + 1 } }
  ///   await scheduler.run()
  ///   print(await ticks.value)  // 3
  /// }
  /// ```
  @MainActor
  public func run() async {
    report(await agenda.runYielding(), at: nil)
  }

  /// Runs all actions until none is left, like `run()`, and fails the test if that takes too long.
  ///
  /// The test fails if actions are left after the limit, for example because nobody cancels a timer. These actions
  /// remain scheduled.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// scheduler.schedule(after: scheduler.now.advanced(by: .seconds(60))) { print("a minute later") }
  /// scheduler.run(limit: .seconds(3600))  // prints a minute later
  /// ```
  ///
  /// - Parameters:
  ///   - limit: The maximum interval by which the clock moves.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  public func run(
    limit: SchedulerTimeType.Stride,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    report(agenda.run(limit: now.advanced(by: limit)), at: CallSite(fileID, filePath, line, column))
  }

  private func report(_ outcome: VirtualAgenda<SchedulerTimeType>.Outcome, at callSite: CallSite?) {
    switch outcome {
    case .done:
      break
    case .limitReached(_, let waiting):
      TestFailure.record(
        """
        the scheduler stopped at the limit of the run: \(waiting) \(waiting == 1 ? "action waits" : "actions wait") for \
        a later time. Does something repeat that nobody cancels?
        """,
        at: callSite
      )
    case .standstill:
      TestFailure.record(
        """
        the scheduler stopped: \(agenda.mostActionsAtOneTime) actions have run at one time and more are due. \
        Does an action schedule itself without a delay?
        """,
        at: callSite
      )
    }
  }
}

extension ControlledScheduler where SchedulerTimeType: StandInTime {

  /// Creates a scheduler without actions, whose clock shows rounded instants.
  ///
  /// ``CombineCore/Scheduler/test`` is a shorthand.
  ///
  /// ```swift
  /// let scheduler = TestSchedulerOf<DispatchQueue>()
  /// scheduler.schedule { print("now") }
  /// scheduler.advance()  // prints now
  /// ```
  ///
  /// - Parameter now: The time at which the clock starts.
  public convenience init(now: SchedulerTimeType = .startOfStandIn) {
    self.init(agenda: VirtualAgenda(clock: now) { $0.roundedForStandIn })
  }
}

/// A stand-in for a scheduler of the platform, whose clock moves only when the test moves it.
///
/// ```swift
/// let scheduler: TestSchedulerOf<DispatchQueue> = DispatchQueue.test
/// scheduler.run()
/// ```
public typealias TestSchedulerOf<S: Scheduler> = ControlledScheduler<S.SchedulerTimeType, S.SchedulerOptions>

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
