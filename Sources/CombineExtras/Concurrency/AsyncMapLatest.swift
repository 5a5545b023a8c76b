import CombineCore

extension Publisher where Output: Sendable {

  /// Transforms the latest element by an asynchronous closure.
  ///
  /// Each element is transformed in a task of its own. The next element cancels that task, and its result is not
  /// published. So at most one result is awaited, that of the latest element. It is
  /// `flatMapLatest { element in DeferredTask { await transform(element) } }`.
  ///
  /// The operator requests unlimited elements. A task starts when the downstream has demand. A finish waits for the task.
  /// A failure of the upstream is passed on at once, and it and a cancellation cancel the task.
  ///
  /// ```swift
  /// @Sendable func search(_ text: String) async -> [String] { ["results for \(text)"] }
  ///
  /// let texts = PassthroughSubject<String, Never>()
  /// let cancellable = texts
  ///   .asyncMapLatest { await search($0) }
  ///   .sink { print($0) }  // for "swift", and for "swi" only if that is found first
  /// texts.send("swi")
  /// texts.send("swift")
  /// ```
  ///
  /// - Parameters:
  ///   - priority: The priority of the tasks. With `nil`, it is that of the code that sends the element.
  ///   - transform: A closure that transforms an element. It should end early when its task is cancelled.
  /// - Returns: A publisher of the results of elements that no other one has followed in time.
  @inlinable
  public func asyncMapLatest<Result: Sendable>(
    priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async -> Result
  ) -> Publishers.SwitchToLatest<DeferredTask<Result, Failure>, Publishers.Map<Self, DeferredTask<Result, Failure>>> {
    flatMapLatest { element in
      DeferredTask<Result, Failure>(priority: priority) { await transform(element) }
    }
  }

  /// Transforms the latest element by an asynchronous closure that may throw.
  ///
  /// It differs from `asyncMapLatest` in one point: an error of the closure fails the publisher at once and cancels the
  /// upstream. The closure of a cancelled task may throw any error without an effect.
  ///
  /// ```swift
  /// struct Missing: Error {}
  /// @Sendable func load(_ name: String) async throws -> Int {
  ///   if name.isEmpty { throw Missing() }
  ///   return name.count
  /// }
  ///
  /// let lengths = Just("").tryAsyncMapLatest { try await load($0) }
  /// do {
  ///   for try await length in lengths.values { print(length) }
  /// } catch {
  ///   print(error)  // prints Missing()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - priority: The priority of the tasks. With `nil`, it is that of the code that sends the element.
  ///   - transform: A closure that transforms an element or throws an error.
  /// - Returns: A publisher of the results of elements that no other one has followed in time.
  @inlinable
  public func tryAsyncMapLatest<Result: Sendable>(
    priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws -> Result
  )
    -> Publishers.SwitchToLatest<
      DeferredTask<Result, any Error>,
      Publishers.Map<Publishers.MapError<Self, any Error>, DeferredTask<Result, any Error>>
    >
  {
    mapError { $0 as any Error }
      .flatMapLatest { element in
        DeferredTask<Result, any Error>(priority: priority) { try await transform(element) }
      }
  }
}
