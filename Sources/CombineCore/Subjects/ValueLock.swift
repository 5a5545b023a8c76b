/// Guards a few fields for a few instructions, as a ``Lock`` does, and by the same rules.
///
/// Taking it and releasing it costs one atomic operation, where a mutex needs two: it is made of a ``Gate``. It takes
/// twelve bytes, and is worth that where each value passes it.
@usableFromInline
struct ValueLock: ~Copyable, Sendable {

  @usableFromInline
  let gate = Gate()

  @inlinable
  init() {}

  /// Runs `body` with the lock held. Taking it twice on one thread traps.
  @inlinable
  @inline(__always)
  func withLock<Result>(_ body: () -> Result) -> Result {
    let isOutermost = gate.enter()
    precondition(isOutermost, "a lock was taken twice on one thread")
    defer { gate.leave() }
    return body()
  }
}
