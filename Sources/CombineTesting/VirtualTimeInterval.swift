import CombineCore

/// The time between two instants of a ``TestScheduler``: a whole number of ticks.
///
/// An integer literal is a number of ticks. Where real time is meant, a tick is a millisecond: `.seconds(1)` is 1000
/// ticks. What does not come out even is rounded to the nearest tick, but never to nothing, so that `.nanoseconds(1)`
/// is one tick and what is to come later still does.
///
/// ```swift
/// let pause: VirtualTimeInterval = 250
/// print(pause == .milliseconds(250))  // prints true
/// print(pause * 4 == .seconds(1))  // prints true
/// ```
public struct VirtualTimeInterval: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Hashable, Sendable,
  CustomStringConvertible
{
  /// The number of ticks; negative for a time that goes back.
  public let ticks: Int

  /// The number of ticks without its sign.
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

  /// Creates an interval from a literal: a number of ticks.
  public init(integerLiteral value: Int) {
    ticks = value
  }

  /// Creates an interval of a number of ticks, or nothing if the number does not fit an `Int`.
  ///
  /// - Parameter source: The number of ticks.
  public init?<T: BinaryInteger>(exactly source: T) {
    guard let ticks = Int(exactly: source) else { return nil }
    self.ticks = ticks
  }

  /// A number of seconds, of 1000 ticks each; clamped. Traps when it is not a number.
  public static func seconds(_ s: Double) -> VirtualTimeInterval {
    if s.isNaN { Misuse.trap("VirtualTimeInterval.seconds(_:)", .notANumber) }
    let ticks = s * 1000
    if ticks >= Double(Int.max) { return VirtualTimeInterval(.max) }
    if ticks <= Double(Int.min) { return VirtualTimeInterval(.min) }
    let nearest = Int(ticks.rounded())
    return VirtualTimeInterval(nearest == 0 && s != 0 ? (s < 0 ? -1 : 1) : nearest)
  }

  /// A number of seconds, of 1000 ticks each; clamped.
  public static func seconds(_ s: Int) -> VirtualTimeInterval { VirtualTimeInterval(s.clampedProduct(1000)) }

  /// A number of milliseconds, of one tick each.
  public static func milliseconds(_ ms: Int) -> VirtualTimeInterval { VirtualTimeInterval(ms) }

  /// A number of microseconds: the nearest number of ticks, at least one unless it is zero.
  public static func microseconds(_ us: Int) -> VirtualTimeInterval { VirtualTimeInterval(us, parts: 1000) }

  /// A number of nanoseconds: the nearest number of ticks, at least one unless it is zero.
  public static func nanoseconds(_ ns: Int) -> VirtualTimeInterval { VirtualTimeInterval(ns, parts: 1_000_000) }

  /// The nearest number of ticks, of which each has so many parts.
  private init(_ count: Int, parts: Int) {
    let (ticks, rest) = count.quotientAndRemainder(dividingBy: parts)
    let isAwayFromZero = rest.magnitude * 2 >= parts || ticks == 0 && rest != 0
    self.ticks = isAwayFromZero ? ticks + rest.signum() : ticks
  }

  /// Whether the first interval is the shorter.
  public static func < (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> Bool { lhs.ticks < rhs.ticks }

  /// The sum; clamped.
  public static func + (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> VirtualTimeInterval {
    VirtualTimeInterval(lhs.ticks.clampedSum(rhs.ticks))
  }

  /// The difference; clamped.
  public static func - (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> VirtualTimeInterval {
    VirtualTimeInterval(lhs.ticks.clampedDifference(rhs.ticks))
  }

  /// The product of two numbers of ticks; clamped.
  public static func * (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> VirtualTimeInterval {
    VirtualTimeInterval(lhs.ticks.clampedProduct(rhs.ticks))
  }

  /// Multiplies in place; clamped.
  public static func *= (lhs: inout VirtualTimeInterval, rhs: VirtualTimeInterval) { lhs = lhs * rhs }

  /// The number of ticks, as in a literal.
  public var description: String { "\(ticks)" }
}
