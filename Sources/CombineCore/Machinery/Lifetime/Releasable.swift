import CombineThreads
import Synchronization

/// A value that a conduit uses for each element and releases at its end, though a use may be running at that moment.
///
/// A conduit that keeps its downstream for its lifetime has it in a constant and needs no lock. A conduit that releases it
/// earlier must not do so while another thread, or an outer call on this thread, uses it. Here the first use at a time
/// borrows the value, for one atomic operation and no retain. A use that runs at the same time retains it. The value is
/// released when it has ended and the borrower has returned it. With a lock and a retain instead, `share` with four
/// sinks takes half as long again (Checks/Benchmarks/README.md, "What each special path buys").
@usableFromInline
struct Releasable<Value>: ~Copyable {

  /// The object that holds the value, as a constant, so that it can be used in place.
  @usableFromInline
  final class Box {

    @usableFromInline
    let value: Value

    @inlinable
    init(_ value: Value) {
      self.value = value
    }
  }

  /// The state apart from the box. It is not generic.
  @usableFromInline
  struct State: ~Copyable {

    /// A use that borrows the value is inside. The thread that releases the box enters and never leaves.
    @usableFromInline
    let gate = Gate()

    @usableFromInline
    let hasEnded = Atomic<Bool>(false)

    /// Whether the reference to the box was released. Written with the lock held.
    @usableFromInline
    let isReleased = Atomic<Bool>(false)

    @usableFromInline
    let lock = Lock()

    @usableFromInline
    init() {}

    /// Decides who releases the box.
    ///
    /// The borrower returns the value by a plain store, and then loads `hasEnded`. That store may become visible late, so
    /// this thread tries a second time after a fence of all threads. At least one of the two threads sees what the other
    /// has written:
    ///
    ///     borrowing thread                      ending thread
    ///     returns the value                     sets `hasEnded`
    ///     loads `hasEnded`                      fences all threads, and tries again to enter
    ///
    /// - Returns: `true` once, when the value has ended and no use borrows it.
    @inline(never)
    @usableFromInline
    func takeRelease() -> Bool {
      guard !isReleased.load(ordering: .relaxed), gate.enterUnlessOccupied() else { return false }
      InterleavingPoint.atomicStep.reach()
      lock.withLock { isReleased.store(true, ordering: .relaxed) }
      return true
    }
  }

  @usableFromInline
  let state = State()

  /// Owns one retain of the box until its release.
  @usableFromInline
  let box: Unmanaged<Box>

  @inlinable
  init(_ value: Value) {
    box = .passRetained(Box(value))
  }

  @inlinable
  deinit {
    // No other code has a reference to the owner of this value, so no use is running.
    if !state.isReleased.load(ordering: .acquiring) { box.release() }
  }

  /// Calls `body` with the value, unless it has ended.
  @inlinable
  @inline(__always)
  @discardableResult
  func use<Result>(_ body: (Value) -> Result) -> Result? {
    // Sequentially consistent: `end` first sets the end and then checks for a borrower.
    guard state.gate.enterIfFree() else { return hold().map { body($0.value) } }
    InterleavingPoint.atomicStep.reach()
    let result: Result? =
      state.hasEnded.load(ordering: .sequentiallyConsistent)
      ? nil
      : box._withUnsafeGuaranteedRef { body($0.value) }
    state.gate.free()  // Nobody waits at it.
    InterleavingPoint.atomicStep.reach()
    if state.hasEnded.load(ordering: .sequentiallyConsistent) { release() }
    return result
  }

  /// The box, which the caller keeps alive, or `nil` after the end.
  @inlinable
  @inline(never)
  func hold() -> Box? {
    state.lock.withLock {
      state.hasEnded.load(ordering: .sequentiallyConsistent) ? nil : box.takeUnretainedValue()
    }
  }

  /// Ends the value. It is released now or after the last use. The caller holds no lock.
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
