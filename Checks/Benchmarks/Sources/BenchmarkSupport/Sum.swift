import Synchronization

/// A sum of values that arrive in an unpredictable order.
///
/// It is no more atomic than a client's closure. A contestant that delivers on two threads at the same time loses
/// values.
///
/// `@unchecked Sendable`: it is called on one thread at a time, which the outcome proves.
public final class Sum: @unchecked Sendable {

  @exclusivity(unchecked)  // Used by one thread at a time, and `add` calls nothing.
  @usableFromInline
  var total = 0

  /// The duration of each addition in iterations of a loop. With zero, there is no delay.
  @usableFromInline
  let delay: Int

  /// - Parameter delay: The duration of each addition in iterations of a loop.
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

  /// The loop stores into this variable. Otherwise the compiler would remove the loop.
  private static let turn = Atomic<Int>(0)
}
