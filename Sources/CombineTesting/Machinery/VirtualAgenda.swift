import CombineCore

/// The actions that a scheduler of virtual time has to run, and its clock, which moves only as they are run.
///
/// Actions run in the order of their times, and for one time in the order in which they were scheduled, on the thread
/// that calls ``run(until:limit:)``, with no lock held. Any thread may schedule and cancel.
package final class VirtualAgenda<Time: Strideable>: @unchecked Sendable {

  /// The name of a scheduled action.
  package struct Ticket: Hashable, Sendable {
    fileprivate let order: Int
  }

  /// Why a run ended.
  package enum Outcome {

    /// Nothing was left to do, up to the end that was asked for.
    case done

    /// The clock has reached the limit, and the next action is due later.
    case limitReached(next: Time, waiting: Int)

    /// Actions have scheduled others for the same time over and over.
    case standstill(at: Time)
  }

  /// How many actions one run may take without the clock moving, before that is called a standstill.
  package let mostActionsAtOneTime: Int

  private let lock = Lock()

  // Sendable: only touched with the lock held. Actions come from any thread, but run on the one that runs the agenda,
  // as on every scheduler.
  @exclusivity(unchecked)
  private var state: AgendaState<Time>

  /// Creates an agenda without actions.
  ///
  /// - Parameters:
  ///   - clock: Where the clock starts.
  ///   - mostActionsAtOneTime: How many actions one run may take without the clock moving.
  package init(clock: Time, mostActionsAtOneTime: Int = 1_000_000) {
    state = AgendaState(clock: clock)
    self.mostActionsAtOneTime = mostActionsAtOneTime
  }

  /// Where the clock stands.
  package var now: Time {
    lock.withLock { state.clock }
  }

  /// How many actions are waiting; a repetition is one.
  package var waitingCount: Int {
    lock.withLock { state.waitingCount }
  }

  /// Enters an action.
  ///
  /// - Parameters:
  ///   - time: When it is due; at once if that has passed.
  ///   - interval: After which time to run it again, and again; once only if `nil`.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: What to cancel it by.
  @discardableResult
  package func schedule(
    at time: Time,
    every interval: Time.Stride? = nil,
    _ action: @escaping () -> Void
  ) -> Ticket {
    lock.withLock { Ticket(order: state.add(AgendaState.Entry(action: action, interval: interval), at: time)) }
  }

  /// Enters a repeating action.
  ///
  /// - Parameters:
  ///   - time: When it is due first; at once if that has passed.
  ///   - interval: The interval between two runs.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: An object that stops the repetition when it is cancelled or released.
  package func repetition(
    from time: Time,
    every interval: Time.Stride,
    _ action: @escaping () -> Void
  ) -> AnyCancellable {
    let ticket = schedule(at: time, every: interval, action)
    // The actions may keep the token, so the token does not keep them.
    return AnyCancellable { [weak self] in self?.cancel(ticket) }
  }

  /// Takes an action out and releases it; one that is running goes on.
  package func cancel(_ ticket: Ticket) {
    // What the action keeps is released only after the lock.
    let entry = lock.withLock { state.remove(ticket.order) }
    withExtendedLifetime(entry) {}
  }

  /// Runs actions, and moves the clock to the time of each.
  ///
  /// - Parameters:
  ///   - end: Runs those that are due until then, and leaves the clock there; runs all if `nil`.
  ///   - limit: The time that the clock must not pass; none if `nil`.
  /// - Returns: Why it ended.
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

/// The decisions of a ``VirtualAgenda``.
struct AgendaState<Time: Strideable> {

  struct Entry {
    let action: () -> Void
    let interval: Time.Stride?
  }

  enum Step {
    case run(() -> Void, at: Time)
    case stop(VirtualAgenda<Time>.Outcome)
  }

  private struct Appointment: Comparable {
    let time: Time

    /// Rises with each appointment made, so that those for one time are kept in that order.
    let position: Int

    /// Whose appointment it is.
    let order: Int

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.time, lhs.position) < (rhs.time, rhs.position) }
  }

  private(set) var clock: Time

  /// What to do, by the order of scheduling. An appointment whose entry is gone was cancelled.
  private var entries: [Int: Entry] = [:]
  private var appointments = Heap<Appointment>()
  private var lastPosition = 0

  init(clock: Time) {
    self.clock = clock
  }

  var waitingCount: Int { entries.count }

  /// How many appointments are kept, cancelled ones included.
  var appointmentCount: Int { appointments.count }

  /// - Returns: The name of the entry.
  mutating func add(_ entry: Entry, at time: Time) -> Int {
    let order = lastPosition + 1
    entries[order] = entry
    appoint(order, at: max(clock, time))
    return order
  }

  /// - Returns: The entry, if it is still there.
  mutating func remove(_ order: Int) -> Entry? {
    let entry = entries.removeValue(forKey: order)
    // An appointment is found only when its time comes. So that many that are cancelled do not fill the memory:
    if appointments.count > 2 * entries.count + 64 {
      let entries = self.entries
      appointments.removeAll { entries[$0.order] == nil }
    }
    return entry
  }

  /// Takes out what is to be done next, and moves the clock there; or to the end, if it comes first.
  mutating func next(until end: Time?, limit: Time?) -> Step {
    while let appointment = appointments.first {
      guard let entry = entries[appointment.order] else {
        _ = appointments.removeFirst()
        continue
      }
      if let end, appointment.time > end { break }
      if let limit, appointment.time > max(clock, limit) {
        clock = max(clock, limit)
        return .stop(.limitReached(next: appointment.time, waiting: entries.count))
      }
      _ = appointments.removeFirst()
      clock = max(clock, appointment.time)
      if let interval = entry.interval {
        appoint(appointment.order, at: max(clock, appointment.time.advanced(by: interval)))
      } else {
        entries[appointment.order] = nil
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

  private mutating func appoint(_ order: Int, at time: Time) {
    lastPosition += 1
    appointments.insert(Appointment(time: time, position: lastPosition, order: order))
  }
}
