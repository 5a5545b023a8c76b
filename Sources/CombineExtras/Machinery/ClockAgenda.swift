import CombineCore
import CombineThreads

/// The actions that wait for a ``ClockScheduler``, and the tasks that run them.
///
/// Any thread puts an action into a queue. One task at a time works on the actor until the queue is empty: it sorts what has a
/// date, runs what is due, and starts a second task, which sleeps until the first date that is left:
///
///     any thread        the worker, on the actor              the sleeper
///     adds an action    takes it, and sorts it by its date
///                       finds nothing due, and ends           sleeps
///                                                             notes the date that has come
///                       takes the date, and runs what is due
///
/// The dates are compared by the worker alone: their operators are the clock's, and run with no lock held.
final class ClockAgenda<C: Clock>: @unchecked Sendable where C.Duration == Duration {
  // Sendable: the lock guards what threads share. The rest is used by the worker, of which there is one at a time.

  /// An action for a date.
  final class Job {

    let action: RevocableAction
    let interval: Duration?
    let tolerance: Duration

    @exclusivity(unchecked)  // Only by the worker, after `init`.
    var date: C.Instant

    init(_ action: RevocableAction, date: C.Instant, interval: Duration?, tolerance: Duration) {
      self.action = action
      self.date = date
      self.interval = interval
      self.tolerance = tolerance
    }
  }

  /// What the worker is to do.
  private struct Work {

    /// The actions without a date.
    var actions: [WaitingAction] = []

    /// The jobs that are not sorted yet.
    var jobs: [Job] = []

    /// The dates until which a sleeper has slept.
    var reached: [C.Instant] = []

    var hasRevoked = false

    var isEmpty: Bool { actions.isEmpty && jobs.isEmpty && reached.isEmpty && !hasRevoked }
  }

  private let clock: C
  private let actor: any Actor

  private let lock = Lock()

  @exclusivity(unchecked)  // These two: only with the lock held.
  private var work = Work()

  @exclusivity(unchecked)
  private var hasWorker = false

  /// The jobs in the order of their dates.
  @exclusivity(unchecked)  // These two: only by the worker.
  private var waiting: [Job] = []

  @exclusivity(unchecked)
  private var sleep: (date: C.Instant, task: CancellableTask)?

  init(clock: C, actor: any Actor) {
    self.clock = clock
    self.actor = actor
  }

  /// Whether no worker runs, and then the date until which a sleeper sleeps; for tests.
  var rest: (hasCome: Bool, date: C.Instant?) {
    lock.withLock { hasWorker ? (false, nil) : (true, sleep?.date) }
  }

  // MARK: On any thread

  func add(_ action: @escaping () -> Void) {
    let action = WaitingAction(run: action)
    startIfNeeded { work.actions.append(action) }
  }

  func add(_ action: @escaping () -> Void, at date: C.Instant, interval: Duration?, tolerance: Duration) -> Job {
    let job = Job(RevocableAction(action), date: date, interval: interval, tolerance: max(tolerance, .zero))
    startIfNeeded { work.jobs.append(job) }
    return job
  }

  /// Removes the jobs whose actions were revoked.
  func forgetRevoked() {
    startIfNeeded { work.hasRevoked = true }
  }

  private func startIfNeeded(_ step: () -> Void) {
    let isFirst = lock.withLock {
      step()
      return !exchange(&hasWorker, with: true)
    }
    if isFirst { TaskWork { await self.drain(on: self.actor) }.start() }
  }

  // MARK: The worker

  private func drain(on actor: isolated any Actor) async {
    while let work = takeWork() {
      // A long backlog must not keep the main actor from its user.
      var count = 0
      for run in ready(work) {
        run()
        count += 1
        if count.isMultiple(of: 64) { await Task.yield() }
      }
    }
  }

  /// - Returns: What is to be done. If there is nothing, the worker has ended, and what is due later has a sleeper.
  private func takeWork() -> Work? {
    if let work = lock.withLock({ self.work.isEmpty ? nil : exchange(&self.work, with: Work()) }) { return work }
    setSleeper()
    return lock.withLock {
      if work.isEmpty {
        hasWorker = false
        return nil
      }
      return exchange(&work, with: Work())
    }
  }

  /// Sorts the jobs.
  ///
  /// - Returns: The actions to run now, in their order. Those without a date come first: they were ready before.
  private func ready(_ work: Work) -> [() -> Void] {
    if work.hasRevoked { waiting.removeAll { !$0.action.isPresent } }
    for job in work.jobs { insert(job) }
    if let sleep, work.reached.contains(sleep.date) { self.sleep = nil }
    let now = clock.now
    let due = waiting.prefix { job in job.date <= now || work.reached.contains { job.date <= $0 } }
    waiting.removeFirst(due.count)
    return work.actions.map(\.run) + due.map { job in { self.run(job, at: now) } }
  }

  /// Inserts a job behind those of earlier dates, and of its own date.
  private func insert(_ job: Job) {
    var (low, high) = (0, waiting.count)
    while low < high {
      let middle = (low + high) / 2
      if job.date < waiting[middle].date { high = middle } else { low = middle + 1 }
    }
    waiting.insert(job, at: low)
  }

  private func run(_ job: Job, at now: C.Instant) {
    guard let interval = job.interval else { return job.action.runLast() }
    job.action.run()
    guard job.action.isPresent else { return }
    // It is negative if the clock has ended a sleep early.
    let passed = max(job.date.duration(to: max(now, clock.now)), .zero)
    let runs = Int64(min(passed / interval, 0x1p62)) + 1
    job.date = job.date.advanced(by: interval * runs)
    insert(job)
  }

  // MARK: The sleeper

  /// The systems' clocks trap for dates that do not fit into their numbers.
  private static var longestSleep: Duration { .seconds(Int64(100) * 365 * 86400) }

  /// Starts a sleep until the first date, unless it runs already.
  private func setSleeper() {
    guard let first = waiting.first else {
      sleep?.task.cancel()
      sleep = nil
      return
    }
    let date = min(first.date, clock.now.advanced(by: Self.longestSleep))
    if let sleep, sleep.date == date { return }
    sleep?.task.cancel()
    let task = CancellableTask()
    sleep = (date, task)
    let (clock, tolerance) = (clock, first.tolerance)
    task.start(
      TaskWork {
        do {
          try await clock.sleep(until: date, tolerance: tolerance)
        } catch {
          if Task.isCancelled { return }
        }
        self.startIfNeeded { self.work.reached.append(date) }
      }
    )
  }
}
