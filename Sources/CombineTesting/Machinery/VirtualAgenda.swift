import CombineThreads
import CombineCore

/// The scheduled actions of a scheduler with virtual time, and its clock, which moves only when actions run.
///
/// Actions run in the order of their times. Actions for the same time run in the order in which they were scheduled. A
/// repeating action keeps its place in that order. An action for a time that has passed runs at the current time.
///
/// Actions run with no lock held, on the thread that calls ``run(until:limit:)``. Any thread may schedule and cancel
/// actions.
///
/// It is public for the modules of the public `Companions`, whose schedulers are made of it.
@_spi(Companions) public final class VirtualAgenda<Time: Strideable>: @unchecked Sendable {

  /// The identifier of a scheduled action.
  public struct Token: Hashable, Sendable {
    fileprivate let order: Int
  }

  /// The reason why a run stopped.
  public enum Outcome {

    /// No action was left to run up to the requested end.
    case done

    /// The clock has reached the limit, and the next action is due later.
    case limitReached(next: Time, waiting: Int)

    /// Actions have repeatedly scheduled further actions for the same time.
    case standstill(at: Time)
  }

  /// The number of actions in one run at the same time that counts as a standstill.
  public let mostActionsAtOneTime: Int

  private let lock = Lock()

  // Sendable: accessed only with the lock held. Actions are scheduled on any thread and run on the thread that runs the
  // agenda, as on every scheduler.
  @exclusivity(unchecked)
  private var state: AgendaState<Time>

  /// Creates an empty agenda.
  ///
  /// - Parameters:
  ///   - clock: The time at which the clock starts.
  ///   - mostActionsAtOneTime: The number of actions in one run at the same time that counts as a standstill.
  ///   - rounding: A closure that makes equal the times that differ only by the rounding of their sums. With `nil`,
  ///     times are exact. It is called with a lock held.
  public init(
    clock: Time,
    mostActionsAtOneTime: Int = 1_000_000,
    rounding: (@Sendable (Time) -> Time)? = nil
  ) {
    state = AgendaState(clock: clock, rounding: rounding)
    self.mostActionsAtOneTime = mostActionsAtOneTime
  }

  /// The current time.
  public var now: Time {
    lock.withLock { state.clock }
  }

  /// The number of scheduled actions. A repeating action counts once.
  public var waitingCount: Int {
    lock.withLock { state.waitingCount }
  }

  /// Schedules an action.
  ///
  /// - Parameters:
  ///   - time: The time at which the action runs. If it has passed, the action runs at the current time, before the
  ///     actions for the current time.
  ///   - interval: The interval between two runs. With `nil`, the action runs once. With an interval that does not move
  ///     the clock, the action runs once in each call of ``run(until:limit:)``.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: A token that cancels the action.
  @discardableResult
  public func schedule(
    at time: Time,
    every interval: Time.Stride? = nil,
    _ action: @escaping () -> Void
  ) -> Token {
    lock.withLock { Token(order: state.add(AgendaState.Entry(action: action, interval: interval), at: time)) }
  }

  /// Schedules a repeating action.
  ///
  /// - Parameters:
  ///   - time: The time at which the action runs first. If it has passed, the action runs at the current time.
  ///   - interval: The interval between two runs. With `nil`, the action runs once. With an interval that does not move
  ///     the clock, the action runs once in each call of ``run(until:limit:)``.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: An object that stops the repetition when it is cancelled or released.
  public func repetition(
    from time: Time,
    every interval: Time.Stride?,
    _ action: @escaping () -> Void
  ) -> AnyCancellable {
    let token = schedule(at: time, every: interval, action)
    // Weak, because the actions may keep the token.
    return AnyCancellable { [weak self] in self?.cancel(token) }
  }

  /// Removes and releases an action. An action that is running continues.
  public func cancel(_ token: Token) {
    // The entry is released after the lock, because its action may own objects whose deinitializers call the agenda.
    let entry = lock.withLock { state.remove(token.order) }
    withExtendedLifetime(entry) {}
  }

  /// Runs actions, and sets the clock to the time of each.
  ///
  /// - Parameters:
  ///   - end: The time up to which actions run, and at which the clock stops. With `nil`, all actions run, and the clock
  ///     stops at the last one.
  ///   - limit: The time that the clock must not pass. With `nil`, there is no limit.
  /// - Returns: The reason why the run stopped.
  public func run(until end: Time? = nil, limit: Time? = nil) -> Outcome {
    lock.withLock { state.beginRun() }
    defer { lock.withLock { state.endRun() } }
    var count = CountAtOneTime()
    while true {
      if let outcome = step(until: end, limit: limit, &count) { return outcome }
    }
  }

  /// Runs actions like ``run(until:limit:)``, and lets other tasks run before each action and before the end.
  ///
  /// A task that an action resumes can so schedule its next action before the clock moves on.
  ///
  /// - Parameters:
  ///   - end: The time up to which actions run, and at which the clock stops. With `nil`, all actions run.
  ///   - limit: The time that the clock must not pass. With `nil`, there is no limit.
  /// - Returns: The reason why the run stopped.
  @MainActor
  public func runYielding(until end: Time? = nil, limit: Time? = nil) async -> Outcome {
    lock.withLock { state.beginRun() }
    defer { lock.withLock { state.endRun() } }
    var count = CountAtOneTime()
    while true {
      await TaskYield.letOthersRun()
      if let outcome = step(until: end, limit: limit, &count) { return outcome }
    }
  }

