import CombineCore

extension Publisher where Output: Sendable {

  /// Transforms each element by an asynchronous closure.
  ///
  /// Each element is transformed in a task of its own. At most `maxConcurrent` elements are in work at the same time, from
  /// the request until the result is delivered. With `preservingOrder`, a result waits for those of earlier elements.
  /// Otherwise results are published as they come.
  ///
  /// The operator requests as many elements as it may take in work, and no more than the downstream has requested. A
  /// finish waits for the tasks. A failure of the upstream is passed on at once. A failure and a cancellation cancel all
  /// tasks.
  ///
  /// ```swift
  /// @Sendable func length(of page: String) async -> Int { page.count }
  ///
  /// let lengths = ["a", "bb", "ccc"].publisher.asyncMap(maxConcurrent: 2) { await length(of: $0) }
  /// for await length in lengths.values { print(length) }  // prints 1, 2, 3
  /// ```
  ///
  /// - Parameters:
  ///   - maxConcurrent: The maximum number of elements in work. It must be positive. With the default of 1, the next
  ///     element is requested when the result of the previous one was published.
  ///   - preservingOrder: Whether results are published in the order of their elements.
  ///   - priority: The priority of the tasks. With `nil`, it is that of the code that sends the element.
  ///   - transform: A closure that transforms an element.
  /// - Returns: A publisher of the transformed elements.
  @inlinable
  public func asyncMap<Result: Sendable>(
    maxConcurrent: Int = 1,
    preservingOrder: Bool = true,
    priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async -> Result
  ) -> ExtraPublishers.AsyncMap<Self, Result> {
    ExtraPublishers.AsyncMap(
      upstream: self,
      maxConcurrent: maxConcurrent,
      preservingOrder: preservingOrder,
      priority: priority,
      transform: transform
    )
  }

  /// Transforms each element by an asynchronous closure that may throw.
  ///
  /// It differs from `asyncMap` in one point: an error of the closure fails the publisher at once. It cancels the
  /// upstream and all other tasks, and drops the results that wait.
  ///
  /// ```swift
  /// struct Missing: Error {}
  /// @Sendable func load(_ name: String) async throws -> Int {
  ///   if name.isEmpty { throw Missing() }
  ///   return name.count
  /// }
  ///
  /// do {
  ///   for try await length in ["a", ""].publisher.tryAsyncMap({ try await load($0) }).values {
  ///     print(length)  // prints 1
  ///   }
  /// } catch {
  ///   print(error)  // prints Missing()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - maxConcurrent: The maximum number of elements in work. It must be positive. With the default of 1, the next
  ///     element is requested when the result of the previous one was published.
  ///   - preservingOrder: Whether results are published in the order of their elements.
  ///   - priority: The priority of the tasks. With `nil`, it is that of the code that sends the element.
  ///   - transform: A closure that transforms an element or throws an error.
  /// - Returns: A publisher of the transformed elements.
  @inlinable
  public func tryAsyncMap<Result: Sendable>(
    maxConcurrent: Int = 1,
    preservingOrder: Bool = true,
    priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws -> Result
  ) -> ExtraPublishers.TryAsyncMap<Self, Result> {
    ExtraPublishers.TryAsyncMap(
      upstream: self,
      maxConcurrent: maxConcurrent,
      preservingOrder: preservingOrder,
      priority: priority,
      transform: transform
    )
  }
}

extension ExtraPublishers {

  /// A publisher that transforms each element of its upstream by an asynchronous closure.
  public struct AsyncMap<Upstream: Publisher, Output: Sendable>: Publisher where Upstream.Output: Sendable {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are transformed.
    public let upstream: Upstream

    /// The maximum number of elements in work.
    public let maxConcurrent: Int

    /// Whether results are published in the order of their elements.
    public let preservingOrder: Bool

    /// The priority of the tasks.
    public let priority: TaskPriority?

