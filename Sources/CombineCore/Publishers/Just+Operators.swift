// A list of overloads: the operators that `Just` has for itself.
//
// They are evaluated when they are called, once for all subscribers, and return a publisher of the result. Operators that
// may drop the value forward to `Optional.Publisher`. Operators that may fail forward to `Result.Publisher`.

extension Just {

  @inlinable
  var optionalPublisher: Optional<Output>.Publisher { .init(output) }

  @inlinable
  var resultPublisher: Result<Output, Failure>.Publisher { .init(.success(output)) }
}

// MARK: Mapping

extension Just {

  /// Transforms the value immediately.
  ///
  /// ```swift
  /// let publisher = Just(2).map { $0 * 10 }  // publishes 20
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the value. This method calls it once.
  /// - Returns: A publisher of the new value.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Just<T> {
    Just<T>(transform(output))
  }

  /// Transforms the value immediately, with a closure that may throw.
  ///
  /// ```swift
  /// struct Negative: Error {}
  /// let publisher = Just(4).tryMap { number in
  ///   guard number >= 0 else { throw Negative() }
  ///   return "\(number)"
  /// }  // publishes 4
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the value, or throws. This method calls it once.
  /// - Returns: A publisher of the new value, or one that fails with the error thrown.
  @inlinable
  public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
    resultPublisher.tryMap(transform)
  }

  /// Changes the failure type of this publisher, which cannot fail.
  ///
  /// ```swift
  /// struct Failed: Error {
  ///   init(_ reason: any Error) {}
  /// }
  /// let publisher = Just(1).mapError(Failed.init)  // publishes 1
  /// ```
  ///
  /// - Parameter transform: A closure that is never called, because there is no error.
  /// - Returns: A publisher of the same value with the new failure type.
  @inlinable
  public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Output, E>.Publisher {
    resultPublisher.mapError(transform)
  }

  /// Changes the failure type of this publisher, which cannot fail.
  ///
  /// ```swift
  /// let publisher = Just(1).setFailureType(to: CancellationError.self)  // publishes 1
  /// ```
  ///
  /// - Parameter failureType: The kind of errors.
  /// - Returns: A publisher of the same value with the new failure type.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
    resultPublisher.setFailureType(to: failureType)
  }

  /// Combines an initial result with the value immediately.
  ///
  /// ```swift
  /// let publisher = Just(2).scan(10) { $0 + $1 }  // publishes 12
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the value is combined with.
  ///   - nextPartialResult: A closure that combines both. This method calls it once.
  /// - Returns: A publisher of the result.
  @inlinable
  public func scan<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) -> T
  ) -> Result<T, Failure>.Publisher {
    resultPublisher.scan(initialResult, nextPartialResult)
  }

  /// Combines an initial result with the value immediately, with a closure that may throw.
  ///
  /// ```swift
  /// let publisher = Just(2).tryScan(10) { sum, number in
  ///   try Task.checkCancellation()
  ///   return sum + number
  /// }  // publishes 12
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the value is combined with.
  ///   - nextPartialResult: A closure that combines both, or throws. This method calls it once.
  /// - Returns: A publisher of the result, or one that fails with the error thrown.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    resultPublisher.tryScan(initialResult, nextPartialResult)
  }
}

// MARK: Filtering

extension Just {

