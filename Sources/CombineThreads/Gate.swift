import CCombinePlatform
import Synchronization

/// A recursive lock around the calls to one downstream. It serializes them: no two threads call the downstream at once.
///
/// A second thread waits until the first has left. The same thread may enter again, and its nested call is delivered
/// first. A thread enters a gate with no ``Lock`` held. It holds no gate while it calls upstream or a scheduler, or while
/// it delivers a subscription.
///
/// - An uncontended pass costs one atomic compare-and-exchange to enter and one plain store to leave.
/// - A waiting thread spins for some microseconds and then sleeps in the ``GateQueue``. The leaving thread wakes it.
///   Another thread may still enter first, which keeps throughput high.
/// - A thread that has waited for a millisecond is impatient. The leaving thread makes it the owner, so no thread
///   overtakes it from then on.
/// - When the connection ends, ``releaseWaiting()`` makes all waiting threads return without a delivery.
/// - A request never waits. It may come from inside another gate further downstream, which the thread inside this gate
///   waits for; see ``enterOrDelegate()``.
///
/// ## Memory order
///
/// `leave()` is a plain store to `owner`, followed by a load of ``waiting``. A processor may execute that load first:
///
///     leaving thread                          waiting thread
///     loads `waiting`: no thread waits
///                                             sets `waiting`
///                                             finds `owner` set, and sleeps
///     its store to `owner` becomes visible: no thread wakes the sleeping one
///
/// A fence in between would cost as much as a second atomic operation in each pass. So the waiting thread pays. After it
/// has set `waiting`, it makes all other threads of the process execute a fence, and only then loads `owner` a last time.
/// If the leaving thread has loaded `waiting` before that fence, its store is visible after the fence, and the last load
/// finds the gate free. If it loads `waiting` after the fence, it finds it set and wakes the waiting thread. The same
/// holds for a thread that ends the connection: its store of the phase takes the place of the store to `owner`.
///
/// Where a thread cannot make others execute a fence, each `leave()` executes one.
@usableFromInline
package struct Gate: ~Copyable, Sendable {

  /// The thread inside, or zero.
  @usableFromInline
  let owner = Atomic<UInt>(0)

  /// What a leaving thread has to do for waiting threads: ``GateQueue/Flags``.
  @usableFromInline
  let waiting = Atomic<UInt8>(0)

  /// The result of an attempt to enter.
  @usableFromInline
  package enum Entry {

    /// The thread was outside before. It must call ``leave()``.
    case outermost

    /// The thread was inside already. It must not call ``leave()``.
    case nested

    /// The connection has ended while the thread waited. It is not inside.
    case refused
  }

  @inlinable
  package init() { combine_fence_prepare() }

  /// Enters the gate, waiting while another thread is inside.
  ///
  /// - Parameter thread: The calling thread, for a caller that knows it already.
  /// - Returns: Whether this thread was outside before. Only then it must call ``leave()``.
  @inlinable
  @inline(__always)
  package func enter(as thread: UInt = Platform.currentThread) -> Bool {
    enter(as: thread, unless: { false }) == .outermost
  }

  /// Enters the gate, waiting while another thread is inside, unless the connection ends meanwhile.
  ///
  /// - Parameters:
  ///   - thread: The calling thread, for a caller that knows it already.
  ///   - hasEnded: A closure that says whether the connection has ended. It is called only by a thread that has to wait,
  ///     again and again. It takes no lock.
  @inlinable
  @inline(__always)
  package func enter(as thread: UInt = Platform.currentThread, unless hasEnded: () -> Bool) -> Entry {
    InterleavingPoint.gateWillBeEntered.reach()
    let entry = claim(for: thread) ? .outermost : enterOccupied(as: thread, unless: hasEnded)
    InterleavingPoint.gateWasEntered.reach()
    return entry
  }

  /// Leaves the gate. Only the pass that has entered it calls this.
  ///
  /// - Returns: Whether another thread has delegated work to this one; see ``enterOrDelegate()``.
  @inlinable
  @inline(__always)
  @discardableResult
  package func leave() -> Bool {
    InterleavingPoint.gateStep.reach()
    let hasWork = stepOut()
    InterleavingPoint.gateWasLeft.reach()
    return hasWork
  }

  /// Does the same as ``leave()``, for a ``Lock``, which has points of its own.
  @inlinable
  @_transparent
  @discardableResult
  func stepOut() -> Bool {
    if waiting.load(ordering: .relaxed) != 0 { return leaveContended() }
    free()
    return waiting.load(ordering: .relaxed) != 0 && didLeaveContended()
  }

  /// Enters the gate if no thread is inside, and never waits. Otherwise it delegates the work: the ``leave()`` of the
  /// thread inside returns `true`, or that of a thread that enters before. So each pass of such a gate looks at that result.
  ///
  /// - Returns: Whether it entered, and must call ``leave()``.
  @inlinable
  @inline(__always)
  package func enterOrDelegate() -> Bool {
    enterIfFree() || delegate()
  }

  /// Marks the gate as free. The compiler does not move a later load before the store; see the type's comment.
  @inlinable
  @_transparent
  package func free() {
    owner.store(0, ordering: .releasing)
    combine_fence_light()
    InterleavingPoint.gateStep.reach()
  }

  /// Makes a thread the owner, if there is none.
  ///
  /// It is sequentially consistent, because it pairs with an ``enterUnlessOccupied()`` after a flag was set, and a load of
  /// that flag after this.
  @inlinable
  @_transparent
  func claim(for thread: UInt) -> Bool {
    owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged
  }

  /// Enters the gate if it is free, and never waits. It may be called with a ``Lock`` held, so that one step decides what
  /// to deliver and enters.
  ///
  /// A thread that has just left may still seem to be inside; see ``enterUnlessOccupied()``.
  ///
  /// - Returns: Whether it entered, and must call ``leave()``.
  @inlinable
  @inline(__always)
  package func enterIfFree() -> Bool {
    InterleavingPoint.gateWillBeEntered.reach()
    let isEntered = claim(for: Platform.currentThread)
    InterleavingPoint.gateWasEntered.reach()
    return isEntered
  }

  /// Whether this thread is inside, so that this call is nested in one to the downstream.
  @inlinable
  package var isEntered: Bool {
    owner.load(ordering: .relaxed) == Platform.currentThread
  }

  /// Whether another thread may be inside. One that enters later sees what this thread has stored before.
  @usableFromInline
  package var mayBeEnteredByOther: Bool {
    if isEntered { return false }
    guard enterUnlessOccupied() else { return true }
    leave()
    return false
  }

  /// Runs `body` inside the gate.
  @inlinable
  @inline(__always)
  package func pass<Result>(_ body: () -> Result) -> Result {
    let isOutermost = enter()
    let result = body()
    if isOutermost { leave() }
    return result
  }

  /// Enters the gate unless a thread is inside, maybe this one, and never waits.
  ///
  /// If it does not enter, the thread inside sees what this thread has stored before, when it leaves. That costs a fence of
  /// all threads.
  ///
  /// - Returns: Whether it entered, and must call ``leave()``.
  @usableFromInline
  package func enterUnlessOccupied() -> Bool {
    if enterIfFree() { return true }
    if isEntered { return false }
    // `leave()` is a plain store. A thread that has left may have loaded the caller's flag before its store is visible.
    Platform.fenceAllThreads()
    return claim(for: Platform.currentThread)
  }

  /// Runs `body`, which delivers, inside the gate, or not at all if the connection ends while another thread is inside.
  ///
  /// - Parameters:
  ///   - hasEnded: A closure that says whether the connection has ended. It is called only by a thread that has to wait,
  ///     again and again. It takes no lock. So `body` asks again.
  ///   - work: A closure that does what another thread has left to this one meanwhile; see ``enterOrDelegate()``.
  /// - Returns: Whether it ran.
  @inlinable
  @inline(__always)  // Otherwise the closures retain what they capture.
  @discardableResult
  package func pass(unless hasEnded: () -> Bool, delegated work: () -> Void = {}, _ body: () -> Void) -> Bool {
    switch enter(unless: hasEnded) {
    case .outermost:
      deliver(body)
      if leave() { work() }
      return true
    case .nested:
      deliver(body)
      return true
    case .refused:
      return false
    }
  }

  /// Runs `body`, which delivers what is due, inside the gate. It never waits: while another thread is inside, that thread
  /// does it when it leaves, by the same call.
  ///
  /// - Parameter body: A closure that does nothing if nothing is due any longer.
  @inlinable
  package func passOrDelegate(_ body: () -> Void) {
    if isEntered { return deliver(body) }
    while enterOrDelegate() {
      deliver(body)
      if !leave() { return }
    }
  }

  /// Runs `body`, which delivers inside the gate.
  @inlinable
  @inline(__always)
  package func deliver<Result>(_ body: () -> Result) -> Result {
    CurrentDelivery.enter(address, body)
  }

  /// The address, which identifies the gate. A gate is a stored property of an object and never moves.
  @inlinable
  package var address: UnsafeRawPointer {
    withUnsafePointer(to: self) { UnsafeRawPointer($0) }
  }

  /// Makes the waiting threads check whether the connection has ended. It is called when it has.
  @inlinable
  @inline(__always)
  package func releaseWaiting() {
    // After the caller's store that ends the connection; see the type's comment.
    combine_fence_light()
    if waiting.load(ordering: .relaxed) != 0 { wakeAll() }
  }
}

extension InterleavingPoint {

  /// Lets the watcher decide which thread continues.
  ///
  /// It is in this file, because a debug build inlines it only here, and an element passes most points in a gate.
  @inlinable
  @_transparent
  package func reach() {
    #if DEBUG
      if combine_points_are_watched() != 0 { report() }
    #endif
  }
}

// What each pass does is in this file, which a debug build inlines only here.

extension Lock {

  @inlinable
  @_transparent
  package func lock() {
    InterleavingPoint.lockWillBeTaken.reach()
    if !gate.claim(for: Platform.currentThread) { lockOccupied() }
  }

  @inlinable
  @_transparent
  package func unlock() {
    gate.stepOut()
    InterleavingPoint.lockWasReleased.reach()
  }
}
