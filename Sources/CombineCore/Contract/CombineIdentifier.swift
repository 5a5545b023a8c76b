import Synchronization

/// An identifier that distinguishes streams of values.
///
/// Two identifiers made with ``init()`` are never equal. Two identifiers made from the same object are always equal.
public struct CombineIdentifier: Hashable, CustomStringConvertible, Sendable {

  @usableFromInline
  let rawValue: UInt64

  /// Creates an identifier that differs from every other identifier made by this initializer in this process.
  ///
  /// - Complexity: O(1), one atomic increment.
  @inlinable
  public init() {
    rawValue = identifierCounter.wrappingAdd(1, ordering: .relaxed).newValue
  }

  fileprivate init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Creates the identifier of an object.
  ///
  /// The identifiers of the same object are equal. Those of two objects that are alive at the same time differ.
  ///
  /// - Parameter object: The object to identify.
  @inlinable
  public init(_ object: AnyObject) {
    rawValue = UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
  }

  /// The identifier in hexadecimal, for example `0x2a`.
  public var description: String {
    "0x" + String(rawValue, radix: 16)
  }
}

@usableFromInline
let identifierCounter = Atomic<UInt64>(0)

/// A supply of identifiers for a place that makes many of them.
///
/// It takes several identifiers from the counter together, for one atomic increment.
struct CombineIdentifierStock {

  private static let refill: UInt64 = 32

  private var last: UInt64 = 0
  private var count: UInt64 = 0

  /// Returns an identifier that differs from every other one made in this process.
  mutating func take() -> CombineIdentifier {
    if count == 0 {
      last = identifierCounter.wrappingAdd(Self.refill, ordering: .relaxed).newValue
      count = Self.refill
    }
    count -= 1
    return CombineIdentifier(rawValue: last - count)
  }
}

/// A protocol for types that belong to a stream of values and can identify it.
public protocol CustomCombineIdentifierConvertible {

  /// The identifier of the stream.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {

  /// The identifier of this object.
  @inlinable
  public var combineIdentifier: CombineIdentifier {
    CombineIdentifier(self)
  }
}
