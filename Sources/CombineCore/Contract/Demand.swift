extension Subscribers {

  /// How many more elements a subscriber is ready to receive: a count, or unlimited.
  ///
  /// Demands add up: a subscriber that requests two and then three elements may be sent five. Unlimited demand
  /// absorbs whatever is added to it or taken from it.
  @frozen
  public struct Demand: Equatable, Comparable, Hashable, Codable, CustomStringConvertible, Sendable {

    @usableFromInline
    let rawValue: UInt

    @inlinable
    init(rawValue: UInt) {
      self.rawValue = Swift.min(rawValue, Self.unlimitedRawValue)
    }

    @inlinable
    static var unlimitedRawValue: UInt { UInt(Int.max) + 1 }

    /// As many elements as the publisher can produce.
    @inlinable
    public static var unlimited: Demand { Demand(rawValue: unlimitedRawValue) }

    /// No elements: the same as `max(0)`.
    @inlinable
    public static var none: Demand { Demand(rawValue: 0) }

    /// At most this many elements.
    ///
    /// - Parameter value: The number of elements; traps when it is negative.
    @inlinable
    public static func max(_ value: Int) -> Demand {
      if value < 0 { Misuse.trap("Subscribers.Demand.max(_:)", .negativeDemand) }
      return Demand(rawValue: UInt(bitPattern: value))
    }

    /// The number of elements, or `nil` when it is unlimited.
    @inlinable
    public var max: Int? {
      isUnlimited ? nil : Int(bitPattern: rawValue)
    }

    /// `unlimited`, or `max(3)` for example.
    public var description: String {
      isUnlimited ? "unlimited" : "max(\(rawValue))"
    }

    @inlinable
    var isUnlimited: Bool { rawValue == Self.unlimitedRawValue }
  }
}

// MARK: Coding

extension Subscribers.Demand {

  /// Decodes a demand from a single unsigned integer; one too large for a count is unlimited.
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

  /// The result of a calculation, which traps when it is negative.
  @inlinable
  init(count: Int, overflow: Bool, saturatingAt limit: Self, of operation: @autoclosure () -> String) {
    if !overflow && count < 0 { Misuse.trap(operation(), .negativeDemand) }
    self = overflow ? limit : Self(rawValue: UInt(bitPattern: count))
  }

  /// The sum of two demands; unlimited when either is, or when the sum is too large for a count.
  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self {
    // Raw values are at most 2^63, so the sum of two finite ones cannot wrap and `init` clamps it; 2^63 + 2^63 can.
    if lhs.isUnlimited || rhs.isUnlimited { return .unlimited }
    return Self(rawValue: lhs.rawValue &+ rhs.rawValue)
  }

  /// Adds a demand to this one.
  @inlinable
  public static func += (lhs: inout Self, rhs: Self) {
    lhs = lhs + rhs
  }

  /// The demand plus a number of elements; traps when the result is negative.
  @inlinable
  public static func + (lhs: Self, rhs: Int) -> Self {
    guard let count = lhs.max else { return .unlimited }
    let (sum, overflow) = count.addingReportingOverflow(rhs)
    return Self(count: sum, overflow: overflow, saturatingAt: .unlimited, of: "Subscribers.Demand.+")
  }

  /// Adds a number of elements to this demand; traps when the result is negative.
  @inlinable
  public static func += (lhs: inout Self, rhs: Int) {
    lhs = lhs + rhs
  }

  /// The difference of two demands: unlimited less anything stays unlimited, a count less unlimited is none.
  ///
  /// Traps when the result is negative.
  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self {
    guard let count = lhs.max else { return .unlimited }
    guard let subtrahend = rhs.max else { return .none }
    return Self(count: count - subtrahend, overflow: false, saturatingAt: .none, of: "Subscribers.Demand.-")
  }

