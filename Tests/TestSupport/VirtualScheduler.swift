import CombineCore

/// A scheduler whose clock moves only when told, in milliseconds, and which logs its traffic. For one thread.
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

  /// One call that the scheduler saw.
  public enum Traffic: Equatable, Sendable {
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

  /// The clock, read without traffic.
  public private(set) var time: SchedulerTimeType = 0

  /// The tolerance that ``minimumTolerance`` gives.
  public static let tolerance = SchedulerTimeType.Stride(7)

  /// Whether cancelling a repetition has an effect.
  public var tokensWork = true

  private struct Job {
    var time: SchedulerTimeType
    var order: Int
    var token: Token?
    var action: () -> Void
  }

  private final class Token: Cancellable {
    var isCancelled = false
    let interval: SchedulerTimeType.Stride
    weak var scheduler: VirtualScheduler?

    init(interval: SchedulerTimeType.Stride, scheduler: VirtualScheduler) {
      self.interval = interval
      self.scheduler = scheduler
    }

    func cancel() {
      guard scheduler?.tokensWork ?? true else { return }
      isCancelled = true
      scheduler?.jobs.removeAll { $0.token === self }
    }
  }

  private var jobs: [Job] = []
  private var order = 0

  public init() {}

  /// How many actions are waiting.
  public var pendingCount: Int { jobs.count }

  public func clearTraffic() {
    traffic = []
  }

  /// Runs what is due now, and what that schedules for now.
  public func runDue() {
    advance(by: 0)
  }

  /// Moves the clock and runs all that becomes due, in order of time and then of scheduling.
  public func advance(by stride: SchedulerTimeType.Stride) {
    advance(to: time.advanced(by: stride))
  }

  /// Moves the clock and runs all that becomes due, in order of time and then of scheduling.
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

  private func enqueue(_ job: Job) {
    order += 1
    var job = job
    job.order = order
    jobs.append(job)
  }

  public var now: SchedulerTimeType {
    traffic.append(.now)
    return time
  }

  public var minimumTolerance: SchedulerTimeType.Stride {
    traffic.append(.minimumTolerance)
    return Self.tolerance
  }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    traffic.append(.run(options))
    enqueue(Job(time: time, order: 0, token: nil, action: action))
  }

  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    traffic.append(.at(date, tolerance: tolerance, options))
    enqueue(Job(time: date, order: 0, token: nil, action: action))
  }

  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    traffic.append(.every(date, interval: interval, tolerance: tolerance, options))
    let token = Token(interval: interval, scheduler: self)
    enqueue(Job(time: date, order: 0, token: token, action: action))
    return token
  }
}
