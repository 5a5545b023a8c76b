import CombineCore
import CombineDispatch
import Foundation

/// What one run loop has still to do for its scheduler.
///
/// Foundation outside Apple's platforms gives little to build on: `RunLoop.perform` does not wake the loop, and a
/// `Timer` is never deallocated, nor is what its block holds. So each loop gets two timers for good, and the actions
/// are kept here. Every action runs in a block that the loop performs, never in a timer's block, so that a loop run
/// from inside an action finds both timers free to fire.
final class RunLoopAgenda {

  /// Weak: the loop goes with its thread. Constant after `init`.
  private weak var runLoop: RunLoop?

  /// Wakes the loop: any thread may set it to fire now.
  private var bell: Timer!  // Constant after `init`.

  /// Fires when the first of `waiting` is due: only the loop's thread sets it.
  private var alarm: Timer!  // Constant after `init`.

  @exclusivity(unchecked)  // Touched on the loop's thread only.
  private var alarmDate = TimeInterval.infinity

  private let lock = Lock()

  @exclusivity(unchecked)  // These four: only with the lock held.
  private var ready = JobQueue()

  @exclusivity(unchecked)
  private var waiting = JobQueue()

  /// Whether the loop has a block to perform that drains this agenda.
  @exclusivity(unchecked)
  private var isDrainQueued = false

  /// Whether the bell is about to fire.
  @exclusivity(unchecked)
  private var isBellRung = false

  private init(_ runLoop: RunLoop) {
    self.runLoop = runLoop
    // A timer that is not repeating could not be set again. The interval is one that never passes.
    bell = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { [weak self] _ in self?.bellFired() }
    alarm = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { [weak self] _ in self?.alarmFired() }
    runLoop.add(bell, forMode: .default)
    runLoop.add(alarm, forMode: .default)
  }

  deinit {
    bell.invalidate()
    alarm.invalidate()
  }

  // MARK: On any thread

  /// Adds an action for now.
  func add(_ action: @escaping () -> Void) {
    let job = Job(RevocableAction(action), date: 0, interval: nil)
    summon(
      lock.withLock {
        ready.append(job)
        return summonsLocked()
      }
    )
  }

  /// Adds an action for a date.
  func add(_ action: @escaping () -> Void, at date: Date) {
    add(Job(RevocableAction(action), date: date.timeIntervalSinceReferenceDate, interval: nil))
  }

  /// Adds an action for a date and, in intervals, later ones.
  ///
  /// - Returns: What cancels the repetition.
  func add(_ action: @escaping () -> Void, at date: Date, interval: TimeInterval) -> AnyCancellable {
    let job = Job(
      RevocableAction(action),
      date: date.timeIntervalSinceReferenceDate,
      interval: max(interval, RunLoop.shortestInterval)
    )
    add(job)
    return AnyCancellable { [weak self] in
      job.action.cancel()
      self?.remove(job)
    }
  }

  private func add(_ job: Job) {
    let summons = lock.withLock { waiting.insert(job) ? summonsLocked() : Summons() }
    summon(summons)
  }

  private func remove(_ job: Job) {
    lock.withLock { waiting.remove(job) }
  }

  /// What it takes to have the agenda drained.
  private struct Summons {
    var queuesDrain = false
    var ringsBell = false
  }

  private func summonsLocked() -> Summons {
    Summons(queuesDrain: !exchange(&isDrainQueued, with: true), ringsBell: !exchange(&isBellRung, with: true))
  }

  private func summon(_ summons: Summons) {
    if summons.queuesDrain { queueDrain() }
    // If this is lost because the bell is just firing, nothing is: the loop is awake then, and performs its blocks
    // before it sleeps.
    if summons.ringsBell { bell.fireDate = Date() }
  }

  private func queueDrain() {
    runLoop?.perform(inModes: [.default]) { self.drain() }
  }

  // MARK: On the loop's thread

  private func bellFired() {
    lock.withLock { isBellRung = false }
  }

  private func alarmFired() {
    alarmDate = .infinity
    if lock.withLock({ !exchange(&isDrainQueued, with: true) }) { queueDrain() }
  }

  /// Runs what is due. Not what is added meanwhile, so that the loop gets its turn.
  private func drain() {
    var count = lock.withLock {
      isDrainQueued = false
      let now = Date().timeIntervalSinceReferenceDate
      while let job = waiting.first, !(job.date > now) {
        waiting.removeFirst()
        ready.append(job)
      }
      return ready.count
    }
    setAlarm()
    while count > 0, let job = nextJob() {
      count -= 1
      run(job)
    }
    setAlarm()
  }