  /// Transforms the value immediately, or drops it.
  ///
  /// ```swift
  /// let publisher = Just("42").compactMap { Int($0) }  // publishes 42
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the value, or returns `nil`. This method calls it once.
  /// - Returns: A publisher of the new value, or one that publishes nothing.
  @inlinable
  public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
    optionalPublisher.compactMap(transform)
  }

  /// Keeps the value if it satisfies a predicate, which is evaluated immediately.
  ///
  /// ```swift
  /// let publisher = Just(3).filter { $0 > 2 }  // publishes 3
  /// ```
  ///
  /// - Parameter isIncluded: A closure that returns whether to keep the value. This method calls it once.
  /// - Returns: A publisher of the value, or one that publishes nothing.
  @inlinable
  public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher {
    optionalPublisher.filter(isIncluded)
  }

  /// Returns this publisher, because a single value has no duplicate.
  ///
  /// ```swift
  /// let publisher = Just(1).removeDuplicates()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func removeDuplicates() -> Just<Output> where Output: Equatable {
    self
  }

  /// Returns this publisher, because a single value has no duplicate.
  ///
  /// ```swift
  /// let publisher = Just(1).removeDuplicates { $0 == $1 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that is never called, because there is no second value.
  /// - Returns: This publisher.
  @inlinable
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Just<Output> {
    self
  }

  /// Compares the value with itself, because the closure may throw.
  ///
  /// The value has no duplicate.
  ///
  /// ```swift
  /// let publisher = Just(1).tryRemoveDuplicates { previous, current in
  ///   try Task.checkCancellation()
  ///   return previous == current
  /// }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that this method calls once, with the value and itself. Its result has no effect.
  ///   If it throws, the new publisher fails.
  /// - Returns: A publisher of the value, or one that fails with the error thrown.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: (Output, Output) throws -> Bool
  ) -> Result<Output, any Error>.Publisher {
    resultPublisher.tryRemoveDuplicates(by: predicate)
  }

  /// Returns this publisher, because it is not empty.
  ///
  /// ```swift
  /// let publisher = Just(1).replaceEmpty(with: 0)  // publishes 1
  /// ```
  ///
  /// - Parameter output: Not used.
  /// - Returns: This publisher.
  @inlinable
  public func replaceEmpty(with output: Output) -> Just<Output> {
    self
  }

  /// Returns this publisher, because it cannot fail.
  ///
  /// ```swift
  /// let publisher = Just(1).replaceError(with: 0)  // publishes 1
  /// ```
  ///
  /// - Parameter output: Not used.
  /// - Returns: This publisher.
  @inlinable
  public func replaceError(with output: Output) -> Just<Output> {
    self
  }

  /// Drops the value.
  ///
  /// ```swift
  /// let publisher = Just(1).ignoreOutput()  // only finishes
  /// ```
  ///
  /// - Returns: A publisher that finishes immediately.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Failure> {
    Empty()
  }
}

// MARK: Reducing

extension Just {

  /// Collects all values into an array.
  ///
  /// ```swift
  /// let publisher = Just(1).collect()  // publishes [1]
  /// ```
  ///
  /// - Returns: A publisher of an array that contains the value.
  @inlinable
  public func collect() -> Just<[Output]> {
    Just<[Output]>([output])
  }

  /// Counts the values.
  ///
  /// ```swift
  /// let publisher = Just("a").count()  // publishes 1
  /// ```
  ///
  /// - Returns: A publisher of the number 1.
  @inlinable
  public func count() -> Just<Int> {
    Just<Int>(1)
  }

