import CombineThreads

/// The right to send to the subscribers of one publisher. One thread has it at a time. Used with a lock held.
///
/// A thread may take it again inside its own turn. Other threads wait in a queue, and each is given the turn by the one
/// before it, so no thread overtakes another.
struct Turn: ~Copyable {

  /// The thread whose turn it is, or zero.
  private(set) var owner: UInt = 0

  /// How many times it has taken the turn.
  private(set) var depth = 0

  private var waiting: [(thread: UInt, sender: WaitingSender)] = []

  var waitingCount: Int { waiting.count }

  /// Takes the turn if it is nobody's, or this thread's already.
  mutating func take(for thread: UInt) -> Bool {
    if owner != thread {
      if owner != 0 { return false }
      owner = thread
    }
    depth += 1
    return true
  }

  /// Queues a thread. When ``WaitingSender/wait()`` has returned, it has taken the turn.
  mutating func join(as thread: UInt) -> WaitingSender {
    let sender = WaitingSender()
    waiting.append((thread, sender))
    return sender
  }

  /// Ends what one ``take(for:)`` began, unless it is the last one and another thread waits.
  mutating func endUnlessWaited() -> Bool {
    if depth > 1 {
      depth -= 1
      return true
    }
    if waiting.count > 0 { return false }
    depth = 0
    owner = 0
    return true
  }

  /// Ends what one ``take(for:)`` began. The last one gives the turn to the first thread in the queue.
  ///
  /// - Returns: What that thread waits with, to be woken with the lock free.
  mutating func end() -> WaitingSender? {
    if endUnlessWaited() { return nil }
    let next = waiting.removeFirst()
    owner = next.thread
    depth = 1
    return next.sender
  }
}
