import CombineThreads
import CombineCore

extension Publisher where Output: Sendable {

  /// Transforms each element by an asynchronous closure.
  ///
  /// Each element is transformed in a task. At most `maxConcurrent` elements are in work at the same time, from the request
  /// until the result is delivered. If that is one, a task goes on with the next element if the upstream sends it at once,
  /// up to a hundred of them. With `preservingOrder`, a result waits for those of earlier elements.
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
    var tasks: [CancellableTask?] = []

    /// An element in work.
    @usableFromInline
    struct Work {

      @usableFromInline
      let input: Input

      @usableFromInline
      let slot: Int

      @inlinable
      init(input: Input, slot: Int) {
        self.input = input
        self.slot = slot
      }
    }

    /// A task that is requesting an element, on this thread, and takes it along if it comes at once. There is at most one, as
    /// only an operator with one element in work has it: the others have results to deliver meanwhile.
    @exclusivity(unchecked)  // These three: only with the lock held.
    @usableFromInline
    var taker: CancellableTask?

    /// The thread of the taker. It is zero while there is none, or when it has an element.
    @exclusivity(unchecked)
    @usableFromInline
    var takerThread: UInt = 0

    @exclusivity(unchecked)
    @usableFromInline
    var taken: Work?

    /// Whether one element at a time is in work.
    @usableFromInline
    let isSequential: Bool

    /// The greatest number of elements that a task takes along, so that other tasks have their turn.
    @inlinable
    static var takenLimit: Int { 100 }

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
      isSequential = state.maxConcurrent == 1
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
      let start = lock.withLock { () -> (Work, CancellableTask, Transform)? in
        guard let transform, let slot = state.receiveElement() else { return nil }
        if slot == tasks.count { tasks.append(nil) }
        let work = Work(input: input, slot: slot)
        if takerThread != 0, takerThread == Platform.currentThread {
          takerThread = 0
          tasks[slot] = taker
          taken = work
          return nil
        }
        let task = CancellableTask()
        tasks[slot] = task
        return (work, task, transform)
      }
      if let (work, task, transform) = start {
        task.start(TaskWork { await self.perform(work, transform) }, priority: priority)
      }
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

    /// Transforms an element, and those that come at once when its result is delivered.
    @inlinable
    func perform(_ first: Work, _ transform: Transform) async {
      var work = first
      for count in 0... {
        let result = await transform(work.input)
        let takesNext = isSequential && count < Self.takenLimit && !Task.isCancelled
        guard let next = receive(result, of: work.slot, takesNext: takesNext) else { return }
        work = next
      }
    }

    /// Takes the result of an element.
    ///
    /// - Parameter takesNext: Whether this task takes the next element along.
    /// - Returns: The next element, if it has come.
    @inlinable
    func receive(_ result: Result<Downstream.Input, Failure>, of slot: Int, takesNext: Bool = false) -> Work? {
      switch result {
      case .success(let value):
        var task: CancellableTask?
        let delivery = lock.withLock { () -> Machine.Delivery in
          // A queue that is closed would drop the results here, with the lock held.
          if state.hasEnded || isClosedLocked { return .nothing }
          task = exchange(&tasks[slot], with: nil)
          state.receive(value, of: slot)
          // All results enter the queue in this step, so that those of another thread do not come in between. Only the
          // first delivery is this call's. The queue keeps the rest.
          var delivery = Machine.Delivery.nothing
          while let value = state.popResult() { keepFirst(&delivery, queue.send(value)) }
          if state.settle() { keepFirst(&delivery, queue.send(completion: .finished)) }
          return delivery
        }
        var next: Work?
        forward(
          deliver(delivery) {
            // Without demand of the downstream there are results that wait, and so further requests here.
            let more = requestMore(for: takesNext && next == nil ? task : nil)
            if next == nil { next = more }
          }
        )
        return next
      case .failure(let error):
        guard lock.withLock({ state.fail() }) else { return nil }
        cancelUpstream()
        cancelTasks()
        sendImmediately(completion: .failure(error))
        return nil
      }
    }

    @inlinable
    func keepFirst(_ delivery: inout Machine.Delivery, _ next: Machine.Delivery) {
      if case .nothing = delivery { delivery = next }
    }

    /// Requests as many elements as have been delivered.
    ///
    /// - Parameter task: The task that takes the element along; `nil` if it may not.
    /// - Returns: The element, if it has come at once.
    @inlinable
    func requestMore(for task: CancellableTask?) -> Work? {
      let count = lock.withLock { () -> Int in
        let count = state.newRequest(undelivered: queue.undeliveredCount)
        if count == 1, let task {
          taker = task
          takerThread = Platform.currentThread
        }
        return count
      }
      requestFromUpstream(count)
      guard count == 1, task != nil else { return nil }
      return lock.withLock {
        taker = nil
        takerThread = 0
        return exchange(&taken, with: nil)
      }
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
