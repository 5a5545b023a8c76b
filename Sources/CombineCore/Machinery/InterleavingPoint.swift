import Synchronization

/// A moment at which another thread may get in between: around each lock and each gate, and between atomic operations.
///
/// A test that runs the threads of a short program in every order is called at each of them, and decides who goes on.
/// In release builds there is nothing of this.
@usableFromInline
package enum InterleavingPoint: Sendable {
  case lockWillBeTaken, lockWasReleased
  case gateWillBeEntered, gateWasEntered, gateWasLeft

  /// Another thread is inside: this one cannot go on until that has left.
  case gateIsOccupied

  /// Between two steps of what a gate does itself, for a test of gates.
  case gateStep

  /// This thread sleeps until another one wakes it; and another one does.
  case threadSleeps, threadIsWoken

  /// Asks whether it is decided when this thread goes on.
  case threadIsDirected

  /// Between two atomic operations of an algorithm that needs no lock for them, though one may be held.
  case atomicStep

  #if DEBUG
    @usableFromInline
    static let isWatched = Atomic<Bool>(false)

    // Written once, before `isWatched` is set, and read only when that is.
    private nonisolated(unsafe) static var watcher: (InterleavingPoint) -> Bool = { _ in false }

    @usableFromInline
    @discardableResult
    func report() -> Bool { Self.watcher(self) }
  #endif

  /// Has a function called at each point from now on, on whichever thread is there. To be called once.
  ///
  /// - Parameter watcher: Returns whether it decides when this thread goes on, and has decided so.
  package static func watch(_ watcher: @escaping @Sendable (InterleavingPoint) -> Bool) {
    #if DEBUG
      precondition(!isWatched.load(ordering: .acquiring), "somebody watches already")
      self.watcher = watcher
      isWatched.store(true, ordering: .releasing)
    #endif
  }

  /// Lets the watcher decide who goes on.
  @inlinable
  @inline(__always)
  func reach() {
    #if DEBUG
      if Self.isWatched.load(ordering: .acquiring) { report() }
    #endif
  }

  /// Tries to enter a gate whenever the watcher says so.
  ///
  /// - Parameter tryToEnter: A closure that returns whether the wait has ended with the thread inside; `nil` if it goes on.
  /// - Returns: What the closure returned; `nil` if nobody decides when this thread goes on, so that it waits by itself.
  static func wait(toEnter tryToEnter: () -> Bool?) -> Bool? {
    #if DEBUG
      while isWatched.load(ordering: .acquiring), gateIsOccupied.report() {
        if let result = tryToEnter() { return result }
      }
    #endif
    return nil
  }

  /// Whether a test decides when this thread goes on.
  static var isDirected: Bool {
    #if DEBUG
      isWatched.load(ordering: .acquiring) && threadIsDirected.report()
    #else
      false
    #endif
  }
}
