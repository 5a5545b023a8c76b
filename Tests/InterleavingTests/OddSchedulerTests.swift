import CombineCore
import CombineExtras
import TestSupport
import Testing

/// A scheduler that drops, repeats, delays and reorders its actions as a test says. For one thread.
private final class OddScheduler: Scheduler {

  typealias SchedulerTimeType = VirtualScheduler.SchedulerTimeType
  typealias SchedulerOptions = Never

  private final class Token: Cancellable {
    private weak var scheduler: OddScheduler?
    private let number: Int

    init(_ scheduler: OddScheduler, _ number: Int) {
      self.scheduler = scheduler
      self.number = number
    }

    func cancel() { scheduler?.drop(number) }
  }

  struct Job {
    let number: Int
    var date: SchedulerTimeType
    let interval: SchedulerTimeType.Stride?
    let action: () -> Void
  }

  private(set) var jobs: [Job] = []
  private(set) var now: SchedulerTimeType = 0
  private var count = 0

  var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs a job early, in time or late. A repetition stays.
  func run(at index: Int) {
    let job = jobs[index]
    if let interval = job.interval {
      jobs[index].date = job.date.advanced(by: interval)
    } else {
      jobs.remove(at: index)
    }
    job.action()
  }

  /// Releases a job that has not run.
  func drop(at index: Int) {
    let job = jobs.remove(at: index)
    withExtendedLifetime(job) {}
  }

  private func drop(_ number: Int) {
    if let index = jobs.firstIndex(where: { $0.number == number }) { drop(at: index) }
  }

  func pass(_ time: SchedulerTimeType.Stride) {
    now = now.advanced(by: time)
  }

  /// Does what is due, as a scheduler should.
  func runDue(for time: SchedulerTimeType.Stride) {
    let end = now.advanced(by: time)
    while let next = jobs.indices.filter({ jobs[$0].date <= end }).min(by: { jobs[$0].date < jobs[$1].date }) {
      now = max(now, jobs[next].date)
      run(at: next)
    }
    now = end
  }

  private func add(_ date: SchedulerTimeType, _ interval: SchedulerTimeType.Stride?, _ action: @escaping () -> Void)
    -> Int
  {
    count += 1
    jobs.append(Job(number: count, date: date, interval: interval, action: action))
    return count
  }

  func schedule(options: Never?, _ action: @escaping () -> Void) {
    _ = add(now, nil, action)
  }

  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    _ = add(date, nil, action)
  }

  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    Token(self, add(date, interval, action))
  }
}

/// Actions that are dropped, repeated, delayed and run in any order. Rows `threads.dropped-action`,
/// `threads.shared-timer` and `threads.action-once`.
@Suite struct OddSchedulerTests {

  private enum Step: CustomStringConvertible {
    case value, finish, pass, run(Int), runTwice(Int), drop(Int)

    var description: String {
      switch self {
      case .value: "value"
      case .finish: "finish"
      case .pass: "pass"
      case .run(let index): "run \(index)"
      case .runTwice(let index): "run \(index) twice"
      case .drop(let index): "drop \(index)"
      }
    }
  }

  /// An operator on the scheduler, with what it has received and sent.
  private final class Rig {
    let scheduler = OddScheduler()
    let upstream = PassthroughSubject<Int, TestError>()
    var sent = 0
    var hasFinished = false
    var received: [Int] = []
    var completions = 0
    var isWrong = false
    private var cancellable: AnyCancellable?

    init(_ operation: (PassthroughSubject<Int, TestError>, OddScheduler) -> AnyPublisher<Int, TestError>) {
      cancellable = operation(upstream, scheduler).sink(
        receiveCompletion: { [unowned self] _ in completions += 1 },
        receiveValue: { [unowned self] value in
          // In order, none twice, and none after the completion.
          if completions > 0 || value <= received.last ?? 0 { isWrong = true }
          received.append(value)
        }
      )
    }

    func send() {
      sent += 1
      upstream.send(sent)
    }

    func finish() {
      hasFinished = true
      upstream.send(completion: .finished)
    }
  }

  /// Calls `body` with each sequence of steps up to a length. The steps possible in a state are those of the longest prefix.
  private func explore(
    depth: Int,
    makeRig: () -> Rig,
    perform: (Step, Rig) -> Void,
    steps: (Rig) -> [Step],
    check: (Rig, [Step]) -> Bool
  ) {
    func go(_ path: [Step]) -> Bool {
      let rig = makeRig()
      for step in path { perform(step, rig) }
      // A check may go on with the rig.
      let next = path.count < depth ? steps(rig) : []
      guard check(rig, path) else {
        Issue.record("after \(path): received \(rig.received), \(rig.completions) completions")
        return false
      }
      for step in next { if !go(path + [step]) { return false } }
      return true
    }
    _ = go([])
  }

