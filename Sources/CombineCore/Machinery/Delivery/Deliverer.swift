/// When a completion reaches a downstream for which values still wait.
@usableFromInline
package enum CompletionOrder: Sendable {

  /// After the last value.
  case afterValues

  /// As soon as no demand is left. The values that wait are dropped. Before the first request the completion waits, so
  /// that a downstream can still ask for them.
  case overtaking
}

/// The pure state of a queue in front of one downstream, where values wait for demand, and of who delivers them.
///
/// At most one call drains the queue at a time. A send, a request or a cancel meanwhile, on any thread or nested in that
/// call, changes the state only. The draining call goes on until ``next()`` has nothing for it.
///
/// No sender is captive: the owner bounds the stay of the draining call. A conduit makes a second sending thread wait, so
/// that the queue holds one value of each at most. On an actor or an event loop, a task or a read cycle bounds it.
@usableFromInline
package struct Deliverer<Value, Failure: Error>: ~Copyable {

  @usableFromInline
  package enum Delivery {

    case value(Value)

    /// The last delivery.
    case completion(Subscribers.Completion<Failure>)

    /// Nothing for now. Another call delivers, or there is nothing to deliver.
    case nothing

    /// The same for a value that has just come, and that another call delivers. Its sender waits for that call.
    case queued

    /// The delivering call has ended after a cancellation, and drops the downstream.
    case release
  }

  /// Nothing is held, because the queue keeps what comes before the downstream has its subscription.
  @usableFromInline
  var announcement = Announcement()

  /// Whether the completion was delivered, or the downstream has cancelled.
  @usableFromInline
  package var hasEnded = false

  /// The outstanding demand of the downstream.
  @usableFromInline
  package var demand = Subscribers.Demand.none

  @usableFromInline
  package var isDelivering = false

  @usableFromInline
  var values = Deque<Value>()

  @usableFromInline
  var completion: Subscribers.Completion<Failure>?

  @usableFromInline
  var hasRequested = false

  @usableFromInline
  let order: CompletionOrder

  @inlinable
  package init(_ order: CompletionOrder) {
    self.order = order
  }

  /// The number of values that wait.
  @inlinable
  package var count: Int { values.count }

  /// The number of values that are being delivered or wait.
  @inlinable
  package var undeliveredCount: Int { values.count + (isDelivering ? 1 : 0) }

  /// Whether a completion has come, or the downstream has cancelled.
  @inlinable
  package var isClosed: Bool { hasEnded || completion != nil }

  /// Notes that the downstream has received its subscription.
  @inlinable
  package mutating func open() -> Delivery {
    didOpen()
    return begin()
  }

  /// Notes the same, and leaves the delivery to a later call.
  @inlinable
  package mutating func didOpen() {
    _ = announcement.end()
  }

  /// Adds demand.
  ///
  /// - Returns: Whether the upstream may be asked for as much, and what to deliver.
  @inlinable
  package mutating func request(_ more: Subscribers.Demand) -> (isNew: Bool, delivery: Delivery) {
    let isNew = add(more)
    hasRequested = true
    announcement.noteRequest()
    return (isNew, begin())
  }

  /// Adds demand that the downstream has returned for a value.
  ///
  /// - Returns: Whether the upstream may be asked for as much.
  @inlinable
  package mutating func add(_ more: Subscribers.Demand) -> Bool {
    guard !hasEnded, more > .none, demand != .unlimited else { return false }
    demand += more
    return completion == nil
  }

  /// Takes a value.
  ///
  /// - Returns: What to deliver now: this value if no other one is in its way, and `queued` if another call delivers it.
  @inlinable
  package mutating func send(_ value: consuming Value) -> Delivery {
    guard !isClosed else { return .nothing }
    guard announcement.isDone, !isDelivering, values.isEmpty, demand > .none else {
      values.append(value)
      return drain()
    }
    demand -= 1
    isDelivering = true
    return .value(value)
  }

  /// Takes a value, and leaves the delivery to a later call, such as ``drain()``.
  @inlinable
  package mutating func enqueue(_ value: consuming Value) {
    if !isClosed { values.append(value) }
  }

  /// Takes a completion. Only the first one counts.
  @inlinable
  package mutating func send(completion: Subscribers.Completion<Failure>) -> Delivery {
    enqueue(completion: completion)
    return begin()
  }

  /// Takes a completion, and leaves the delivery to a later call.
  @inlinable
  package mutating func enqueue(completion: Subscribers.Completion<Failure>) {
    if !isClosed { self.completion = completion }
  }

  /// Takes the last value together with the completion that follows it, so that nothing comes between them.
  @inlinable
  package mutating func send(last value: consuming Value, _ completion: Subscribers.Completion<Failure>) -> Delivery {
    guard !isClosed else { return .nothing }
    values.append(value)
    self.completion = completion
    return begin()
  }

  /// Drops the values that wait, and takes a completion.
  ///
  /// - Returns: What to deliver, and the values, to be released with no lock held.
  @inlinable
  package mutating func replaceAll(by completion: Subscribers.Completion<Failure>) -> (Delivery, [Value]) {
    guard !isClosed else { return (.nothing, []) }
    let dropped = removeAll()
    self.completion = completion
    return (begin(), dropped)
  }

  /// Removes the values that wait.
  ///
  /// - Returns: The values, to be released with no lock held.
  @inlinable
  package mutating func removeAll() -> [Value] {
    guard !values.isEmpty else { return [] }
    let dropped = values.elements
    values = Deque()
    return dropped
  }

  /// Ends the state, because the downstream has cancelled.
  ///
  /// - Returns: Whether it had not ended before, and what to do about the downstream: to drop it, unless another call
  ///   delivers, which drops it afterwards. The values are released with no lock held.
  @inlinable
  package mutating func cancel() -> (isFirst: Bool, delivery: Delivery, values: [Value]) {
    guard !hasEnded else { return (false, .nothing, []) }
    hasEnded = true
    return (true, isDelivering ? .nothing : .release, removeAll())
  }

  /// The next delivery of the delivering call. With `nothing`, `release` or a completion that call has ended.
  @inlinable
  package mutating func next() -> Delivery {
    if hasEnded {
      isDelivering = false
      return .release
    }
    if demand > .none, let value = values.popFirst() {
      demand -= 1
      return .value(value)
    }
    isDelivering = false
    guard let completion, values.isEmpty || (order == .overtaking && hasRequested) else { return .nothing }
    hasEnded = true
    return .completion(completion)
  }

  /// Begins to deliver, unless another call delivers.
  @inlinable
  package mutating func begin() -> Delivery {
    guard mayBegin else { return .nothing }
    isDelivering = true
    return next()
  }

  /// Begins to deliver the values that a sender has enqueued. They are `queued` if another call delivers them.
  @inlinable
  package mutating func drain() -> Delivery {
    isDelivering && !hasEnded ? .queued : begin()
  }

  /// Begins to deliver elsewhere, such as in a task.
  ///
  /// - Returns: Whether the caller must start that task, which calls ``next()`` until it has ended. It is `false` if another
  ///   one delivers, or if there is nothing to deliver.
  @inlinable
  package mutating func claim() -> Bool {
    guard mayBegin, isDue else { return false }
    isDelivering = true
    return true
  }

  @inlinable
  package var mayBegin: Bool { announcement.isDone && !hasEnded && !isDelivering }

  /// Whether ``next()`` has a delivery.
  @inlinable
  var isDue: Bool {
    if demand > .none, !values.isEmpty { return true }
    return completion != nil && (values.isEmpty || (order == .overtaking && hasRequested))
  }
}
