import CCombinePlatform
import Synchronization

/// The mark of one thread, which that thread sets and clears with plain stores, until another thread comes.
///
/// A gate or a table that one thread has used many times belongs to it. Another thread takes that away, for good:
///
///     thread with the mark                        other thread
///     sets the mark                               ends the token of the first
///     is inside if its token is still the same    makes all threads execute a fence
///     clears the mark                             waits while the mark is set
///
/// If the first thread loads its token before the fence, its mark is visible after it. If it loads it later, it finds another
/// token, and passes as if it had no mark. A token stands for all marks of a thread, so many gates cost one fence.
///
/// A mark that is set without being inside is cleared at once by its thread, which then tries to enter as any other thread
/// does. So whoever has found the mark, and waits, is woken.
@usableFromInline
package struct ThreadBias: ~Copyable, Sendable {

  /// The token of the thread, and in the lowest two bits the state.
  ///
  /// In the state `counting` the token's generation is replaced by numbers of passes and of changes of the thread.
  @usableFromInline
  let word = Atomic<UInt32>(2)

  @inlinable
  init() {}

  // MARK: The thread with the mark

  @inlinable
  @inline(never)
  func abandon() {
    word.store(Self.never, ordering: .releasing)
  }

  // MARK: Other threads

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
