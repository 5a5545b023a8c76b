/// The condition that a task waits for at a recorder.
enum RecorderNeed: Equatable, CustomStringConvertible {

  /// This number of values that nobody has taken.
  case values(Int)

  case completion

  var description: String {
    switch self {
    case .values(1): "a value"
    case .values(let count): "\(count) values"
    case .completion: "the completion"
    }
  }
}

/// The outcome of a wait at a recorder.
enum RecorderOutcome: Equatable {

  /// The condition is met. For values, the range is their place among all values.
  case granted(Range<Int>)

  /// No further values will arrive.
  case ended

  case timedOut
  case cancelled
}

/// The pure state of a recorder: the tasks that wait, and the conditions they wait for.
///
/// It knows only the number of values. `Waiter` represents a suspended task. Each waiter is returned once, to be
/// resumed.
struct RecorderState<Waiter> {

  typealias Resumption = (waiter: Waiter, outcome: RecorderOutcome)

  private struct Wait {
    let id: Int
    let need: RecorderNeed
    let waiter: Waiter
  }

  /// The number of values that have arrived, and the number of those that were taken.
  private var count = 0
  private var taken = 0

  private var isComplete = false

  /// The waiting tasks, the oldest first.
  private var waits: [Wait] = []

  private var lastID = 0

  /// The waits that are about to begin. The outcome is set if a wait was given up before it began.
  private var announced: [Int: RecorderOutcome?] = [:]

  /// Returns an identifier for a wait that is about to begin.
  mutating func announce() -> Int {
    lastID += 1
    announced.updateValue(nil, forKey: lastID)
    return lastID
  }

  /// Handles the beginning of a wait.
  ///
  /// - Returns: The outcome, if the wait ends immediately.
  mutating func wait(_ id: Int, for need: RecorderNeed, _ waiter: Waiter) -> RecorderOutcome? {
    let early = announced.removeValue(forKey: id) ?? nil
    if early == .cancelled { return early }
    // Values go to the task that has waited longest. A wait for zero values does not queue.
    let isNext = need == .completion || need == .values(0) || !waits.contains { $0.need != .completion }
    if isNext, let outcome = outcome(for: need) { return outcome }
    // A very short timeout may pass before the wait begins. Values that have arrived are granted nevertheless.
    if let early { return early }
    waits.append(Wait(id: id, need: need, waiter: waiter))
    return nil
  }

  /// Handles a timeout or a cancellation of a wait, which may have ended already or not have begun.
  ///
  /// - Returns: The tasks to resume.
  mutating func giveUp(_ id: Int, _ outcome: RecorderOutcome) -> [Resumption] {
    guard let index = waits.firstIndex(where: { $0.id == id }) else {
      if announced.keys.contains(id) { announced.updateValue(outcome, forKey: id) }
      return []
    }
    let given = waits.remove(at: index)
    // Later waits may now receive its values.
    return [(given.waiter, outcome)] + settle()
  }

  /// Handles the arrival of a value.
  ///
  /// - Returns: The tasks to resume.
  mutating func value() -> [Resumption] {
    count += 1
    return settle()
  }

  /// Handles the arrival of the completion.
  ///
  /// - Returns: The tasks to resume.
  mutating func complete() -> [Resumption] {
    isComplete = true
    return settle()
  }

  /// Removes and returns the waits that have ended.
  private mutating func settle() -> [Resumption] {
    var resumptions: [Resumption] = []
    var rest: [Wait] = []
    var isValueAwaited = false
    for wait in waits {
      if wait.need == .completion || !isValueAwaited, let outcome = outcome(for: wait.need) {
        resumptions.append((wait.waiter, outcome))
      } else {
        rest.append(wait)
        if wait.need != .completion { isValueAwaited = true }
      }
    }
    waits = rest
    return resumptions
  }

  /// Takes the values for a condition, if they have arrived.
  private mutating func outcome(for need: RecorderNeed) -> RecorderOutcome? {
    switch need {
    case .values(let needed) where needed <= count - taken:
      defer { taken += needed }
      return .granted(taken..<taken + needed)
    case .values:
      return isComplete ? .ended : nil
    case .completion:
      return isComplete ? .granted(0..<count) : nil
    }
  }
}
