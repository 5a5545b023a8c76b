import CombineThreads

/// The delivery of a subscription to the downstream, and whether an event waits for it.
///
/// A subscription is delivered with no lock and no gate held. The downstream may request elements in that call, and the
/// upstream may then wait for another thread that waits for the gate. Elements need no care: they arrive only after a
/// request, which only a downstream with its subscription can make. A completion needs no demand:
///
///     thread A: accepts the subscription          thread B
///                                                 the upstream completes
///                                                 the completion is held here
///     delivers the subscription
///     handles the held completion
///
/// This structure has no lock. The lock of its owner guards it. Its owner knows the event; if not, see
/// ``EventAnnouncement``. It is not generic, as a debug build would look up the type of an optional event for each subscription.
@usableFromInline
package struct Announcement {

  /// The thread that delivers the subscription. It is the greatest number before that, and zero afterwards.
  @usableFromInline
  var thread: UInt

  /// Whether the delivery has begun.
  @usableFromInline
  package var hasBegun = false

  /// Whether an event is held.
  @usableFromInline
  package var isHolding = false

  /// Whether the downstream has cancelled. An event that would be held is dropped then.
  @usableFromInline
  var isWithdrawn = false

  /// Creates the state of a subscription whose delivery has not begun.
  ///
  /// - Parameter thread: A thread whose events wait for nothing until then, because it causes the delivery; none by default.
  @inlinable
  package init(causedBy thread: UInt = .max) {
    self.thread = thread
  }

  /// Whether the downstream has received its subscription.
  @inlinable
  package var isDone: Bool { thread == 0 }

  /// Notes that this thread is about to deliver the subscription.
  ///
  /// - Returns: Whether it must do so. A second subscription is not delivered, and changes nothing.
  @inlinable
  package mutating func begin(on thread: UInt = Platform.currentThread) -> Bool {
    guard !hasBegun else { return false }
    hasBegun = true
    self.thread = thread
    return true
  }

  /// Whether an event would overtake the subscription.
  ///
  /// A nested event on the delivering thread would not, because the downstream has caused it.
  @inlinable
  package func isPending(for thread: UInt = Platform.currentThread) -> Bool {
    !isDone && self.thread != thread
  }

  /// Holds an event that would overtake the subscription.
  ///
  /// - Returns: Whether an event is held: this one, which ``end()`` then reports, or an earlier one.
  @inlinable
  package mutating func holds(from thread: UInt = Platform.currentThread) -> Bool {
    (isPending(for: thread) || isHolding || isWithdrawn) && holdsUntilEnd()
  }

  /// Does the same for an operator that holds nested events, too.
  @inlinable
  package mutating func holdsUntilEnd() -> Bool {
    guard !isDone else { return false }
    if !isWithdrawn { isHolding = true }
    return true
  }

  /// Notes that the downstream has requested something. So it has its subscription, even inside the call that delivers it.
  /// An event that is held already still waits for the end of that call.
  @inlinable
  package mutating func noteRequest() {
    if !isHolding, !isWithdrawn { _ = end() }
  }

  /// Drops the event that is or would be held, because the downstream has cancelled.
  @inlinable
  package mutating func withdraw() {
    isWithdrawn = true
    isHolding = false
  }

  /// Holds no event from now on, because the delivery may never begin. It may still begin, and then holds events again.
  ///
  /// - Returns: Whether an event was held, which the caller must handle now.
  @inlinable
  package mutating func stopHolding() -> Bool {
    thread = 0
    defer { isHolding = false }
    return isHolding
  }

  /// Notes that the downstream has received its subscription.
  ///
  /// - Returns: Whether an event was held, which the caller must handle now.
  @inlinable
  package mutating func end() -> Bool {
    hasBegun = true
    return stopHolding()
  }
}

/// An ``Announcement`` that keeps the event.
@usableFromInline
package struct EventAnnouncement<Event> {

  @usableFromInline
  var announcement = Announcement()

  /// The event that is held.
  @usableFromInline
  package var held: Event?

  @inlinable
  package init() {}

  @inlinable
  package var hasBegun: Bool { announcement.hasBegun }

  @inlinable
  package var isDone: Bool { announcement.isDone }

  @inlinable
  package mutating func begin(on thread: UInt = Platform.currentThread) -> Bool { announcement.begin(on: thread) }

  @inlinable
  package func isPending(for thread: UInt = Platform.currentThread) -> Bool { announcement.isPending(for: thread) }

  @inlinable
  package mutating func holds(_ event: Event, from thread: UInt = Platform.currentThread) -> Bool {
    let isHeld = announcement.holds(from: thread)
    keep(event)
    return isHeld
  }

  @inlinable
  package mutating func holdsUntilEnd(_ event: Event) -> Bool {
    let isHeld = announcement.holdsUntilEnd()
    keep(event)
    return isHeld
  }

  @inlinable
  mutating func keep(_ event: Event) {
    if announcement.isHolding, held == nil { held = event }
  }

  @inlinable
  package mutating func noteRequest() { announcement.noteRequest() }

  /// - Returns: The event, to be released with no lock held.
  @inlinable
  package mutating func withdraw() -> Event? {
    announcement.withdraw()
    return exchange(&held, with: nil)
  }

  /// - Returns: The held event, which the caller must handle now.
  @inlinable
  package mutating func end() -> Event? {
    _ = announcement.end()
    return exchange(&held, with: nil)
  }
}