  /// Takes a demand from this one; traps when the result is negative.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Self) {
    lhs = lhs - rhs
  }

  /// The demand less a number of elements; traps when the result is negative.
  @inlinable
  public static func - (lhs: Self, rhs: Int) -> Self {
    guard let count = lhs.max else { return .unlimited }
    let (difference, overflow) = count.subtractingReportingOverflow(rhs)
    return Self(count: difference, overflow: overflow, saturatingAt: .none, of: "Subscribers.Demand.-")
  }

  /// Takes a number of elements from this demand; traps when the result is negative.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Int) {
    lhs = lhs - rhs
  }

  /// The demand multiplied by a number; unlimited when the product is too large, traps when it is negative.
  @inlinable
  public static func * (lhs: Self, rhs: Int) -> Self {
    guard let count = lhs.max else { return .unlimited }
    let (product, overflow) = count.multipliedReportingOverflow(by: rhs)
    return Self(count: product, overflow: overflow, saturatingAt: .unlimited, of: "Subscribers.Demand.*")
  }

  /// Multiplies this demand by a number; traps when the result is negative.
  @inlinable
  public static func *= (lhs: inout Self, rhs: Int) {
    lhs = lhs * rhs
  }
}

// MARK: Comparison with demands

extension Subscribers.Demand {

  /// Whether the first demand is smaller; unlimited is greater than every count.
  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  /// Whether the first demand is smaller or equal.
  @inlinable
  public static func <= (lhs: Self, rhs: Self) -> Bool { lhs.rawValue <= rhs.rawValue }

  /// Whether the first demand is greater or equal.
  @inlinable
  public static func >= (lhs: Self, rhs: Self) -> Bool { lhs.rawValue >= rhs.rawValue }

  /// Whether the first demand is greater.
  @inlinable
  public static func > (lhs: Self, rhs: Self) -> Bool { lhs.rawValue > rhs.rawValue }

  /// Whether two demands are equal; unlimited equals only itself.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }
}

// MARK: Comparison with integers

// Those with a number on the right take any integer, where Combine's take an `Int`. With `Int` the type checker weighs
// them for each comparison with a literal in a client's closures, such as `filter { $0 > 0 }`, and gives up on a chain
// of ten operators; so it takes no time.
extension Subscribers.Demand {

  /// Whether the demand is greater than a number; unlimited always is.
  @inlinable
  public static func > <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { lhs.max.map { $0 > rhs } ?? true }

  /// Whether the demand is at least a number; unlimited always is.
  @inlinable
  public static func >= <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { lhs.max.map { $0 >= rhs } ?? true }

  /// Whether the demand is smaller than a number; unlimited never is.
  @inlinable
  public static func < <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { !(lhs >= rhs) }

  /// Whether the demand is at most a number; unlimited never is.
  @inlinable
  public static func <= <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { !(lhs > rhs) }

  /// Whether the demand is exactly a number; unlimited never is.
  @inlinable
  public static func == <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { lhs.max.map { $0 == rhs } ?? false }

  /// Whether the demand differs from a number; unlimited always does.
  @inlinable
  public static func != <Number: BinaryInteger>(lhs: Self, rhs: Number) -> Bool { !(lhs == rhs) }

  /// Whether a number is greater than the demand; never for unlimited.
  @inlinable
  public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }

  /// Whether a number is at least the demand; never for unlimited.
  @inlinable
  public static func >= (lhs: Int, rhs: Self) -> Bool { rhs <= lhs }

  /// Whether a number is smaller than the demand; always for unlimited.
  @inlinable
  public static func < (lhs: Int, rhs: Self) -> Bool { rhs > lhs }

  /// Whether a number is at most the demand; always for unlimited.
  @inlinable
  public static func <= (lhs: Int, rhs: Self) -> Bool { rhs >= lhs }

  /// Whether a number is exactly the demand; never for unlimited.
  @inlinable
  public static func == (lhs: Int, rhs: Self) -> Bool { rhs == lhs }

  /// Whether a number differs from the demand; always for unlimited.
  @inlinable
  public static func != (lhs: Int, rhs: Self) -> Bool { rhs != lhs }
}
