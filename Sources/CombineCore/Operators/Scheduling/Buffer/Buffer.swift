import Synchronization

extension Publisher {

  /// Keeps values until the downstream asks for them.
  ///
  /// A completion is kept as well. A finish is delivered when all values have been and more is asked for; a failure as
  /// soon as no demand is left, though values may still be kept, which are then dropped.
  ///
  /// With ``Publishers/BufferingStrategy/customError(_:)`` the upstream is cancelled when a value does not fit. The
  /// downstream gets the error at its next request, once that is satisfied or nothing is left.
  ///
  /// ```swift
  /// marbles { inputs in
  ///   "abcd---|"
  ///   inputs[0]
  ///     .buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
  ///     .flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 3, scheduler: inputs.scheduler) }
  ///   "---a--c--(d|)"
  /// }
  /// ```
  ///
  /// ```swift
  /// let numbers = PassthroughSubject<Int, Never>()
  /// let cancellable = numbers
  ///   .buffer(size: 100, prefetch: .byRequest, whenFull: .dropOldest)
  ///   .flatMap(maxPublishers: .max(1)) { Just($0) }  // Asks for one value at a time.
  ///   .sink { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - size: How many values are kept at most.
  ///   - prefetch: What the upstream is asked for.
  ///   - whenFull: What happens to a value that does not fit.
  /// - Returns: A publisher of the same values, as far as they fit.
  @inlinable
  public func buffer(
    size: Int,
    prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
  }
}

extension Publishers {

  /// What a buffer asks its upstream for.
  public enum PrefetchStrategy: Sendable {

    /// As many values as fit at first, and then one for each that was delivered.
    case keepFull

    /// Everything, at once: what does not fit is treated as the buffer's other strategy says.
    case byRequest
  }

  /// What a buffer does with a value that does not fit.
  public enum BufferingStrategy<Failure: Error> {

    /// Drops that value.
    case dropNewest

    /// Drops the value that has been kept longest, and keeps the new one.
    case dropOldest

    /// Drops that value, cancels the upstream, and fails with an error of the closure.
    ///
    /// The closure must not send to the buffer, ask it for values or cancel it: that traps.
    case customError(() -> Failure)
  }

  /// A publisher that keeps its upstream's values until its downstream asks for them.
  public struct Buffer<Upstream: Publisher>: Publisher {

    /// The kind of values: that of the upstream.
    public typealias Output = Upstream.Output

    /// The kind of errors: that of the upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are kept.
    public let upstream: Upstream

    /// How many values are kept at most.
    public let size: Int

    /// What the upstream is asked for.
    public let prefetch: Publishers.PrefetchStrategy

    /// What happens to a value that does not fit.
    public let whenFull: Publishers.BufferingStrategy<Failure>

    /// Creates a publisher that keeps another one's values until its downstream asks for them.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose values are kept.
    ///   - size: How many values are kept at most.
    ///   - prefetch: What the upstream is asked for.
    ///   - whenFull: What happens to a value that does not fit.
    @inlinable
    public init(
      upstream: Upstream,
      size: Int,
      prefetch: Publishers.PrefetchStrategy,
      whenFull: Publishers.BufferingStrategy<Failure>
    ) {
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    /// Attaches a subscriber to the upstream, with the buffer in between.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.attach(
        Conduits.Buffer(downstream: subscriber, size: size, prefetch: prefetch, whenFull: whenFull)
      )
    }
  }
}