  private static func perform(_ step: Step, _ rig: Rig) {
    switch step {
    case .value: rig.send()
    case .finish: rig.finish()
    case .pass: rig.scheduler.pass(3)
    case .run(let index): rig.scheduler.run(at: index)
    case .runTwice(let index):
      let action = rig.scheduler.jobs[index].action
      rig.scheduler.run(at: index)
      action()
    case .drop(let index): rig.scheduler.drop(at: index)
    }
  }

  // MARK: One action for each event

  static let deliveries:
    [(name: String, make: @Sendable (AnyPublisher<Int, TestError>, Any) -> AnyPublisher<Int, TestError>)] = [
      ("receive(on:)", { $0.receive(on: $1 as! OddScheduler).eraseToAnyPublisher() }),
      ("delay", { $0.delay(for: 2, scheduler: $1 as! OddScheduler).eraseToAnyPublisher() }),
      (
        "collect by time or count",
        { $0.collect(.byTimeOrCount($1 as! OddScheduler, 1000, 1)).map { $0[0] }.eraseToAnyPublisher() }
      ),
      ("timeout", { $0.timeout(1000, scheduler: $1 as! OddScheduler).eraseToAnyPublisher() }),
    ]

  /// Jobs that are not for events: timers.
  private static func events(_ scheduler: OddScheduler) -> [Int] {
    scheduler.jobs.indices.filter { scheduler.jobs[$0].interval == nil }
  }

  @Test(arguments: 0..<4) func aDroppedActionDropsOneEventAndARepeatedOneNone(_ index: Int) {
    let make = Self.deliveries[index].make
    /// What the steps of the path should have led to.
    struct Expected {
      var pending: [Int] = []
      var owners: [Int] = []
      var received: [Int] = []
      var isSerial = true
      var kept: [Int] = []
      var dropped = 0
    }
    var expected = Expected()
    explore(
      depth: LongRuns.areEnabled ? 7 : 6,
      makeRig: {
        expected = Expected()
        return Rig { make($0.eraseToAnyPublisher(), $1) }
      },
      perform: { step, rig in
        let count = rig.received.count + rig.completions
        let before = Self.events(rig.scheduler)
        Self.perform(step, rig)
        let delivered = rig.received.count + rig.completions - count
        switch step {
        case .value: expected.owners.append(rig.sent)
        case .finish: expected.owners.append(.max)
        case .run(let job), .runTwice(let job):
          // Each action delivers one event, once.
          if delivered != 1 { rig.isWrong = true }
          let place = before.firstIndex(of: job)!
          if place > 0 { expected.isSerial = false }
          expected.kept.append(expected.owners.remove(at: place))
        case .drop(let job):
          expected.owners.remove(at: before.firstIndex(of: job)!)
          expected.dropped += 1
        case .pass: break
        }
      },
      steps: { rig in
        let jobs = Self.events(rig.scheduler)
        return (rig.sent < 4 && !rig.hasFinished ? [.value, .finish] : []) + jobs.map { .run($0) }
          + jobs.map { .drop($0) }
          + jobs.prefix(1).map { .runTwice($0) }
      },
      check: { rig, _ in
        if rig.isWrong { return false }
        let all = rig.received + (rig.completions > 0 ? [Int.max] : [])
        // On a scheduler that keeps the order: exactly the events whose actions have run.
        if expected.isSerial, all != expected.kept { return false }
        // On any other one: the completion comes last, and each dropped action costs one event at most.
        let pending = Self.events(rig.scheduler).count
        return all.count + pending + expected.dropped == rig.sent + (rig.hasFinished ? 1 : 0)
      }
    )
  }

  // MARK: Timers that serve many values

