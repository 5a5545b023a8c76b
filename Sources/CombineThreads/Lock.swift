/// The lock of this package. It guards a few fields for a few instructions.
///
/// Code that holds it calls nothing but plain code on those fields: no subscriber, subscription, user closure, scheduler
/// or deinitializer of a user's object. Taking it twice on one thread traps.
///
/// It is made of a ``Gate``. Taking and releasing it costs one atomic operation, where a mutex needs two.
@usableFromInline
package struct Lock: ~Copyable, Sendable {

  @usableFromInline
  let gate = Gate()

  @inlinable
  package init() {}

  /// Runs `body` with the lock held.
  ///
  /// Where every value or subscription passes, `lock()` and `unlock()` are called instead. A debug build makes the closure
  /// each time, retains what it captures, and looks up the type of its result.
  @inlinable
  @inline(__always)
  package func withLock<Result: ~Copyable>(_ body: () -> Result) -> Result {
    lock()
    let result = body()
    unlock()
    return result
  }

  @inline(never)
  @usableFromInline
  func lockOccupied() {
    let entry = gate.enterOccupied(as: Platform.currentThread, unless: { false })
    precondition(entry == .outermost, "a lock was taken twice on one thread")
  }
}
