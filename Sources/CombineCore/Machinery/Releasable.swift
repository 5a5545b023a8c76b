import Synchronization

/// A value that a conduit uses for each element and releases at its end, though a use may be running at that moment.
///
/// A conduit that keeps its downstream for its lifetime has it in a constant and needs no lock. A conduit that releases it
/// earlier must not do so while another thread, or an outer call on this thread, uses it. Here the first use at a time
/// borrows the value, for one atomic operation and no retain. A use that runs at the same time retains it. The value is
/// released when it has ended and the borrower has returned it. With a lock and a retain instead, `share` with four
/// sinks takes half as long again (Benchmarks/README.md, "What each special path buys").
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

    /// Whether a use borrows the value. It stays set when the value is released.
    @usableFromInline
    let isLent = Atomic<Bool>(false)

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
    /// - Returns: `true` once, when the value has ended and no use borrows it.
    @inline(never)
    @usableFromInline
    func takeRelease() -> Bool {
      // The borrower returns the value by a plain store, which this thread may see a little late, so it tries a few times.
      // A use that is still running finds the end afterwards, and calls this itself.
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
