import CCombinePlatform
import Synchronization

/// An identifier that distinguishes streams of values.
///
/// Two identifiers made with ``init()`` are never equal. Two identifiers made from the same object are always equal.
public struct CombineIdentifier: Hashable, CustomStringConvertible, Sendable {

  @usableFromInline
  let rawValue: UInt64

  /// Creates an identifier that differs from every other identifier made by this initializer in this process.
  ///
  /// - Complexity: O(1), mostly without an atomic operation.
  @inlinable
  public init() {
    var number = combine_next_identifier()
    if number % identifierBlock == 0 { number = takeIdentifiers() }
    combine_set_next_identifier(number + 1)
    rawValue = number
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

/// A thread takes numbers in blocks of this size, so that threads do not share a counter for each identifier. The first
/// number of a block is given to nobody: it says that the block before is used up.
@inlinable
var identifierBlock: UInt64 { 64 }

private let takenIdentifiers = Atomic<UInt64>(0)

/// Takes a block of numbers.
///
/// - Returns: The first number to give.
@inline(never)
@usableFromInline
func takeIdentifiers() -> UInt64 {
  takenIdentifiers.wrappingAdd(identifierBlock, ordering: .relaxed).newValue + 1
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
