import CombineCore
import Foundation

extension Date {

  /// A time between two instants of a scheduler that goes by the date: a number of seconds.
  ///
  /// `OperationQueue.SchedulerTimeType.Stride` and `RunLoop.SchedulerTimeType.Stride` are two types of this one kind, so
  /// that the strides of one scheduler are not taken for those of another. A literal is a number of seconds.
  ///
  /// ```swift
  /// let pause: RunLoop.SchedulerTimeType.Stride = 1.5
  /// print(pause.magnitude)  // prints 1.5
  /// print(pause == .milliseconds(1500))  // prints true
  /// ```
  public struct SchedulerStride<Owner>: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
    ExpressibleByFloatLiteral, Codable, Sendable
  {
    /// The type of a float literal: a number of seconds.
    public typealias FloatLiteralType = TimeInterval

    /// The type of an integer literal: a number of seconds.
    public typealias IntegerLiteralType = TimeInterval

    /// The type of ``magnitude``.
    public typealias Magnitude = TimeInterval

    /// The number of seconds; negative for a time that goes back.
    public var magnitude: TimeInterval

    /// The number of seconds.
    @inlinable
    public var timeInterval: TimeInterval { magnitude }

    /// Creates a stride.
    ///
    /// - Parameter timeInterval: The number of seconds.
    @inlinable
    public init(_ timeInterval: TimeInterval) {
      magnitude = timeInterval
    }

    /// Creates a stride of a number of seconds.
    @inlinable
    public init(floatLiteral value: TimeInterval) {
      self.init(value)
    }

    /// Creates a stride of a number of seconds.
    @inlinable
    public init(integerLiteral value: TimeInterval) {
      self.init(value)
    }

    /// Creates a stride of a number of seconds, or nothing if a `Double` cannot hold the number exactly.
    @inlinable
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let seconds = TimeInterval(exactly: source) else { return nil }
      self.init(seconds)
    }

    /// A number of seconds.
    @inlinable
    public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }

    /// A number of seconds.
    @inlinable
    public static func seconds(_ s: Double) -> Self { Self(s) }

    /// A number of milliseconds.
    @inlinable
    public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1e3) }

    /// A number of microseconds.
    @inlinable
    public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1e6) }

    /// A number of nanoseconds.
    @inlinable
    public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1e9) }

    /// Whether the first stride is smaller.
    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

    /// The product of two strides as numbers of seconds.
    @inlinable
    public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }

    /// The sum.
    @inlinable
    public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }

    /// The difference.
    @inlinable
    public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }

    /// Multiplies in place.
    @inlinable
    public static func *= (lhs: inout Self, rhs: Self) { lhs.magnitude *= rhs.magnitude }

    /// Adds in place.
    @inlinable
    public static func += (lhs: inout Self, rhs: Self) { lhs.magnitude += rhs.magnitude }

    /// Subtracts in place.
    @inlinable
    public static func -= (lhs: inout Self, rhs: Self) { lhs.magnitude -= rhs.magnitude }

    @inlinable
    init(from start: Date, to end: Date) {
      self.init(end.timeIntervalSinceReferenceDate - start.timeIntervalSinceReferenceDate)
    }
  }
}
