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