    /// A closure that transforms an element.
    public let transform: @Sendable (Upstream.Output) async -> Output

    /// Creates a publisher that transforms each element of another publisher by an asynchronous closure.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed.
    ///   - maxConcurrent: The maximum number of elements in work. It must be positive.
    ///   - preservingOrder: Whether results are published in the order of their elements.
    ///   - priority: The priority of the tasks.
    ///   - transform: A closure that transforms an element.
    @inlinable
    public init(
      upstream: Upstream,
      maxConcurrent: Int,
      preservingOrder: Bool,
      priority: TaskPriority? = nil,
      transform: @escaping @Sendable (Upstream.Output) async -> Output
    ) {
      requirePositive(maxConcurrent, "AsyncMap: maxConcurrent")
      self.upstream = upstream
      self.maxConcurrent = maxConcurrent
      self.preservingOrder = preservingOrder
      self.priority = priority
      self.transform = transform
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let transform = transform
      let conduit = ExtraConduits.AsyncMap<Upstream.Output, S>(
        name: "AsyncMap",
        downstream: subscriber,
        state: AsyncMapMachine(maxConcurrent: maxConcurrent, preservesOrder: preservingOrder),
        priority: priority,
        transform: { .success(await transform($0)) }
      )
      if conduit.open() { upstream.subscribeConduit(conduit) }
    }
  }

  /// A publisher that transforms each element of its upstream by an asynchronous closure that may throw.
  public struct TryAsyncMap<Upstream: Publisher, Output: Sendable>: Publisher where Upstream.Output: Sendable {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = any Error

    /// The publisher whose elements are transformed.
    public let upstream: Upstream

    /// The maximum number of elements in work.
    public let maxConcurrent: Int

    /// Whether results are published in the order of their elements.
    public let preservingOrder: Bool

    /// The priority of the tasks.
    public let priority: TaskPriority?

    /// A closure that transforms an element or throws an error.
    public let transform: @Sendable (Upstream.Output) async throws -> Output

    /// Creates a publisher that transforms each element of another publisher by an asynchronous closure that may throw.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed.
    ///   - maxConcurrent: The maximum number of elements in work. It must be positive.
    ///   - preservingOrder: Whether results are published in the order of their elements.
    ///   - priority: The priority of the tasks.
    ///   - transform: A closure that transforms an element or throws an error.
    @inlinable
    public init(
      upstream: Upstream,
      maxConcurrent: Int,
      preservingOrder: Bool,
      priority: TaskPriority? = nil,
      transform: @escaping @Sendable (Upstream.Output) async throws -> Output
    ) {
      requirePositive(maxConcurrent, "TryAsyncMap: maxConcurrent")
      self.upstream = upstream
      self.maxConcurrent = maxConcurrent
      self.preservingOrder = preservingOrder
      self.priority = priority
      self.transform = transform
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let transform = transform
      let conduit = ExtraConduits.AsyncMap<Upstream.Output, S>(
        name: "TryAsyncMap",
        downstream: subscriber,
        state: AsyncMapMachine(maxConcurrent: maxConcurrent, preservesOrder: preservingOrder),
        priority: priority,
        transform: { input in
          do {
            return .success(try await transform(input))
          } catch {
            return .failure(error)
          }
        }
      )
      if conduit.open() { upstream.mapError { $0 as any Error }.subscribeConduit(conduit) }
    }
  }
}

extension ExtraPublishers.AsyncMap: Sendable where Upstream: Sendable {}

