extension Future where Failure == Never {

  /// The value of this future, waited for if it is not there yet.
  ///
  /// ```swift
  /// func answer() async -> Int {
  ///   await Future<Int, Never> { $0(.success(42)) }.value
  /// }
  /// ```
  ///
  /// Any number of tasks may wait. Cancelling one does not end its wait.
  public var value: Output {
    get async { await resolved() }
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
  /// Any number of tasks may wait. Cancelling one does not end its wait.
  public var value: Output {
    get async throws { try await resolved() }
  }

  private func resolved() async throws(Failure) -> Output {
    let subscriber = AsyncSubscriber<Output, Failure>()
    subscribe(subscriber)
    guard let value = try await subscriber.next(isolation: nil) else {
      preconditionFailure("A future finished without a value")
    }
    return value
  }
}