  /// Combines an initial result with the value immediately.
  ///
  /// ```swift
  /// let publisher = Just(2).reduce(10) { $0 + $1 }  // publishes 12
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the value is combined with.
  ///   - nextPartialResult: A closure that combines both. This method calls it once.
  /// - Returns: A publisher of the result.
  @inlinable
  public func reduce<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) -> T
  ) -> Result<T, Failure>.Publisher {
    resultPublisher.reduce(initialResult, nextPartialResult)
  }

  /// Combines an initial result with the value immediately, with a closure that may throw.
  ///
  /// ```swift
  /// let publisher = Just(2).tryReduce(10) { sum, number in
  ///   try Task.checkCancellation()
  ///   return sum + number
  /// }  // publishes 12
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the value is combined with.
  ///   - nextPartialResult: A closure that combines both, or throws. This method calls it once.
  /// - Returns: A publisher of the result, or one that fails with the error thrown.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    resultPublisher.tryReduce(initialResult, nextPartialResult)
  }

  /// Returns this publisher, because its only value is the smallest.
  ///
  /// ```swift
  /// let publisher = Just(1).min()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func min() -> Just<Output> where Output: Comparable {
    self
  }

  /// Returns this publisher, because its only value is the smallest.
  ///
  /// ```swift
  /// let publisher = Just("a").min { $0.count < $1.count }  // publishes a
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that is never called, because there is no second value.
  /// - Returns: This publisher.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> {
    self
  }

  /// Returns this publisher, because its only value is the largest.
  ///
  /// ```swift
  /// let publisher = Just(1).max()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func max() -> Just<Output> where Output: Comparable {
    self
  }

  /// Returns this publisher, because its only value is the largest.
  ///
  /// ```swift
  /// let publisher = Just("a").max { $0.count < $1.count }  // publishes a
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that is never called, because there is no second value.
  /// - Returns: This publisher.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> {
    self
  }

  /// Publishes whether the value equals another one.
  ///
  /// ```swift
  /// let publisher = Just(1).contains(2)  // publishes false
  /// ```
  ///
  /// - Parameter output: The value to search for.
  /// - Returns: A publisher of `true` if the value equals `output`, else of `false`.
  @inlinable
  public func contains(_ output: Output) -> Just<Bool> where Output: Equatable {
    Just<Bool>(self.output == output)
  }

  /// Publishes whether the value satisfies a predicate.
  ///
  /// ```swift
  /// let publisher = Just(1).contains { $0 > 0 }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it once.
  /// - Returns: A publisher of the predicate's result.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Just<Bool> {
    map(predicate)
  }

  /// Publishes whether the value satisfies a predicate that may throw.
  ///
  /// ```swift
  /// let publisher = Just(1).tryContains { number in
  ///   try Task.checkCancellation()
  ///   return number > 0
  /// }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it once.
  /// - Returns: A publisher of the predicate's result, or one that fails with the error thrown.
  @inlinable
  public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }

  /// Publishes whether all values satisfy a predicate.
  ///
  /// There is only one value.
  ///
  /// ```swift
  /// let publisher = Just(1).allSatisfy { $0 > 0 }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it once.
  /// - Returns: A publisher of the predicate's result.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> {
    map(predicate)
  }

  /// Publishes whether all values satisfy a predicate that may throw.
  ///
  /// There is only one value.
  ///
  /// ```swift
  /// let publisher = Just(1).tryAllSatisfy { number in
  ///   try Task.checkCancellation()
  ///   return number > 0
  /// }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it once.
  /// - Returns: A publisher of the predicate's result, or one that fails with the error thrown.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }
}

// MARK: Slicing

extension Just {

