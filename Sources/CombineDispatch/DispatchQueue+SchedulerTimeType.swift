import CombineCore
import Dispatch

extension DispatchQueue {

  /// An instant on the clock of all dispatch queues, which counts nanoseconds and stops while the machine sleeps.
  public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {

    /// The instant as Dispatch knows it.
    public var dispatchTime: DispatchTime

    /// Creates a point in time.
    ///
    /// - Parameter time: The instant as Dispatch knows it.
    @inlinable
    public init(_ time: DispatchTime) {
      dispatchTime = time
    }

    /// Decodes an instant from the nanoseconds of its clock.
    public init(from decoder: any Decoder) throws {
      let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
      self.init(DispatchTime(uptimeNanoseconds: nanoseconds))
    }

    /// Encodes the instant as the nanoseconds of its clock.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(dispatchTime.uptimeNanoseconds)
    }

    /// The time from this instant to another, negative if the other is earlier.
    ///
    /// - Returns: The distance; `Int.max` nanoseconds, whichever instant is the earlier, if it does not fit an `Int`.
    @inlinable
    public func distance(to other: SchedulerTimeType) -> Stride {
      let start = dispatchTime.rawValue
      let end = other.dispatchTime.rawValue
      guard let distance = Int(exactly: start <= end ? end - start : start - end) else { return Stride(.max) }
      return Stride(start <= end ? distance : -distance)
    }

    /// The instant that lies a distance after this one, or before it if the distance is negative.
    ///
    /// - Returns: The instant; `DispatchTime.distantFuture` for a distance of `Int.max` nanoseconds.
    @inlinable
    public func advanced(by n: Stride) -> SchedulerTimeType {
      SchedulerTimeType(n.magnitude == .max ? .distantFuture : dispatchTime + n.timeInterval)
    }

    /// Hashes the raw value of the dispatch time.
    @inlinable
    public func hash(into hasher: inout Hasher) {
      hasher.combine(dispatchTime.rawValue)
    }

    // These two are not left to `Strideable`: distances saturate, and would make each of two far instants the smaller.

    /// Whether both are one instant.
    @inlinable
    public static func == (lhs: SchedulerTimeType, rhs: SchedulerTimeType) -> Bool {
      lhs.dispatchTime.rawValue == rhs.dispatchTime.rawValue
    }

    /// Whether the first instant is the earlier.
    @inlinable
    public static func < (lhs: SchedulerTimeType, rhs: SchedulerTimeType) -> Bool {
      lhs.dispatchTime.rawValue < rhs.dispatchTime.rawValue
    }
  }
}

extension DispatchQueue.SchedulerTimeType {

  /// A time between two instants: a whole number of nanoseconds.
  ///
  /// An integer literal is a number of seconds, and so is a floating-point one.
  ///
  /// ```swift
  /// let pause: DispatchQueue.SchedulerTimeType.Stride = 1.5
  /// print(pause.magnitude)  // prints 1500000000
  /// print(pause == .milliseconds(1500))  // prints true
  /// ```
  public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
    Hashable, Codable, Sendable
  {
    /// The type of a float literal: a number of seconds.
    public typealias FloatLiteralType = Double

    /// The type of an integer literal: a number of seconds.
    public typealias IntegerLiteralType = Int

    /// The type of ``magnitude``.
    public typealias Magnitude = Int

    /// The number of nanoseconds; negative for a time that goes back.
    public var magnitude: Int

    /// The time as Dispatch knows it, in nanoseconds.
    @inlinable
    public var timeInterval: DispatchTimeInterval {
      .nanoseconds(magnitude)
    }

    @inlinable
    init(_ nanoseconds: Int) {
      magnitude = nanoseconds
    }

    /// Creates a stride of an interval, clamped to what an `Int` of nanoseconds can hold.
    ///
    /// - Parameter timeInterval: The interval; `.never` gives `Int.max` nanoseconds.
    public init(_ timeInterval: DispatchTimeInterval) {
      switch timeInterval {
      case .seconds(let seconds): self = .seconds(seconds)
      case .milliseconds(let milliseconds): self = .milliseconds(milliseconds)
      case .microseconds(let microseconds): self = .microseconds(microseconds)
      case .nanoseconds(let nanoseconds): self = .nanoseconds(nanoseconds)
      case .never: self.init(.max)
      @unknown default: self.init(measuring: timeInterval)
      }
    }

    /// Creates a stride of an interval by looking at what Dispatch does with it.
    package init(measuring timeInterval: DispatchTimeInterval) {
      // Dispatch adds to a time only up to 2^62 - 1, and never goes below 1. From here there is room to both sides.
      let reference = DispatchTime(uptimeNanoseconds: .max / 13)
      self = DispatchQueue.SchedulerTimeType(reference).distance(to: .init(reference + timeInterval))
    }

    /// Creates a stride of a number of seconds.
    @inlinable
    public init(floatLiteral value: Double) {
      self = .seconds(value)
    }

    /// Creates a stride of a number of seconds.
    @inlinable
    public init(integerLiteral value: Int) {
      self = .seconds(value)
    }

    /// Creates a stride of a number of seconds, or nothing if the number does not fit an `Int`.
    @inlinable
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let seconds = Int(exactly: source) else { return nil }
      self = .seconds(seconds)
    }

