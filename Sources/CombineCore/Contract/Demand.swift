extension Subscribers {

  /// The number of further elements that a subscriber is ready to receive: a count, or unlimited.
  ///
  /// Demands add up. A subscriber that requests two and then three elements may receive five.
  ///
  /// Additions and subtractions leave unlimited demand unlimited.
  @frozen
  public struct Demand: Equatable, Comparable, Hashable, Codable, CustomStringConvertible, Sendable {

    @usableFromInline
    let rawValue: UInt

    // Transparent, as are others that every element passes: a debug build, too, inlines them within a file and elsewhere in
    // other modules.
    @inlinable
    @_transparent
    init(rawValue: UInt) {
      self.rawValue = rawValue < Self.unlimitedRawValue ? rawValue : Self.unlimitedRawValue
    }

    @inlinable
    @_transparent
    static var unlimitedRawValue: UInt { UInt(bitPattern: .min) }

    /// A demand without a limit.
    @inlinable
    @_transparent
    public static var unlimited: Demand { Demand(rawValue: unlimitedRawValue) }

    /// A demand for no elements, which equals `max(0)`.
    @inlinable
    @_transparent
    public static var none: Demand { Demand(rawValue: 0) }

    /// A demand for at most `value` elements.
    ///
    /// - Parameter value: The number of elements. A negative number is a programming error and traps.
    @inlinable
    @_transparent
    public static func max(_ value: Int) -> Demand {
      if value < 0 { Misuse.trap("Subscribers.Demand.max(_:)", .negativeDemand) }
      return Demand(rawValue: UInt(bitPattern: value))
    }

    /// The number of elements, or `nil` if the demand is unlimited.
    @inlinable
    @_transparent
    public var max: Int? {
      isUnlimited ? nil : Int(bitPattern: rawValue)
    }

    /// The text `unlimited`, or for example `max(3)`.
    public var description: String {
      isUnlimited ? "unlimited" : "max(\(rawValue))"
    }

    @inlinable
    @_transparent
    var isUnlimited: Bool { rawValue == Self.unlimitedRawValue }
  }
}

// MARK: Coding

extension Subscribers.Demand {

  /// Decodes a demand from a single unsigned integer.
  ///
  /// An integer that is too large for a count becomes unlimited demand.
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try decoder.singleValueContainer().decode(UInt.self))
  }

  /// Encodes the demand as a single unsigned integer.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

// MARK: Arithmetic

extension Subscribers.Demand {

  /// Creates the result of a calculation.
  ///
  /// It traps if the result is negative, and becomes `limit` on overflow.
  @inlinable
  init(count: Int, overflow: Bool, saturatingAt limit: Self, of operation: @autoclosure () -> String) {
    if !overflow && count < 0 { Misuse.trap(operation(), .negativeDemand) }
    self = overflow ? limit : Self(rawValue: UInt(bitPattern: count))
  }

  /// Returns the sum of two demands.
  ///
  /// The sum is unlimited if either demand is, or if it is too large for a count.
  @inlinable
  @_transparent
  public static func + (lhs: Self, rhs: Self) -> Self {
    // Raw values are at most 2^63. The sum of two finite ones cannot wrap, and `init` clamps it. Only 2^63 + 2^63 can
    // wrap.
    if lhs.isUnlimited || rhs.isUnlimited { return .unlimited }
    return Self(rawValue: lhs.rawValue &+ rhs.rawValue)
  }

  /// Adds a demand to this one.
  @inlinable
  @_transparent
  public static func += (lhs: inout Self, rhs: Self) {
    lhs = lhs + rhs
  }

  /// Returns the demand plus a number of elements.
  ///
  /// It traps if the result is negative.
  @inlinable
  public static func + (lhs: Self, rhs: Int) -> Self {
    guard let count = lhs.max else { return .unlimited }
    let (sum, overflow) = count.addingReportingOverflow(rhs)
    return Self(count: sum, overflow: overflow, saturatingAt: .unlimited, of: "Subscribers.Demand.+")
  }

  /// Adds a number of elements to this demand.
  ///
  /// It traps if the result is negative.
  @inlinable
  public static func += (lhs: inout Self, rhs: Int) {
    lhs = lhs + rhs
  }

  /// Returns the difference of two demands.
  ///
  /// Unlimited less any demand stays unlimited. A count less unlimited is none.
  ///
  /// It traps if the result is negative.
  @inlinable
  @_transparent
  public static func - (lhs: Self, rhs: Self) -> Self {
    if lhs.isUnlimited { return .unlimited }
    if rhs.isUnlimited { return .none }
    if rhs.rawValue > lhs.rawValue { Misuse.trap("Subscribers.Demand.-", .negativeDemand) }
    return Self(rawValue: lhs.rawValue &- rhs.rawValue)
  }

