import Dispatch
import Foundation

/// An instant on a clock for which there are stand-ins, the schedulers that tests use in place of the platform's.
///
/// The clock of a stand-in starts at a fixed instant and counts whole nanoseconds from there. So three times a tenth of
/// a second is exactly three tenths. The instants of `DispatchQueue`, `RunLoop` and `OperationQueue` conform to this
/// protocol. An instant of your own scheduler can conform too:
///
/// ```swift
/// struct FrameTime: StandInTime {
///   var date: DispatchQueue.SchedulerTimeType
///
///   init(nanosecondsSinceStart: Int) { date = .init(nanosecondsSinceStart: nanosecondsSinceStart) }
///   var nanosecondsSinceStart: Int { date.nanosecondsSinceStart }
///
///   func distance(to other: Self) -> DispatchQueue.SchedulerTimeType.Stride { date.distance(to: other.date) }
///   func advanced(by n: DispatchQueue.SchedulerTimeType.Stride) -> Self {
///     var time = self
///     time.date = date.advanced(by: n)
///     return time
///   }
/// }
/// ```
public protocol StandInTime: Strideable where Stride: SchedulerTimeIntervalConvertible {

  /// Creates an instant on the clock of a stand-in.
  ///
  /// - Parameter nanosecondsSinceStart: The time since the start of the clock, in nanoseconds.
  init(nanosecondsSinceStart: Int)

  /// The time since the start of the clock, in nanoseconds, clamped to the range of `Int`.
  var nanosecondsSinceStart: Int { get }
}

extension DispatchQueue.SchedulerTimeType: StandInTime {

  /// One second of uptime, because Dispatch treats the earliest instants as special values.
  private static let start = 1_000_000_000

  /// Creates an instant on the clock of a stand-in for a dispatch queue, which starts at an uptime of one second.
  ///
  /// - Parameter nanosecondsSinceStart: The time since then, in nanoseconds.
  public init(nanosecondsSinceStart: Int) {
    self.init(DispatchTime(uptimeNanoseconds: UInt64(Self.start)))
    self = advanced(by: .nanoseconds(nanosecondsSinceStart))
  }

  /// The time since an uptime of one second, in nanoseconds.
  public var nanosecondsSinceStart: Int {
    Int(clamping: dispatchTime.uptimeNanoseconds) - Self.start
  }
}

extension RunLoop.SchedulerTimeType: StandInTime {

  /// Creates an instant on the clock of a stand-in for a run loop, which starts at the reference date.
  ///
  /// - Parameter nanosecondsSinceStart: The time since then, in nanoseconds.
  public init(nanosecondsSinceStart: Int) {
    self.init(Date(nanosecondsSinceStart: nanosecondsSinceStart))
  }

  /// The time since the reference date, in nanoseconds.
  public var nanosecondsSinceStart: Int { date.nanosecondsSinceStart }
}

extension OperationQueue.SchedulerTimeType: StandInTime {

  /// Creates an instant on the clock of a stand-in for an operation queue, which starts at the reference date.
  ///
  /// - Parameter nanosecondsSinceStart: The time since then, in nanoseconds.
  public init(nanosecondsSinceStart: Int) {
    self.init(Date(nanosecondsSinceStart: nanosecondsSinceStart))
  }

  /// The time since the reference date, in nanoseconds.
  public var nanosecondsSinceStart: Int { date.nanosecondsSinceStart }
}

extension Date {

  fileprivate init(nanosecondsSinceStart: Int) {
    self.init(timeIntervalSinceReferenceDate: Double(nanosecondsSinceStart) / 1e9)
  }

  fileprivate var nanosecondsSinceStart: Int {
    let nanoseconds = (timeIntervalSinceReferenceDate * 1e9).rounded()
    return Int(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max)
  }
}
