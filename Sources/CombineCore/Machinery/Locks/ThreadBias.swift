import CCombinePlatform
import Synchronization

/// The mark of one thread that it sets and clears with plain stores, until another thread needs to know. Then the mark is
/// taken away for good.
///
/// A gate or a table that one thread has used many times, and no other, belongs to that thread. The other thread ends the
/// first one's token, and makes all threads execute a fence:
///
///     thread with the mark                    other thread
///     sets the mark                           ends the token
///     loads its token: is it the same?        fences all threads
///     is inside, or clears the mark           loads the mark
///
/// If the first thread has loaded its token before the fence, the other one finds the mark. If it loads it after the fence,
/// it finds another token, and does what it would do without the mark. Ending a token ends the marks of the thread everywhere,
/// so many gates cost one fence. The thread may get new marks elsewhere.
@usableFromInline
package struct ThreadBias: ~Copyable, Sendable {

  /// The token of the thread, and in the lowest two bits the state.
  ///
  /// In the state `counting` the token's generation is replaced by numbers of passes and of changes of the thread.
  @usableFromInline
  let word = Atomic<UInt32>(2)

  @inlinable
  @_transparent
  static var outside: UInt32 { 0 }

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

  /// The bits in which the words of a thread that is inside are the same.
  @inlinable
  @_transparent
  static var identity: UInt32 { 0xFFF0_0003 }

  @inlinable
  init() {}

  // MARK: The thread with the mark

  @inlinable
  @inline(never)
  func abandon() {
    word.store(Self.never, ordering: .releasing)
  }

  // MARK: Other threads

  /// Whether the mark of any thread is set. It may be about to be set or cleared, unless the mark was ended.
  @inlinable
  @_transparent
  var isSet: Bool { word.load(ordering: .acquiring) & Self.state == Self.inside }

  /// Takes the mark away. If it is set, it stays so until its thread clears it.
  ///
  /// - Returns: Whether it is set.
  @usableFromInline
  @inline(never)
  func end() -> Bool {
    let current = word.load(ordering: .relaxed)
    guard current & 2 == 0 else { return false }
    let token = current & ~Self.state
    InterleavingPoint.gateStep.reach()
    if combine_end_token(token) == 0 {
      Platform.fenceAllThreads()
      combine_note_fence(token)
    }
    InterleavingPoint.gateStep.reach()
    // It fails if the mark is set. Then its thread makes it `never`.
    let (isGone, _) = word.compareExchange(expected: token, desired: Self.never, ordering: .sequentiallyConsistent)
    return !isGone && isSet
  }

  /// Takes the mark away if it is another thread's.
  ///
  /// - Returns: Whether no mark is set any longer.
  @usableFromInline
  @inline(never)
  func yields() -> Bool { !isInside && !end() }

  // MARK: Getting a mark

  /// Ends the counting, as threads meet here.
  @inlinable
  func giveUp() {
    if word.load(ordering: .relaxed) & Self.state == Self.counting { word.store(Self.never, ordering: .relaxed) }
  }

  /// The number of first passes, which nobody looks at. Most gates have no more.
  @inlinable
  @_transparent
  static var firstPasses: UInt32 {
    #if DEBUG
      UInt32(combine_first_passes())
    #else
      8
    #endif
  }

  /// The number of changes of the thread after which none gets it.
  private static var changes: UInt32 { 3 }

  /// Gives each mark after the first pass, but only to threads that a test directs. It is for debug builds.
  package static func giveMarksAtOnce() { combine_set_passes(0, 0) }

  /// Counts a pass after the first ones. The thread gets the mark after `combine_passes()` in a row.
  ///
  ///     twelve bits | … | two bits  | six bits | two bits
  ///     number      |   | changes   | passes   | state
  @usableFromInline
  @inline(never)
  static func next(after current: UInt32) -> UInt32 {
    let passes = UInt32(combine_passes())
    if passes == 0, !InterleavingPoint.isDirected { return current }
    let token = combine_make_token()
    guard token != 0 else { return never }
    if current >> 20 == token >> 20 { return current >> 2 & 63 < passes ? current + 4 : token }
    if passes == 0 { return token }
    let change = current >> 8 & 3
    return change == changes ? never : token & 0xFFF0_0000 | (change + 1) << 8 | firstPasses << 2 | counting
  }
}
