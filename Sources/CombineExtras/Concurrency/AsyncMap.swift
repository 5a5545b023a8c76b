import CombineCore

extension Publisher where Output: Sendable {

  /// Transforms each element by an asynchronous closure.
  ///
  /// Each element is transformed in a task of its own. At most `maxConcurrent` elements are in work at the same time. With
  /// `preservingOrder`, a result waits for those of earlier elements, and counts as in work until it is published.
  /// Otherwise results are published as they come.
  ///
  /// The operator requests as many elements as it may take in work, and no more than the downstream has requested. A
  /// finish waits for the tasks. A failure of the upstream is passed on at once. A failure and a cancellation cancel all
  /// tasks.
  ///
  /// ```swift
  /// @Sendable func length(of page: String) async -> Int { page.count }
  ///
  /// let cancellable = ["a", "bb", "ccc"].publisher
  ///   .asyncMap(maxConcurrent: 2) { await length(of: $0) }
  ///   .sink { print($0) }  // prints 1, 2, 3
  /// ```
  ///
  /// - Parameters:
  ///   - maxConcurrent: The maximum number of elements in work. It must be positive. With the default of 1, the next
  ///     element is requested when the result of the previous one was published.
  ///   - preservingOrder: Whether results are published in the order of their elements.
  ///   - priority: The priority of the tasks. With `nil`, it is that of the code that sends the element.
  ///   - transform: A closure that transforms an element.
  /// - Returns: A publisher of the transformed elements.
  public func asyncMap<Result: Sendable>(
    maxConcurrent: Int = 1,
    preservingOrder: Bool = true,
    priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async -> Result
  ) -> Publishers.AsyncMap<Self, Result> {
    Publishers.AsyncMap(
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
  /// let cancellable = ["a", ""].publisher
  ///   .tryAsyncMap { try await load($0) }
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })  // prints 1, failure(Missing())
  /// ```
  ///
  /// - Parameters:
  ///   - maxConcurrent: The maximum number of elements in work. It must be positive. With the default of 1, the next
  ///     element is requested when the result of the previous one was published.
  ///   - preservingOrder: Whether results are published in the order of their elements.
  ///   - priority: The priority of the tasks. With `nil`, it is that of the code that sends the element.
  ///   - transform: A closure that transforms an element or throws an error.
  /// - Returns: A publisher of the transformed elements.
  public func tryAsyncMap<Result: Sendable>(
    maxConcurrent: Int = 1,
    preservingOrder: Bool = true,
    priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws -> Result
  ) -> Publishers.TryAsyncMap<Self, Result> {
    Publishers.TryAsyncMap(
      upstream: self,
      maxConcurrent: maxConcurrent,
      preservingOrder: preservingOrder,
      priority: priority,
      transform: transform
    )
  }
}

extension Publishers {

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
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let transform = transform
      let conduit = ExtraConduits.AsyncMap<Upstream.Output, S>(
        name: "AsyncMap",
        downstream: subscriber,
        state: AsyncMapMachine(maxConcurrent: maxConcurrent, preservesOrder: preservingOrder),
        priority: priority,
        transform: { .success(await transform($0)) }
      )
      if conduit.open() { upstream.subscribe(conduit) }
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
      if conduit.open() { upstream.mapError { $0 as any Error }.subscribe(conduit) }
    }
  }
}

extension Publishers.AsyncMap: Sendable where Upstream: Sendable {}

extension Publishers.TryAsyncMap: Sendable where Upstream: Sendable {}

// MARK: Conduit

extension ExtraConduits {

  final class AsyncMap<Input: Sendable, Downstream: Subscriber>: QueuedConduit<Downstream>, Subscriber,
    CustomStringConvertible
  where Downstream.Input: Sendable {

    typealias Failure = Downstream.Failure

    typealias Transform = @Sendable (Input) async -> Result<Downstream.Input, Failure>

    private let priority: TaskPriority?

    @exclusivity(unchecked)  // These three: only with the lock held, after `init`.
    private var state: AsyncMapMachine<Downstream.Input>

    @exclusivity(unchecked)
    private var transform: Transform?

    @exclusivity(unchecked)
    private var tasks: [Int: Task<Void, Never>] = [:]

    let description: String

    init(
      name: String,
      downstream: Downstream,
      state: AsyncMapMachine<Downstream.Input>,
      priority: TaskPriority?,
      transform: @escaping Transform
    ) {
      description = name
      self.state = state
      self.priority = priority
      self.transform = transform
      super.init(downstream: downstream)
    }

    func receive(subscription: any Subscription) {
      accept(subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      let start = lock.withLock { () -> (Int, Transform)? in
        guard let transform, let index = state.receiveElement() else { return nil }
        return (index, transform)
      }
      guard let (index, transform) = start else { return .none }
      let task = startTask(Work(conduit: self, index: index, input: input, transform: transform), priority: priority)
      // The task may have ended by now, and so may the subscription.
      let isRunning = lock.withLock {
        if state.isRunning(index), !state.hasEnded { tasks[index] = task }
        return !state.hasEnded
      }
      if !isRunning { task.cancel() }
      return .none
    }

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

    func receive(_ result: Result<Downstream.Input, Failure>, of index: Int) {
      switch result {
      case .success(let value):
        let (delivery, request) = lock.withLock { () -> (Machine.Delivery, Int) in
          tasks[index] = nil
          let action = state.receive(value, of: index)
          // All results enter the queue in this step, so that those of another thread do not come in between. Only the
          // first delivery is this call's. The queue keeps the rest.
          var delivery = Machine.Delivery.nothing
          for value in action.values { keepFirst(&delivery, queue.send(value)) }
          if action.isLast { keepFirst(&delivery, queue.send(completion: .finished)) }
          return (delivery, action.request)
        }
        forward(deliver(delivery))
        if request > 0 { requestUpstream(request == .max ? .unlimited : .max(request)) }
      case .failure(let error):
        let isFirst = lock.withLock {
          tasks[index] = nil
          return state.fail(index)
        }
        guard isFirst else { return }
        cancelUpstream()
        cancelTasks()
        sendImmediately(completion: .failure(error))
      }
    }

    private func keepFirst(_ delivery: inout Machine.Delivery, _ next: Machine.Delivery) {
      if case .nothing = delivery { delivery = next }
    }

    override func receive(demand: Subscribers.Demand) {
      let request = lock.withLock { state.request(demand) }
      if request > 0 { requestUpstream(request == .max ? .unlimited : .max(request)) }
    }

    override func didEnd() {
      super.didEnd()
      cancelTasks()
    }

    private func cancelTasks() {
      let (tasks, results, transform) = lock.withLock {
        (exchange(&self.tasks, with: [:]), state.end(), exchange(&self.transform, with: nil))
      }
      withExtendedLifetime((results, transform)) {
        for task in tasks.values { task.cancel() }
      }
    }

    private final class Work: TaskWork {

      private let conduit: AsyncMap<Input, Downstream>
      private let index: Int
      private let input: Input
      private let transform: Transform

      init(conduit: AsyncMap<Input, Downstream>, index: Int, input: Input, transform: @escaping Transform) {
        self.conduit = conduit
        self.index = index
        self.input = input
        self.transform = transform
      }

      func run() async {
        conduit.receive(await transform(input), of: index)
      }
    }
  }
}

// The lock guards the state, and the queue makes one call to the downstream at a time.
extension ExtraConduits.AsyncMap: @unchecked Sendable {}
