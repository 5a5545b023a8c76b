#if canImport(Dispatch)
  import Dispatch
#endif
#if canImport(Foundation)
  import Foundation
#endif

/// An instant on a clock for which there are stand-ins, the schedulers that tests use in place of the platform's.
///
/// The instants of `DispatchQueue`, `RunLoop` and `OperationQueue` conform to this protocol. An instant of your own
/// scheduler can conform too. Its scheduler then has the stand-in `.immediate` and, in `CombineTesting`, `.test` and
/// `.unimplemented()`:
///
/// ```swift
/// struct FrameTime: StandInTime {
///   var date: DispatchQueue.SchedulerTimeType
///
///   static var startOfStandIn: Self { Self(date: .startOfStandIn) }
///
///   func distance(to other: Self) -> DispatchQueue.SchedulerTimeType.Stride { date.distance(to: other.date) }
///   func advanced(by n: DispatchQueue.SchedulerTimeType.Stride) -> Self { Self(date: date.advanced(by: n)) }
/// }
/// ```
public protocol StandInTime: Strideable, Sendable where Stride: SchedulerTimeIntervalConvertible & Sendable {

  /// The instant at which the clock of a stand-in starts.
  static var startOfStandIn: Self { get }

  /// This instant, rounded so that sums with equal results are equal instants.
  ///
  /// The clock of a stand-in shows rounded instants. An instant that counts in whole units returns itself, which is the
  /// default.
  var roundedForStandIn: Self { get }
}

extension StandInTime {

  /// This instant.
  public var roundedForStandIn: Self { self }
}

#if canImport(Dispatch)
  extension DispatchQueue.SchedulerTimeType: StandInTime {

    /// An uptime of one nanosecond. Dispatch takes an uptime of zero as the present.
    public static var startOfStandIn: Self { Self(DispatchTime(uptimeNanoseconds: 1)) }
  }
#endif

#if canImport(Foundation) && canImport(Dispatch) && !os(WASI)
  extension RunLoop.SchedulerTimeType: StandInTime {

    /// The beginning of the year 1970.
    public static var startOfStandIn: Self { Self(Date(timeIntervalSince1970: 0)) }

    /// This instant, rounded to a microsecond. So three times a tenth of a second is exactly three tenths.
    public var roundedForStandIn: Self { Self(date.roundedToMicroseconds) }
  }

  extension OperationQueue.SchedulerTimeType: StandInTime {

    /// The beginning of the year 1970.
    public static var startOfStandIn: Self { Self(Date(timeIntervalSince1970: 0)) }

    /// This instant, rounded to a microsecond. So three times a tenth of a second is exactly three tenths.
    public var roundedForStandIn: Self { Self(date.roundedToMicroseconds) }
  }

  extension Date {

    /// A date is a number of seconds, of which it can count a tenth of a microsecond exactly for some centuries only.
    fileprivate var roundedToMicroseconds: Date {
      let microseconds = (timeIntervalSince1970 * 1e6).rounded()
      // Where the unit of the number is greater than a microsecond, there is nothing to round.
      return abs(microseconds) < 0x1p53 ? Date(timeIntervalSince1970: microseconds / 1e6) : self
    }
  }
#endif
