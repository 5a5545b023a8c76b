/// Takes in the elements that come out of a pipeline, so that no contestant can leave one out or change their order.
///
/// `@unchecked Sendable`: a contestant may deliver on another thread than the one that began, but on one at a time, and
/// whoever reads the outcome has waited for the end.
public final class Checksum: @unchecked Sendable {

  @exclusivity(unchecked)  // Used by one thread at a time, and `add` calls nothing.
  @usableFromInline
  var bits: UInt = 0

  public init() {}

  public var value: UInt { bits }

  /// Forgets all elements.
  public func reset() { bits = 0 }

  /// Takes in an element. Costs a rotation and an exclusive or, one after the other.
  @inlinable
  @inline(__always)
  public func add(_ element: Int) {
    bits = (bits << 1 | bits >> (UInt.bitWidth - 1)) ^ UInt(bitPattern: element)
  }
}
