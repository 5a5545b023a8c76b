import CombineFoundation

/// An instant on the clock of a `TestScheduler`, as a number of ticks. A tick is one second.
public struct VirtualTime: Sendable {

  /// The number of ticks since zero.
  let ticks: Int

  /// Creates an instant from a number of ticks.
  public init(_ ticks: Int) {
    self.ticks = ticks
  }
}

extension VirtualTime: ExpressibleByIntegerLiteral {

  /// Creates an instant from a literal, the number of ticks.
  public init(integerLiteral value: Int) {
    self.init(value)
  }
}

extension VirtualTime: SignedNumeric {

  /// The absolute number of ticks.
  public var magnitude: Int { abs(ticks) }

  /// Creates an instant from a number of ticks, or `nil` if the number does not fit into an `Int`.
  public init?<T: BinaryInteger>(exactly source: T) {
    guard let ticks = Int(exactly: source) else { return nil }
    self.init(ticks)
  }

  /// Adds the ticks of two instants.
  public static func + (lhs: VirtualTime, rhs: VirtualTime) -> VirtualTime { VirtualTime(lhs.ticks + rhs.ticks) }

  /// Subtracts the ticks of two instants.
  public static func - (lhs: VirtualTime, rhs: VirtualTime) -> VirtualTime { VirtualTime(lhs.ticks - rhs.ticks) }

  /// Multiplies the ticks of two instants.
  public static func * (lhs: VirtualTime, rhs: VirtualTime) -> VirtualTime { VirtualTime(lhs.ticks * rhs.ticks) }

  /// Adds the ticks of another instant.
  public static func += (lhs: inout VirtualTime, rhs: VirtualTime) { lhs = lhs + rhs }

  /// Subtracts the ticks of another instant.
  public static func -= (lhs: inout VirtualTime, rhs: VirtualTime) { lhs = lhs - rhs }

  /// Multiplies by the ticks of another instant.
  public static func *= (lhs: inout VirtualTime, rhs: VirtualTime) { lhs = lhs * rhs }
}

extension VirtualTime: Strideable, Hashable {

  /// The type of the interval between two instants.
  public typealias Stride = VirtualTimeInterval

  /// Returns the interval from this instant to another one.
  public func distance(to other: VirtualTime) -> VirtualTimeInterval { VirtualTimeInterval(other.ticks - ticks) }

  /// Returns the instant that is an interval after this one.
  public func advanced(by n: VirtualTimeInterval) -> VirtualTime { VirtualTime(ticks + n.ticks) }

  // `Strideable` would derive these two from a distance, which may overflow.

  /// Returns whether two instants are equal.
  public static func == (lhs: VirtualTime, rhs: VirtualTime) -> Bool { lhs.ticks == rhs.ticks }

  /// Returns whether the first instant is earlier than the second.
  public static func < (lhs: VirtualTime, rhs: VirtualTime) -> Bool { lhs.ticks < rhs.ticks }
}

extension VirtualTime: CustomDebugStringConvertible {

  /// The number of ticks.
  public var debugDescription: String { "\(ticks)" }
}
