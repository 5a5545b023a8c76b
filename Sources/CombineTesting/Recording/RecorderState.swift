/// What a task waits for at a recorder.
enum RecorderNeed: Equatable, CustomStringConvertible {

  /// So many values that nobody has taken.
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

/// How a wait at a recorder ends.
enum RecorderOutcome: Equatable {

  /// There is what was waited for: these of all values, if it was values.
  case granted(Range<Int>)

  /// There will be no more values.
  case ended

  case timedOut
  case cancelled
}

/// Who waits at a recorder for what: a pure state machine.
///
/// It knows of values only how many there are. `Waiter` stands for a suspended task; each is handed out once, to be
/// resumed.
struct RecorderState<Waiter> {

  typealias Resumption = (waiter: Waiter, outcome: RecorderOutcome)

  private struct Wait {
    let id: Int
    let need: RecorderNeed
    let waiter: Waiter
  }

  /// How many values have arrived, and how many of them were taken.
  private var count = 0
  private var taken = 0

  private var isComplete = false

  /// Those that wait, the oldest first.
  private var waits: [Wait] = []

  private var lastID = 0

  /// The waits that are about to begin, with the reason for which one was given up before it did.
  private var announced: [Int: RecorderOutcome?] = [:]

  /// A name for a wait that is about to begin.
  mutating func announce() -> Int {
    lastID += 1
    announced.updateValue(nil, forKey: lastID)
    return lastID
  }

  /// A task begins to wait.
  ///
  /// - Returns: The end of the wait, if it is over at once.
  mutating func wait(_ id: Int, for need: RecorderNeed, _ waiter: Waiter) -> RecorderOutcome? {
    let early = announced.removeValue(forKey: id) ?? nil
    if early == .cancelled { return early }
    // Values go to those that have waited longer; no values are there for everybody.
    let isNext = need == .completion || need == .values(0) || !waits.contains { $0.need != .completion }
    if isNext, let outcome = outcome(for: need) { return outcome }
    // The time may be up before the wait begins, if it is very short. What is there is granted even so.
    if let early { return early }
    waits.append(Wait(id: id, need: need, waiter: waiter))
    return nil
  }

  /// A wait is given up, which may be over already, or not have begun.
  ///
  /// - Returns: The tasks to resume.
  mutating func giveUp(_ id: Int, _ outcome: RecorderOutcome) -> [Resumption] {
    guard let index = waits.firstIndex(where: { $0.id == id }) else {
      if announced.keys.contains(id) { announced.updateValue(outcome, forKey: id) }
      return []
    }
    let given = waits.remove(at: index)
    // Those behind it may have waited for its values.
    return [(given.waiter, outcome)] + settle()
  }

  /// A value arrives.
  ///
  /// - Returns: The tasks to resume.
  mutating func value() -> [Resumption] {
    count += 1
    return settle()
  }

  /// The completion arrives.
  ///
  /// - Returns: The tasks to resume.
  mutating func complete() -> [Resumption] {
    isComplete = true
    return settle()
  }

  /// Takes out the tasks whose wait is over.
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

  /// Takes the values that are needed, if they are there.
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
