import CombineCore

/// The scheduled actions of a scheduler with virtual time, and its clock, which moves only when actions run.
///
/// Actions run in the order of their times. Actions for the same time run in the order in which they were scheduled.
/// They run with no lock held, on the thread that calls ``run(until:limit:)``. Any thread may schedule and cancel
/// actions.
package final class VirtualAgenda<Time: Strideable>: @unchecked Sendable {

  /// The identifier of a scheduled action.
  package struct Token: Hashable, Sendable {
    fileprivate let order: Int
  }

  /// The reason why a run stopped.
  package enum Outcome {

    /// No action was left to run up to the requested end.
    case done

    /// The clock has reached the limit, and the next action is due later.
    case limitReached(next: Time, waiting: Int)

    /// Actions have repeatedly scheduled further actions for the same time.
    case standstill(at: Time)
  }

  /// The number of actions in one run at the same time that counts as a standstill.
  package let mostActionsAtOneTime: Int

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
  package init(clock: Time, mostActionsAtOneTime: Int = 1_000_000) {
    state = AgendaState(clock: clock)
    self.mostActionsAtOneTime = mostActionsAtOneTime
  }

  /// The current time.
  package var now: Time {
    lock.withLock { state.clock }
  }

  /// The number of scheduled actions. A repeating action counts once.
  package var waitingCount: Int {
    lock.withLock { state.waitingCount }
  }

  /// Schedules an action.
  ///
  /// - Parameters:
  ///   - time: The time at which the action runs. If it has passed, the action runs at the current time.
  ///   - interval: The interval between two runs. With `nil`, the action runs once.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: A token that cancels the action.
  @discardableResult
  package func schedule(
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
  ///   - interval: The interval between two runs.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: An object that stops the repetition when it is cancelled or released.
  package func repetition(
    from time: Time,
    every interval: Time.Stride,
    _ action: @escaping () -> Void
  ) -> AnyCancellable {
    let token = schedule(at: time, every: interval, action)
    // Weak, because the actions may keep the token.
    return AnyCancellable { [weak self] in self?.cancel(token) }
  }

  /// Removes and releases an action. An action that is running continues.
  package func cancel(_ token: Token) {
    // The entry is released after the lock, because its action may own objects whose deinitializers call the agenda.
    let entry = lock.withLock { state.remove(token.order) }
    withExtendedLifetime(entry) {}
  }

  /// Runs actions, and sets the clock to the time of each.
  ///
  /// - Parameters:
  ///   - end: The time up to which actions run, and at which the clock stops. With `nil`, all actions run.
  ///   - limit: The time that the clock must not pass. With `nil`, there is no limit.
  /// - Returns: The reason why the run stopped.
  package func run(until end: Time? = nil, limit: Time? = nil) -> Outcome {
    var previous: Time?
    var actionsAtOneTime = 0
    while true {
      switch lock.withLock({ state.next(until: end, limit: limit) }) {
      case .run(let action, at: let time):
        actionsAtOneTime = time == previous ? actionsAtOneTime + 1 : 1
        previous = time
        action()
        if actionsAtOneTime == mostActionsAtOneTime { return .standstill(at: time) }
      case .stop(let outcome):
        return outcome
      }
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

    /// A number that increases with each queued run, so that queued runs for the same time keep their order.
    let position: Int

    /// The key of the entry that this queued run belongs to.
    let order: Int

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.time, lhs.position) < (rhs.time, rhs.position) }
  }

  private(set) var clock: Time

  /// The scheduled actions, by the order of scheduling. A queued run without an entry was cancelled.
  private var entries: [Int: Entry] = [:]
  private var queuedRuns = Heap<QueuedRun>()
  private var lastPosition = 0

  init(clock: Time) {
    self.clock = clock
  }

  var waitingCount: Int { entries.count }

  /// The number of queued runs, including those that were cancelled.
  var queuedRunCount: Int { queuedRuns.count }

  /// - Returns: The key of the entry.
  mutating func add(_ entry: Entry, at time: Time) -> Int {
    let order = lastPosition + 1
    entries[order] = entry
    enqueue(order, at: max(clock, time))
    return order
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

  /// Removes the next action and moves the clock to its time, or to the end if that comes first.
  mutating func next(until end: Time?, limit: Time?) -> Step {
    while let queuedRun = queuedRuns.first {
      guard let entry = entries[queuedRun.order] else {
        _ = queuedRuns.removeFirst()
        continue
      }
      if let end, queuedRun.time > end { break }
      if let limit, queuedRun.time > max(clock, limit) {
        clock = max(clock, limit)
        return .stop(.limitReached(next: queuedRun.time, waiting: entries.count))
      }
      _ = queuedRuns.removeFirst()
      clock = max(clock, queuedRun.time)
      if let interval = entry.interval {
        enqueue(queuedRun.order, at: max(clock, queuedRun.time.advanced(by: interval)))
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

  private mutating func enqueue(_ order: Int, at time: Time) {
    lastPosition += 1
    queuedRuns.insert(QueuedRun(time: time, position: lastPosition, order: order))
  }
}
