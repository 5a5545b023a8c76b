import CombineCore

extension Future where Output: Sendable {

  /// Creates a future and starts an asynchronous operation, whose result all subscribers share.
  ///
  /// The operation starts immediately, in a task of its own, and runs once. The subscribers share it, so the
  /// cancellation of a subscription does not cancel it, and neither does the release of the future. To be able to cancel
  /// it, create a task and pass it to `init(_:)`. For an operation that starts and is cancelled with each subscription,
  /// use `DeferredTask`.
  ///
  /// ```swift
  /// let answer = Future { await Task.yield(); return 42 }
  /// print(await answer.value)  // prints 42
  /// ```
  ///
  /// - Parameters:
  ///   - priority: The priority of the task. With `nil`, it is that of the code that creates the future.
  ///   - operation: A closure that returns the value or throws the failure. It runs once.
  public convenience init(
    priority: TaskPriority? = nil,
    operation: @escaping @Sendable () async throws(Failure) -> Output
  ) {
    self.init { promise in
      Task(priority: priority) {
        do throws(Failure) {
          promise(.success(try await operation()))
        } catch {
          promise(.failure(error))
        }
      }
    }
  }

  /// Creates a future of a task's result.
  ///
  /// The cancellation of a subscription does not cancel the task. Cancel the task itself: the future then receives what
  /// its operation returns or throws.
  ///
  /// ```swift
  /// let task = Task { try await Task.sleep(for: .seconds(10)) }
  /// let future = Future(task)
  /// task.cancel()
  /// do {
  ///   try await future.value
  /// } catch {
  ///   print(error)  // prints CancellationError()
  /// }
  /// ```
  ///
  /// - Parameter task: The task. It may be running or have ended.
  public convenience init(_ task: Task<Output, Failure>) {
    self.init { promise in
      Task { promise(await task.result) }
    }
  }
}
