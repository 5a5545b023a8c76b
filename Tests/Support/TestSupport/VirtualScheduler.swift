// The conformance machine compiles this file too, through a link, against each library that it compares.
#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// A scheduler with a clock in milliseconds that the test moves, and with a log of its traffic. For one thread.
public final class VirtualScheduler: Scheduler {

  public struct SchedulerTimeType: Strideable, Hashable, Sendable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
  {
    public var milliseconds: Int

    public init(integerLiteral value: Int) { milliseconds = value }
    public init(_ milliseconds: Int) { self.milliseconds = milliseconds }

    public func distance(to other: Self) -> Stride { Stride(other.milliseconds - milliseconds) }
    public func advanced(by n: Stride) -> Self { Self(milliseconds + n.magnitude) }
    public var description: String { "\(milliseconds)" }

    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Hashable, Sendable,
      CustomStringConvertible
    {
      public var magnitude: Int

      public init(_ magnitude: Int) { self.magnitude = magnitude }
      public init(integerLiteral value: Int) { magnitude = value }
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        magnitude = value
      }

      public static func seconds(_ s: Int) -> Self { Self(s * 1000) }
      public static func seconds(_ s: Double) -> Self { Self(Int(s * 1000)) }
      public static func milliseconds(_ ms: Int) -> Self { Self(ms) }
      public static func microseconds(_ us: Int) -> Self { Self(us / 1000) }
      public static func nanoseconds(_ ns: Int) -> Self { Self(ns / 1_000_000) }

