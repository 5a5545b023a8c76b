/// The subscribers of a current value that are owed a value though they have a newer one already: a nested send has
/// overtaken it on the same thread.
///
/// Values of different threads are delivered in the order of their numbers. A send from within a send is delivered first
/// to the subscribers that the outer one has not reached, as in Combine, and the outer value follows.
struct OvertakenValues {

  private struct Entry {
    let number: Int
    let subscriber: ObjectIdentifier

    /// Whether a request, not a nested send, has delivered the value.
    let isByRequest: Bool
  }

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Notes that a nested send is about to overtake a value.
  mutating func note(_ number: Int, at subscriber: ObjectIdentifier) {
    entries.append(Entry(number: number, subscriber: subscriber, isByRequest: false))
  }

  /// Notes that a request from within a send delivers the value of that send, which is then delivered once more.
  ///
  /// The send may have finished already. So that nothing piles up, only the last such note of a subscriber is kept.
  mutating func noteRequest(_ number: Int, by subscriber: ObjectIdentifier) {
    entries.removeAll { $0.subscriber == subscriber && $0.isByRequest }
    entries.append(Entry(number: number, subscriber: subscriber, isByRequest: true))
  }

  /// Whether a value is still owed; it is not any longer then.
  mutating func take(_ number: Int, at subscriber: ObjectIdentifier) -> Bool {
    guard let index = entries.lastIndex(where: { $0.number == number && $0.subscriber == subscriber }) else {
      return false
    }
    entries.remove(at: index)
    return true
  }

  /// Forgets a value that was sent to all.
  mutating func finish(_ number: Int) {
    entries.removeAll { $0.number == number }
  }

  /// Forgets a subscriber.
  mutating func remove(_ subscriber: ObjectIdentifier) {
    entries.removeAll { $0.subscriber == subscriber }
  }
}
