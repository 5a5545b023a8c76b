import Synchronization

/// An identifier that tells publisher streams apart.
///
/// Two identifiers made with ``init()`` are never equal; two made from one object always are.
public struct CombineIdentifier: Hashable, CustomStringConvertible, Sendable {

  @usableFromInline
  let rawValue: UInt64

  /// Creates an identifier that differs from every other made this way in this process.
  ///
  /// - Complexity: O(1): one atomic increment.
  @inlinable
  public init() {
    rawValue = identifierCounter.wrappingAdd(1, ordering: .relaxed).newValue
  }

  fileprivate init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Creates the identifier of an object: equal for the same object, different for two objects alive at one time.
  ///
  /// - Parameter object: The object to identify.
  @inlinable
  public init(_ object: AnyObject) {
    rawValue = UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
  }

  /// The identifier in hexadecimal, `0x2a` for example.
  public var description: String {
    "0x" + String(rawValue, radix: 16)
  }
}

@usableFromInline
let identifierCounter = Atomic<UInt64>(0)

/// Identifiers for what is made again and again in one place: taken from the counter many at a time, for one atomic
/// increment.
struct CombineIdentifierStock {

  private static let refill: UInt64 = 32

  private var last: UInt64 = 0
  private var count: UInt64 = 0

  /// An identifier that differs from every other made in this process.
  mutating func take() -> CombineIdentifier {
    if count == 0 {
      last = identifierCounter.wrappingAdd(Self.refill, ordering: .relaxed).newValue
      count = Self.refill
    }
    count -= 1
    return CombineIdentifier(rawValue: last - count)
  }
}

/// A protocol for types that tell which stream they belong to.
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