      public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }
      public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }
      public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }
      public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }
      public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
      public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
      public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
      public var description: String { "\(magnitude)" }
    }
  }

  public struct SchedulerOptions: Hashable, Sendable, ExpressibleByIntegerLiteral {
    public var number: Int
    public init(integerLiteral value: Int) { number = value }
  }

  /// One call that the scheduler received.
  public enum Traffic: Equatable, Sendable {

    /// A timer was cancelled, by its number, starting at 1. Only if ``VirtualScheduler/logsCancellations``.
    case cancelled(Int)

    case now
    case minimumTolerance
    case run(SchedulerOptions?)
    case at(SchedulerTimeType, tolerance: SchedulerTimeType.Stride, SchedulerOptions?)
    case every(
      SchedulerTimeType,
      interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride,
      SchedulerOptions?
    )
  }

  public private(set) var traffic: [Traffic] = []

  /// Receives each call as it arrives.
  public var onTraffic: ((Traffic) -> Void)?

  private func note(_ call: Traffic) {
    traffic.append(call)
    onTraffic?(call)
  }

  /// The clock, read without traffic.
  public private(set) var time: SchedulerTimeType = 0

  /// The tolerance that ``minimumTolerance`` returns.
  public static let tolerance = SchedulerTimeType.Stride(7)

  /// Whether cancelling a repetition has an effect.
  public var tokensWork = true

  /// Whether the traffic includes the cancels of repetitions.
  public var logsCancellations = false

  /// Whether an action runs once during the scheduling call. A repeating action continues from there.
  public var isImmediate = false

  /// The number of tokens of repetitions that are still alive.
  public private(set) var aliveTokenCount = 0

  private var timerCount = 0

  private struct Job {
    var time: SchedulerTimeType
    var order: Int
    var token: Token?
    var action: () -> Void
  }

  private final class Token: Cancellable {
    let number: Int
    let interval: SchedulerTimeType.Stride
    weak var scheduler: VirtualScheduler?
    private(set) var isCancelled = false

    init(number: Int, interval: SchedulerTimeType.Stride, scheduler: VirtualScheduler) {
      self.number = number
      self.interval = interval
      self.scheduler = scheduler
      scheduler.aliveTokenCount += 1
    }

    deinit {
      scheduler?.aliveTokenCount -= 1
    }

    func cancel() {
      guard let scheduler else { return }
      if scheduler.logsCancellations { scheduler.note(.cancelled(number)) }
      guard scheduler.tokensWork else { return }
      isCancelled = true
      // Released only after the change, because objects released with an action may call this scheduler.
      let jobs = scheduler.jobs
      scheduler.jobs = jobs.filter { $0.token !== self }
    }
  }

  private var jobs: [Job] = []
  private var order = 0

  public init() {}

  /// The number of pending actions.
  public var pendingCount: Int { jobs.count }

  /// Whether a repetition is pending.
  public var hasTimers: Bool { jobs.contains { $0.token != nil } }

  public func clearTraffic() {
    traffic = []
  }

  /// Drops all pending actions.
  public func dropAll() {
    let dropped = jobs
    jobs = []
    withExtendedLifetime(dropped) {}
  }

  /// Makes all pending actions run no earlier than `time`, as on a scheduler that is late.
  public func delayPending(to time: SchedulerTimeType, includingTimers: Bool = true) {
    for index in jobs.indices where includingTimers || jobs[index].token == nil {
      jobs[index].time = max(jobs[index].time, time)
    }
  }

  /// Makes all pending actions run once more.
  public func duplicatePending() {
    for job in jobs { enqueue(job) }
  }

  /// Runs the actions that are due now, and those that they schedule for now.
  public func runDue() {
    advance(by: 0)
  }

  /// Moves the clock and runs all actions that become due, in order of time and then of scheduling.
  public func advance(by stride: SchedulerTimeType.Stride) {
    advance(to: time.advanced(by: stride))
  }

  /// Moves the clock and runs all actions that become due, in order of time and then of scheduling.
  public func advance(to end: SchedulerTimeType) {
    while let index = jobs.indices.filter({ jobs[$0].time <= end })
      .min(by: { (jobs[$0].time, jobs[$0].order) < (jobs[$1].time, jobs[$1].order) })
    {
      let job = jobs.remove(at: index)
      time = max(time, job.time)
      if let token = job.token {
        precondition(token.interval > 0, "an interval of zero never lets the clock go on")
        enqueue(Job(time: job.time.advanced(by: token.interval), order: 0, token: token, action: job.action))
      }
      job.action()
    }
    time = max(time, end)
  }

  /// Queues a new job. If immediate, runs it first, and queues it only if it repeats.
  private func start(_ job: Job) {
    guard isImmediate else { return enqueue(job) }
    job.action()
    guard let token = job.token, !token.isCancelled else { return }
    enqueue(Job(time: job.time.advanced(by: token.interval), order: 0, token: token, action: job.action))
  }

  private func enqueue(_ job: Job) {
    order += 1
    var job = job
    job.order = order
    jobs.append(job)
  }

  public var now: SchedulerTimeType {
    note(.now)
    return time
  }

  public var minimumTolerance: SchedulerTimeType.Stride {
    note(.minimumTolerance)
    return Self.tolerance
  }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    note(.run(options))
    start(Job(time: time, order: 0, token: nil, action: action))
  }

  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    note(.at(date, tolerance: tolerance, options))
    start(Job(time: date, order: 0, token: nil, action: action))
  }

  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    note(.every(date, interval: interval, tolerance: tolerance, options))
    timerCount += 1
    let token = Token(number: timerCount, interval: interval, scheduler: self)
    start(Job(time: date, order: 0, token: token, action: action))
    return token
  }
}

extension VirtualScheduler.Traffic {

  /// The traffic of an operator that starts a timer at `time`, from the read of the clock on.
  public static func timer(
    at time: VirtualScheduler.SchedulerTimeType,
    interval: VirtualScheduler.SchedulerTimeType.Stride,
    _ options: VirtualScheduler.SchedulerOptions? = nil
  ) -> [Self] {
    [
      .now, .minimumTolerance,
      .every(time.advanced(by: interval), interval: interval, tolerance: VirtualScheduler.tolerance, options),
    ]
  }
}
