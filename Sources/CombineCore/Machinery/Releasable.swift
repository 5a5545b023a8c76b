import Synchronization

/// A value that a conduit uses for each element and lets go when it ends, though a use may be running at that moment.
///
/// A conduit that keeps its downstream for life has it in a constant and needs no lock. One that lets it go early must
/// not release it while another thread, or a caller further up on this one, is inside it. Here the first use at a time
/// borrows the value, for one atomic operation and no retain; any other retains it; and the value goes when the lease
/// has ended and the borrower is out.
@usableFromInline
struct Releasable<Value>: ~Copyable {

  /// What is retained: the value as a constant, so that it can be used in place.
  @usableFromInline
  final class Box {

    @usableFromInline
    let value: Value

    @inlinable
    init(_ value: Value) {
      self.value = value
    }
  }

  /// Everything but the box, which no type parameter concerns.
  @usableFromInline
  struct State: ~Copyable {

    /// Whether somebody borrows the value. Stays set once the value is let go.
    @usableFromInline
    let isLent = Atomic<Bool>(false)

    @usableFromInline
    let hasEnded = Atomic<Bool>(false)

    /// Whether the lease's own reference to the box is gone. Written with the lock held.
    @usableFromInline
    let isReleased = Atomic<Bool>(false)

    @usableFromInline
    let lock = Lock()

    @usableFromInline
    init() {}

    /// Decides who releases: true once, when the lease has ended and nobody borrows the value.
    @inline(never)
    @usableFromInline
    func takeRelease() -> Bool {
      // The borrower gives the value back by a plain store, which this thread may see a little late: it is waited for,
      // for a moment. A real borrower finds the lease ended when it is out, and comes here itself.
      for _ in 0..<64 {
        let isFree = isLent.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent).exchanged
        if isFree {
          InterleavingPoint.atomicStep.reach()
          lock.withLock { isReleased.store(true, ordering: .relaxed) }
          return true
        }
        if isReleased.load(ordering: .relaxed) { return false }
      }
      return false
    }
  }

  @usableFromInline
  let state = State()

  /// Owns one retain of the box until released.
  @usableFromInline
  let box: Unmanaged<Box>

  @inlinable
  init(_ value: Value) {
    box = .passRetained(Box(value))
  }

  @inlinable
  deinit {
    // Nobody else has a reference to what holds the lease, so nobody is inside.
    if !state.isReleased.load(ordering: .acquiring) { box.release() }
  }

  /// Calls `body` with the value, unless the lease has ended.
  @inlinable
  @inline(__always)
  @discardableResult
  func use<Result>(_ body: (Value) -> Result) -> Result? {
    // Sequentially consistent, as `end` first notes the end and then looks for a borrower.
    guard state.isLent.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent).exchanged
    else { return hold().map { body($0.value) } }
    InterleavingPoint.atomicStep.reach()
    let result: Result? =
      state.hasEnded.load(ordering: .sequentiallyConsistent)
      ? nil
      : box._withUnsafeGuaranteedRef { body($0.value) }
    state.isLent.store(false, ordering: .releasing)
    InterleavingPoint.atomicStep.reach()
    if state.hasEnded.load(ordering: .sequentiallyConsistent) { release() }
    return result
  }

  /// The value in a box that the caller keeps alive, unless the lease has ended.
  @inlinable
  @inline(never)
  func hold() -> Box? {
    state.lock.withLock {
      state.hasEnded.load(ordering: .sequentiallyConsistent) ? nil : box.takeUnretainedValue()
    }
  }

  /// Ends the lease; the value goes now or when the last use is over. Call it with no lock held.
  @inlinable
  func end() {
    state.hasEnded.store(true, ordering: .sequentiallyConsistent)
    InterleavingPoint.atomicStep.reach()
    release()
  }

  @inlinable
  @inline(never)
  func release() {
    if state.takeRelease() { box.release() }
  }
}
