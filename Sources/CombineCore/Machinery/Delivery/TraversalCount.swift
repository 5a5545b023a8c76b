import Synchronization

/// The number of running traversals of a ``SubscriberTable``, in two counts that take turns.
///
/// A traversal that begins is counted in the current count, and ``turn()`` makes the other count the current one. So each
/// count returns to zero, however many traversals begin, because new ones are counted in the other.
///
/// A traversal may read which count is current, be delayed, and be counted there after a turn. That does no harm: it does
/// not reach what was removed before it was counted.
@usableFromInline
struct TraversalCount: ~Copyable, Sendable {

  /// Both counts, of 31 bits each. The bit above them tells which count is current.
  @usableFromInline
  let word = Atomic<UInt64>(0)

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
    let unit = word.load(ordering: .relaxed) & Self.turned == 0 ? 1 : Self.second
    let old = word.wrappingAdd(unit, ordering: .sequentiallyConsistent).oldValue
    return Traversal(unit: unit, isAlone: old & ~Self.turned == 0)
  }

  /// - Returns: Whether this was the last traversal in its count.
  @inlinable
  @inline(__always)
  func end(_ traversal: Traversal) -> Bool {
    let new = word.wrappingSubtract(traversal.unit, ordering: .sequentiallyConsistent).newValue
    return new & (Self.mask &* traversal.unit) == 0
  }

  @inlinable
  var areRunning: Bool {
    word.load(ordering: .sequentiallyConsistent) & ~Self.turned != 0
  }

  /// Whether a traversal is running that is not counted in the current count.
  var areRunningFromBeforeTheTurn: Bool {
    let word = word.load(ordering: .sequentiallyConsistent)
    return word & (word & Self.turned == 0 ? Self.mask &* Self.second : Self.mask) != 0
  }

  /// Makes the other count the current one. One thread at a time calls it.
  func turn() {
    word.bitwiseXor(Self.turned, ordering: .sequentiallyConsistent)
  }
}
