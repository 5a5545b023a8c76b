/// What is done with a value.
@usableFromInline
enum SendDecision {

  /// One element of the demand was taken for it.
  case admitted

  /// It is missed.
  case rejected
}

/// What was decided about values before their senders could deliver them, because another thread was inside the downstream.
///
/// Demand is decided when a value is sent: a value that finds it used up does not wait for more. A sender that has to wait
/// at the gate decides first. A thread that gets in before it, and delivers its value for it, finds the decision here:
///
///     thread A                                thread B
///     sends value 2, decides: there is no demand
///                                             sends value 3, decides: there is no demand
///     (a thread inside the downstream returns more demand, and leaves)
///     does not deliver value 2                does not deliver values 2 and 3
///
/// It is only used for finite demand. All methods are called with the table's lock held.
struct SendDecisions {

  private struct Subscriber {

    /// The numbers of the admitted values. Each is of a thread that waits.
    var admitted: [Int] = []

    /// The numbers of the rejected values, as ascending ranges. They are few: senders that go on while there is no demand
    /// have numbers that follow one another.
    var rejected: [ClosedRange<Int>] = []

    mutating func reject(_ number: Int) {
      let index = rejected.firstIndex { $0.upperBound >= number - 1 } ?? rejected.endIndex
      guard index < rejected.endIndex, rejected[index].lowerBound <= number + 1 else {
        return rejected.insert(number...number, at: index)
      }
      let range = rejected[index]
      rejected[index] = min(range.lowerBound, number)...max(range.upperBound, number)
      let next = index + 1
      if next < rejected.endIndex, rejected[next].lowerBound == rejected[index].upperBound + 1 {
        rejected[index] = rejected[index].lowerBound...rejected.remove(at: next).upperBound
      }
    }
  }

  private var subscribers: [ObjectIdentifier: Subscriber] = [:]

  var isEmpty: Bool { subscribers.isEmpty }

  mutating func note(_ decision: SendDecision, about number: Int, at subscriber: ObjectIdentifier) {
    switch decision {
    case .admitted: subscribers[subscriber, default: Subscriber()].admitted.append(number)
    case .rejected: subscribers[subscriber, default: Subscriber()].reject(number)
    }
  }

  /// Returns what was decided about a value, and forgets an admission, which only the delivery of the value asks for.
  mutating func take(_ number: Int, at subscriber: ObjectIdentifier) -> SendDecision? {
    guard var decisions = subscribers[subscriber] else { return nil }
    if let index = decisions.admitted.firstIndex(of: number) {
      decisions.admitted.remove(at: index)
      subscribers[subscriber] = decisions.admitted.isEmpty && decisions.rejected.isEmpty ? nil : decisions
      return .admitted
    }
    return decisions.rejected.contains { $0.contains(number) } ? .rejected : nil
  }

  /// Forgets which values a subscriber has missed, because it has requested the current one.
  mutating func forgetRejected(at subscriber: ObjectIdentifier) {
    subscribers[subscriber]?.rejected = []
    if subscribers[subscriber]?.admitted.isEmpty == true { subscribers[subscriber] = nil }
  }

  /// Forgets which values were missed, when no thread can deliver them any longer.
  mutating func forgetRejected() {
    subscribers = subscribers.compactMapValues {
      $0.admitted.isEmpty ? nil : Subscriber(admitted: $0.admitted)
    }
  }

  /// Forgets a subscriber.
  mutating func remove(_ subscriber: ObjectIdentifier) {
    subscribers[subscriber] = nil
  }
}
