import CombineCore

/// The interval between two instants of a ``TestScheduler``, as a whole number of ticks.
///
/// An integer literal is a number of ticks. In units of real time, a tick is one millisecond: `.seconds(1)` is 1000
/// ticks.
///
/// Fractions are rounded to the nearest tick. An interval other than zero is at least one tick, so `.nanoseconds(1)` is
/// one tick and still delays an action.
///
/// ```swift
/// let pause: VirtualTimeInterval = 250
/// print(pause == .milliseconds(250))  // prints true
/// print(pause * 4 == .seconds(1))  // prints true
/// ```
public struct VirtualTimeInterval: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Hashable, Sendable,
  CustomStringConvertible
{
  /// The number of ticks, which is negative for an interval back in time.
  public let ticks: Int

  /// The absolute number of ticks.
  public var magnitude: Int { Int(clamping: ticks.magnitude) }

  /// Creates an interval.
  ///
  /// ```swift
  /// print(VirtualTimeInterval(20) < .seconds(1))  // prints true
  /// ```
  ///
  /// - Parameter ticks: The number of ticks.
  public init(_ ticks: Int) {
    self.ticks = ticks
  }

  /// Creates an interval from an integer literal, the number of ticks.
  public init(integerLiteral value: Int) {
    ticks = value
  }

  /// Creates an interval from a number of ticks, or `nil` if the number does not fit into an `Int`.
  ///
  /// - Parameter source: The number of ticks.
  public init?<T: BinaryInteger>(exactly source: T) {
    guard let ticks = Int(exactly: source) else { return nil }
    self.ticks = ticks
  }

  /// Returns an interval of `s` seconds, at 1000 ticks each, clamped to the range of `Int`.
  ///
  /// It traps if `s` is not a number.
  public static func seconds(_ s: Double) -> VirtualTimeInterval {
    if s.isNaN { Misuse.trap("VirtualTimeInterval.seconds(_:)", .notANumber) }
    let ticks = s * 1000
    if ticks >= Double(Int.max) { return VirtualTimeInterval(.max) }
    if ticks <= Double(Int.min) { return VirtualTimeInterval(.min) }
    let nearest = Int(ticks.rounded())
    return VirtualTimeInterval(nearest == 0 && s != 0 ? (s < 0 ? -1 : 1) : nearest)
  }

  /// Returns an interval of `s` seconds, at 1000 ticks each, clamped to the range of `Int`.
  public static func seconds(_ s: Int) -> VirtualTimeInterval { VirtualTimeInterval(s.clampedProduct(1000)) }

  /// Returns an interval of `ms` milliseconds, at one tick each.
  public static func milliseconds(_ ms: Int) -> VirtualTimeInterval { VirtualTimeInterval(ms) }

  /// Returns an interval of `us` microseconds, rounded to the nearest tick. Unless `us` is zero, it is at least one
  /// tick.
  public static func microseconds(_ us: Int) -> VirtualTimeInterval { VirtualTimeInterval(us, parts: 1000) }

  /// Returns an interval of `ns` nanoseconds, rounded to the nearest tick. Unless `ns` is zero, it is at least one
  /// tick.
  public static func nanoseconds(_ ns: Int) -> VirtualTimeInterval { VirtualTimeInterval(ns, parts: 1_000_000) }

  /// Creates an interval of `count` units, rounded to the nearest tick, where a tick has `parts` units.
  private init(_ count: Int, parts: Int) {
    let (ticks, rest) = count.quotientAndRemainder(dividingBy: parts)
    let isAwayFromZero = rest.magnitude * 2 >= parts || ticks == 0 && rest != 0
    self.ticks = isAwayFromZero ? ticks + rest.signum() : ticks
  }

  /// Returns whether the first interval is shorter than the second.
  public static func < (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> Bool { lhs.ticks < rhs.ticks }

  /// Returns the sum of two intervals, clamped to the range of `Int`.
  public static func + (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> VirtualTimeInterval {
    VirtualTimeInterval(lhs.ticks.clampedSum(rhs.ticks))
  }

  /// Returns the difference of two intervals, clamped to the range of `Int`.
  public static func - (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> VirtualTimeInterval {
    VirtualTimeInterval(lhs.ticks.clampedDifference(rhs.ticks))
  }

  /// Returns the product of two numbers of ticks, clamped to the range of `Int`.
  public static func * (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> VirtualTimeInterval {
    VirtualTimeInterval(lhs.ticks.clampedProduct(rhs.ticks))
  }

  /// Multiplies an interval by another one, clamped to the range of `Int`.
  public static func *= (lhs: inout VirtualTimeInterval, rhs: VirtualTimeInterval) { lhs = lhs * rhs }

  /// The number of ticks as text.
  public var description: String { "\(ticks)" }
}
