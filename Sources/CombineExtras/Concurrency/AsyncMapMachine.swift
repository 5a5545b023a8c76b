import CombineCore

/// The pure state of `asyncMap`: the demand, the tasks that run, and the results that wait for earlier ones.
///
/// The elements requested from the upstream, those whose tasks run and those whose results wait are together never more
/// than the maximum of tasks, nor than the downstream's demand.
struct AsyncMapMachine<Value> {

  private let maxConcurrent: Int
  private let preservesOrder: Bool

  /// The demand of the downstream, less the results that were sent.
  private var demand = Subscribers.Demand.none

  /// The elements that were requested from the upstream and have not arrived.
  private(set) var requested = 0

  /// The elements that have arrived, and whose results were not sent.
  private(set) var inFlight = 0

  /// The tasks that run, by the index of their element.
  private var running: Set<Int> = []

  /// The results that wait for the one of an earlier element.
  private var results: [Int: Value] = [:]

  /// The index of the next element.
  private var nextIndex = 0

  /// The index of the result to send next, if order is preserved.
  private var nextResult = 0

  private var isUpstreamFinished = false
  private(set) var hasEnded = false

  init(maxConcurrent: Int, preservesOrder: Bool) {
    self.maxConcurrent = maxConcurrent
    self.preservesOrder = preservesOrder
  }

  /// Adds demand.
  ///
  /// - Returns: The number of elements to request from the upstream.
  mutating func request(_ more: Subscribers.Demand) -> Int {
    if hasEnded { return 0 }
    demand += more
    return newRequest()
  }

  /// Takes an element.
  ///
  /// - Returns: The index of the task to start, or `nil` after the end.
  mutating func receiveElement() -> Int? {
    if hasEnded || isUpstreamFinished { return nil }
    if requested > 0 { requested -= 1 }
    inFlight += 1
    running.insert(nextIndex)
    defer { nextIndex += 1 }
    return nextIndex
  }

  /// Takes the upstream's finish, which waits for the tasks.
  ///
  /// - Returns: Whether the caller must finish the downstream.
  mutating func finishUpstream() -> Bool {
    if hasEnded || isUpstreamFinished { return false }
    isUpstreamFinished = true
    requested = 0
    if inFlight == 0 { hasEnded = true }
    return hasEnded
  }

  /// Whether the task of an element runs.
  func isRunning(_ index: Int) -> Bool {
    running.contains(index)
  }

  struct ResultAction {

    /// The values to send, in order.
    var values: [Value] = []

    /// Whether to finish the downstream after them.
    var isLast = false

    /// The number of elements to request from the upstream.
    var request = 0
  }

  /// Takes the result of a task.
  mutating func receive(_ value: Value, of index: Int) -> ResultAction {
    var action = ResultAction()
    guard running.remove(index) != nil, !hasEnded else { return action }
    if preservesOrder {
      results[index] = value
      while let next = results.removeValue(forKey: nextResult) {
        nextResult += 1
        action.values.append(next)
      }
    } else {
      action.values.append(value)
    }
    inFlight -= action.values.count
    for _ in action.values where demand > .none { demand -= 1 }
    if isUpstreamFinished, inFlight == 0 {
      hasEnded = true
      action.isLast = true
    } else {
      action.request = newRequest()
    }
    return action
  }

  /// Takes the failure of a task, which ends the state.
  ///
  /// - Returns: Whether the caller must fail the downstream and cancel all other tasks.
  mutating func fail(_ index: Int) -> Bool {
    guard running.remove(index) != nil, !hasEnded else { return false }
    hasEnded = true
    return true
  }

  /// Ends the state.
  ///
  /// - Returns: The results that wait, to be released with no lock held.
  mutating func end() -> [Int: Value] {
    hasEnded = true
    return exchange(&results, with: [:])
  }

  private mutating func newRequest() -> Int {
    if isUpstreamFinished { return 0 }
    let limit = min(maxConcurrent, demand.max ?? .max)
    let more = max(0, limit - requested - inFlight)
    requested += more
    return more
  }
}
