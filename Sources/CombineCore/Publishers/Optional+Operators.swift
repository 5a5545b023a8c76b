// A list of overloads: the operators that `Optional.Publisher` has for itself.
//
// They are evaluated when they are called, once for all subscribers, and return a publisher of the result. Without a value
// they call no closure.

extension Optional.Publisher {

  /// Returns a publisher of the value, if there is one and `isKept` returns `true` for it.
  @inlinable
  func keeping(if isKept: (Output) -> Bool) -> Self {
    Self(output.flatMap { isKept($0) ? $0 : nil })
  }
}

// MARK: Mapping

extension Optional.Publisher {

  /// Transforms the value immediately.
  ///
  /// ```swift
  /// let publisher = Int?(2).publisher.map { $0 * 10 }  // publishes 20
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the new value, or one that publishes nothing.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Optional<T>.Publisher {
    output.map(transform).publisher
  }

  /// Combines an initial result with the value immediately.
  ///
  /// ```swift
  /// let publisher = Int?(2).publisher.scan(10) { $0 + $1 }  // publishes 12
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the value is combined with.
  ///   - nextPartialResult: A closure that combines both. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the result, or one that publishes nothing if there is no value.
  @inlinable
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Optional<T>.Publisher {
    map { nextPartialResult(initialResult, $0) }
  }
}

// MARK: Filtering

extension Optional.Publisher {

  /// Transforms the value immediately, or drops it.
  ///
  /// ```swift
  /// let publisher = String?("42").publisher.compactMap { Int($0) }  // publishes 42
  /// ```
  ///
  /// - Parameter transform: A closure that transforms the value, or returns `nil`. This method calls it immediately, if
  ///   there is a value.
  /// - Returns: A publisher of the new value, or one that publishes nothing.
  @inlinable
  public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
    output.flatMap(transform).publisher
  }

  /// Keeps the value if it satisfies a predicate, which is evaluated immediately.
  ///
  /// ```swift
  /// let publisher = Int?(3).publisher.filter { $0 > 2 }  // publishes 3
  /// ```
  ///
  /// - Parameter isIncluded: A closure that returns whether to keep the value. This method calls it immediately, if
  ///   there is a value.
  /// - Returns: A publisher of the value, or one that publishes nothing.
  @inlinable
  public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    keeping(if: isIncluded)
  }

  /// Returns this publisher, because it has at most one value, which has no duplicate.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.removeDuplicates()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func removeDuplicates() -> Optional<Wrapped>.Publisher where Wrapped: Equatable {
    self
  }

  /// Returns this publisher, because it has at most one value, which has no duplicate.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.removeDuplicates { $0 == $1 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that is never called, because there is no second value.
  /// - Returns: This publisher.
  @inlinable
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher {
    self
  }

  /// Publishes a replacement if there is no value.
  ///
  /// ```swift
  /// let publisher = Int?.none.publisher.replaceEmpty(with: 0)  // publishes 0
  /// ```
  ///
  /// - Parameter output: The value to publish if there is no other.
  /// - Returns: A publisher of the value, or of the replacement.
  @inlinable
  public func replaceEmpty(with output: Output) -> Just<Wrapped> {
    Just(self.output ?? output)
  }

  /// Returns this publisher, because it cannot fail.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.replaceError(with: 0)  // publishes 1
  /// ```
  ///
  /// - Parameter output: Not used.
  /// - Returns: This publisher.
  @inlinable
  public func replaceError(with output: Output) -> Optional<Output>.Publisher {
    self
  }

  /// Drops the value.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.ignoreOutput()  // only finishes
  /// ```
  ///
  /// - Returns: A publisher that finishes immediately.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Failure> {
    Empty()
  }
}

// MARK: Reducing

extension Optional.Publisher {

  /// Collects all values into an array.
  ///
  /// ```swift
  /// let publisher = Int?.none.publisher.collect()  // publishes []
  /// ```
  ///
  /// - Returns: A publisher of an array that contains the value, or of an empty array.
  @inlinable
  public func collect() -> Optional<[Output]>.Publisher {
    .init(output.map { [$0] } ?? [])
  }

  /// Counts the values.
  ///
  /// ```swift
  /// let publisher = Int?(7).publisher.count()  // publishes 1
  /// ```
  ///
  /// - Returns: A publisher of the number 1. Without a value it publishes nothing, not zero.
  @inlinable
  public func count() -> Optional<Int>.Publisher {
    map { _ in 1 }
  }

  /// Combines an initial result with the value immediately.
  ///
  /// ```swift
  /// let publisher = Int?(2).publisher.reduce(10) { $0 + $1 }  // publishes 12
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the value is combined with.
  ///   - nextPartialResult: A closure that combines both. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the result. Without a value it publishes nothing, not the initial result.
  @inlinable
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Optional<T>.Publisher {
    map { nextPartialResult(initialResult, $0) }
  }

