/// The values that a nested send on the same thread has overtaken, and the subscribers that still receive them.
///
/// Values of different threads are delivered in the order of their numbers. A nested send comes first to the subscribers
/// that the outer send has not reached, as in Combine, and the outer value follows.
struct OvertakenValues {

  private struct Entry {
    let number: Int
    let subscriber: ObjectIdentifier

    /// Whether a request has delivered the newer value, and not a nested send.
    let isByRequest: Bool
  }

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Notes that a nested send is about to overtake a value.
  mutating func note(_ number: Int, at subscriber: ObjectIdentifier) {
    entries.append(Entry(number: number, subscriber: subscriber, isByRequest: false))
  }

  /// Notes that a request inside a send delivers the value of that send. The send then delivers the value again.
  ///
  /// The send may have finished already. Only the last such note of a subscriber is kept, so that they cannot pile up.
  mutating func noteRequest(_ number: Int, by subscriber: ObjectIdentifier) {
    entries.removeAll { $0.subscriber == subscriber && $0.isByRequest }
    entries.append(Entry(number: number, subscriber: subscriber, isByRequest: true))
  }

  /// Removes the note of a value.
  ///
  /// - Returns: Whether there was one, so that the subscriber still receives the value.
  mutating func take(_ number: Int, at subscriber: ObjectIdentifier) -> Bool {
    guard let index = entries.lastIndex(where: { $0.number == number && $0.subscriber == subscriber }) else {
      return false
    }
    entries.remove(at: index)
    return true
  }

  /// Removes the notes of a value that was sent to all.
  mutating func finish(_ number: Int) {
    entries.removeAll { $0.number == number }
  }

  /// Removes the notes of a subscriber.
  mutating func remove(_ subscriber: ObjectIdentifier) {
    entries.removeAll { $0.subscriber == subscriber }
  }
}
