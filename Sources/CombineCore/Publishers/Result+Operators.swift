// A list of overloads: the operators that `Result.Publisher` has for itself.
//
// They are evaluated when they are called, once for all subscribers, and return a publisher of the result. After a failure
// they call no closure and keep the error.

extension Result.Publisher {

  /// Compares the value with itself, because the comparison may throw.
  @inlinable
  func tryComparing(_ compare: (Output, Output) throws -> Bool) -> Result<Output, any Error>.Publisher {
    tryMap { value in
      _ = try compare(value, value)
      return value
    }
  }
}

// MARK: Mapping

extension Result.Publisher {

  /// Transforms the value immediately.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(2).publisher.map { $0 * 10 }  // publishes 20
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the new value, or one that fails with the same error.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Result<T, Failure>.Publisher {
    result.map(transform).publisher
  }

  /// Transforms the value immediately, with a closure that may throw.
  ///
  /// ```swift
  /// struct Negative: Error {}
  /// let publisher = Result<Int, CancellationError>.success(4).publisher.tryMap { number in
  ///   guard number >= 0 else { throw Negative() }
  ///   return "\(number)"
  /// }  // publishes 4
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the value, or throws. This method calls it immediately, if there
  ///   is a value.
  /// - Returns: A publisher of the new value, or one that fails with the same error or the one thrown.
  @inlinable
  public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
    Result<T, any Error> { try transform(result.get()) }.publisher
  }

  /// Transforms the error immediately.
  ///
  /// ```swift
  /// struct Failed: Error {}
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.mapError { _ in Failed() }  // publishes 1
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the error. This method calls it immediately, if there is an
  ///   error.
  /// - Returns: A publisher of the same value, or one that fails with the new error.
  @inlinable
  public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Output, E>.Publisher {
    result.mapError(transform).publisher
  }

  /// Changes the failure type of this publisher, which cannot fail.
  ///
  /// ```swift
  /// let publisher = Result<Int, Never>.success(1).publisher.setFailureType(to: CancellationError.self)  // publishes 1
  /// ```
  ///
  /// - Parameter failureType: The kind of errors.
  /// - Returns: A publisher of the same value with the new failure type.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher
  where Failure == Never {
    .init(.success(result.get()))
  }

  /// Combines an initial result with the value immediately.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(2).publisher.scan(10) { $0 + $1 }  // publishes 12
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the value is combined with.
  ///   - nextPartialResult: A closure that combines both. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the result, or one that fails with the same error.
  @inlinable
  public func scan<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) -> T
  ) -> Result<T, Failure>.Publisher {
    map { nextPartialResult(initialResult, $0) }
  }

  /// Combines an initial result with the value immediately, with a closure that may throw.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(2).publisher.tryScan(10) { sum, number in
  ///   try Task.checkCancellation()
  ///   return sum + number
  /// }  // publishes 12
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the value is combined with.
  ///   - nextPartialResult: A closure that combines both, or throws. This method calls it immediately, if there is a
  ///     value.
  /// - Returns: A publisher of the result, or one that fails with the same error or the one thrown.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryMap { try nextPartialResult(initialResult, $0) }
  }
}

// MARK: Filtering

extension Result.Publisher {

  /// Returns this publisher, because it has at most one value, which has no duplicate.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.removeDuplicates()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func removeDuplicates() -> Result<Output, Failure>.Publisher where Success: Equatable {
    self
  }

  /// Returns this publisher, because it has at most one value, which has no duplicate.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.removeDuplicates { $0 == $1 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that is never called, because there is no second value.
  /// - Returns: This publisher.
  @inlinable
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher {
    self
  }

  /// Compares the value with itself, because the closure may throw.
  ///
  /// The value has no duplicate.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.tryRemoveDuplicates { previous, current in
  ///   try Task.checkCancellation()
  ///   return previous == current
  /// }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that this method calls once, with the value and itself, if there is a value. Its
  ///   result has no effect. If it throws, the new publisher fails.
  /// - Returns: A publisher of the value, or one that fails with the same error or the one thrown.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: (Output, Output) throws -> Bool
  ) -> Result<Output, any Error>.Publisher {
    tryComparing(predicate)
  }

  /// Returns this publisher, because it has a value or fails.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.replaceEmpty(with: 0)  // publishes 1
  /// ```
  ///
  /// - Parameter output: Not used.
  /// - Returns: This publisher.
  @inlinable
  public func replaceEmpty(with output: Output) -> Result<Output, Failure>.Publisher {
    self
  }

  /// Publishes a replacement instead of the error.
  ///
  /// ```swift
  /// let failed = Result<Int, CancellationError>.failure(CancellationError()).publisher
  /// let publisher = failed.replaceError(with: 0)  // publishes 0
  /// ```
  ///
  /// - Parameter output: The value to publish instead of an error.
  /// - Returns: A publisher of the value, or of the replacement.
  @inlinable
  public func replaceError(with output: Output) -> Result<Output, Never>.Publisher {
    result.flatMapError { _ in .success(output) }.publisher
  }

  /// Drops the value, and the failure too.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.ignoreOutput()  // only finishes
  /// ```
  ///
  /// - Returns: A publisher that finishes immediately. It does so even if this publisher fails, as in Combine.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Failure> {
    Empty()
  }
}

// MARK: Reducing

extension Result.Publisher {

