import CombineCore

/// An instant on the clock of a ``TestScheduler``, which moves only when told.
///
/// An integer literal is an instant in ticks since zero. A tick stands for a millisecond wherever a time in seconds is
/// asked for; see ``VirtualTimeInterval``.
///
/// ```swift
/// let noon: VirtualTime = 500
/// print(noon + .seconds(1))  // prints 1500
/// ```
public struct VirtualTime: Strideable, Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {

  /// The time between two instants.
  public typealias Stride = VirtualTimeInterval

  /// The number of ticks since zero; negative for an instant before it.
  public let ticks: Int

  /// Creates a point in time.
  ///
  /// ```swift
  /// let times = (1...3).map { VirtualTime($0 * 100) }
  /// print(times)  // prints [100, 200, 300]
  /// ```
  ///
  /// - Parameter ticks: The number of ticks since zero.
  public init(_ ticks: Int) {
    self.ticks = ticks
  }

  /// Creates an instant from a literal: a number of ticks since zero.
  public init(integerLiteral value: Int) {
    ticks = value
  }

  /// The time from this instant to another, negative if the other is earlier; clamped to what an `Int` can hold.
  ///
  /// ```swift
  /// print(VirtualTime(100).distance(to: 300))  // prints 200
  /// ```
  ///
  /// - Parameter other: The other instant.
  /// - Returns: The time between them, in ticks.
  public func distance(to other: VirtualTime) -> VirtualTimeInterval {
    VirtualTimeInterval(other.ticks.clampedDifference(ticks))
  }

  /// The instant that lies an interval after this one, or before it if the interval is negative; clamped.
  ///
  /// ```swift
  /// print(VirtualTime(100).advanced(by: 200))  // prints 300
  /// ```
  ///
  /// - Parameter n: The interval.
  /// - Returns: The other instant.
  public func advanced(by n: VirtualTimeInterval) -> VirtualTime {
    VirtualTime(ticks.clampedSum(n.ticks))
  }

  // These two are not left to `Strideable`: distances are clamped, and would make far instants equal.

  /// Whether both are one instant.
  public static func == (lhs: VirtualTime, rhs: VirtualTime) -> Bool { lhs.ticks == rhs.ticks }

  /// Whether the first instant is the earlier.
  public static func < (lhs: VirtualTime, rhs: VirtualTime) -> Bool { lhs.ticks < rhs.ticks }

  /// The instant that lies an interval after another; clamped.
  public static func + (lhs: VirtualTime, rhs: VirtualTimeInterval) -> VirtualTime { lhs.advanced(by: rhs) }

  /// The instant that lies an interval before another; clamped.
  public static func - (lhs: VirtualTime, rhs: VirtualTimeInterval) -> VirtualTime {
    VirtualTime(lhs.ticks.clampedDifference(rhs.ticks))
  }

  /// Moves the instant by an interval; clamped.
  public static func += (lhs: inout VirtualTime, rhs: VirtualTimeInterval) { lhs = lhs + rhs }

  /// Moves the instant back by an interval; clamped.
  public static func -= (lhs: inout VirtualTime, rhs: VirtualTimeInterval) { lhs = lhs - rhs }

  /// The number of ticks, as in a literal.
  public var description: String { "\(ticks)" }
}
