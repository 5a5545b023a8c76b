import CombineCore

/// The pure state of `asyncMap`: the demand, the tasks that run, and the results that wait for earlier ones.
///
/// The elements requested from the upstream, those whose tasks run, those whose results wait, and the results that were
/// taken and not delivered yet are together never more than the maximum of tasks. Without the latter, they are not more
/// than the downstream's demand either. Each element has a slot from its arrival until its result is taken, so the number
/// of slots does not exceed that.
@usableFromInline
struct AsyncMapMachine<Value>: ~Copyable {

  @usableFromInline
  enum Slot {
    case free

    /// The element's task runs.
    case running

    case done(Value)
  }

  @usableFromInline
  let maxConcurrent: Int

  @usableFromInline
  let preservesOrder: Bool

  /// The demand of the downstream, less the results that were taken.
  @usableFromInline
  var demand = Subscribers.Demand.none

  /// The elements that were requested from the upstream and have not arrived.
  @usableFromInline
  var requested = 0

  /// The elements that have arrived, and whose results were not taken.
  @usableFromInline
  var inFlight = 0

  @usableFromInline
  var slots: [Slot] = []

  @usableFromInline
  var freeSlots: [Int] = []

  /// The slots in the order in which their results are taken. If order is preserved, a slot is here from the arrival of its
  /// element, else from that of its result.
  @usableFromInline
  var order = Deque<Int>()

  @usableFromInline
  var isUpstreamFinished = false

  @usableFromInline
  var hasEnded = false

  @inlinable
  init(maxConcurrent: Int, preservesOrder: Bool) {
    self.maxConcurrent = maxConcurrent
    self.preservesOrder = preservesOrder
  }

  /// Adds demand.
  ///
  /// - Parameters:
  ///   - more: The demand.
  ///   - undelivered: The number of results that were taken and not delivered yet.
  /// - Returns: The number of elements to request from the upstream.
  @inlinable
  mutating func request(_ more: Subscribers.Demand, undelivered: Int) -> Int {
    if hasEnded { return 0 }
    demand += more
    return newRequest(undelivered: undelivered)
  }

  /// Takes an element.
  ///
  /// - Returns: The slot of the element, whose task is to be started, or `nil` after the end.
  @inlinable
  mutating func receiveElement() -> Int? {
    if hasEnded || isUpstreamFinished { return nil }
    if requested > 0 { requested -= 1 }
    inFlight += 1
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(.running) } else { slots[slot] = .running }
    if preservesOrder { order.append(slot) }
    return slot
  }

  /// Takes the upstream's finish, which waits for the tasks.
  ///
  /// - Returns: Whether the caller must finish the downstream.
  @inlinable
  mutating func finishUpstream() -> Bool {
    if hasEnded || isUpstreamFinished { return false }
    isUpstreamFinished = true
    requested = 0
    return endIfIdle()
  }

  /// Takes the result of a task. Then ``popResult()`` follows until it returns `nil`, and ``settle()``.
  @inlinable
  mutating func receive(_ value: Value, of slot: Int) {
    if hasEnded { return }
    slots[slot] = .done(value)
    if !preservesOrder { order.append(slot) }
  }

  /// Takes out the next result to send, unless it is still awaited.
  @inlinable
  mutating func popResult() -> Value? {
    guard !hasEnded, let slot = order.first, case .done(let value) = slots[slot] else { return nil }
    _ = order.popFirst()
    slots[slot] = .free
    freeSlots.append(slot)
    inFlight -= 1
    if demand > .none { demand -= 1 }
    return value
  }

  /// Decides whether the results that were taken are the last ones.
  ///
  /// - Returns: Whether to finish the downstream.
  @inlinable
  mutating func settle() -> Bool {
    hasEnded ? false : endIfIdle()
  }

  /// Takes the failure of a task, which ends the state.
  ///
  /// - Returns: Whether the caller must fail the downstream and cancel all other tasks.
  @inlinable
  mutating func fail() -> Bool {
    !exchange(&hasEnded, with: true)
  }

  /// Ends the state.
  ///
  /// - Returns: The results that wait, to be released with no lock held.
  @inlinable
  mutating func end() -> [Slot] {
    hasEnded = true
    return exchange(&slots, with: [])
  }

  @inlinable
  mutating func endIfIdle() -> Bool {
    hasEnded = isUpstreamFinished && inFlight == 0
    return hasEnded
  }

  /// The number of elements to request from the upstream.
  ///
  /// - Parameter undelivered: The number of results that were taken and not delivered yet.
  @inlinable
  mutating func newRequest(undelivered: Int) -> Int {
    if hasEnded || isUpstreamFinished { return 0 }
    let limit = min(maxConcurrent - undelivered, demand.max ?? .max)
    let more = max(0, limit - requested - inFlight)
    requested += more
    return more
  }
}
