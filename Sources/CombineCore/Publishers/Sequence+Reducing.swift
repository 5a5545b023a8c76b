// The operators that `Publishers.Sequence` has of its own, where the result is one value or none. They are evaluated
// when they are called, once for all subscribers, by the standard library's method of the same name: it may stop early,
// and with a collection it may know without looking at each element. The others are in `Sequence+Operators.swift`.

// MARK: Reducing

extension Publishers.Sequence {

  /// Collects all elements now.
  ///
  /// ```swift
  /// let publisher = (1...3).publisher.collect()  // publishes [1, 2, 3]
  /// ```
  ///
  /// - Returns: A publisher of an array of them.
  @inlinable
  public func collect() -> Result<[Output], Failure>.Publisher {
    .init(.success(Array(sequence)))
  }

  /// Combines all elements now.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.reduce(0) { $0 + $1 }  // publishes 6
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the first element is combined with.
  ///   - nextPartialResult: Makes the next result of a result and an element. It is called here, once for each.
  /// - Returns: A publisher of the last result.
  @inlinable
  public func reduce<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Elements.Element) -> T
  ) -> Result<T, Failure>.Publisher {
    .init(.success(sequence.reduce(initialResult, nextPartialResult)))
  }

  /// Combines all elements now, with a closure that may throw.
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
  ///   - nextPartialResult: Makes the next result of a result and an element, or throws. It is called here, once for
  ///     each until it throws.
  /// - Returns: A publisher of the last result, or of the error thrown.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Elements.Element) throws -> T
  ) -> Result<T, any Error>.Publisher {
    Result<T, any Error> { try sequence.reduce(initialResult, nextPartialResult) }.publisher
  }

  /// Tells whether an element equals a value.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.contains(2)  // publishes true
  /// ```
  ///
  /// - Parameter output: The value to look for, now.
  /// - Returns: A publisher of whether it is there.
  @inlinable
  public func contains(_ output: Elements.Element) -> Result<Bool, Failure>.Publisher
  where Elements.Element: Equatable {
    .init(.success(sequence.contains(output)))
  }

  /// Tells whether a condition holds for any element.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.contains { $0 > 2 }  // publishes false
  /// ```
  ///
  /// - Parameter predicate: The condition. It is called here, until it holds.
  /// - Returns: A publisher of whether it holds for any.
  @inlinable
  public func contains(where predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
    .init(.success(sequence.contains(where: predicate)))
  }

  /// Tells whether a condition, which may throw, holds for any element.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.tryContains { number in
  ///   try Task.checkCancellation()
  ///   return number > 2
  /// }  // publishes false
  /// ```
  ///
  /// - Parameter predicate: The condition. It is called here, until it holds or throws.
  /// - Returns: A publisher of whether it holds for any, or of the error thrown.
  @inlinable
  public func tryContains(where predicate: (Elements.Element) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    Result<Bool, any Error> { try sequence.contains(where: predicate) }.publisher
  }

  /// Tells whether a condition holds for all elements.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.allSatisfy { $0 > 0 }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: A closure that tests an element. This method calls it for each element until it returns
  ///   `false`.
  /// - Returns: A publisher of whether it holds for all.
  @inlinable
  public func allSatisfy(_ predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
    .init(.success(sequence.allSatisfy(predicate)))
  }

  /// Tells whether a condition, which may throw, holds for all elements.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.tryAllSatisfy { number in
  ///   try Task.checkCancellation()
  ///   return number > 0
  /// }  // publishes true
  /// ```
  ///
  /// - Parameter predicate: The condition. It is called here, until it does not hold or throws.
  /// - Returns: A publisher of whether it holds for all, or of the error thrown.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Elements.Element) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    Result<Bool, any Error> { try sequence.allSatisfy(predicate) }.publisher
  }
}

extension Publishers.Sequence where Elements: Collection {

  /// Counts the elements now.
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

  /// Counts the elements now, which takes no time.
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

  /// Counts the elements now, which takes no time.
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

  /// Finds the smallest element now.
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

  /// Finds the smallest element now.
  ///
  /// ```swift
  /// let publisher = ["ccc", "a", "bb"].publisher.min { $0.count < $1.count }  // publishes a
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: Whether the first of two elements is smaller. It is called here.
  /// - Returns: A publisher of that element, or one that publishes nothing if the sequence is empty.
  @inlinable
  public func min(
    by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool
  ) -> Optional<Output>.Publisher {
    .init(sequence.min(by: areInIncreasingOrder))
  }

  /// Finds the largest element now.
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

  /// Finds the largest element now.
  ///
  /// ```swift
  /// let publisher = ["ccc", "a", "bb"].publisher.max { $0.count < $1.count }  // publishes ccc
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: Whether the first of two elements is smaller. It is called here.
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

  /// Finds the first element for which a condition holds.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.first { $0 > 1 }  // publishes 2
  /// ```
  ///
  /// - Parameter predicate: The condition. It is called here, until it holds.
  /// - Returns: A publisher of that element, or of nothing where there is none.
  @inlinable
  public func first(where predicate: (Elements.Element) -> Bool) -> Optional<Output>.Publisher {
    .init(sequence.first(where: predicate))
  }
}

extension Publishers.Sequence where Elements: Collection, Failure == Never {

  /// Finds the first element now.
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

  /// Finds the element at a position now.
  ///
  /// ```swift
  /// let publisher = "hello".publisher.output(at: "hello".startIndex)  // publishes h
  /// ```
  ///
  /// - Parameter index: The position.
  /// - Returns: A publisher of the element there, or of nothing where the collection has no such position.
  @inlinable
  public func output(at index: Elements.Index) -> Optional<Output>.Publisher {
    .init(sequence.indices.contains(index) ? sequence[index] : nil)
  }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {

  /// Finds the last element now.
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

  /// Finds the last element for which a condition holds.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.last { $0 < 3 }  // publishes 2
  /// ```
  ///
  /// - Parameter predicate: The condition. It is called here, from the last element to the first, until it holds.
  /// - Returns: A publisher of that element, or of nothing where there is none.
  @inlinable
  public func last(where predicate: (Elements.Element) -> Bool) -> Optional<Output>.Publisher {
    .init(sequence.last(where: predicate))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {

  /// Finds the element at a position now.
  ///
  /// ```swift
  /// let publisher = ["a", "b"].publisher.output(at: 1)  // publishes b
  /// ```
  ///
  /// - Parameter index: The position.
  /// - Returns: A publisher of the element there, or of nothing where the collection has no such position.
  @inlinable
  public func output(at index: Elements.Index) -> Optional<Output>.Publisher {
    .init(sequence.indices.contains(index) ? sequence[index] : nil)
  }
}
