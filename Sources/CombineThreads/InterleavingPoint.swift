import CCombinePlatform

/// A point at which another thread may interrupt: around each lock and each gate, and between atomic operations.
///
/// A test that runs the threads of a short program in every order is called at each point, and decides which thread
/// continues. The points are empty in release builds.
@usableFromInline
package enum InterleavingPoint: Sendable {
  case lockWillBeTaken, lockWasReleased
  case gateWillBeEntered, gateWasEntered, gateWasLeft

  /// Another thread is inside. This thread cannot continue until that thread has left.
  case gateIsOccupied

  /// Between two steps of a gate's algorithm, for tests of gates.
  case gateStep

  /// This thread sleeps until another thread wakes it; this thread has woken another one.
  case threadSleeps, threadIsWoken

  /// Asks whether a test decides when this thread continues.
  case threadIsDirected

  /// Between two atomic operations of an algorithm that needs no lock for them.
  case atomicStep

  #if DEBUG
    // Written once, before the points are watched, and read only afterwards.
    private nonisolated(unsafe) static var watcher: (InterleavingPoint) -> Bool = { _ in false }

    @usableFromInline
    @discardableResult
    func report() -> Bool { Self.watcher(self) }
  #endif

  /// Sets the function that is called at each point, on the thread that reaches it. It is called once.
  ///
  /// - Parameter watcher: A closure that returns whether it decides when this thread continues.
  package static func watch(_ watcher: @escaping @Sendable (InterleavingPoint) -> Bool) {
    #if DEBUG
      precondition(combine_points_are_watched() == 0, "there is a watcher already")
      self.watcher = watcher
      combine_watch_points()
    #endif
  }

  /// Tries to enter a gate whenever the watcher lets this thread continue.
  ///
  /// - Parameter tryToEnter: A closure that returns whether the thread has entered; `nil` to wait on.
  /// - Returns: The result of the closure; `nil` if no test decides when this thread continues.
  static func wait(toEnter tryToEnter: () -> Bool?) -> Bool? {
    #if DEBUG
      while combine_points_are_watched() != 0, gateIsOccupied.report() {
        if let result = tryToEnter() { return result }
      }
    #endif
    return nil
  }

  /// Whether a test decides when this thread continues.
  static var isDirected: Bool {
    #if DEBUG
      combine_points_are_watched() != 0 && threadIsDirected.report()
    #else
      false
    #endif
  }
}
