import Synchronization

/// Adds up values that arrive in an order that cannot be foreseen.
///
/// It is no more atomic than any client's closure: a contestant that lets two threads deliver at once loses some.
///
/// `@unchecked Sendable`: whoever delivers to it does so on one thread at a time, which the outcome shows.
public final class Sum: @unchecked Sendable {

  @exclusivity(unchecked)  // Used by one thread at a time, and `add` calls nothing.
  @usableFromInline
  var total = 0

  /// How long each addition takes, in turns of a loop; zero for no longer than it needs.
  @usableFromInline
  let delay: Int

  /// - Parameter delay: How long each addition takes, in turns of a loop.
  public init(delay: Int = 0) {
    self.delay = delay
  }

  public var value: Int { total }

  @inlinable
  @inline(__always)
  public func add(_ value: Int) {
    total &+= value
    if delay > 0 { dawdle() }
  }

  @usableFromInline
  @inline(never)
  func dawdle() {
    for turn in 0..<delay { Self.turn.store(turn, ordering: .relaxed) }
  }

  /// Where the loop leaves something, or the compiler would leave the loop out.
  private static let turn = Atomic<Int>(0)
}
