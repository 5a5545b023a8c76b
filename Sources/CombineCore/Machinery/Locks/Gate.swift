import CCombinePlatform
import Synchronization

/// A recursive lock around the calls to one downstream. It serializes them: no two threads call the downstream at once.
///
/// A second thread waits until the first has left. The same thread may enter again, and its nested call is delivered
/// first. A thread enters a gate with no ``Lock`` held. It holds no gate while it calls upstream or a scheduler, or while
/// it delivers a subscription.
///
/// - An uncontended pass costs one atomic compare-and-exchange to enter and one plain store to leave. A thread that has passed
///   some sixty times, and no other, has a ``ThreadBias``. It then enters by a plain store, too.
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
/// Where a thread cannot make others execute a fence, each `leave()` executes one, and no thread has a mark.
@usableFromInline
package struct Gate: ~Copyable, Sendable {

  /// The thread inside, or zero.
  @usableFromInline
  let owner = Atomic<UInt>(0)

  /// The mark of a thread that passes without an atomic operation; see ``ThreadBias``. That thread is not the ``owner``.
  @usableFromInline
  let bias = ThreadBias()

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
  package init() {}

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
    let entry = enterFree(as: thread) ? .outermost : enterOccupied(as: thread, unless: hasEnded)
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
    let mark = bias.word.load(ordering: .relaxed)
    if isEnteredByMark {
      bias.leave(mark)
      InterleavingPoint.gateStep.reach()
    } else if waiting.load(ordering: .relaxed) != 0 {
      return leaveContended()
    } else {
      bias.note(mark)
      free()
    }
    return waiting.load(ordering: .relaxed) != 0 && didLeaveContended()
  }

  /// Leaves a gate at which no thread waits.
  @inlinable
  @_transparent
  func leaveUnwaited() {
    let mark = bias.word.load(ordering: .relaxed)
    if isEnteredByMark { return bias.leave(mark) }
    bias.note(mark)
    free()
  }

  /// Whether this thread, which is inside, has entered with its mark. Then it is not the owner. Another thread may just try
  /// to be that.
  @inlinable
  @_transparent
  var isEnteredByMark: Bool { owner.load(ordering: .relaxed) != Platform.currentThread }

  /// Enters the gate if no thread is inside, and never waits. Otherwise it delegates the work: the ``leave()`` of the
  /// thread inside returns `true`, or that of a thread that enters before. So each pass of such a gate looks at that result.
  ///
  /// - Returns: Whether it entered, and must call ``leave()``.
  @inlinable
  @inline(__always)
  func enterOrDelegate() -> Bool {
    enterIfFree() || delegate()
  }

  /// Marks the gate as free. The compiler does not move a later load before the store; see the type's comment.
  @inlinable
  @_transparent
  func free() {
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
    if bias.isSet, !bias.yields() { return false }
    return becomeOwner(thread)
  }

  @inlinable
  @_transparent
  func becomeOwner(_ thread: UInt) -> Bool {
    owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged
      && (!bias.isTaken || claimTaken(for: thread))
  }

  /// Enters the gate with this thread's mark, or makes it the owner, if no thread is inside.
  @inlinable
  @_transparent
  func enterFree(as thread: UInt) -> Bool {
    let mark = bias.word.load(ordering: .acquiring)
    if ThreadBias.isTaken(mark) {
      if bias.enter(mark) { return true }
      if bias.isSet, !bias.yields() { return false }
    }
    return becomeOwner(thread)
  }

  /// Enters the gate if it is free, and never waits. It may be called with a ``Lock`` held, so that one step decides what
  /// to deliver and enters.
  ///
  /// A thread that has just left may still seem to be inside; see ``enterUnlessOccupied()``.
  ///
  /// - Returns: Whether it entered, and must call ``leave()``.
  @inlinable
  @inline(__always)
  func enterIfFree() -> Bool {
    InterleavingPoint.gateWillBeEntered.reach()
    let isEntered = enterFree(as: Platform.currentThread)
    InterleavingPoint.gateWasEntered.reach()
    return isEntered
  }

  /// Whether this thread is inside, so that this call is nested in one to the downstream.
  @inlinable
  package var isEntered: Bool {
    owner.load(ordering: .relaxed) == Platform.currentThread || bias.isInside
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
  func enterUnlessOccupied() -> Bool {
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

  /// Sends an element downstream inside the gate, unless it is too late.
  ///
  /// - Parameters:
  ///   - isTooLate: A condition under which the element is dropped.
  ///   - work: A closure that does what another thread has left to this one meanwhile; see ``enterOrDelegate()``.
  @inlinable
  @inline(__always)
  func pass<S: Subscriber>(
    _ value: S.Input,
    to downstream: S,
    unless isTooLate: @autoclosure () -> Bool,
    delegated work: () -> Void = {}
  ) -> Subscribers.Demand {
    guard enterIfFree() else { return passOccupied(value, to: downstream, unless: isTooLate, delegated: work) }
    let returned = isTooLate() ? DeliveryReceipt.refuse() : deliver(value, to: downstream)
    if leave() { work() }
    return returned
  }

  /// Delivers an element inside the gate, which the thread has entered. A sink downstream then enters no other one.
  @inlinable
  @inline(__always)
  package func deliver<S: Subscriber>(_ value: S.Input, to downstream: S) -> Subscribers.Demand {
    deliver { downstream.receive(value) }
  }

  /// Runs `body`, which delivers inside the gate.
  @inlinable
  @inline(__always)
  package func deliver<Result>(_ body: () -> Result) -> Result {
    CurrentDelivery.enter(address, body)
  }

  /// Does the same as ``pass(_:to:unless:delegated:)`` while a thread is inside the gate, maybe this one. Apart, so that the usual way is short.
  @inlinable
  @inline(never)
  func passOccupied<S: Subscriber>(
    _ value: S.Input,
    to downstream: S,
    unless isTooLate: () -> Bool,
    delegated work: () -> Void
  ) -> Subscribers.Demand {
    var returned = Subscribers.Demand.none
    let isIn = pass(unless: isTooLate, delegated: work) {
      returned = isTooLate() ? DeliveryReceipt.refuse() : downstream.receive(value)
    }
    if !isIn { DeliveryReceipt.refuse() }
    return returned
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
  func reach() {
    #if DEBUG
      if combine_points_are_watched() != 0 { report() }
    #endif
  }
}

// What each pass does is in this file, which a debug build inlines only here.

extension ThreadBias {

  @inlinable
  @_transparent
  static var inside: UInt32 { 1 }

  @inlinable
  @_transparent
  static var counting: UInt32 { 2 }

  @inlinable
  @_transparent
  static var never: UInt32 { 3 }

  @inlinable
  @_transparent
  static var state: UInt32 { 3 }

  /// The bits of the thread's number.
  @inlinable
  @_transparent
  static var number: UInt32 { 0xFFF0_0000 }

  /// The bits in which the words of a thread that is inside are the same.
  @inlinable
  @_transparent
  static var identity: UInt32 { 0xFFF0_0003 }

  /// The bits of the number of passes.
  @inlinable
  @_transparent
  static var allPasses: UInt32 { 0xFC }

  /// The number of first passes, which nobody looks at. Most gates have no more.
  @inlinable
  @_transparent
  static var firstPasses: UInt32 {
    #if DEBUG
      combine_gives_marks_at_once() != 0 ? 0 : 8
    #else
      8
    #endif
  }

  /// Whether the mark of any thread is set. It may be about to be set or cleared, unless the mark was ended.
  @inlinable
  @_transparent
  var isSet: Bool { word.load(ordering: .acquiring) & Self.state == Self.inside }

  /// Sets the mark if it is this thread's. ``leave(_:)`` follows.
  ///
  /// - Parameter current: The word.
  @inlinable
  @_transparent
  func enter(_ current: UInt32) -> Bool {
    let token = combine_token()
    guard current == token else { return false }
    InterleavingPoint.gateStep.reach()
    word.store(token | Self.inside, ordering: .relaxed)
    combine_fence_compiler()  // Without the heavy fence there are no tokens.
    InterleavingPoint.gateStep.reach()
    if combine_token() == token { return true }
    word.store(token, ordering: .releasing)
    return false
  }

  /// Clears this thread's mark, with which it is inside.
  ///
  /// - Parameter current: The word, which no other thread changes meanwhile.
  @inlinable
  @_transparent
  func leave(_ current: UInt32) {
    word.store(current & ~Self.inside, ordering: .releasing)
    combine_fence_compiler()
  }

  /// Whether this thread's mark is set.
  @inlinable
  @_transparent
  var isInside: Bool {
    (word.load(ordering: .relaxed) ^ combine_token()) & Self.identity == Self.inside
  }

  /// Whether a thread has its mark here, set or not.
  @inlinable
  @_transparent
  var isTaken: Bool { Self.isTaken(word.load(ordering: .sequentiallyConsistent)) }

  @inlinable
  @_transparent
  static func isTaken(_ word: UInt32) -> Bool { word & 2 == 0 }

  /// Notes a pass of this thread, which no other thread notes at the same time. The last of many gives it the mark.
  ///
  /// - Parameter current: The word.
  @inlinable
  @_transparent
  func note(_ current: UInt32) {
    guard current & Self.state == Self.counting else { return }
    let isFirst = current & Self.allPasses < Self.firstPasses << 2
    word.store(isFirst ? current + 4 : Self.next(after: current), ordering: .relaxed)
  }
}

extension Lock {

  @inlinable
  @inline(__always)
  func lock() {
    InterleavingPoint.lockWillBeTaken.reach()
    if !gate.enterFree(as: Platform.currentThread) { lockOccupied() }
  }

  @inlinable
  @inline(__always)
  func unlock() {
    gate.stepOut()
    InterleavingPoint.lockWasReleased.reach()
  }
}
