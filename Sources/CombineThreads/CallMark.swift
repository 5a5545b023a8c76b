import CCombinePlatform
import Synchronization

/// The mark of a call that holds no lock, such as one to a closure, for the thread that ends the closure's owner.
///
/// At least one of the two threads sees what the other has written, so the closure is released, and not during the call:
///
///     calling thread                        ending thread
///     sets the mark                         notes the end
///                                           all threads execute a fence
///     calls, unless it sees the end         releases, unless it sees the mark
///     clears the mark
///     releases, if it sees the end
///
/// One thread at a time calls. Its calls may be nested.
@usableFromInline
package struct CallMark: ~Copyable, Sendable {

  @usableFromInline
  let isSet = Atomic<UInt8>(0)

  @inlinable
  package init() { combine_fence_prepare() }

  /// Sets the mark. The calling thread then looks for the end. ``end(_:)`` follows.
  ///
  /// - Returns: Whether it was set, by a call around this one.
  @inlinable
  @_transparent
  package func begin() -> UInt8 {
    let outer = isSet.load(ordering: .relaxed)
    isSet.store(1, ordering: .relaxed)
    combine_fence_light()
    return outer
  }

  /// Ends the call. The calling thread then looks for the end.
  @inlinable
  @_transparent
  package func end(_ outer: UInt8) {
    isSet.store(outer, ordering: .releasing)
    combine_fence_light()
  }

  /// Makes the mark of another thread visible to the ending thread, after it has noted the end.
  @usableFromInline
  package static func makeVisible() { Platform.fenceAllThreads() }

  /// Whether no call is running, as far as is visible.
  @inlinable
  package var isClear: Bool { isSet.load(ordering: .acquiring) == 0 }
}
