import CombineCore
import CombineDispatch
import Dispatch
import Foundation

/// What one run loop has still to do for its scheduler.
///
/// Foundation outside Apple's platforms gives little to build on. `RunLoop.perform` does not wake the loop; and a
/// `Timer` is never deallocated, nor is what its block holds. So each loop gets two timers for good, and the actions
/// are kept here.
///
/// A timer that fires does nothing but queue a block, and the loop performs that block before it goes on. There the
/// actions run, and not in the timer's own block, so that a loop that an action runs finds both timers free to fire.
/// Nor in a block that was queued at another time: a loop that begins with such a block, and has its limit passed by
/// another loop run inside, sleeps on (measured).
///
/// Where nobody runs the main run loop, the main queue drains that loop's agenda. Two drains never run at once: before
/// `dispatchMain()` the main thread serves loop and queue, one inside the other at most, and after it there is no main
/// thread. Each job is taken out under the lock, so it runs once, whoever comes first.
final class RunLoopAgenda {

  /// Weak: the loop goes with its thread. Constant after `init`.
  private weak var runLoop: RunLoop?

  /// Wakes the loop: any thread may set it to fire now.
  private var bell: Timer!  // Constant after `init`.

  /// Fires when the first of `waiting` is due: only a drain sets it.
  private var alarm: Timer!  // Constant after `init`.

  /// The same for the main queue, if this is the main run loop.
  private var mainQueueAlarm: MainQueueAlarm?  // Constant after `init`.

  private let lock = Lock()

  @exclusivity(unchecked)  // These six: only with the lock held.
  private var alarmDate = TimeInterval.infinity

  @exclusivity(unchecked)
  private var ready = JobQueue()

  @exclusivity(unchecked)
  private var waiting = JobQueue()

  /// Whether the bell has been set to fire since the last drain.
  @exclusivity(unchecked)
  private var isBellRung = false

  /// Whether the loop has a block to perform that drains this agenda.
  @exclusivity(unchecked)
  private var isDrainQueued = false

  /// Whether the main queue is to drain this agenda, or to look later whether it has to.
  @exclusivity(unchecked)
  private var isMainQueueWaiting = false

  private init(_ runLoop: RunLoop) {
    self.runLoop = runLoop
    // A timer that is not repeating could not be set again. The interval is one that never passes.
    bell = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { [weak self] _ in self?.queueDrain() }
    alarm = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { [weak self] _ in self?.alarmFired() }
    runLoop.add(bell, forMode: .default)
    runLoop.add(alarm, forMode: .default)
    if runLoop === RunLoop.main { mainQueueAlarm = MainQueueAlarm { [weak self] in self?.mainQueueAlarmFired() } }
  }

  deinit {
    bell.invalidate()
    alarm.invalidate()
  }

  // MARK: On any thread

  /// Adds an action for now.
  func add(_ action: @escaping () -> Void) {
    let job = Job(RevocableAction(action), date: 0, interval: nil)
    let rings = lock.withLock {
      ready.append(job)
      return claimBell()
    }
    if rings { ringBell() }
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
    let rings = lock.withLock { waiting.insert(job) && claimBell() }
    if rings { ringBell() }
  }

  private func remove(_ job: Job) {
    lock.withLock { waiting.remove(job) }
  }

  /// With the lock held: whether it is for the caller to ring the bell.
  private func claimBell() -> Bool {
    !exchange(&isBellRung, with: true)
  }

  /// Wakes the loop. If Foundation does not take the date because the bell is just firing, that does as well: the
  /// drain that it queues is still to come.
  private func ringBell() {
    bell.fireDate = Date()
    if mainQueueAlarm != nil { askMainQueue() }
  }

  // MARK: The main queue

  /// Has the main queue drain this agenda unless somebody runs the main run loop.
  private func askMainQueue() {
    guard lock.withLock({ !exchange(&isMainQueueWaiting, with: true) }) else { return }
    if MainRunLoop.isRunning { lookAgain() } else { queueMainDrain() }
  }

  private func queueMainDrain() {
    DispatchQueue.main.async { self.drainForMainQueue() }
  }

  /// Comes back after a moment. Somebody may leave the main run loop for good before it does what it was woken for.
  private func lookAgain() {
    DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + .milliseconds(10)) {
      let isStillDue = self.lock.withLock {
        self.isMainQueueWaiting = self.isBellRung
        return self.isBellRung
      }
      if isStillDue { self.queueMainDrain() }
    }
  }

  /// On the main queue. Leaves the work to the main run loop if that is what serves the queue: inside a block of the
  /// main queue a nested loop would not serve that queue, which inside the loop's own block it does. The loop performs
  /// that block in the same pass, of which there may be one only.
  private func drainForMainQueue() {
    if MainRunLoop.isCaller {
      queueDrain()
      return lookAgain()
    }
    lock.withLock { isMainQueueWaiting = false }
    drain()
  }

  /// On any thread.
  private func mainQueueAlarmFired() {
    let rings = lock.withLock {
      // The drain sets both alarms again, this one in case that it fired a little too early.
      alarmDate = .infinity
      return claimBell()
    }
    if rings { ringBell() }
  }

  // MARK: On the loop's thread, or on the main queue

  private func alarmFired() {
    lock.withLock { alarmDate = .infinity }
    queueDrain()
  }

  private func queueDrain() {
    guard lock.withLock({ !exchange(&isDrainQueued, with: true) }) else { return }
    runLoop?.perform(inModes: [.default]) { self.drain() }
  }

  /// Runs what is due. Not what is added meanwhile, so that the loop gets its turn.
  private func drain() {
    var count = lock.withLock {
      isDrainQueued = false
      isBellRung = false
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
    let (job, rings) = lock.withLock {
      let job = ready.first
      if job != nil { ready.removeFirst() }
      return (job, !ready.isEmpty && claimBell())
    }
    // For a loop that the action may run: the other actions are not to wait until it ends.
    if rings { ringBell() }
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
    let (date, isNew) = lock.withLock {
      let date = waiting.first?.date ?? .infinity
      return (date, exchange(&alarmDate, with: date) != date)
    }
    guard isNew else { return }
    alarm.fireDate = min(Date(timeIntervalSinceReferenceDate: date), .distantFuture)
    mainQueueAlarm?.set(after: date - Date().timeIntervalSinceReferenceDate)
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
