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

  // MARK: Other threads

  /// Takes the mark away. If it is set, it stays so until its thread clears it.
  ///
  /// The token of the calling thread's own mark may have ended elsewhere, while no other thread has been here. Then the thread
  /// gets the mark again with its next pass.
  ///
  /// - Returns: Whether it is set.
  @usableFromInline
  @inline(never)
  func end() -> Bool {
    while true {
      let current = word.load(ordering: .sequentiallyConsistent)
      guard Self.isTaken(current) else { return false }
      let isOwn = (current ^ combine_token()) >> 20 == 0 && current & Self.state != Self.inside
      if !isOwn { endToken(current & ~Self.state) }
      let (isGone, original) = word.compareExchange(
        expected: current & ~Self.state,
        desired: isOwn ? current & Self.number | Self.allPasses | Self.counting : Self.never,
        ordering: .sequentiallyConsistent
      )
      if isGone { return false }
      // If the thread has got the mark again meanwhile, it has another token, which is to be ended, too.
      if original == current & ~Self.state | Self.inside { return true }
    }
  }

  private func endToken(_ token: UInt32) {
    InterleavingPoint.gateStep.reach()
    if combine_end_token(token) == 0 {
      Platform.fenceAllThreads()
      combine_note_fence(token)
    }
    InterleavingPoint.gateStep.reach()
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

  /// The number of passes in a row after which a thread gets the mark.
  private static var passes: UInt32 { 60 }

  /// The number of changes of the thread after which none gets it.
  private static var changes: UInt32 { 3 }

  /// Gives threads that a test directs each mark after the first pass. It is for debug builds.
  package static func giveMarksAtOnce() { combine_give_marks_at_once() }

  /// Gives up all marks of this thread, which is inside nothing, and its number.
  package static func returnNumber() { combine_return_number() }

  /// Counts a pass after the first ones.
  ///
  ///     twelve bits | … | two bits  | six bits | two bits
  ///     number      |   | changes   | passes   | state
  @usableFromInline
  @inline(never)
  static func next(after current: UInt32) -> UInt32 {
    let token = combine_make_token()
    guard token != 0 else { return never }
    if combine_gives_marks_at_once() != 0, InterleavingPoint.isDirected { return token }
    if current >> 20 == token >> 20 { return current >> 2 & 63 < passes ? current + 4 : token }
    let change = current >> 8 & 3
    return change == changes ? never : token & number | (change + 1) << 8 | firstPasses << 2 | counting
  }
}
