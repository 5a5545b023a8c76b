import CombineCore

/// An interval between two instants of a clock, for a ``ClockScheduler``.
///
/// An integer literal and a floating-point literal are both a number of seconds.
///
/// ```swift
/// let pause: ClockInterval = 1.5
/// print(pause.duration)  // prints 1.5 seconds
/// print(pause == .milliseconds(1500))  // prints true
/// ```
public struct ClockInterval: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
  Hashable, Codable, Sendable
{
  /// The length of the interval, which is negative for an interval back in time.
  public var duration: Duration

  /// Creates an interval.
  ///
  /// - Parameter duration: The length of the interval.
  @inlinable
  public init(_ duration: Duration) {
    self.duration = duration
  }

  /// Creates an interval from a number of seconds.
  public init(integerLiteral value: Int) {
    self = .seconds(value)
  }

  /// Creates an interval from a number of seconds.
  public init(floatLiteral value: Double) {
    self = .seconds(value)
  }

  /// Creates an interval from a number of seconds, or returns `nil` if the number does not fit into an `Int`.
  public init?<T: BinaryInteger>(exactly source: T) {
    guard let seconds = Int(exactly: source) else { return nil }
    self = .seconds(seconds)
  }

  /// The same interval, forward in time.
  public var magnitude: ClockInterval { duration < .zero ? ClockInterval(.zero - duration) : self }

  /// Returns an interval of `s` seconds.
  public static func seconds(_ s: Int) -> ClockInterval { ClockInterval(.seconds(s)) }

  /// Returns an interval of `s` seconds, clamped to what fits into 64 bits. It traps if `s` is not a number.
  public static func seconds(_ s: Double) -> ClockInterval {
    if s.isNaN { Misuse.trap("ClockInterval.seconds(_:)", .notANumber) }
    let greatest = 0x1p63
    if s >= greatest { return ClockInterval(.seconds(Int64.max)) }
    if s <= -greatest { return ClockInterval(.seconds(Int64.min)) }
    return ClockInterval(.seconds(s))
  }

  /// Returns an interval of `ms` milliseconds.
  public static func milliseconds(_ ms: Int) -> ClockInterval { ClockInterval(.milliseconds(ms)) }

  /// Returns an interval of `us` microseconds.
  public static func microseconds(_ us: Int) -> ClockInterval { ClockInterval(.microseconds(us)) }

  /// Returns an interval of `ns` nanoseconds.
  public static func nanoseconds(_ ns: Int) -> ClockInterval { ClockInterval(.nanoseconds(ns)) }

  /// Returns whether the first interval is shorter than the second.
  @inlinable
  public static func < (lhs: ClockInterval, rhs: ClockInterval) -> Bool { lhs.duration < rhs.duration }

  /// Returns the sum of two intervals. It traps on overflow.
  @inlinable
  public static func + (lhs: ClockInterval, rhs: ClockInterval) -> ClockInterval {
    ClockInterval(lhs.duration + rhs.duration)
  }

  /// Returns the difference of two intervals. It traps on overflow.
  @inlinable
  public static func - (lhs: ClockInterval, rhs: ClockInterval) -> ClockInterval {
    ClockInterval(lhs.duration - rhs.duration)
  }

  /// Returns the product of two numbers of seconds, rounded to what `Double` can represent.
  public static func * (lhs: ClockInterval, rhs: ClockInterval) -> ClockInterval {
    .seconds(lhs.duration.inSeconds * rhs.duration.inSeconds)
  }

  /// Multiplies an interval by another one, like `*`.
  public static func *= (lhs: inout ClockInterval, rhs: ClockInterval) { lhs = lhs * rhs }
}