    /// A number of seconds, truncated to nanoseconds and clamped. Traps when it is not a number.
    @inlinable
    public static func seconds(_ s: Double) -> Stride {
      if s.isNaN { Misuse.trap("DispatchQueue.SchedulerTimeType.Stride.seconds(_:)", .notANumber) }
      let nanoseconds = s * 1e9
      if nanoseconds >= Double(Int.max) { return Stride(.max) }
      if nanoseconds <= Double(Int.min) { return Stride(.min) }
      return Stride(Int(nanoseconds))
    }

    /// A number of seconds, clamped.
    @inlinable
    public static func seconds(_ s: Int) -> Stride {
      Stride(clampedProduct: s, 1_000_000_000)
    }

    /// A number of milliseconds, clamped.
    @inlinable
    public static func milliseconds(_ ms: Int) -> Stride {
      Stride(clampedProduct: ms, 1_000_000)
    }

    /// A number of microseconds, clamped.
    @inlinable
    public static func microseconds(_ us: Int) -> Stride {
      Stride(clampedProduct: us, 1000)
    }

    /// Returns an interval of `ns` nanoseconds.
    @inlinable
    public static func nanoseconds(_ ns: Int) -> Stride {
      Stride(ns)
    }

    @inlinable
    init(clampedProduct count: Int, _ unit: Int) {
      let (product, overflow) = count.multipliedReportingOverflow(by: unit)
      self.init(overflow ? (count < 0 ? .min : .max) : product)
    }

    /// Whether the first stride is smaller.
    @inlinable
    public static func < (lhs: Stride, rhs: Stride) -> Bool {
      lhs.magnitude < rhs.magnitude
    }

    /// The product of two strides as numbers of seconds, truncated to nanoseconds and clamped.
    @inlinable
    public static func * (lhs: Stride, rhs: Stride) -> Stride {
      let isNegative = (lhs.magnitude < 0) != (rhs.magnitude < 0)
      let unit: UInt = 1_000_000_000
      let product = lhs.magnitude.magnitude.multipliedFullWidth(by: rhs.magnitude.magnitude)
      let limit = isNegative ? Int.min : Int.max
      guard product.high < unit else { return Stride(limit) }
      let quotient = unit.dividingFullWidth(product).quotient
      guard quotient < limit.magnitude else { return Stride(limit) }
      return Stride(isNegative ? -Int(quotient) : Int(quotient))
    }

    /// The sum; traps on overflow.
    @inlinable
    public static func + (lhs: Stride, rhs: Stride) -> Stride {
      Stride(lhs.magnitude + rhs.magnitude)
    }

    /// The difference; traps on overflow.
    @inlinable
    public static func - (lhs: Stride, rhs: Stride) -> Stride {
      Stride(lhs.magnitude - rhs.magnitude)
    }

    /// Multiplies in place, as `*` does.
    @inlinable
    public static func *= (lhs: inout Stride, rhs: Stride) {
      lhs = lhs * rhs
    }

    /// Adds in place; traps on overflow.
    @inlinable
    public static func += (lhs: inout Stride, rhs: Stride) {
      lhs = lhs + rhs
    }

    /// Subtracts in place; traps on overflow.
    @inlinable
    public static func -= (lhs: inout Stride, rhs: Stride) {
      lhs = lhs - rhs
    }

    /// Decodes a stride.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      magnitude = Int(clamping: try container.decode(Int64.self, forKey: ._nanoseconds))
    }

    /// Encodes the stride as its number of nanoseconds.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(Int64(magnitude), forKey: ._nanoseconds)
    }

    private enum CodingKeys: CodingKey {
      case _nanoseconds
    }
  }
}
