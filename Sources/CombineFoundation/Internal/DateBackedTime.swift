import CombineCore
import Foundation

/// What the time types of the two schedulers that go by the date, `OperationQueue` and `RunLoop`, have in common.
///
/// They are two types to their users, so each is declared with its properties and initialisers; all that a public
/// protocol asks of them is here, once.
package protocol DateBackedTime: Strideable, Codable, Hashable, Sendable where Stride: DateBackedStride {

  var date: Date { get set }

  init(_ date: Date)
}

extension DateBackedTime {

  /// The time from this instant to another, negative if the other is earlier.
  public func distance(to other: Self) -> Stride {
    Stride(other.date.timeIntervalSinceReferenceDate - date.timeIntervalSinceReferenceDate)
  }

  /// The instant that lies a distance after this one, or before it if the distance is negative.
  public func advanced(by n: Stride) -> Self {
    Self(date + n.magnitude)
  }
}

/// What the strides of the time types have in common: a number of seconds.
package protocol DateBackedStride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
  ExpressibleByFloatLiteral, Codable, Sendable
where FloatLiteralType == TimeInterval, IntegerLiteralType == TimeInterval, Magnitude == TimeInterval {

  var magnitude: TimeInterval { get set }

  init(_ timeInterval: TimeInterval)
}

extension DateBackedStride {

  /// Creates a stride of a number of seconds.
  public init(floatLiteral value: TimeInterval) {
    self.init(value)
  }

  /// Creates a stride of a number of seconds.
  public init(integerLiteral value: TimeInterval) {
    self.init(value)
  }

  /// Creates a stride of a number of seconds, or nothing if a `Double` cannot hold the number exactly.
  public init?<T: BinaryInteger>(exactly source: T) {
    guard let seconds = TimeInterval(exactly: source) else { return nil }
    self.init(seconds)
  }

  /// A number of seconds.
  public static func seconds(_ s: Int) -> Self {
    Self(TimeInterval(s))
  }

  /// A number of seconds.
  public static func seconds(_ s: Double) -> Self {
    Self(s)
  }

  /// A number of milliseconds.
  public static func milliseconds(_ ms: Int) -> Self {
    Self(TimeInterval(ms) / 1e3)
  }

  /// A number of microseconds.
  public static func microseconds(_ us: Int) -> Self {
    Self(TimeInterval(us) / 1e6)
  }

  /// A number of nanoseconds.
  public static func nanoseconds(_ ns: Int) -> Self {
    Self(TimeInterval(ns) / 1e9)
  }

  /// Whether the first stride is smaller.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.magnitude < rhs.magnitude
  }

  /// The product of two strides as numbers of seconds.
  public static func * (lhs: Self, rhs: Self) -> Self {
    Self(lhs.magnitude * rhs.magnitude)
  }

  /// The sum.
  public static func + (lhs: Self, rhs: Self) -> Self {
    Self(lhs.magnitude + rhs.magnitude)
  }

  /// The difference.
  public static func - (lhs: Self, rhs: Self) -> Self {
    Self(lhs.magnitude - rhs.magnitude)
  }

  /// Multiplies in place.
  public static func *= (lhs: inout Self, rhs: Self) {
    lhs.magnitude *= rhs.magnitude
  }

  /// Adds in place.
  public static func += (lhs: inout Self, rhs: Self) {
    lhs.magnitude += rhs.magnitude
  }

  /// Subtracts in place.
  public static func -= (lhs: inout Self, rhs: Self) {
    lhs.magnitude -= rhs.magnitude
  }
}
