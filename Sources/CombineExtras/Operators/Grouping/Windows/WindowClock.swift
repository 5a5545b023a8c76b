import CombineCore

/// The scheduler of windows by time, which opens and closes them.
@usableFromInline
protocol WindowClock {

  /// When windows open.
  var opening: WindowOpening { get }

  /// Whether a window closes between two ticks, so that it needs a timer of its own.
  var closesBetweenTicks: Bool { get }

  func startTicks(_ timer: ReleasableTimer)

  func startClosing(_ timer: ReleasableTimer)
}

/// The lengths of windows by time.
@usableFromInline
struct WindowTimes<Context: Scheduler>: WindowClock {

  @usableFromInline
  typealias Stride = Context.SchedulerTimeType.Stride

  private let duration: Stride
  private let interval: Stride
  private let scheduler: Context
  private let options: Context.SchedulerOptions?

  @usableFromInline
  let opening: WindowOpening

  @usableFromInline
  let closesBetweenTicks: Bool

  /// Creates the times of windows.
  ///
  /// - Parameters:
  ///   - duration: The maximum time for which a window is open.
  ///   - interval: The time from the beginning of a window to that of the next one, or `nil` if they follow one another.
  @usableFromInline
  init(duration: Stride, interval: Stride?, scheduler: Context, options: Context.SchedulerOptions?) {
    self.duration = duration
    self.interval = interval ?? duration
    self.scheduler = scheduler
    self.options = options
    guard let interval else {
      (opening, closesBetweenTicks) = (.oneAfterAnother, false)
      return
    }
    // A scheduler without a clock has no positive times.
    guard interval > .zero else {
      (opening, closesBetweenTicks) = (.everyTick(lifetime: 1), true)
      return
    }
    var (lifetime, end) = (1, interval)
    while end < duration {
      lifetime += 1
      end += interval
    }
    (opening, closesBetweenTicks) = (.everyTick(lifetime: lifetime), end != duration)
  }

  @usableFromInline
  func startTicks(_ timer: ReleasableTimer) {
    timer.start(every: interval, on: scheduler, options: options)
  }

  @usableFromInline
  func startClosing(_ timer: ReleasableTimer) {
    timer.start(after: duration, on: scheduler, options: options)
  }

  /// Ends the process if a time is negative, or a count not positive. Release builds print the message, too.
  @usableFromInline
  static func require(_ duration: Stride, _ interval: Stride?, _ maxCount: Int?, _ name: String) {
    if duration < .zero { fatalError("\(name): duration must not be negative, is \(duration)") }
    if let interval, interval < .zero { fatalError("\(name): interval must not be negative, is \(interval)") }
    if let maxCount { requirePositive(maxCount, "\(name): maxCount") }
  }
}
