/// What `buffer` knows: the values that are kept, the demand, the completion, and who is delivering.
///
/// Values are delivered in batches, each moved out of the buffer when the demand for it is used, and delivered to its
/// end. What the downstream sends from inside a batch is delivered nested, before the rest. What comes on another thread
/// meanwhile waits for the thread that is delivering, which looks again after each batch: so the downstream is never
/// called by two threads at once, and no thread waits for it.
@usableFromInline
struct BufferState<Value, Failure: Error>: ~Copyable {

  @usableFromInline
  let size: Int

  @usableFromInline
  let whenFull: Publishers.BufferingStrategy<Failure>

  /// The oldest first.
  @usableFromInline
  var values = Deque<Value>()

  /// Memory for the next batch.
  @usableFromInline
  var spare = Deque<Value>()

  @usableFromInline
  var demand = Subscribers.Demand.none

  @usableFromInline
  var terminal: Subscribers.Completion<Failure>?

  /// Whether the downstream has its subscription: before, nothing is delivered.
  @usableFromInline
  var isAttached = false

  /// Whether the upstream failed before ``isAttached``.
  @usableFromInline
  var isFailureEarly = false

  /// Whether the upstream was cancelled: by an overflow, or by the downstream.
  @usableFromInline
  var isUpstreamCancelled = false

  /// Whether the completion was delivered, or a cancel has come.
  @usableFromInline
  var isEnded = false

  /// How many batches are being delivered, one inside the other, all by ``deliverer``.
  @usableFromInline
  var batchCount = 0

  /// The thread that delivers, or was the last to do so.
  @usableFromInline
  var deliverer: UInt = 0

  /// The thread that is making the error for a value that did not fit.
  @usableFromInline
  var failing: UInt?

  /// What to do with a value that has arrived.
  @usableFromInline
  enum Arrival {

    /// Nothing: it comes too late.
    case ignored

    /// Drain, as after any event; and release this value.
    case drain(dropped: Value?)

    /// Make the error of a value that did not fit, and come back with it.
    case fail(() -> Failure)
  }

  /// What to deliver.
  @usableFromInline
  enum Next {
    case nothing
    case batch
    case completion(Subscribers.Completion<Failure>)
  }

  @inlinable
  init(size: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
    self.size = size
    self.whenFull = whenFull
  }

  /// Takes a value.
  @inlinable
  mutating func receive(_ value: consuming Value, on thread: UInt) -> Arrival {
    assertNotMakingError(on: thread)
    if isEnded || failing != nil { return .ignored }
    if case .failure = terminal { return .ignored }
    if values.count < size {
      values.append(value)
      return .drain(dropped: nil)
    }
    switch whenFull {
    case .dropNewest:
      return .drain(dropped: value)
    case .dropOldest:
      // A buffer for no values has none to drop but the new one.
      guard let oldest = values.popFirst() else { return .drain(dropped: value) }
      values.append(value)
      return .drain(dropped: oldest)
    case .customError(let makeError):
      failing = thread
      return .fail(makeError)
    }
  }

  /// Takes the error of a value that did not fit. The downstream gets it after its next request.
  @inlinable
  mutating func fail(with error: Failure) {
    failing = nil
    terminal = .failure(error)
  }

  /// Takes a completion.
  ///
  /// - Returns: Whether it is the first, and so counts.
  @inlinable
  mutating func complete(_ completion: Subscribers.Completion<Failure>, on thread: UInt) -> Bool {
    assertNotMakingError(on: thread)
    guard terminal == nil && failing == nil else { return false }
    terminal = completion
    if case .failure = completion { isFailureEarly = !isAttached }
    return true
  }

  /// The downstream has its subscription, and has returned from it.
  ///
  /// The upstream's failure before has waited for that; all else, an overflow too, waits for a request.
  @inlinable
  mutating func attach(on thread: UInt, into batch: inout Deque<Value>) -> Next {
    isAttached = true
    return isFailureEarly ? drain(on: thread, into: &batch) : .nothing
  }

  /// Takes a request. If a batch is being delivered, that is all: its thread will look again.
  @inlinable
  mutating func request(_ more: Subscribers.Demand, on thread: UInt, into batch: inout Deque<Value>) -> Next {
    assertNotMakingError(on: thread)
    isAttached = true
    demand += more
    return batchCount > 0 ? .nothing : drain(on: thread, into: &batch)
  }

  /// Takes a cancel.
  ///
  /// - Parameter dropped: Gets the values that are kept, to be released; empty before.
  @inlinable
  mutating func cancel(on thread: UInt, dropped: inout Deque<Value>) {
    assertNotMakingError(on: thread)
    isEnded = true
    swap(&values, &dropped)
  }

  /// Begins to deliver, unless another thread does.
  ///
  /// - Parameter batch: Empty; gets the values to deliver.
  @inlinable
  mutating func drain(on thread: UInt, into batch: inout Deque<Value>) -> Next {
    guard isAttached, batchCount == 0 || deliverer == thread else { return .nothing }
    deliverer = thread
    swap(&batch, &spare)
    return next(into: &batch)
  }

  /// Takes the end of a batch, and the demand that it has brought.
  @inlinable
  mutating func didDeliver(_ more: Subscribers.Demand, into batch: inout Deque<Value>) -> Next {
    batchCount -= 1
    demand += more
    return next(into: &batch)
  }

  @inlinable
  mutating func next(into batch: inout Deque<Value>) -> Next {
    if !isEnded {
      if let completion = dueCompletion {
        isEnded = true
        swap(&values, &batch)  // To be released, not delivered.
        return .completion(completion)
      }
      if demand > .none && !values.isEmpty {
        let count = Swift.min(demand.max ?? values.count, values.count)
        demand -= count
        values.moveFirst(count, to: &batch)
        batchCount += 1
        return .batch
      }
    }
    if batch.isEmpty { swap(&batch, &spare) }
    return .nothing
  }

  /// The completion, if its time has come: with demand, when nothing is kept; without, at once if it is a failure.
  @inlinable
  var dueCompletion: Subscribers.Completion<Failure>? {
    if demand > .none { return values.isEmpty ? terminal : nil }
    if case .failure = terminal { return terminal }
    return nil
  }

  /// Traps when the closure that makes the error has come back to the buffer.
  @inlinable
  func assertNotMakingError(on thread: UInt) {
    if failing == thread { Misuse.trap("Buffer", .bufferInsideCustomError) }
  }
}
