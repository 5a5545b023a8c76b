import CCombinePlatform
import Synchronization

/// The number of running traversals of a ``SubscriberTable``, in two counts that take turns.
///
/// A traversal that begins is counted in the current count, and ``turn()`` makes the other count the current one. So each
/// count returns to zero, however many traversals begin, because new ones are counted in the other.
///
/// A traversal may read which count is current, be delayed, and be counted there after a turn. That does no harm: it does
/// not reach what was removed before it was counted.
///
/// The traversals of a thread with a ``ThreadBias`` are not counted. They hold back what either count would.
@usableFromInline
struct TraversalCount: ~Copyable, Sendable {

  /// Both counts, of 31 bits each. The bit above them tells which count is current.
  @usableFromInline
  let word = Atomic<UInt64>(0)

  /// The mark of a thread whose traversals are not counted. Its outermost one sets the mark.
  @usableFromInline
  let bias = ThreadBias()

  @usableFromInline
  let history = ThreadBias()

  /// What a traversal inside a marked one counts as.
  @inlinable
  @_transparent
  static var nested: UInt64 { 1 << 63 }

  @inlinable
  @_transparent
  static var second: UInt64 { 0x8000_0000 }

  @inlinable
  @_transparent
  static var turned: UInt64 { 0x4000_0000_0000_0000 }

  @inlinable
  @_transparent
  static var mask: UInt64 { second &- 1 }

  /// One running traversal.
  @usableFromInline
  struct Traversal {

    /// The number one, in the count of this traversal.
    @usableFromInline
    let unit: UInt64

    /// Whether no other traversal was running when this one began.
    @usableFromInline
    let isAlone: Bool

    @inlinable
    @_transparent
    init(unit: UInt64, isAlone: Bool) {
      self.unit = unit
      self.isAlone = isAlone
    }
  }

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  func begin() -> Traversal {
    let mark = bias.word.load(ordering: .relaxed)
    if ThreadBias.isTaken(mark) {
      if bias.enter(mark) {
        return Traversal(unit: 0, isAlone: word.load(ordering: .sequentiallyConsistent) & ~Self.turned == 0)
      }
      if bias.isInside { return Traversal(unit: Self.nested, isAlone: false) }
    }
    let unit = word.load(ordering: .relaxed) & Self.turned == 0 ? 1 : Self.second
    let old = word.wrappingAdd(unit, ordering: .sequentiallyConsistent).oldValue
    let isMarked = bias.isTaken && bias.end()
    return Traversal(unit: unit, isAlone: old & ~Self.turned == 0 && !isMarked)
  }

  /// - Returns: Whether this was the last traversal in its count.
  @inlinable
  @inline(__always)
  func end(_ traversal: Traversal) -> Bool {
    if traversal.unit == 0 {
      bias.leave(bias.word.load(ordering: .relaxed))
      return true
    }
    if traversal.unit == Self.nested { return false }
    let new = word.wrappingSubtract(traversal.unit, ordering: .sequentiallyConsistent).newValue
    if bias.word.load(ordering: .relaxed) & ThreadBias.state == ThreadBias.counting { note() }
    return new & (Self.mask &* traversal.unit) == 0
  }

  /// Counts the traversals of each thread, until one has the mark. Threads may count at the same time, and wrongly.
  @usableFromInline
  @inline(never)
  func note() {
    let current = bias.word.load(ordering: .relaxed)
    var next = current
    if current == ThreadBias.counting {
      history.note(history.word.load(ordering: .relaxed))
      next = history.word.load(ordering: .relaxed)
    } else {
      // A thread gets its mark again; see ``ThreadBias/end()``.
      next = ThreadBias.next(after: current)
    }
    if next & ThreadBias.state == ThreadBias.counting { return }
    _ = bias.word.compareExchange(expected: current, desired: next, ordering: .sequentiallyConsistent)
  }

  /// Whether a marked traversal is running, maybe one that has just ended. Another thread's mark is taken away.
  @usableFromInline
  func isMarked() -> Bool {
    guard bias.isTaken else { return false }
    if bias.word.load(ordering: .relaxed) == combine_token() { return false }
    return bias.isInside || bias.end()
  }

  @usableFromInline
  var areRunning: Bool {
    word.load(ordering: .sequentiallyConsistent) & ~Self.turned != 0 || isMarked()
  }

  /// Whether a traversal is running that is not counted in the current count.
  var areRunningFromBeforeTheTurn: Bool {
    let word = word.load(ordering: .sequentiallyConsistent)
    if word & (word & Self.turned == 0 ? Self.mask &* Self.second : Self.mask) != 0 { return true }
    guard isMarked() else { return false }
    // Another thread has just ended its traversal, or looks for what it has to release when it ends.
    if !bias.isInside { Platform.fenceAllThreads() }
    return bias.isSet
  }

  /// Makes the other count the current one. One thread at a time calls it.
  func turn() {
    word.bitwiseXor(Self.turned, ordering: .sequentiallyConsistent)
  }
}
