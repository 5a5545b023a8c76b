/// The delivery of a subscription to the downstream, and the one event that waits for it.
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
/// This structure has no lock. The lock of its owner guards it.
@usableFromInline
package struct Announcement<Event> {

  /// The thread that delivers the subscription. It is the greatest number before that, and zero afterwards.
  @usableFromInline
  var thread = UInt.max

  @usableFromInline
  var held: Event?

  @inlinable
  package init() {}

  /// Notes that this thread is about to deliver the subscription.
  ///
  /// - Returns: Whether it must do so. A second subscription is not delivered, and changes nothing.
  @inlinable
  package mutating func begin(on thread: UInt = Platform.currentThread) -> Bool {
    guard self.thread == .max else { return false }
    self.thread = thread
    return true
  }

  /// Whether an event would overtake the subscription.
  ///
  /// A nested event on the delivering thread would not, because the downstream has caused it.
  @inlinable
  package func isPending(for thread: UInt = Platform.currentThread) -> Bool {
    self.thread != 0 && self.thread != thread
  }

  /// Holds an event that would overtake the subscription.
  ///
  /// - Returns: Whether an event is held: this one, which ``end()`` then returns, or an earlier one.
  @inlinable
  package mutating func holds(_ event: Event, from thread: UInt = Platform.currentThread) -> Bool {
    guard isPending(for: thread) else { return false }
    if held == nil { held = event }
    return true
  }

  /// Notes that the downstream has received its subscription.
  ///
  /// - Returns: The held event, which the caller must handle now.
  @inlinable
  package mutating func end() -> Event? {
    thread = 0
    return exchange(&held, with: nil)
  }
}
