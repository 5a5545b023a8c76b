/// Adds up values that arrive in an order that cannot be foreseen.
///
/// It is no more atomic than any client's closure: a contestant that lets two threads deliver at once loses some.
///
/// `@unchecked Sendable`: whoever delivers to it does so on one thread at a time, which the outcome shows.
public final class Sum: @unchecked Sendable {

  @exclusivity(unchecked)  // Used by one thread at a time, and `add` calls nothing.
  @usableFromInline
  var total = 0

  public init() {}

  public var value: Int { total }

  @inlinable
  @inline(__always)
  public func add(_ value: Int) { total &+= value }
}
