import CombineCore

/// An instant on the clock of a ``TestScheduler``.
///
/// An integer literal is an instant in ticks since zero. Where an interval is given in seconds, a tick is one
/// millisecond; see ``VirtualTimeInterval``.
///
/// ```swift
/// let noon: VirtualTime = 500
/// print(noon + .seconds(1))  // prints 1500
/// ```
public struct VirtualTime: Strideable, Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {

  /// The interval between two instants.
  public typealias Stride = VirtualTimeInterval

  /// The number of ticks since zero, which is negative for an earlier instant.
  public let ticks: Int

  /// Creates an instant.
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

  /// Creates an instant from an integer literal, the number of ticks since zero.
  public init(integerLiteral value: Int) {
    ticks = value
  }

  /// Returns the interval from this instant to another one.
  ///
  /// The interval is negative if the other instant is earlier. It is clamped to the range of `Int`.
  ///
  /// ```swift
  /// print(VirtualTime(100).distance(to: 300))  // prints 200
  /// ```
  ///
  /// - Parameter other: The other instant.
  /// - Returns: The interval between the instants, in ticks.
  public func distance(to other: VirtualTime) -> VirtualTimeInterval {
    VirtualTimeInterval(other.ticks.clampedDifference(ticks))
  }

  /// Returns the instant that is an interval after this one.
  ///
  /// A negative interval gives an earlier instant. The result is clamped to the range of `Int`.
  ///
  /// ```swift
  /// print(VirtualTime(100).advanced(by: 200))  // prints 300
  /// ```
  ///
  /// - Parameter n: The interval, in ticks.
  /// - Returns: The resulting instant.
  public func advanced(by n: VirtualTimeInterval) -> VirtualTime {
    VirtualTime(ticks.clampedSum(n.ticks))
  }

  // `Strideable` derives these two from distances. Distances are clamped, which would make far instants equal.

  /// Returns whether two instants are equal.
  public static func == (lhs: VirtualTime, rhs: VirtualTime) -> Bool { lhs.ticks == rhs.ticks }

  /// Returns whether the first instant is earlier than the second.
  public static func < (lhs: VirtualTime, rhs: VirtualTime) -> Bool { lhs.ticks < rhs.ticks }

  /// Returns the instant that is an interval after another one, clamped to the range of `Int`.
  public static func + (lhs: VirtualTime, rhs: VirtualTimeInterval) -> VirtualTime { lhs.advanced(by: rhs) }

  /// Returns the instant that is an interval before another one, clamped to the range of `Int`.
  public static func - (lhs: VirtualTime, rhs: VirtualTimeInterval) -> VirtualTime {
    VirtualTime(lhs.ticks.clampedDifference(rhs.ticks))
  }

  /// Moves an instant forward by an interval, clamped to the range of `Int`.
  public static func += (lhs: inout VirtualTime, rhs: VirtualTimeInterval) { lhs = lhs + rhs }

  /// Moves an instant back by an interval, clamped to the range of `Int`.
  public static func -= (lhs: inout VirtualTime, rhs: VirtualTimeInterval) { lhs = lhs - rhs }

  /// The number of ticks as text.
  public var description: String { "\(ticks)" }
}