  /// Subtracts a demand from this one.
  ///
  /// It traps if the result is negative.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Self) {
    lhs = lhs - rhs
  }

  /// Returns the demand less a number of elements.
  ///
  /// It traps if the result is negative.
  @inlinable
  public static func - (lhs: Self, rhs: Int) -> Self {
    guard let count = lhs.max else { return .unlimited }
    let (difference, overflow) = count.subtractingReportingOverflow(rhs)
    return Self(count: difference, overflow: overflow, saturatingAt: .none, of: "Subscribers.Demand.-")
  }

  /// Subtracts a number of elements from this demand.
  ///
  /// It traps if the result is negative.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Int) {
    lhs = lhs - rhs
  }

  /// Returns the demand multiplied by a number.
  ///
  /// The product is unlimited if it is too large for a count. It traps if it is negative.
  @inlinable
  public static func * (lhs: Self, rhs: Int) -> Self {
    guard let count = lhs.max else { return .unlimited }
    let (product, overflow) = count.multipliedReportingOverflow(by: rhs)
    return Self(count: product, overflow: overflow, saturatingAt: .unlimited, of: "Subscribers.Demand.*")
  }

  /// Multiplies this demand by a number.
  ///
  /// It traps if the result is negative.
  @inlinable
  public static func *= (lhs: inout Self, rhs: Int) {
    lhs = lhs * rhs
  }
}

// MARK: Comparison with demands

extension Subscribers.Demand {

  /// Returns whether the first demand is smaller.
  ///
  /// Unlimited demand is greater than every count.
  @inlinable
  @_transparent
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  /// Returns whether the first demand is smaller than or equal to the second.
  @inlinable
  @_transparent
  public static func <= (lhs: Self, rhs: Self) -> Bool { lhs.rawValue <= rhs.rawValue }

  /// Returns whether the first demand is greater than or equal to the second.
  @inlinable
  @_transparent
  public static func >= (lhs: Self, rhs: Self) -> Bool { lhs.rawValue >= rhs.rawValue }

  /// Returns whether the first demand is greater.
  @inlinable
  @_transparent
  public static func > (lhs: Self, rhs: Self) -> Bool { lhs.rawValue > rhs.rawValue }

  /// Returns whether two demands are equal.
  ///
  /// Unlimited demand equals only unlimited demand.
  @inlinable
  @_transparent
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }

  // That of the protocol is generic, and a debug build looks up the one above.
  @inlinable
  @_transparent
  static func != (lhs: Self, rhs: Self) -> Bool { lhs.rawValue != rhs.rawValue }
}

// MARK: Comparison with integers

// The operators with a number on the right take any integer; Combine's take an `Int`. With `Int`, the type checker
// tries them for each comparison with a literal in a client's closure. An example is `filter { $0 > 0 }`. It then fails
// on a chain of ten operators. With a generic integer these comparisons cost it no time.
extension Subscribers.Demand {

  /// Returns whether the demand is greater than a number.
  ///
  /// Unlimited demand always is.
  @inlinable
  public static func > <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { lhs.max.map { $0 > rhs } ?? true }

  /// Returns whether the demand is at least a number.
  ///
  /// Unlimited demand always is.
  @inlinable
  public static func >= <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { lhs.max.map { $0 >= rhs } ?? true }

  /// Returns whether the demand is smaller than a number.
  ///
  /// Unlimited demand never is.
  @inlinable
  public static func < <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { !(lhs >= rhs) }

  /// Returns whether the demand is at most a number.
  ///
  /// Unlimited demand never is.
  @inlinable
  public static func <= <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { !(lhs > rhs) }

  /// Returns whether the demand is exactly a number.
  ///
  /// Unlimited demand never is.
  @inlinable
  public static func == <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { lhs.max.map { $0 == rhs } ?? false }

  /// Returns whether the demand differs from a number.
  ///
  /// Unlimited demand always does.
  @inlinable
  public static func != <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { !(lhs == rhs) }

  /// Returns whether a number is greater than the demand.
  ///
  /// It never is if the demand is unlimited.
  @inlinable
  public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }

  /// Returns whether a number is greater than or equal to the demand.
  ///
  /// It never is if the demand is unlimited.
  @inlinable
  public static func >= (lhs: Int, rhs: Self) -> Bool { rhs <= lhs }

  /// Returns whether a number is smaller than the demand.
  ///
  /// It always is if the demand is unlimited.
  @inlinable
  public static func < (lhs: Int, rhs: Self) -> Bool { rhs > lhs }

  /// Returns whether a number is smaller than or equal to the demand.
  ///
  /// It always is if the demand is unlimited.
  @inlinable
  public static func <= (lhs: Int, rhs: Self) -> Bool { rhs >= lhs }

  /// Returns whether a number equals the demand.
  ///
  /// It never does if the demand is unlimited.
  @inlinable
  public static func == (lhs: Int, rhs: Self) -> Bool { rhs == lhs }

  /// Returns whether a number differs from the demand.
  ///
  /// It always does if the demand is unlimited.
  @inlinable
  public static func != (lhs: Int, rhs: Self) -> Bool { rhs != lhs }
}