  private func nextJob() -> Job? {
    let (job, leavesMore) = lock.withLock {
      let job = ready.first
      if job != nil { ready.removeFirst() }
      return (job, !ready.isEmpty && !exchange(&isDrainQueued, with: true))
    }
    // For a loop that the action may run: it begins with the blocks that are queued.
    if leavesMore { queueDrain() }
    return job
  }

  private func run(_ job: Job) {
    guard let interval = job.interval else { return job.action.runLast() }
    job.action.run()
    let now = Date().timeIntervalSinceReferenceDate
    lock.withLock {
      // A cancel drops the action first and then looks into `waiting`, so one of the two sees the other.
      guard job.action.isPresent else { return }
      job.date += interval * (max(0, ((now - job.date) / interval).rounded(.down)) + 1)
      waiting.insert(job)
    }
  }

  private func setAlarm() {
    let date = lock.withLock { waiting.first?.date ?? .infinity }
    guard date != alarmDate else { return }
    alarmDate = date
    alarm.fireDate = min(Date(timeIntervalSinceReferenceDate: date), .distantFuture)
  }
}

// The run loop and its timers take the few calls made here from any thread; all else is guarded as noted.
extension RunLoopAgenda: @unchecked Sendable {}

// MARK: One for each loop

extension RunLoopAgenda {

  /// The agenda of a run loop, made when it is first asked for.
  static func of(_ runLoop: RunLoop) -> RunLoopAgenda {
    let id = ObjectIdentifier(runLoop)
    // An agenda of a loop that is gone may be found under the address of a new one.
    if let agenda = all.lock.withLock({ all.byLoop[id] }), agenda.runLoop === runLoop { return agenda }
    return register(RunLoopAgenda(runLoop), for: id)
  }

  private static func register(_ new: RunLoopAgenda, for id: ObjectIdentifier) -> RunLoopAgenda {
    let gone = all.lock.withLock({ all.byLoop }).filter { $0.value.runLoop == nil }
    return all.lock.withLock {
      for (id, agenda) in gone where all.byLoop[id] === agenda { all.byLoop[id] = nil }
      // Another thread may have been first.
      if let agenda = all.byLoop[id] { return agenda }
      all.byLoop[id] = new
      return new
    }
  }

  private static let all = All()

  private final class All: @unchecked Sendable {

    let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    var byLoop: [ObjectIdentifier: RunLoopAgenda] = [:]
  }
}

// MARK: Jobs

/// An action with its date.
private final class Job {

  let action: RevocableAction

  /// The seconds since the reference date. Guarded by the agenda's lock.
  @exclusivity(unchecked)
  var date: TimeInterval

  /// The time to the next run, of a repetition.
  let interval: TimeInterval?

  init(_ action: RevocableAction, date: TimeInterval, interval: TimeInterval?) {
    self.action = action
    self.date = date
    self.interval = interval
  }
}

/// Jobs in a row, with fast ways to take the first and to add one at, or near, the end.
private struct JobQueue {

  private var jobs: [Job?] = []

  /// How many of `jobs` are gone.
  private var head = 0

  var first: Job? { isEmpty ? nil : jobs[head] }

  var count: Int { jobs.count - head }

  var isEmpty: Bool { count == 0 }

  mutating func append(_ job: Job) {
    jobs.append(job)
  }

  /// Adds a job behind those that are due earlier or at the same time.
  ///
  /// - Returns: Whether it is the first now.
  @discardableResult
  mutating func insert(_ job: Job) -> Bool {
    var low = head
    var high = jobs.count
    while low < high {
      let middle = (low + high) / 2
      if jobs[middle].unsafelyUnwrapped.date <= job.date { low = middle + 1 } else { high = middle }
    }
    jobs.insert(job, at: low)
    return low == head
  }

  mutating func removeFirst() {
    jobs[head] = nil
    head += 1
    // Half of the array is gone: the rest moves, once for as many removals.
    if head * 2 >= jobs.count {
      jobs.removeFirst(head)
      head = 0
    }
  }

  mutating func remove(_ job: Job) {
    guard let index = jobs.firstIndex(where: { $0 === job }) else { return }
    jobs.remove(at: index)
  }
}
