/// A checksum of the elements that a pipeline publishes. It detects a missing element and a changed order.
///
/// `@unchecked Sendable`: a contestant may deliver on a different thread than the one that started, but on one at a
/// time. The reader of the outcome has waited for the end.
public final class Checksum: @unchecked Sendable {

  @exclusivity(unchecked)  // Used by one thread at a time, and `add` calls nothing.
  @usableFromInline
  var bits: UInt = 0

  public init() {}

  public var value: UInt { bits }

  /// Resets the checksum to that of no elements.
  public func reset() { bits = 0 }

  /// Adds an element, at the cost of a rotation followed by an exclusive or.
  @inlinable
  @inline(__always)
  public func add(_ element: Int) {
    bits = (bits << 1 | bits >> (UInt.bitWidth - 1)) ^ UInt(bitPattern: element)
  }
}