  /// Collects all values into an array.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.collect()  // publishes [1]
  /// ```
  ///
  /// - Returns: A publisher of an array that contains the value, or one that fails with the same error.
  @inlinable
  public func collect() -> Result<[Output], Failure>.Publisher {
    map { [$0] }
  }

  /// Counts the values.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(7).publisher.count()  // publishes 1
  /// ```
  ///
  /// - Returns: A publisher of the number 1, or one that fails with the same error.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher {
    map { _ in 1 }
  }

  /// Combines an initial result with the value immediately.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(2).publisher.reduce(10) { $0 + $1 }  // publishes 12
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the value is combined with.
  ///   - nextPartialResult: A closure that combines both. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the result, or one that fails with the same error.
  @inlinable
  public func reduce<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) -> T
  ) -> Result<T, Failure>.Publisher {
    map { nextPartialResult(initialResult, $0) }
  }

  /// Combines an initial result with the value immediately, with a closure that may throw.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(2).publisher.tryReduce(10) { sum, number in
  ///   try Task.checkCancellation()
  ///   return sum + number
  /// }  // publishes 12
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the value is combined with.
  ///   - nextPartialResult: A closure that combines both, or throws. This method calls it immediately, if there is a
  ///     value.
  /// - Returns: A publisher of the result, or one that fails with the same error or the one thrown.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryMap { try nextPartialResult(initialResult, $0) }
  }

  /// Returns this publisher, because its only value is the smallest.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.min()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func min() -> Result<Output, Failure>.Publisher where Success: Comparable {
    self
  }

  /// Returns this publisher, because its only value is the smallest.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.min { $0 < $1 }  // publishes 1
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that is never called, because there is no second value.
  /// - Returns: This publisher.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher {
    self
  }

  /// Compares the value with itself, because the closure may throw.
  ///
  /// The only value is the smallest.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.tryMin { first, second in
  ///   try Task.checkCancellation()
  ///   return first < second
  /// }  // publishes 1
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that this method calls once, with the value and itself, if there is a
  ///   value. Its result has no effect. If it throws, the new publisher fails.
  /// - Returns: A publisher of the value, or one that fails with the same error or the one thrown.
  @inlinable
  public func tryMin(
    by areInIncreasingOrder: (Output, Output) throws -> Bool
  ) -> Result<Output, any Error>.Publisher {
    tryComparing(areInIncreasingOrder)
  }

  /// Returns this publisher, because its only value is the largest.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.max()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func max() -> Result<Output, Failure>.Publisher where Success: Comparable {
    self
  }

  /// Returns this publisher, because its only value is the largest.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.max { $0 < $1 }  // publishes 1
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that is never called, because there is no second value.
  /// - Returns: This publisher.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher {
    self
  }

  /// Compares the value with itself, because the closure may throw.
  ///
  /// The only value is the largest.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.tryMax { first, second in
  ///   try Task.checkCancellation()
  ///   return first < second
  /// }  // publishes 1
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that this method calls once, with the value and itself, if there is a
  ///   value. Its result has no effect. If it throws, the new publisher fails.
  /// - Returns: A publisher of the value, or one that fails with the same error or the one thrown.
  @inlinable
  public func tryMax(
    by areInIncreasingOrder: (Output, Output) throws -> Bool
  ) -> Result<Output, any Error>.Publisher {
    tryComparing(areInIncreasingOrder)
  }

  /// Publishes whether the value equals another one.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.contains(2)  // publishes false
  /// ```
  ///
  /// - Parameter output: The value to search for.
  /// - Returns: A publisher of `true` if the value equals `output`, else of `false`, or one that fails with the same
  ///   error.
  @inlinable
  public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher where Success: Equatable {
    map { $0 == output }
  }

  /// Publishes whether the value satisfies a predicate.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.contains { $0 > 0 }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the predicate's result, or one that fails with the same error.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    map(predicate)
  }

  /// Publishes whether the value satisfies a predicate that may throw.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.tryContains { number in
  ///   try Task.checkCancellation()
  ///   return number > 0
  /// }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the predicate's result, or one that fails with the same error or the one thrown.
  @inlinable
  public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }

  /// Publishes whether all values satisfy a predicate.
  ///
  /// There is only one value.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.allSatisfy { $0 > 0 }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the predicate's result, or one that fails with the same error.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    map(predicate)
  }

  /// Publishes whether all values satisfy a predicate that may throw.
  ///
  /// There is only one value.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.tryAllSatisfy { number in
  ///   try Task.checkCancellation()
  ///   return number > 0
  /// }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the predicate's result, or one that fails with the same error or the one thrown.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }
}

// MARK: Slicing

extension Result.Publisher {

  /// Returns this publisher, because its only value is the first.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.first()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func first() -> Result<Output, Failure>.Publisher {
    self
  }

  /// Returns this publisher, because its only value is the last.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.last()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func last() -> Result<Output, Failure>.Publisher {
    self
  }
}

// MARK: Error handling

extension Result.Publisher {

  /// Returns this publisher, because it would fail again.
  ///
  /// ```swift
  /// let publisher = Result<Int, CancellationError>.success(1).publisher.retry(3)  // publishes 1
  /// ```
  ///
  /// - Parameter times: Not used.
  /// - Returns: This publisher.
  @inlinable
  public func retry(_ times: Int) -> Result<Output, Failure>.Publisher {
    self
  }
}
