import CombineCore

/// A scheduler that runs actions on an actor, and measures time with any clock.
///
/// It needs neither Dispatch nor a run loop, so it is the scheduler of platforms without them, such as WebAssembly. On all
/// others it brings the clocks of Swift's concurrency to Combine: a `ContinuousClock`, which goes on while the machine
/// sleeps, a `SuspendingClock`, which does not, and the clock that a test moves.
///
/// ```swift
/// @MainActor final class Search {
///   @Published var text = ""
///   private(set) var query = ""
///   private var cancellables: Set<AnyCancellable> = []
///
///   init() {
///     $text
///       .debounce(for: .milliseconds(300), scheduler: ClockScheduler.main)
///       .sink { [unowned self] in query = $0 }
///       .store(in: &cancellables)
///   }
/// }
/// ```
///
/// Actions run one after the other, and never inside the call that schedules them. Those without a date run in the order
/// of the calls, and those with one in the order of the dates. If many wait, the actor can do other work after every 64 of
/// them. A repetition keeps to the multiples of its interval, however late a run is, and leaves out dates that have passed.
///
/// While no action waits, no task of the scheduler exists. Actions run although nothing else holds the scheduler.
///
/// If the clock's sleep fails, or ends early, the time counts as come.
public struct ClockScheduler<C: Clock>: Scheduler, Sendable where C.Duration == Duration {

  /// The type of the options, of which there are none.
  public typealias SchedulerOptions = Never

  /// The clock that measures time.
  public let clock: C

  let agenda: ClockAgenda<C>

  /// Creates a scheduler that runs actions on an actor.
  ///
  /// - Parameters:
  ///   - clock: The clock that measures time. It is used on any thread: it sleeps off the
  ///     actor, and is read where an action is scheduled and where ``now`` is asked for.
  ///   - actor: The actor on which the actions run. With `nil`, it is one that the scheduler makes for itself.
  public init(clock: C, on actor: (any Actor)? = nil) {
    self.clock = clock
    agenda = ClockAgenda(clock: clock, actor: actor ?? ClockActor())
  }

  /// The current time of the clock.
  public var now: SchedulerTimeType { SchedulerTimeType(clock.now) }

  /// The smallest step of the clock.
  public var minimumTolerance: ClockInterval { ClockInterval(clock.minimumResolution) }

  /// Runs an action on the actor as soon as possible, after those that wait without a date.
  ///
  /// ```swift
  /// ClockScheduler.main.schedule { print("on the main actor") }
  /// ```
  ///
  /// - Parameters:
  ///   - options: Always `nil`.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    agenda.add(action)
  }

  /// Runs an action on the actor at some time after a date.
  ///
  /// ```swift
  /// let scheduler = ClockScheduler(clock: SuspendingClock())
  /// scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(10))) { print("a little later") }
  /// ```
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs. If it has passed, the action runs as soon as possible.
  ///   - tolerance: The maximum time that the action may run late, which the clock is told.
  ///   - options: Always `nil`.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: ClockInterval,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    _ = agenda.add(action, at: date.instant, interval: nil, tolerance: tolerance.duration)
  }

  /// Runs an action on the actor at a date, and then repeatedly in intervals.
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs first. If it has passed, the action runs as soon as possible.
  ///   - interval: The interval between two runs. One that is shorter than the smallest step of the clock counts as that.
  ///   - tolerance: The maximum time that a run may be late, which the clock is told.
  ///   - options: Always `nil`.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: An `AnyCancellable` that stops the repetition and releases the action when it is cancelled or released.
  public func schedule(
    after date: SchedulerTimeType,
    interval: ClockInterval,
    tolerance: ClockInterval,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let shortest = max(clock.minimumResolution, .nanoseconds(1))
    let interval = max(interval.duration, shortest)
    let job = agenda.add(action, at: date.instant, interval: interval, tolerance: tolerance.duration)
    // Weak, because the action may keep the cancellable.
    return AnyCancellable { [weak agenda] in
      job.action.cancel()
      agenda?.forgetRevoked()
    }
  }
}

extension ClockScheduler {

  /// An instant of the clock.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {

    /// An interval between two instants.
    public typealias Stride = ClockInterval

    /// The instant of the clock.
    public var instant: C.Instant

    /// Creates an instant.
    ///
    /// - Parameter instant: The instant of the clock.
    @inlinable
    public init(_ instant: C.Instant) {
      self.instant = instant
    }

    /// Returns the interval from this instant to another one, which is negative if the other one is earlier.
    @inlinable
    public func distance(to other: Self) -> ClockInterval { ClockInterval(instant.duration(to: other.instant)) }

    /// Returns the instant that is an interval after this one. A negative interval gives an earlier instant.
    @inlinable
    public func advanced(by n: ClockInterval) -> Self { Self(instant.advanced(by: n.duration)) }

    /// Returns whether the first instant is earlier than the second.
    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.instant < rhs.instant }

    /// Returns whether two instants are equal.
    @inlinable
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.instant == rhs.instant }
  }
}

extension ClockScheduler where C == ContinuousClock {

  /// A scheduler that runs actions on the main actor.
  ///
  /// ```swift
  /// let cancellable = Just("hello")
  ///   .delay(for: .seconds(1), scheduler: ClockScheduler.main)
  ///   .sink { print($0) }
  /// cancellable.cancel()
  /// ```
  public static var main: ClockScheduler { MainClock.scheduler }
}

// A generic type has no stored static properties.
private enum MainClock {
  static let scheduler = ClockScheduler(clock: ContinuousClock(), on: MainActor.shared)
}

/// An actor that only runs the actions of a scheduler.
private actor ClockActor {}