  /// The number of actions that have run at the latest time of a run.
  private struct CountAtOneTime {
    var time: Time?
    var actions = 0
  }

  /// Runs the next action.
  ///
  /// - Returns: The reason to stop, if there is one.
  private func step(until end: Time?, limit: Time?, _ count: inout CountAtOneTime) -> Outcome? {
    switch lock.withLock({ state.next(until: end, limit: limit) }) {
    case .run(let action, at: let time):
      count.actions = time == count.time ? count.actions + 1 : 1
      count.time = time
      action()
      return count.actions == mostActionsAtOneTime ? .standstill(at: time) : nil
    case .stop(let outcome):
      return outcome
    }
  }
}

/// The pure state of a ``VirtualAgenda``.
struct AgendaState<Time: Strideable> {

  struct Entry {
    let action: () -> Void
    let interval: Time.Stride?
  }

  enum Step {
    case run(() -> Void, at: Time)
    case stop(VirtualAgenda<Time>.Outcome)
  }

  private struct QueuedRun: Comparable {
    let time: Time

    /// The key of the entry that this queued run belongs to. Keys increase, so that entries for the same time keep
    /// their order. A repetition keeps its key, and so its place.
    let order: Int

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.time, lhs.order) < (rhs.time, rhs.order) }
  }

  private(set) var clock: Time

  private let rounding: (@Sendable (Time) -> Time)?

  /// The scheduled actions, by the order of scheduling. A queued run without an entry was cancelled.
  private var entries: [Int: Entry] = [:]
  private var queuedRuns = Heap<QueuedRun>()
  private var lastOrder = 0

  /// The number of runs in progress, of which one may be nested in an action of another one.
  private var runCount = 0

  /// The repetitions that have run without moving the clock. They wait for the next run, as this one would not end.
  private var waitingForNextRun: [Int] = []

  init(clock: Time, rounding: (@Sendable (Time) -> Time)? = nil) {
    self.clock = rounding?(clock) ?? clock
    self.rounding = rounding
  }

  var waitingCount: Int { entries.count }

  /// The number of queued runs, including those that were cancelled.
  var queuedRunCount: Int { queuedRuns.count }

  /// - Returns: The key of the entry.
  mutating func add(_ entry: Entry, at time: Time) -> Int {
    lastOrder += 1
    entries[lastOrder] = entry
    queuedRuns.insert(QueuedRun(time: rounded(time), order: lastOrder))
    return lastOrder
  }

  /// - Returns: The removed entry, or `nil` if there is none.
  mutating func remove(_ order: Int) -> Entry? {
    let entry = entries.removeValue(forKey: order)
    // A cancelled queued run is otherwise removed only when its time comes. This keeps many of them from filling
    // memory.
    if queuedRuns.count > 2 * entries.count + 64 {
      let entries = self.entries
      queuedRuns.removeAll { entries[$0.order] == nil }
    }
    return entry
  }

  mutating func beginRun() {
    runCount += 1
    guard runCount == 1 else { return }
    for order in exchange(&waitingForNextRun, with: []) where entries[order] != nil {
      queuedRuns.insert(QueuedRun(time: clock, order: order))
    }
  }

  mutating func endRun() {
    runCount -= 1
  }

  /// Removes the next action and moves the clock to its time, or to the end if that comes first.
  mutating func next(until end: Time?, limit: Time?) -> Step {
    let end = end.map(rounded)
    while let queuedRun = queuedRuns.first {
      guard let entry = entries[queuedRun.order] else {
        _ = queuedRuns.removeFirst()
        continue
      }
      let time = max(clock, queuedRun.time)
      if let end, time > end { break }
      if let limit, time > max(clock, limit) {
        if end != nil { clock = max(clock, limit) }
        return .stop(.limitReached(next: time, waiting: entries.count))
      }
      _ = queuedRuns.removeFirst()
      clock = time
      if let interval = entry.interval {
        repeatRun(of: queuedRun.order, after: interval)
      } else {
        entries[queuedRun.order] = nil
      }
      return .run(entry.action, at: clock)
    }
    guard let end else { return .stop(.done) }
    if let limit, end > max(clock, limit) {
      clock = max(clock, limit)
      return .stop(.limitReached(next: end, waiting: entries.count))
    }
    clock = max(clock, end)
    return .stop(.done)
  }

  private mutating func repeatRun(of order: Int, after interval: Time.Stride) {
    let time = rounded(clock.advanced(by: interval))
    if time > clock {
      queuedRuns.insert(QueuedRun(time: time, order: order))
    } else {
      waitingForNextRun.append(order)
    }
  }

  private func rounded(_ time: Time) -> Time { rounding?(time) ?? time }
}
