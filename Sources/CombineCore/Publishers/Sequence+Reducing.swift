// The operators that `Publishers.Sequence` has for itself and that result in one value or none. They are evaluated when
// they are called, once for all subscribers. They use the standard library's method of the same name, which may stop
// early. With a collection it may know the result without visiting each element. The other operators are in
// `Sequence+Operators.swift`.

// MARK: Reducing

extension Publishers.Sequence {

  /// Collects all elements into an array immediately.
  ///
  /// ```swift
  /// let publisher = (1...3).publisher.collect()  // publishes [1, 2, 3]
  /// ```
  ///
  /// - Returns: A publisher of an array of the elements.
  @inlinable
  public func collect() -> Result<[Output], Failure>.Publisher {
    .init(.success(Array(sequence)))
  }

  /// Combines all elements immediately.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.reduce(0) { $0 + $1 }  // publishes 6
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the first element is combined with.
  ///   - nextPartialResult: A closure that combines the result so far with an element. This method calls it once for
  ///     each element.
  /// - Returns: A publisher of the final result.
  @inlinable
  public func reduce<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Elements.Element) -> T
  ) -> Result<T, Failure>.Publisher {
    .init(.success(sequence.reduce(initialResult, nextPartialResult)))
  }

  /// Combines all elements immediately, with a closure that may throw.
  ///
  /// ```swift
  /// struct Overflow: Error {}
  /// let publisher = [1, 2, 3].publisher.tryReduce(0) { sum, number in
  ///   guard sum < 100 else { throw Overflow() }
  ///   return sum + number
  /// }  // publishes 6
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the first element is combined with.
  ///   - nextPartialResult: A closure that combines the result so far with an element, or throws. This method calls it
  ///     once for each element, until it throws.
  /// - Returns: A publisher of the final result, or one that fails with the error thrown.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Elements.Element) throws -> T
  ) -> Result<T, any Error>.Publisher {
    Result<T, any Error> { try sequence.reduce(initialResult, nextPartialResult) }.publisher
  }

  /// Publishes whether any element equals a value.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.contains(2)  // publishes true
  /// ```
  ///
  /// - Parameter output: The value to search for. This method does so immediately.
  /// - Returns: A publisher of `true` if an element equals the value, else of `false`.
  @inlinable
  public func contains(_ output: Elements.Element) -> Result<Bool, Failure>.Publisher
  where Elements.Element: Equatable {
    .init(.success(sequence.contains(output)))
  }

  /// Publishes whether any element satisfies a predicate.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.contains { $0 > 2 }  // publishes false
  /// ```
  ///
  /// - Parameter predicate: A closure that tests an element. This method calls it for each element until it returns
  ///   `true`.
  /// - Returns: A publisher of `true` if an element satisfies the predicate, else of `false`.
  @inlinable
  public func contains(where predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
    .init(.success(sequence.contains(where: predicate)))
  }

  /// Publishes whether any element satisfies a predicate that may throw.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.tryContains { number in
  ///   try Task.checkCancellation()
  ///   return number > 2
  /// }  // publishes false
  /// ```
  ///
  /// - Parameter predicate: A closure that tests an element. This method calls it for each element until it returns
  ///   `true` or throws.
  /// - Returns: A publisher of `true` if an element satisfies the predicate, else of `false`, or one that fails with
  ///   the error thrown.
  @inlinable
  public func tryContains(where predicate: (Elements.Element) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    Result<Bool, any Error> { try sequence.contains(where: predicate) }.publisher
  }

  /// Publishes whether all elements satisfy a predicate.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.allSatisfy { $0 > 0 }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests an element. This method calls it for each element until it returns
  ///   `false`.
  /// - Returns: A publisher of `true` if all elements satisfy the predicate, else of `false`.
  @inlinable
  public func allSatisfy(_ predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
    .init(.success(sequence.allSatisfy(predicate)))
  }

  /// Publishes whether all elements satisfy a predicate that may throw.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.tryAllSatisfy { number in
  ///   try Task.checkCancellation()
  ///   return number > 0
  /// }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests an element. This method calls it for each element until it returns
  ///   `false` or throws.
  /// - Returns: A publisher of `true` if all elements satisfy the predicate, else of `false`, or one that fails with
  ///   the error thrown.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Elements.Element) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    Result<Bool, any Error> { try sequence.allSatisfy(predicate) }.publisher
  }
}

extension Publishers.Sequence where Elements: Collection {

