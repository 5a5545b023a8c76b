import Dispatch
import Foundation

/// An instant on a clock for which there are stand-ins: schedulers that tests use in place of those of the platform.
///
/// The clock of a stand-in begins at an instant of its own, and counts nanoseconds from there, in whole numbers, so
/// that three tenths of a second are as long as one tenth, three times. The instants of `DispatchQueue`, `RunLoop` and
/// `OperationQueue` conform. An instant of a scheduler of your own can:
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

  /// Makes an instant.
  ///
  /// - Parameter nanosecondsSinceStart: The time since the clock of a stand-in began.
  init(nanosecondsSinceStart: Int)

  /// The time since the clock of a stand-in began; clamped to what an `Int` can hold.
  var nanosecondsSinceStart: Int { get }
}

extension DispatchQueue.SchedulerTimeType: StandInTime {

  /// One second of uptime, as Dispatch takes the earliest instants for special ones.
  private static let start = 1_000_000_000

  /// Makes an instant on the clock of a stand-in for a dispatch queue, which begins at an uptime of one second.
  ///
  /// - Parameter nanosecondsSinceStart: The time since then.
  public init(nanosecondsSinceStart: Int) {
    self.init(DispatchTime(uptimeNanoseconds: UInt64(Self.start)))
    self = advanced(by: .nanoseconds(nanosecondsSinceStart))
  }

  /// The time since an uptime of one second.
  public var nanosecondsSinceStart: Int {
    Int(clamping: dispatchTime.uptimeNanoseconds) - Self.start
  }
}

extension RunLoop.SchedulerTimeType: StandInTime {

  /// Makes an instant on the clock of a stand-in for a run loop, which begins at the reference date.
  ///
  /// - Parameter nanosecondsSinceStart: The time since then.
  public init(nanosecondsSinceStart: Int) {
    self.init(Date(nanosecondsSinceStart: nanosecondsSinceStart))
  }

  /// The time since the reference date.
  public var nanosecondsSinceStart: Int { date.nanosecondsSinceStart }
}

extension OperationQueue.SchedulerTimeType: StandInTime {

  /// Makes an instant on the clock of a stand-in for an operation queue, which begins at the reference date.
  ///
  /// - Parameter nanosecondsSinceStart: The time since then.
  public init(nanosecondsSinceStart: Int) {
    self.init(Date(nanosecondsSinceStart: nanosecondsSinceStart))
  }

  /// The time since the reference date.
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