  /// Returns this publisher, because its only value is the smallest.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.min()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func min() -> Optional<Wrapped>.Publisher where Wrapped: Comparable {
    self
  }

  /// Returns this publisher, because its only value is the smallest.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.min { $0 < $1 }  // publishes 1
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that is never called, because there is no second value.
  /// - Returns: This publisher.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher {
    self
  }

  /// Returns this publisher, because its only value is the largest.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.max()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func max() -> Optional<Wrapped>.Publisher where Wrapped: Comparable {
    self
  }

  /// Returns this publisher, because its only value is the largest.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.max { $0 < $1 }  // publishes 1
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that is never called, because there is no second value.
  /// - Returns: This publisher.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher {
    self
  }

  /// Publishes whether the value equals another one.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.contains(2)  // publishes false
  /// ```
  ///
  /// - Parameter output: The value to search for.
  /// - Returns: A publisher of `true` if the value equals `output`, else of `false`. Without a value it publishes
  ///   nothing, not `false`.
  @inlinable
  public func contains(_ output: Output) -> Optional<Bool>.Publisher where Wrapped: Equatable {
    map { $0 == output }
  }

  /// Publishes whether the value satisfies a predicate.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.contains { $0 > 0 }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the predicate's result. Without a value it publishes nothing, not `false`.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
    map(predicate)
  }

  /// Publishes whether all values satisfy a predicate.
  ///
  /// There is only one value.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.allSatisfy { $0 > 0 }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the predicate's result. Without a value it publishes nothing, not `true`.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
    map(predicate)
  }
}

// MARK: Slicing

extension Optional.Publisher {

  /// Returns this publisher, because its only value is the first.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.first()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func first() -> Optional<Wrapped>.Publisher {
    self
  }

  /// Publishes the first value that satisfies a predicate.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.first { $0 > 0 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the value, or one that publishes nothing.
  @inlinable
  public func first(where predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    keeping(if: predicate)
  }

  /// Returns this publisher, because its only value is the last.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.last()  // publishes 1
  /// ```
  ///
  /// - Returns: This publisher.
  @inlinable
  public func last() -> Optional<Wrapped>.Publisher {
    self
  }

  /// Publishes the last value that satisfies a predicate.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.last { $0 > 0 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the value, or one that publishes nothing.
  @inlinable
  public func last(where predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    keeping(if: predicate)
  }

  /// Drops the given number of values from the beginning.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.dropFirst()  // only finishes
  /// ```
  ///
  /// - Parameter count: The number of values to drop. It must not be negative.
  /// - Returns: A publisher of the value if `count` is zero, else one that publishes nothing.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Optional<Wrapped>.Publisher {
    if count < 0 { Misuse.trap("dropFirst(_:)", .negativeCount) }
    return keeping { _ in count == 0 }
  }

  /// Drops values from the beginning, as long as they satisfy a predicate.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.drop { $0 > 1 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the value if it does not satisfy the predicate, else one that publishes nothing.
  @inlinable
  public func drop(while predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    keeping { !predicate($0) }
  }

  /// Keeps at most the given number of values from the beginning.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.prefix(2)  // publishes 1
  /// ```
  ///
  /// - Parameter maxLength: The maximum number of values to keep. It must not be negative.
  /// - Returns: A publisher of the value, or one that publishes nothing if `maxLength` is zero.
  @inlinable
  public func prefix(_ maxLength: Int) -> Optional<Wrapped>.Publisher {
    if maxLength < 0 { Misuse.trap("prefix(_:)", .negativeLength) }
    return keeping { _ in maxLength > 0 }
  }

  /// Keeps values from the beginning, as long as they satisfy a predicate.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.prefix { $0 < 2 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests the value. This method calls it immediately, if there is a value.
  /// - Returns: A publisher of the value if it satisfies the predicate, else one that publishes nothing.
  @inlinable
  public func prefix(while predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    keeping(if: predicate)
  }

  /// Keeps only the value at a position.
  ///
  /// ```swift
  /// let publisher = Int?(7).publisher.output(at: 0)  // publishes 7
  /// ```
  ///
  /// - Parameter index: The position. It must not be negative.
  /// - Returns: A publisher of the value if `index` is zero, else one that publishes nothing.
  @inlinable
  public func output(at index: Int) -> Optional<Wrapped>.Publisher {
    if index < 0 { Misuse.trap("output(at:)", .negativeIndex) }
    return keeping { _ in index == 0 }
  }

  /// Keeps only the values at a range of positions.
  ///
  /// ```swift
  /// let publisher = Int?(7).publisher.output(in: 0..<3)  // publishes 7
  /// ```
  ///
  /// - Parameter range: The range of positions. It must not start below zero, and must end before `Int.max - 1`, as in
  ///   Combine. A range without an end is not accepted.
  /// - Returns: A publisher of the value if `range` contains zero, else one that publishes nothing.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Optional<Wrapped>.Publisher where R.Bound == Int {
    let positions = range.relative(to: 0..<Int.max)
    if positions.lowerBound < 0 { Misuse.trap("output(in:)", .negativeLowerBound) }
    if positions.upperBound >= .max - 1 { Misuse.trap("output(in:)", .endlessRange) }
    return keeping { _ in positions.contains(0) }
  }
}

// MARK: Error handling

extension Optional.Publisher {

  /// Returns this publisher, because it cannot fail.
  ///
  /// ```swift
  /// let publisher = Int?(1).publisher.retry(3)  // publishes 1
  /// ```
  ///
  /// - Parameter times: Not used.
  /// - Returns: This publisher.
  @inlinable
  public func retry(_ times: Int) -> Optional<Wrapped>.Publisher {
    self
  }
}
