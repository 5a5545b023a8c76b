/// The pure state of a buffer: its values, the demand, the two ends, and the thread that delivers.
///
/// Values are delivered in batches. Each batch is moved out of the buffer when the demand for it is used, and is delivered
/// to its end. What the downstream sends from inside a batch is delivered nested, before the rest. What arrives on
/// another thread meanwhile is left to the thread that delivers, which checks again after each batch. So no two threads
/// call the downstream at once, and no thread waits for it.
///
/// It is no ``Deliverer``: what is sent from inside a batch is delivered nested, as in Combine, and a batch takes the lock
/// once for all its values.
@usableFromInline
struct BufferMachine<Value, Failure: Error>: ~Copyable {

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
  var input = Input.open

  @usableFromInline
  var output = Output.idle

  /// A failure of the upstream waits until the downstream has its subscription. Everything else, an overflow too, waits for
  /// a request.
  @usableFromInline
  var announcement = Announcement()

  /// Whether the upstream was cancelled: by an overflow, or by the downstream.
  @usableFromInline
  var isUpstreamCancelled = false

  /// What comes from the upstream.
  @usableFromInline
  enum Input {
    case open

    /// A value did not fit, and this thread makes the error for it.
    case failing(thread: UInt)
    case completed(Subscribers.Completion<Failure>)
  }

  /// What goes to the downstream.
  @usableFromInline
  enum Output {
    case idle

    /// One thread delivers this number of batches, nested in each other.
    case delivering(thread: UInt, batches: Int)

    /// The completion was delivered, or the downstream has cancelled.
    case ended
  }

  /// What to do with a value that has arrived.
  @usableFromInline
  enum Arrival {

    /// Nothing: it is too late.
    case ignored

    /// Drain, as after any event, and release this value.
    case drain(dropped: Value?)

    /// Make the error of a value that did not fit, and pass it to ``BufferMachine/fail(with:)``.
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

  @inlinable
  var isEnded: Bool {
    if case .ended = output { true } else { false }
  }

  /// The completion of the upstream.
  @inlinable
  var terminal: Subscribers.Completion<Failure>? {
    if case .completed(let completion) = input { completion } else { nil }
  }

  /// Takes a value.
  @inlinable
  mutating func receive(_ value: consuming Value, on thread: UInt) -> Arrival {
    assertNotMakingError(on: thread)
    if isEnded { return .ignored }
    switch input {
    case .failing, .completed(.failure): return .ignored
    case .open, .completed(.finished): break
    }
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
      input = .failing(thread: thread)
      return .fail(makeError)
    }
  }

  /// Takes the error of a value that did not fit. The downstream receives it after its next request.
  @inlinable
  mutating func fail(with error: Failure) {
    input = .completed(.failure(error))
  }

  /// Takes a completion.
  ///
  /// - Returns: Whether it is the first, and so counts.
  @inlinable
  mutating func complete(_ completion: Subscribers.Completion<Failure>, on thread: UInt) -> Bool {
    assertNotMakingError(on: thread)
    guard case .open = input else { return false }
    input = .completed(completion)
    if case .failure = completion { _ = announcement.holdsUntilEnd() }
    return true
  }

  /// Notes that the downstream has received its subscription.
  @inlinable
  mutating func didSendSubscription(on thread: UInt, into batch: inout Deque<Value>) -> Next {
    announcement.end() ? drain(on: thread, into: &batch) : .nothing
  }

  /// Takes a request. While a batch is being delivered that is all: its thread will check again.
  @inlinable
  mutating func request(_ more: Subscribers.Demand, on thread: UInt, into batch: inout Deque<Value>) -> Next {
    assertNotMakingError(on: thread)
    _ = announcement.end()  // It has its subscription.
    demand += more
    if case .delivering = output { return .nothing }
    return drain(on: thread, into: &batch)
  }

  /// Takes a cancel.
  ///
  /// - Parameter dropped: Takes the values of the buffer, to be released. It is empty before.
  @inlinable
  mutating func cancel(on thread: UInt, dropped: inout Deque<Value>) {
    assertNotMakingError(on: thread)
    output = .ended
    swap(&values, &dropped)
  }

  /// Begins to deliver, unless another thread does.
  ///
  /// - Parameter batch: Takes the values to deliver. It is empty before.
  @inlinable
  mutating func drain(on thread: UInt, into batch: inout Deque<Value>) -> Next {
    guard announcement.isDone else { return .nothing }
    switch output {
    case .idle: break
    case .delivering(thread, _): break
    case .delivering, .ended: return .nothing
    }
    swap(&batch, &spare)
    return next(on: thread, into: &batch)
  }

  /// Takes the end of a batch, and the demand that it has brought.
  @inlinable
  mutating func didDeliver(_ more: Subscribers.Demand, into batch: inout Deque<Value>) -> Next {
    demand += more
    guard case .delivering(let thread, let batches) = output else { return recycle(&batch) }
    output = batches > 1 ? .delivering(thread: thread, batches: batches - 1) : .idle
    return next(on: thread, into: &batch)
  }

  /// Keeps the memory of a batch for the next one.
  @inlinable
  mutating func recycle(_ batch: inout Deque<Value>) -> Next {
    if batch.isEmpty { swap(&batch, &spare) }
    return .nothing
  }

  @inlinable
  mutating func next(on thread: UInt, into batch: inout Deque<Value>) -> Next {
    if let completion = dueCompletion {
      output = .ended
      swap(&values, &batch)  // To be released, not delivered.
      return .completion(completion)
    }
    guard demand > .none && !values.isEmpty else { return recycle(&batch) }
    let count = Swift.min(demand.max ?? values.count, values.count)
    demand -= count
    values.moveFirst(count, to: &batch)
    if case .delivering(_, let batches) = output {
      output = .delivering(thread: thread, batches: batches + 1)
    } else {
      output = .delivering(thread: thread, batches: 1)
    }
    return .batch
  }

  /// The completion, if it is due: with demand, when the buffer is empty; without, at once if it is a failure.
  @inlinable
  var dueCompletion: Subscribers.Completion<Failure>? {
    if demand > .none { return values.isEmpty ? terminal : nil }
    if case .failure = terminal { return terminal }
    return nil
  }

  /// Traps when the closure that makes the error has called the buffer.
  @inlinable
  func assertNotMakingError(on thread: UInt) {
    if case .failing(thread) = input { Misuse.trap("Buffer", .bufferInsideCustomError) }
  }
}
