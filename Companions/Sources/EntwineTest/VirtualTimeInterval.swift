import CombineFoundation

/// The interval between two instants of a `TestScheduler`, as a number of ticks. A tick is one second.
public struct VirtualTimeInterval: Hashable, Sendable {

  /// The number of ticks.
  let ticks: Int

  /// Creates an interval from a number of ticks.
  public init(_ ticks: Int) {
    self.ticks = ticks
  }
}

extension VirtualTimeInterval: ExpressibleByIntegerLiteral {

  /// Creates an interval from a literal, the number of ticks.
  public init(integerLiteral value: Int) {
    self.init(value)
  }
}

extension VirtualTimeInterval: SignedNumeric, Comparable {

  /// The absolute number of ticks.
  public var magnitude: Int { abs(ticks) }

  /// Creates an interval from a number of ticks, or `nil` if the number does not fit into an `Int`.
  public init?<T: BinaryInteger>(exactly source: T) {
    guard let ticks = Int(exactly: source) else { return nil }
    self.init(ticks)
  }

  /// Returns whether the first interval is shorter than the second.
  public static func < (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> Bool { lhs.ticks < rhs.ticks }

  /// Adds two intervals.
  public static func + (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> VirtualTimeInterval {
    VirtualTimeInterval(lhs.ticks + rhs.ticks)
  }

  /// Subtracts two intervals.
  public static func - (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> VirtualTimeInterval {
    VirtualTimeInterval(lhs.ticks - rhs.ticks)
  }

  /// Multiplies the ticks of two intervals.
  public static func * (lhs: VirtualTimeInterval, rhs: VirtualTimeInterval) -> VirtualTimeInterval {
    VirtualTimeInterval(lhs.ticks * rhs.ticks)
  }

  /// Adds another interval.
  public static func += (lhs: inout VirtualTimeInterval, rhs: VirtualTimeInterval) { lhs = lhs + rhs }

  /// Subtracts another interval.
  public static func -= (lhs: inout VirtualTimeInterval, rhs: VirtualTimeInterval) { lhs = lhs - rhs }

  /// Multiplies by the ticks of another interval.
  public static func *= (lhs: inout VirtualTimeInterval, rhs: VirtualTimeInterval) { lhs = lhs * rhs }
}

// A literal on the right of an instant is an instant. Without the attribute, it could be an interval as well.
extension VirtualTimeInterval {

  /// Returns the instant that is an interval after another one.
  @_disfavoredOverload
  public static func + (lhs: VirtualTime, rhs: VirtualTimeInterval) -> VirtualTime {
    VirtualTime(lhs.ticks + rhs.ticks)
  }

  /// Returns the instant that is an interval before another one.
  @_disfavoredOverload
  public static func - (lhs: VirtualTime, rhs: VirtualTimeInterval) -> VirtualTime {
    VirtualTime(lhs.ticks - rhs.ticks)
  }

  /// Multiplies the ticks of an instant by those of an interval.
  @_disfavoredOverload
  public static func * (lhs: VirtualTime, rhs: VirtualTimeInterval) -> VirtualTime {
    VirtualTime(lhs.ticks * rhs.ticks)
  }

  /// Moves an instant forward by an interval.
  @_disfavoredOverload
  public static func += (lhs: inout VirtualTime, rhs: VirtualTimeInterval) { lhs = lhs + rhs }

  /// Moves an instant back by an interval.
  @_disfavoredOverload
  public static func -= (lhs: inout VirtualTime, rhs: VirtualTimeInterval) { lhs = lhs - rhs }

  /// Multiplies the ticks of an instant by those of an interval.
  @_disfavoredOverload
  public static func *= (lhs: inout VirtualTime, rhs: VirtualTimeInterval) { lhs = lhs * rhs }
}

extension VirtualTimeInterval: SchedulerTimeIntervalConvertible {

  /// Returns an interval of seconds, at one tick each.
  public static func seconds(_ s: Int) -> VirtualTimeInterval { VirtualTimeInterval(s) }

  /// Returns an interval of seconds, at one tick each. A half is added, and the rest after the point is dropped.
  public static func seconds(_ s: Double) -> VirtualTimeInterval { VirtualTimeInterval(Int(s + 0.5)) }

  /// Returns an interval of milliseconds, rounded like seconds.
  public static func milliseconds(_ ms: Int) -> VirtualTimeInterval { seconds(Double(ms) / 1e3) }

  /// Returns an interval of microseconds, rounded like seconds.
  public static func microseconds(_ us: Int) -> VirtualTimeInterval { seconds(Double(us) / 1e6) }

  /// Returns an interval of nanoseconds, rounded like seconds.
  public static func nanoseconds(_ ns: Int) -> VirtualTimeInterval { seconds(Double(ns) / 1e9) }
}