  /// Returns this publisher, because its only value is the first.
  ///
  /// ```swift
  /// let publisher = Just(1).first()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func first() -> Just<Output> {
    self
  }

  /// Publishes the first value that satisfies a predicate.
  ///
  /// ```swift
  /// let publisher = Just(1).first { $0 > 0 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it once.
  /// - Returns: A publisher of the value, or one that publishes nothing.
  @inlinable
  public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    optionalPublisher.first(where: predicate)
  }

  /// Returns this publisher, because its only value is the last.
  ///
  /// ```swift
  /// let publisher = Just(1).last()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func last() -> Just<Output> {
    self
  }

  /// Publishes the last value that satisfies a predicate.
  ///
  /// ```swift
  /// let publisher = Just(1).last { $0 > 0 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it once.
  /// - Returns: A publisher of the value, or one that publishes nothing.
  @inlinable
  public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    optionalPublisher.last(where: predicate)
  }

  /// Drops the given number of values from the beginning.
  ///
  /// ```swift
  /// let publisher = Just(1).dropFirst()  // only finishes
  /// ```
  ///
  /// - Parameter count: The number of values to drop. It must not be negative.
  /// - Returns: A publisher of the value if `count` is zero, else one that publishes nothing.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
    optionalPublisher.dropFirst(count)
  }

  /// Drops values from the beginning, as long as they satisfy a predicate.
  ///
  /// ```swift
  /// let publisher = Just(1).drop { $0 > 1 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it once.
  /// - Returns: A publisher of the value if it does not satisfy the predicate, else one that publishes nothing.
  @inlinable
  public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    optionalPublisher.drop(while: predicate)
  }

  /// Keeps at most the given number of values from the beginning.
  ///
  /// ```swift
  /// let publisher = Just(1).prefix(2)  // publishes 1
  /// ```
  ///
  /// - Parameter maxLength: The maximum number of values to keep. It must not be negative.
  /// - Returns: A publisher of the value, or one that publishes nothing if `maxLength` is zero.
  @inlinable
  public func prefix(_ maxLength: Int) -> Optional<Output>.Publisher {
    optionalPublisher.prefix(maxLength)
  }

  /// Keeps values from the beginning, as long as they satisfy a predicate.
  ///
  /// ```swift
  /// let publisher = Just(1).prefix { $0 < 2 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it once.
  /// - Returns: A publisher of the value if it satisfies the predicate, else one that publishes nothing.
  @inlinable
  public func prefix(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    optionalPublisher.prefix(while: predicate)
  }

  /// Keeps only the value at a position.
  ///
  /// ```swift
  /// let publisher = Just("a").output(at: 0)  // publishes a
  /// ```
  ///
  /// - Parameter index: The position. It must not be negative.
  /// - Returns: A publisher of the value if `index` is zero, else one that publishes nothing.
  @inlinable
  public func output(at index: Int) -> Optional<Output>.Publisher {
    optionalPublisher.output(at: index)
  }

  /// Keeps only the values at a range of positions.
  ///
  /// ```swift
  /// let publisher = Just("a").output(in: 0...)  // publishes a
  /// ```
  ///
  /// - Parameter range: The range of positions.
  /// - Returns: A publisher of the value if `range` starts at zero, even if it is empty. Otherwise, one that publishes
  ///   nothing.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
    // Unlike for `Optional.Publisher`, Combine checks neither the end of the range (FB6169621) nor a negative start.
    .init(range.relative(to: 0..<Int.max).lowerBound == 0 ? output : nil)
  }
}

// MARK: Mixing and error handling

extension Just {

  /// Publishes the given values before this one.
  ///
  /// ```swift
  /// let publisher = Just(3).prepend(1, 2)  // publishes 1, 2, 3
  /// ```
  ///
  /// - Parameter elements: The values to publish first.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: elements + [output])
  }

  /// Publishes the elements of a sequence before this value.
  ///
  /// ```swift
  /// let publisher = Just(3).prepend(1...2)  // publishes 1, 2, 3
  /// ```
  ///
  /// - Parameter elements: The values to publish first. This method copies them.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func prepend<S: Sequence>(_ elements: S) -> Publishers.Sequence<[Output], Failure>
  where Output == S.Element {
    .init(sequence: elements + [output])
  }

  /// Publishes the given values after this one.
  ///
  /// ```swift
  /// let publisher = Just(1).append(2, 3)  // publishes 1, 2, 3
  /// ```
  ///
  /// - Parameter elements: The values to publish last.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: [output] + elements)
  }

  /// Publishes the elements of a sequence after this value.
  ///
  /// ```swift
  /// let publisher = Just(1).append(2...3)  // publishes 1, 2, 3
  /// ```
  ///
  /// - Parameter elements: The values to publish last. This method copies them.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func append<S: Sequence>(_ elements: S) -> Publishers.Sequence<[Output], Failure>
  where Output == S.Element {
    .init(sequence: [output] + elements)
  }

  /// Returns this publisher, because it cannot fail.
  ///
  /// ```swift
  /// let publisher = Just(1).retry(3)  // publishes 1
  /// ```
  ///
  /// - Parameter times: Not used.
  /// - Returns: This publisher.
  @inlinable
  public func retry(_ times: Int) -> Just<Output> {
    self
  }
}
