extension Future where Failure == Never {

  /// The value of this future, waited for if it is not there yet.
  ///
  /// ```swift
  /// func answer() async -> Int {
  ///   await Future<Int, Never> { $0(.success(42)) }.value
  /// }
  /// ```
  ///
  /// Any number of tasks may wait. Cancelling a task does not end its wait, as there is no error to end it with: a task
  /// that waits for a promise that nobody keeps waits for ever. To be able to stop waiting, give the future a failure
  /// type, by `setFailureType(to:)` and `values` or by its declaration.
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

  /// The value of this future, waited for if it is not there yet, or its failure, which is thrown.
  ///
  /// ```swift
  /// func answer(_ future: Future<Int, any Error>) async throws -> Int {
  ///   try await future.value
  /// }
  /// ```
  ///
  /// Any number of tasks may wait. Cancelling a task ends its wait with a `CancellationError`. A result that is there
  /// already is returned, or thrown, in a cancelled task too.
  public var value: Output {
    get async throws {
      let subscriber = AsyncSubscriber<Output, Failure>()
      subscribe(subscriber)
      if let value = try await subscriber.nextUnlessCancelled(isolation: nil) { return value }
      // The subscriber was cancelled, perhaps before it could ask for a result that is there.
      guard let result else { throw CancellationError() }
      return try result.get()
    }
  }
}
