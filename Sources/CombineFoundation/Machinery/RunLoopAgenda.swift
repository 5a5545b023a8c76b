#if canImport(Foundation) && canImport(Dispatch) && !os(WASI)
  import CombineThreads
  import CombineCore
  import CombineDispatch
  import Dispatch
  import Foundation

  /// The scheduled actions of one run loop.
  ///
  /// Foundation outside Apple's platforms has two limits. `RunLoop.perform` does not wake the loop. A `Timer` is never
  /// deallocated, and neither are the objects that its block holds. So each loop gets two permanent timers, and this
  /// object keeps the actions.
  ///
  /// A timer that fires only enqueues a block, which the loop performs before it continues. The actions run in that block
  /// and not in the timer's block, so both timers can fire in a nested loop that an action runs. They also do not run in
  /// a block that was enqueued at another time. A loop that starts with such a block does not wake up if a nested loop
  /// passes its limit (measured).
  ///
  /// If the main run loop is not running, the main queue drains its agenda. Two drains never run at the same time. Before
  /// `dispatchMain()`, the main thread serves both the loop and the queue, at most one nested in the other. After it,
  /// there is no main thread. Each job is removed with the lock held, so it runs once, in either drain.
  final class RunLoopAgenda {

    /// Weak, because the loop is released with its thread. Constant after `init`.
    private weak var runLoop: RunLoop?

    /// A timer that wakes the loop. Any thread may set it to fire immediately.
    private var wakeUpTimer: Timer!  // Constant after `init`.

    /// A timer that fires when the first job of `waiting` is due. Only a drain sets it.
    private var dueTimer: Timer!  // Constant after `init`.

    /// The corresponding timer for the main queue, if this is the main run loop.
    private var systemQueueTimer: SystemQueueTimer?  // Constant after `init`.

    private let lock = Lock()

    @exclusivity(unchecked)  // These six: only with the lock held.
    private var dueDate = TimeInterval.infinity

    @exclusivity(unchecked)
    private var ready = JobQueue()

    @exclusivity(unchecked)
    private var waiting = JobQueue()

    /// Whether the wake-up timer was set to fire since the last drain.
    @exclusivity(unchecked)
    private var isWakeUpPending = false

    /// Whether the loop has an enqueued block that drains this agenda.
    @exclusivity(unchecked)
    private var isDrainQueued = false

    /// Whether the main queue will drain this agenda, or will check later whether it has to.
    @exclusivity(unchecked)
    private var isMainQueueWaiting = false

    private init(_ runLoop: RunLoop) {
      self.runLoop = runLoop
      // A timer that does not repeat cannot be set again. This interval is so long that it never passes.
      wakeUpTimer = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { [weak self] _ in self?.queueDrain() }
      dueTimer = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { [weak self] _ in self?.dueTimerFired() }
      runLoop.add(wakeUpTimer, forMode: .default)
      runLoop.add(dueTimer, forMode: .default)
      if runLoop === RunLoop.main {
        systemQueueTimer = SystemQueueTimer { [weak self] in self?.systemQueueTimerFired() }
      }
    }

    deinit {
      wakeUpTimer.invalidate()
      dueTimer.invalidate()
    }

    // MARK: On any thread

    /// Adds an action that runs as soon as possible.
    func add(_ action: @escaping () -> Void) {
      let job = Job(RevocableAction(action), date: 0, interval: nil)
      let mustWake = lock.withLock {
        ready.append(job)
        return claimWakeUp()
      }
      if mustWake { wakeUp() }
    }

    /// Adds an action that runs at a date.
    func add(_ action: @escaping () -> Void, at date: Date) {
      add(Job(RevocableAction(action), date: date.timeIntervalSinceReferenceDate, interval: nil))
    }

    /// Adds an action that runs at a date and then repeatedly in intervals.
    ///
    /// - Returns: A cancellable that stops the repetition.
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
      let mustWake = lock.withLock { waiting.insert(job) && claimWakeUp() }
      if mustWake { wakeUp() }
    }

    private func remove(_ job: Job) {
      lock.withLock { waiting.remove(job) }
    }

    /// Returns whether the caller must call `wakeUp()`. Call it with the lock held.
    private func claimWakeUp() -> Bool {
      !exchange(&isWakeUpPending, with: true)
    }

    /// Wakes the loop. While the wake-up timer is firing, Foundation ignores the new date. That is harmless, because the
    /// drain that the timer enqueues has not run yet.
    private func wakeUp() {
      wakeUpTimer.fireDate = Date()
      if systemQueueTimer != nil { notifyMainQueue() }
    }

    // MARK: The main queue

    /// Makes the main queue drain this agenda, unless the main run loop is running.
    private func notifyMainQueue() {
      guard lock.withLock({ !exchange(&isMainQueueWaiting, with: true) }) else { return }
      if MainRunLoop.isRunning { checkAgain() } else { queueMainDrain() }
    }

    private func queueMainDrain() {
      DispatchQueue.main.async { self.drainForMainQueue() }
    }

    /// Checks again after 10 ms. The main run loop may be left for good before it drains the agenda.
    private func checkAgain() {
      DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + .milliseconds(10)) {
        let isStillDue = self.lock.withLock {
          self.isMainQueueWaiting = self.isWakeUpPending
          return self.isWakeUpPending
        }
        if isStillDue { self.queueMainDrain() }
      }
    }

    /// Drains on the main queue, or makes the main run loop drain if that serves the queue.
    ///
    /// In a block of the main queue, a nested loop would not serve that queue. In the loop's own block it does. The loop
    /// performs that block in the same pass, which may be its only one.
    private func drainForMainQueue() {
      if MainRunLoop.isCaller {
        queueDrain()
        return checkAgain()
      }
      lock.withLock { isMainQueueWaiting = false }
      drain()
    }

    /// Called on any thread.
    private func systemQueueTimerFired() {
      let mustWake = lock.withLock {
        // The drain sets both timers again, including this one in case it fired slightly early.
        dueDate = .infinity
        return claimWakeUp()
      }
      if mustWake { wakeUp() }
    }

    // MARK: On the loop's thread, or on the main queue

    private func dueTimerFired() {
      lock.withLock { dueDate = .infinity }
      queueDrain()
    }

    private func queueDrain() {
      guard lock.withLock({ !exchange(&isDrainQueued, with: true) }) else { return }
      runLoop?.perform(inModes: [.default]) { self.drain() }
    }

    /// Runs the jobs that are due. It leaves jobs that are added meanwhile, so that the loop can continue.
    private func drain() {
      var count = lock.withLock {
        isDrainQueued = false
        isWakeUpPending = false
        let now = Date().timeIntervalSinceReferenceDate
        while let job = waiting.first, !(job.date > now) {
          waiting.removeFirst()
          ready.append(job)
        }
        return ready.count
      }
      setDueTimers()
      while count > 0, let job = nextJob() {
        count -= 1
        run(job)
      }
      setDueTimers()
    }

    private func nextJob() -> Job? {
      let (job, mustWake) = lock.withLock {
        let job = ready.first
        if job != nil { ready.removeFirst() }
        return (job, !ready.isEmpty && claimWakeUp())
      }
      // The action may run a nested loop. The wake-up timer lets that loop run the other actions, which then need not wait
      // for its end.
      if mustWake { wakeUp() }
      return job
    }

    private func run(_ job: Job) {
      guard let interval = job.interval else { return job.action.runLast() }
      job.action.run()
      let now = Date().timeIntervalSinceReferenceDate
      lock.withLock {
        // `cancel` revokes the action before it searches `waiting`. So either this check sees the revocation, or `cancel`
        // finds the job.
        guard job.action.isPresent else { return }
        job.date += interval * (max(0, ((now - job.date) / interval).rounded(.down)) + 1)
        waiting.insert(job)
      }
    }

    private func setDueTimers() {
      let (date, isNew) = lock.withLock {
        let date = waiting.first?.date ?? .infinity
        return (date, exchange(&dueDate, with: date) != date)
      }
      guard isNew else { return }
      dueTimer.fireDate = min(Date(timeIntervalSinceReferenceDate: date), .distantFuture)
      systemQueueTimer?.set(after: date - Date().timeIntervalSinceReferenceDate)
    }
  }

  // The run loop and its timers accept these few calls from any thread. All other state is guarded as noted.
  extension RunLoopAgenda: @unchecked Sendable {}

  // MARK: One for each loop

  extension RunLoopAgenda {

    /// Returns the agenda of a run loop, which is created on first use.
    static func of(_ runLoop: RunLoop) -> RunLoopAgenda {
      let id = ObjectIdentifier(runLoop)
      // The agenda of a deallocated loop may be stored under the address of a new loop.
      if let agenda = all.lock.withLock({ all.byLoop[id] }), agenda.runLoop === runLoop { return agenda }
      return register(RunLoopAgenda(runLoop), for: id)
    }

    private static func register(_ new: RunLoopAgenda, for id: ObjectIdentifier) -> RunLoopAgenda {
      let gone = all.lock.withLock({ all.byLoop }).filter { $0.value.runLoop == nil }
      return all.lock.withLock {
        for (id, agenda) in gone where all.byLoop[id] === agenda { all.byLoop[id] = nil }
        // Another thread may have registered an agenda first.
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

    /// The date in seconds since the reference date. Guarded by the agenda's lock.
    @exclusivity(unchecked)
    var date: TimeInterval

    /// The interval between two runs in seconds, or `nil` for a job that runs once.
    let interval: TimeInterval?

    init(_ action: RevocableAction, date: TimeInterval, interval: TimeInterval?) {
      self.action = action
      self.date = date
      self.interval = interval
    }
  }

  /// A queue of jobs that is fast at removing the first job, at finding a job by its date, and at inserting a job near the end.
  private struct JobQueue {

    private var jobs: [Job?] = []

    /// The number of removed jobs at the start of `jobs`.
    private var head = 0

    var first: Job? { isEmpty ? nil : jobs[head] }

    var count: Int { jobs.count - head }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ job: Job) {
      jobs.append(job)
    }

    /// Inserts a job after the jobs that are due earlier or at the same time.
    ///
    /// - Returns: Whether the job is now the first.
    @discardableResult
    mutating func insert(_ job: Job) -> Bool {
      let index = firstIndex { !($0.date <= job.date) }  // A date that is not a number comes first.
      jobs.insert(job, at: index)
      return index == head
    }

    mutating func removeFirst() {
      jobs[head] = nil
      head += 1
      // Half of the array is unused. Moving the rest costs O(1) for each removal.
      if head * 2 >= jobs.count {
        jobs.removeFirst(head)
        head = 0
      }
    }

    /// Removes a job, if it is in the queue, which must be in the order of the dates.
    mutating func remove(_ job: Job) {
      var index = firstIndex { $0.date >= job.date }
      while index < jobs.count, let other = jobs[index], other.date == job.date {
        if other === job {
          jobs.remove(at: index)
          return
        }
        index += 1
      }
    }

    /// Returns the index of the first job for which a condition holds, by bisection.
    private func firstIndex(where condition: (Job) -> Bool) -> Int {
      var low = head
      var high = jobs.count
      while low < high {
        let middle = (low + high) / 2
        if condition(jobs[middle].unsafelyUnwrapped) { high = middle } else { low = middle + 1 }
      }
      return low
    }
  }
#endif
