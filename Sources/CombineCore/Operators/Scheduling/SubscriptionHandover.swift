/// Whether the downstream has its subscription, and what another thread sends before it has.
///
/// An operator hands its subscription over with no lock and no gate held: the downstream may request inside that call,
/// and the upstream may then wait for another thread that waits for the gate. Values need no care, as nobody sends one
/// before it is requested, which only a downstream that has its subscription can do. A completion needs no demand:
///
///     thread A: accepts the subscription          thread B
///                                                 the upstream completes
///                                                 the completion is held here
///     hands the subscription over
///     takes the completion as if it came now
///
/// It has no lock: the operator's guards it.
@usableFromInline
struct SubscriptionHandover<Event> {

  /// The thread that hands the subscription over; the greatest number before, zero after.
  @usableFromInline
  var thread = UInt.max

  @usableFromInline
  var held: Event?

  @inlinable
  init() {}

  /// Takes note that this thread is about to hand the subscription over.
  @inlinable
  mutating func begin(on thread: UInt = Platform.currentThread) {
    self.thread = thread
  }

  /// Holds an event that would overtake the subscription. What comes nested in the handover does not: the downstream
  /// has caused it.
  ///
  /// - Returns: Whether the event is held, so that ``end()`` returns it, or the one that was held before.
  @inlinable
  mutating func holds(_ event: Event, from thread: UInt = Platform.currentThread) -> Bool {
    guard self.thread != 0, self.thread != thread else { return false }
    if held == nil { held = event }
    return true
  }

  /// Takes note that the downstream has its subscription.
  ///
  /// - Returns: The event that was held, which now counts.
  @inlinable
  mutating func end() -> Event? {
    thread = 0
    return exchange(&held, with: nil)
  }
}