// MARK: State

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

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Buffer<Downstream: Subscriber>: Conduit, Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    typealias State = BufferState<Input, Failure>

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let prefetch: Publishers.PrefetchStrategy

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var state: State

    /// Whether the rest of a batch is to be dropped. (A completion does not stop one.)
    @usableFromInline
    let isCancelled = Atomic<Bool>(false)

    /// Answers a request. Made where the types are known: called as a method, through the existential that the
    /// downstream holds, it would look up every type at run time.
    @usableFromInline
    let answer: (Buffer, Subscribers.Demand) -> Void

    @inlinable
    init(
      downstream: Downstream,
      size: Int,
      prefetch: Publishers.PrefetchStrategy,
      whenFull: Publishers.BufferingStrategy<Failure>
    ) {
      self.downstream = downstream
      self.prefetch = prefetch
      state = State(size: size, whenFull: whenFull)
      answer = { $0.serve($1) }
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      if prefetch == .keepFull {
        if state.size < 0 { Misuse.trap("Buffer", .negativeSize) }
        subscription.request(.max(state.size))
      } else {
        subscription.request(.unlimited)
      }
      downstream.receive(subscription: self)
      // What the upstream has sent inside the request may have waited for that: a failure needs no demand.
      deliver { state, batch in state.attach(on: Platform.currentThread, into: &batch) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      var arrival = State.Arrival.ignored
      let count = deliver { state, batch in
        let thread = Platform.currentThread
        arrival = state.receive(input, on: thread)
        guard case .drain = arrival else { return .nothing }
        return state.drain(on: thread, into: &batch)
      }
      if case .fail(let makeError) = arrival { fail(with: makeError()) }
      return prefetch == .keepFull ? .max(count) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      deliver { state, batch in
        let thread = Platform.currentThread
        return state.complete(completion, on: thread) ? state.drain(on: thread, into: &batch) : .nothing
      }
    }

    @inlinable
    func fail(with error: Failure) {
      // Taken before: with the error recorded, a request on another thread may end the connection.
      let subscription = subscription
      let isFirst = lock.withLock {
        state.fail(with: error)
        return !exchange(&state.isUpstreamCancelled, with: true)
      }
      if isFirst { subscription?.cancel() }
    }

    @inlinable
    func serve(_ demand: Subscribers.Demand) {
      // Taken before: what was delivered is asked for though the state has ended meanwhile, as Combine does.
      guard let subscription else { return }
      let count = deliver { state, batch in
        state.request(demand, on: Platform.currentThread, into: &batch)
      }
      if count > 0 && prefetch == .keepFull { subscription.request(.max(count)) }
    }

    /// Does one step of the state, while connected, and delivers what it says, and what it says after each batch.
    ///
    /// - Parameter first: The step. It fills the batch.
    /// - Returns: How many values were delivered, without those of nested calls.
    @inlinable
    @inline(__always)
    @discardableResult
    func deliver(_ first: (inout State, inout Deque<Input>) -> State.Next) -> Int {
      var batch = Deque<Input>()
      var count = 0
      var next = step { phase == .subscribed ? first(&state, &batch) : .nothing }
      while case .batch = next {
        var more = Subscribers.Demand.none
        while !isCancelled.load(ordering: .acquiring), let value = batch.popFirst() {
          more += downstream.receive(value)
          count += 1
        }
        next = step { state.didDeliver(more, into: &batch) }
      }
      if case .completion(let completion) = next { downstream.receive(completion: completion) }
      return count
    }

    /// Does one step of the state. With a completion to be delivered, that is the end of the connection.
    @inlinable
    @inline(__always)
    func step(_ body: () -> State.Next) -> State.Next {
      lock.lock()
      let next = body()
      guard case .completion = next else {
        lock.unlock()
        return next
      }
      let released = disconnectLocked()
      lock.unlock()
      withExtendedLifetime(released) {}  // Released with the lock free.
      return next
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      answer(self, demand)
    }

    @usableFromInline
    override func cancel() {
      var dropped = Deque<Input>()
      let (subscription, isFirst) = lock.withLock { () -> ((any Subscription)?, Bool) in
        guard phase != .awaiting else { return (nil, false) }
        state.cancel(on: Platform.currentThread, dropped: &dropped)
        isCancelled.store(true, ordering: .releasing)
        return (disconnectLocked(), !exchange(&state.isUpstreamCancelled, with: true))
      }
      _ = consume dropped  // With the lock free.
      if isFirst { subscription?.cancel() }
    }

    @usableFromInline
    var description: String { "Buffer" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> {
      let (values, demand, terminal) = lock.withLock { (state.values.elements, state.demand, state.terminal) }
      return ["values": values, "state": phase, "downstreamDemand": demand, "terminal": terminal as Any]
    }
  }
}