  static let timed:
    [(name: String, make: @Sendable (AnyPublisher<Int, TestError>, Any) -> AnyPublisher<Int, TestError>)] = [
      ("debounce", { $0.debounce(for: 5, scheduler: $1 as! OddScheduler).eraseToAnyPublisher() }),
      ("throttle, latest", { $0.throttle(for: 5, scheduler: $1 as! OddScheduler, latest: true).eraseToAnyPublisher() }),
      ("throttle, first", { $0.throttle(for: 5, scheduler: $1 as! OddScheduler, latest: false).eraseToAnyPublisher() }),
      (
        "collect by time", { $0.collect(.byTime($1 as! OddScheduler, 5)).flatMap(\.publisher).eraseToAnyPublisher() }
      ),
      (
        "collect by time or count",
        { $0.collect(.byTimeOrCount($1 as! OddScheduler, 5, 3)).flatMap(\.publisher).eraseToAnyPublisher() }
      ),
      ("rateLimit", { $0.rateLimit(1, per: 5, scheduler: $1 as! OddScheduler).eraseToAnyPublisher() }),
      (
        "collect for a time",
        { $0.collect(for: 5, scheduler: $1 as! OddScheduler).flatMap(\.publisher).eraseToAnyPublisher() }
      ),
      (
        "timeout with a first interval",
        { $0.timeout(first: 1000, next: 1000, scheduler: $1 as! OddScheduler).eraseToAnyPublisher() }
      ),
      ("timeout", { $0.timeout(1000, scheduler: $1 as! OddScheduler).eraseToAnyPublisher() }),
      ("receive(on:)", { $0.receive(on: $1 as! OddScheduler).eraseToAnyPublisher() }),
      ("delay", { $0.delay(for: 2, scheduler: $1 as! OddScheduler).eraseToAnyPublisher() }),
    ]

  @Test(arguments: 0..<11) func goesOnAfterItsActionsWereDropped(_ index: Int) {
    let (name, make) = Self.timed[index]
    explore(
      depth: LongRuns.areEnabled ? 6 : 5,
      makeRig: { Rig { make($0.eraseToAnyPublisher(), $1) } },
      perform: Self.perform,
      steps: { rig in
        let jobs = rig.scheduler.jobs.indices.prefix(3)
        return [.value, .pass] + jobs.map { .run($0) } + jobs.map { .drop($0) } + jobs.prefix(1).map { .runTwice($0) }
      },
      check: { rig, path in
        if rig.isWrong || rig.completions > 1 { return false }
        // From now on the scheduler does what it should. A value after a while arrives, and then the completion.
        if rig.completions == 0 {
          rig.scheduler.runDue(for: 100)
          rig.send()
          rig.scheduler.runDue(for: 100)
          if rig.received.last != rig.sent { return false }
          rig.finish()
          rig.scheduler.runDue(for: 100)
        } else if !name.hasPrefix("timeout") {
          return false
        }
        return !rig.isWrong && rig.completions == 1
      }
    )
  }

  @Test(arguments: ["debounce", "throttle, latest", "throttle, first", "rateLimit"])
  func theNextValueSetsATimerInPlaceOfADroppedOne(_ name: String) {
    let make = Self.timed.first { $0.name == name }!.make
    let rig = Rig { make($0.eraseToAnyPublisher(), $1) }
    // A throttle publishes its first value by an action.
    rig.send()
    rig.scheduler.runDue(for: 0)
    rig.send()
    #expect(rig.scheduler.jobs.count == 1)
    rig.scheduler.drop(at: 0)
    rig.send()
    #expect(rig.scheduler.jobs.count == 1)
  }

  // MARK: Actions that run twice

  @Test(arguments: 0..<11) func completesOnce(_ index: Int) {
    let make = Self.timed[index].make
    for values in 0..<3 {
      let rig = Rig { make($0.eraseToAnyPublisher(), $1) }
      for _ in 0..<values { rig.send() }
      rig.finish()
      while let job = rig.scheduler.jobs.first {
        rig.scheduler.run(at: 0)
        job.action()
      }
      #expect(rig.completions == 1 && !rig.isWrong)
    }
  }

  @Test func subscribeOnCallsTheUpstreamOnceForEachAction() {
    let scheduler = OddScheduler()
    var calls: [String] = []
    let upstream = Empty<Int, Never>(completeImmediately: false).handleEvents(
      receiveSubscription: { _ in calls.append("subscription") },
      receiveCancel: { calls.append("cancel") },
      receiveRequest: { calls.append("\($0)") }
    )
    func runTwice() {
      while let job = scheduler.jobs.first {
        scheduler.run(at: 0)
        job.action()
      }
    }
    let downstream = RecordingSubscriber<Int, Never>(requesting: .max(1))
    upstream.subscribe(on: scheduler).subscribe(downstream)
    runTwice()
    downstream.request(.max(2))
    downstream.cancel()
    runTwice()
    #expect(calls == ["subscription", "max(1)", "max(2)", "cancel"])
  }
}
