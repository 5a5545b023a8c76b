extension Future where Failure == Never {

  /// The value of this future, which is awaited if it does not exist yet.
  ///
  /// ```swift
  /// func answer() async -> Int {
  ///   await Future<Int, Never> { $0(.success(42)) }.value
  /// }
  /// ```
  ///
  /// Any number of tasks may wait. Cancelling a task does not end its wait, because there is no error to throw. If the
  /// promise is never fulfilled, the task waits forever. To make the wait cancellable, give the future a failure type,
  /// in its declaration or by `setFailureType(to:)` and `values`.
  public var value: Output {
    get async { await resolved() }
  }

  private func resolved() async -> Output {
    let subscriber = AsyncSubscriber<Output, Never>()
    subscribe(subscriber)
    guard let value = await subscriber.next(isolation: nil) else {
      preconditionFailure("A future finished without a value")
    }
    return value
  }
}

extension Future {

  /// The value of this future, which is awaited if it does not exist yet, or its failure, which is thrown.
  ///
  /// ```swift
  /// func answer(_ future: Future<Int, any Error>) async throws -> Int {
  ///   try await future.value
  /// }
  /// ```
  ///
  /// Any number of tasks may wait. Cancelling a task ends its wait with a `CancellationError`. An existing result is
  /// returned or thrown in a cancelled task, too.
  public var value: Output {
    get async throws {
      let subscriber = AsyncSubscriber<Output, Failure>()
      subscribe(subscriber)
      if let value = try await subscriber.nextUnlessCancelled(isolation: nil) { return value }
      // The subscriber was cancelled, perhaps before it could request a result that exists.
      guard let result else { throw CancellationError() }
      return try result.pointee.get()
    }
  }
}
