import Synchronization

/// A recursive lock held around the calls to one downstream, so that no two threads are in it at once.
///
/// A second thread waits until the first is out; the same thread walks through and is delivered in nested order. An
/// uncontended pass costs one atomic exchange on the way in and one store on the way out. Take it with no ``Lock``
/// held, and never around calls upstream or to a scheduler.
@usableFromInline
package struct Gate: ~Copyable, Sendable {

  /// The thread inside, or zero.
  @usableFromInline
  let owner = Atomic<UInt>(0)

  /// Where waiting threads line up, so that only the first of them polls.
  let queue = Lock()

  @inlinable
  package init() {}

  /// Enters the gate, waiting while another thread is inside.
  ///
  /// - Parameter thread: The calling thread, for a caller that has asked already.
  /// - Returns: Whether this thread was outside before. If so it must call ``leave()``, if not it must not.
  @inlinable
  @inline(__always)
  func enter(as thread: UInt = Platform.currentThread) -> Bool {
    InterleavingPoint.gateWillBeEntered.reach()
    defer { InterleavingPoint.gateWasEntered.reach() }
    // Sequentially consistent, as `tryEnter` after a flag was raised pairs with a look at that flag after this.
    if owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged {
      return true
    }
    return enterOccupied(thread)
  }

  /// Leaves the gate; called only by the pass that entered it, by whichever of the three ways in.
  @inlinable
  @inline(__always)
  func leave() {
    owner.store(0, ordering: .releasing)
    InterleavingPoint.gateWasLeft.reach()
  }

  /// Enters the gate if it is free, and never waits. So it may be called with a ``Lock`` held, to enter in the same
  /// step that decides what to deliver.
  ///
  /// - Returns: Whether it entered, and must call ``leave()``.
  @inlinable
  @inline(__always)
  func enterIfFree() -> Bool {
    owner.compareExchange(expected: 0, desired: Platform.currentThread, ordering: .sequentiallyConsistent).exchanged
  }

  /// Whether this thread is inside: whether a call was made from within the downstream.
  @inlinable
  var isEntered: Bool {
    owner.load(ordering: .relaxed) == Platform.currentThread
  }

  /// Runs `body` inside the gate.
  @inlinable
  @inline(__always)
  package func pass<Result>(_ body: () -> Result) -> Result {
    let isOutermost = enter()
    defer { if isOutermost { leave() } }
    return body()
  }

  /// Enters the gate if nobody is inside, not even this thread.
  ///
  /// Somebody on the way out is waited for, for a moment: ``leave()`` is a plain store, which another processor may
  /// see a little late.
  @usableFromInline
  func tryEnter() -> Bool {
    InterleavingPoint.gateWillBeEntered.reach()
    let thread = Platform.currentThread
    for _ in 0..<64 {
      let (entered, inside) = owner.compareExchange(
        expected: 0,
        desired: thread,
        ordering: .sequentiallyConsistent
      )
      if entered { return true }
      if inside == thread { return false }
    }
    return false
  }

  /// Runs `body` inside the gate; or not at all, if the connection ends while another thread is inside.
  ///
  /// For what a request delivers. That may be made with a gate further downstream held, and the thread that ends the
  /// connection waits for that gate with this one held; but then there is nothing left to deliver.
  @inlinable
  func pass(unless hasEnded: () -> Bool, _ body: () -> Void) {
    InterleavingPoint.gateWillBeEntered.reach()
    let thread = Platform.currentThread
    if owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged {
      body()
      leave()
    } else if owner.load(ordering: .relaxed) == thread {
      body()
    } else if poll(as: thread, unless: hasEnded) {
      body()
      leave()
    }
  }

  @inline(never)
  @usableFromInline
  func enterOccupied(_ thread: UInt) -> Bool {
    if owner.load(ordering: .relaxed) == thread { return false }
    let isIn = InterleavingPoint.wait {
      owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged
    }
    if !isIn { queue.withLock { _ = poll(as: thread) { false } } }
    return true
  }

  /// Enters the gate when it is free.
  ///
  /// - Returns: Whether it did; not if it had to wait and `hasEnded` said so.
  @inline(never)
  @usableFromInline
  func poll(as thread: UInt, unless hasEnded: () -> Bool) -> Bool {
    var isOver = false
    let isDecided = InterleavingPoint.wait {
      isOver = hasEnded()
      return isOver || owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged
    }
    if isDecided { return !isOver }
    // Between two looks it keeps away from the gate's memory for a while: so the thread inside gets many values through,
    // each for some twenty nanoseconds, before the gate changes hands, which takes longer.
    var attempts: UInt32 = 0
    while true {
      if owner.load(ordering: .relaxed) == 0,
        owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged
      {
        return true
      }
      if hasEnded() { return false }
      attempts += 1
      if attempts > 256 {
        Platform.sleep(microseconds: min(attempts, 1000))
      } else if attempts > 16 {
        Platform.yieldThread()
      } else {
        Platform.spin(microseconds: 4)
      }
    }
  }
}
