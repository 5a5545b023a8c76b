import CCombinePlatform
import Synchronization

/// A recursive lock held around the calls to one downstream, so that no two threads are in it at once.
///
/// A second thread waits until the first has left; the same thread re-enters and is delivered in nested order. Enter a
/// gate with no ``Lock`` held, and never hold it around calls upstream, to a scheduler or around handing over a
/// subscription.
///
/// - An uncontended pass costs one atomic compare-and-exchange on the way in and one plain store on the way out.
/// - A waiting thread spins for some microseconds and then sleeps in ``GateQueue``. The thread that leaves wakes it.
///   Another thread may still enter before it: that keeps throughput high.
/// - A thread that has waited for a millisecond is impatient: the thread that leaves hands the gate over to it, so
///   nobody overtakes it any more.
/// - When the connection ends, ``releaseWaiting()`` lets all waiting threads return without a delivery.
/// - A request never waits, as it may be made from inside another gate, further downstream, which the thread inside this
///   one waits for: see ``enterOrDelegate()``.
///
/// ## Memory order
///
/// `leave()` is a plain store followed by a load of ``waiting``, and a processor may execute that load first:
///
///     leaving thread                          waiting thread
///     loads `waiting`: nobody waits
///                                             sets `waiting`
///                                             finds `owner` set, and sleeps
///     its store to `owner` becomes visible: nobody wakes the sleeper
///
/// A fence in between would cost as much as a second atomic operation in each pass. So the waiting thread pays: between
/// setting `waiting` and its last look at `owner` it makes all other threads of the process execute a fence. If the
/// leaving thread has loaded `waiting` before that fence, then its store is visible after it, and the last look
/// finds the gate free. If it loads `waiting` after the fence, it finds it set, and wakes the sleeper. The same holds for
/// a thread that ends the connection: its store of the phase takes the place of the store to `owner`.
@usableFromInline
package struct Gate: ~Copyable, Sendable {

  /// The thread inside, or zero.
  @usableFromInline
  let owner = Atomic<UInt>(0)

  /// What a leaving thread has to do for those that wait: a ``GateQueue/Flags``.
  @usableFromInline
  let waiting = Atomic<UInt32>(0)

  /// What became of an attempt to enter.
  @usableFromInline
  enum Entry {

    /// The thread was outside before, and must call ``leave()``.
    case outermost

    /// The thread was inside already, and must not.
    case nested

    /// The thread has waited, and the connection has ended meanwhile. It is not inside.
    case refused
  }

  @inlinable
  package init() {}

  /// Enters the gate, waiting while another thread is inside.
  ///
  /// - Parameter thread: The calling thread, for a caller that has asked already.
  /// - Returns: Whether this thread was outside before. If so it must call ``leave()``, if not it must not.
  @inlinable
  @inline(__always)
  func enter(as thread: UInt = Platform.currentThread) -> Bool {
    enter(as: thread, unless: { false }) == .outermost
  }

  /// Enters the gate, waiting while another thread is inside, unless the connection ends meanwhile.
  ///
  /// - Parameters:
  ///   - thread: The calling thread, for a caller that has asked already.
  ///   - hasEnded: A closure that says whether the connection has ended. It is called only by a thread that has to wait.
  @inlinable
  @inline(__always)
  func enter(as thread: UInt = Platform.currentThread, unless hasEnded: () -> Bool) -> Entry {
    InterleavingPoint.gateWillBeEntered.reach()
    defer { InterleavingPoint.gateWasEntered.reach() }
    // Sequentially consistent, as `tryEnter` after a flag was raised pairs with a look at that flag after this.
    if owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged {
      return .outermost
    }
    return enterOccupied(as: thread, unless: hasEnded)
  }

  /// Leaves the gate; called only by the pass that entered it.
  ///
  /// - Returns: Whether another thread has left work to this one; see ``enterOrDelegate()``.
  @inlinable
  @inline(__always)
  @discardableResult
  func leave() -> Bool {
    InterleavingPoint.gateStep.reach()
    defer { InterleavingPoint.gateWasLeft.reach() }
    if waiting.load(ordering: .relaxed) != 0 { return leaveContended() }
    free()
    return waiting.load(ordering: .relaxed) != 0 && didLeaveContended()
  }

  /// Enters the gate if nobody is inside, and never waits. Otherwise the thread that is inside is told, when it leaves,
  /// that there is work to do in this one's place.
  ///
  /// It is for gates whose waiting threads are refused at the end of the connection only: one that is refused tells
  /// nobody.
  ///
  /// - Returns: Whether it entered, and must call ``leave()``.
  @inlinable
  @inline(__always)
  func enterOrDelegate() -> Bool {
    InterleavingPoint.gateWillBeEntered.reach()
    defer { InterleavingPoint.gateWasEntered.reach() }
    return enterIfFree() || delegate()
  }

  /// Marks the gate as free. A load that follows is not executed before in program order; see the type's comment.
  @inlinable
  @inline(__always)
  func free() {
    #if os(Linux) || os(Android) || os(Windows)
      owner.store(0, ordering: .releasing)
      combine_fence_light()
    #else
      // There is no fence that another thread could make this one execute.
      _ = owner.exchange(0, ordering: .sequentiallyConsistent)
    #endif
    InterleavingPoint.gateStep.reach()
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
  @usableFromInline
  func tryEnter() -> Bool {
    InterleavingPoint.gateWillBeEntered.reach()
    let thread = Platform.currentThread
    let (entered, inside) = owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent)
    if entered { return true }
    if inside == thread { return false }
    // `leave()` is a plain store: a thread that has left may have looked at the caller's flag before this is visible.
    Platform.fenceAllThreads()
    return owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged
  }

  /// Runs `body` inside the gate, or not at all if the connection ends while another thread is inside.
  ///
  /// - Parameters:
  ///   - hasEnded: A closure that says whether the connection has ended. It is called only by a thread that has to wait.
  ///   - work: A closure that does what another thread has left to this one meanwhile; see ``enterOrDelegate()``.
  @inlinable
  package func pass(unless hasEnded: () -> Bool, delegated work: () -> Void = {}, _ body: () -> Void) {
    switch enter(unless: hasEnded) {
    case .outermost:
      body()
      if leave() { work() }
    case .nested:
      body()
    case .refused:
      break
    }
  }

  /// Lets the threads that wait look again whether the connection has ended. To be called when it has.
  @inlinable
  @inline(__always)
  package func releaseWaiting() {
    // The caller's store that ends the connection comes first; see the type's comment.
    combine_fence_light()
    if waiting.load(ordering: .relaxed) != 0 { wakeAll() }
  }
}
