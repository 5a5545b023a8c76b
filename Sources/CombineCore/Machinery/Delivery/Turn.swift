import CombineThreads

/// The right to send to the subscribers of one publisher. One thread has it at a time. Used with a lock held.
///
/// A thread may take it again inside its own turn. Other threads wait in a queue. The thread that ends its turn wakes the
/// first of them, which tries to take the turn. Another thread may still take it first, which keeps throughput high. A thread
/// that was too late and has waited for a millisecond is impatient: it is given the turn, so no thread overtakes it.
struct Turn: ~Copyable {

  /// What the first thread in the queue does.
  private enum First {

    /// It sleeps, and is to be woken when the turn ends.
    case sleeps

    /// It was woken, and has not tried to take the turn yet.
    case isWoken

    /// It sleeps, and is to be given the turn when that ends.
    case isImpatient
  }

  /// The thread whose turn it is, or zero.
  private(set) var owner: UInt = 0

  /// How many times it has taken the turn.
  private(set) var depth = 0

  private var waiting: [(thread: UInt, sender: WaitingSender)] = []
  private var first = First.sleeps

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

  /// Queues a thread. Each time ``WaitingSender/wait()`` has returned, it tries ``takeAfterWaiting(isImpatient:for:)``.
  mutating func join(as thread: UInt) -> WaitingSender {
    let sender = WaitingSender()
    waiting.append((thread, sender))
    return sender
  }

  /// Takes the turn for the thread that was woken, which has been given it, or is the first in the queue.
  ///
  /// - Parameter isImpatient: Whether the thread is given the turn if it is too late this time.
  /// - Returns: `false` if it is to wait again.
  mutating func takeAfterWaiting(isImpatient: @autoclosure () -> Bool, for thread: UInt) -> Bool {
    if owner == thread { return true }
    guard owner == 0 else {
      first = isImpatient() ? .isImpatient : .sleeps
      return false
    }
    giveToFirst()
    return true
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

  /// Ends what one ``take(for:)`` began. The last one gives the turn to the first thread in the queue, or frees it.
  ///
  /// - Returns: What that thread waits with, to be woken with the lock free.
  mutating func end() -> WaitingSender? {
    if endUnlessWaited() { return nil }
    let sender = waiting[0].sender
    if first == .isImpatient {
      giveToFirst()
      return sender
    }
    depth = 0
    owner = 0
    if first == .isWoken { return nil }
    first = .isWoken
    return sender
  }

  private mutating func giveToFirst() {
    owner = waiting.removeFirst().thread
    depth = 1
    first = .sleeps
  }
}