extension ExtraPublishers.TryAsyncMap: Sendable where Upstream: Sendable {}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class AsyncMap<Input: Sendable, Downstream: Subscriber>: QueuedConduit<Downstream>, Subscriber,
    CustomStringConvertible
  where Downstream.Input: Sendable {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    typealias State = AsyncMapMachine<Downstream.Input>

    @usableFromInline
    typealias Transform = @Sendable (Input) async -> Result<Downstream.Input, Failure>

    @usableFromInline
    let priority: TaskPriority?

    @exclusivity(unchecked)  // These three: only with the lock held, after `init`.
    @usableFromInline
    var state: State

    @exclusivity(unchecked)
    @usableFromInline
    var transform: Transform?

    /// The task in each slot of the state.
    @exclusivity(unchecked)
    @usableFromInline
    var tasks: [Task<Void, Never>?] = []

    @usableFromInline
    let description: String

    @inlinable
    init(
      name: String,
      downstream: Downstream,
      state: consuming State,
      priority: TaskPriority?,
      transform: @escaping Transform
    ) {
      description = name
      self.state = state
      self.priority = priority
      self.transform = transform
      super.init(downstream: downstream)
    }

    @inlinable
    func receive(subscription: any Subscription) {
      accept(subscription)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      let start = lock.withLock { () -> (State.Ticket, Transform)? in
        guard let transform, let ticket = state.receiveElement() else { return nil }
        if ticket.slot == tasks.count { tasks.append(nil) }
        return (ticket, transform)
      }
      guard let (ticket, transform) = start else { return .none }
      let task = TaskWork { self.receive(await transform(input), of: ticket.slot) }.start(priority: priority)
      // The task may have ended by now, and so may the subscription.
      let hasEnded = lock.withLock {
        if state.isRunning(ticket) { tasks[ticket.slot] = task }
        return state.hasEnded
      }
      if hasEnded { task.cancel() }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard finishUpstream() else { return }
      switch completion {
      case .finished:
        if lock.withLock({ state.finishUpstream() }) { send(completion: .finished) }
      case .failure:
        cancelTasks()
        sendImmediately(completion: completion)
      }
    }

    @inlinable
    func receive(_ result: Result<Downstream.Input, Failure>, of slot: Int) {
      switch result {
      case .success(let value):
        let delivery = lock.withLock { () -> Machine.Delivery in
          if state.hasEnded { return .nothing }
          tasks[slot] = nil
          state.receive(value, of: slot)
          // All results enter the queue in this step, so that those of another thread do not come in between. Only the
          // first delivery is this call's. The queue keeps the rest.
          var delivery = Machine.Delivery.nothing
          while let value = state.popResult() { keepFirst(&delivery, queue.send(value)) }
          if state.settle() { keepFirst(&delivery, queue.send(completion: .finished)) }
          return delivery
        }
        forward(deliver(delivery, didDeliver: requestMore))
      case .failure(let error):
        guard lock.withLock({ state.fail() }) else { return }
        cancelUpstream()
        cancelTasks()
        sendImmediately(completion: .failure(error))
      }
    }

    @inlinable
    func keepFirst(_ delivery: inout Machine.Delivery, _ next: Machine.Delivery) {
      if case .nothing = delivery { delivery = next }
    }

    /// Requests as many elements as have been delivered.
    @inlinable
    func requestMore() {
      requestFromUpstream(lock.withLock { state.newRequest(undelivered: queue.undeliveredCount) })
    }

    @inlinable
    override func receive(demand: Subscribers.Demand) {
      requestFromUpstream(lock.withLock { state.request(demand, undelivered: queue.undeliveredCount) })
    }

    @inlinable
    func requestFromUpstream(_ count: Int) {
      if count > 0 { requestUpstream(count == .max ? .unlimited : .max(count)) }
    }

    @inlinable
    override func didEnd() {
      super.didEnd()
      cancelTasks()
    }

    @inlinable
    func cancelTasks() {
      let (tasks, results, transform) = lock.withLock {
        (exchange(&self.tasks, with: []), state.end(), exchange(&self.transform, with: nil))
      }
      withExtendedLifetime((results, transform)) {
        for task in tasks { task?.cancel() }
      }
    }
  }
}

// The lock guards the state, and the queue makes one call to the downstream at a time.
extension ExtraConduits.AsyncMap: @unchecked Sendable {}