  /// Counts the elements immediately.
  ///
  /// ```swift
  /// let publisher = "hello".publisher.count()  // publishes 5
  /// ```
  ///
  /// - Returns: A publisher of the collection's count.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher {
    .init(.success(sequence.count))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {

  /// Counts the elements immediately, in constant time.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.setFailureType(to: CancellationError.self).count()  // publishes 2
  /// ```
  ///
  /// - Returns: A publisher of the collection's count.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher {
    .init(.success(sequence.count))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {

  /// Counts the elements immediately, in constant time.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.count()  // publishes 2
  /// ```
  ///
  /// - Returns: A publisher of the collection's count.
  @inlinable
  public func count() -> Just<Int> {
    Just(sequence.count)
  }
}

extension Publishers.Sequence where Failure == Never {

  /// Finds the smallest element immediately.
  ///
  /// ```swift
  /// let publisher = [2, 1, 3].publisher.min()  // publishes 1
  /// ```
  ///
  /// - Returns: A publisher of that element, or one that publishes nothing if the sequence is empty.
  @inlinable
  public func min() -> Optional<Output>.Publisher where Elements.Element: Comparable {
    .init(sequence.min())
  }

  /// Finds the smallest element immediately.
  ///
  /// ```swift
  /// let publisher = ["ccc", "a", "bb"].publisher.min { $0.count < $1.count }  // publishes a
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether the first of two elements is smaller. Only this
  ///   method calls it.
  /// - Returns: A publisher of that element, or one that publishes nothing if the sequence is empty.
  @inlinable
  public func min(
    by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool
  ) -> Optional<Output>.Publisher {
    .init(sequence.min(by: areInIncreasingOrder))
  }

  /// Finds the largest element immediately.
  ///
  /// ```swift
  /// let publisher = [2, 1, 3].publisher.max()  // publishes 3
  /// ```
  ///
  /// - Returns: A publisher of that element, or one that publishes nothing if the sequence is empty.
  @inlinable
  public func max() -> Optional<Output>.Publisher where Elements.Element: Comparable {
    .init(sequence.max())
  }

  /// Finds the largest element immediately.
  ///
  /// ```swift
  /// let publisher = ["ccc", "a", "bb"].publisher.max { $0.count < $1.count }  // publishes ccc
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether the first of two elements is smaller. Only this
  ///   method calls it.
  /// - Returns: A publisher of that element, or one that publishes nothing if the sequence is empty.
  @inlinable
  public func max(
    by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool
  ) -> Optional<Output>.Publisher {
    .init(sequence.max(by: areInIncreasingOrder))
  }
}

// MARK: Slicing

extension Publishers.Sequence where Failure == Never {

  /// Publishes the first element that satisfies a predicate.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.first { $0 > 1 }  // publishes 2
  /// ```
  ///
  /// - Parameter predicate: A closure that tests an element. This method calls it for each element until it returns
  ///   `true`.
  /// - Returns: A publisher of that element, or one that publishes nothing if there is none.
  @inlinable
  public func first(where predicate: (Elements.Element) -> Bool) -> Optional<Output>.Publisher {
    .init(sequence.first(where: predicate))
  }
}

extension Publishers.Sequence where Elements: Collection, Failure == Never {

  /// Finds the first element immediately.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.first()  // publishes 1
  /// ```
  ///
  /// - Returns: A publisher of that element, or one that publishes nothing if the sequence is empty.
  @inlinable
  public func first() -> Optional<Output>.Publisher {
    .init(sequence.first)
  }

  /// Finds the element at a position immediately.
  ///
  /// ```swift
  /// let publisher = "hello".publisher.output(at: "hello".startIndex)  // publishes h
  /// ```
  ///
  /// - Parameter index: The position.
  /// - Returns: A publisher of the element at the position, or one that publishes nothing if the collection has no such
  ///   position.
  @inlinable
  public func output(at index: Elements.Index) -> Optional<Output>.Publisher {
    .init(sequence.indices.contains(index) ? sequence[index] : nil)
  }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {

  /// Finds the last element immediately.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.last()  // publishes 3
  /// ```
  ///
  /// - Returns: A publisher of that element, or one that publishes nothing if the sequence is empty.
  @inlinable
  public func last() -> Optional<Output>.Publisher {
    .init(sequence.last)
  }

  /// Publishes the last element that satisfies a predicate.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.last { $0 < 3 }  // publishes 2
  /// ```
  ///
  /// - Parameter predicate: A closure that tests an element. This method calls it from the last element to the first,
  ///   until it returns `true`.
  /// - Returns: A publisher of that element, or one that publishes nothing if there is none.
  @inlinable
  public func last(where predicate: (Elements.Element) -> Bool) -> Optional<Output>.Publisher {
    .init(sequence.last(where: predicate))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {

  /// Finds the element at a position immediately.
  ///
  /// ```swift
  /// let publisher = ["a", "b"].publisher.output(at: 1)  // publishes b
  /// ```
  ///
  /// - Parameter index: The position.
  /// - Returns: A publisher of the element at the position, or one that publishes nothing if the collection has no such
  ///   position.
  @inlinable
  public func output(at index: Elements.Index) -> Optional<Output>.Publisher {
    .init(sequence.indices.contains(index) ? sequence[index] : nil)
  }
}
