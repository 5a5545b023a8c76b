/// A lock for a few fields and a few instructions, with the same rules as ``Lock``.
///
/// It is made of a ``Gate``: taking and releasing it costs one atomic operation, where a mutex needs two. It is for locks
/// that every value passes.
@usableFromInline
package struct ValueLock: ~Copyable, Sendable {

  @usableFromInline
  let gate = Gate()

  @inlinable
  package init() {}

  /// Runs `body` with the lock held. Taking the lock twice on one thread traps.
  @inlinable
  @inline(__always)
  package func withLock<Result: ~Copyable>(_ body: () -> Result) -> Result {
    lock()
    let result = body()
    unlock()
    return result
  }

  /// For where each value passes: a debug build retains what a closure captures.
  @inlinable
  @inline(__always)
  func lock() {
    if gate.enterIfFree() { return }
    let isOutermost = gate.enter()
    precondition(isOutermost, "a lock was taken twice on one thread")
  }

  @inlinable
  @inline(__always)
  func unlock() {
    gate.leave()
  }
}
