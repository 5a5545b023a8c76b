// The operators that `Publishers.Sequence` has for itself and that result in a sequence again. Unless their
// documentation says otherwise, they are evaluated when they are called, once for all subscribers. They use the
// standard library's method of the same name. The operators that result in one value are in `Sequence+Reducing.swift`.

// MARK: Mapping

extension Publishers.Sequence {

  /// Transforms each element immediately.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.map { $0 * 10 }  // publishes 10, 20
  /// ```
  ///
  /// - Parameter transform: A closure that transforms each element. This method calls it once for each element.
  /// - Returns: A publisher of the new elements.
  @inlinable
  public func map<T>(_ transform: (Elements.Element) -> T) -> Publishers.Sequence<[T], Failure> {
    .init(sequence: sequence.map(transform))
  }

  /// Replaces the elements that are `nil` immediately.
  ///
  /// ```swift
  /// let publisher = [1, nil, 3].publisher.replaceNil(with: 0)  // publishes Optional(1), Optional(0), Optional(3)
  /// ```
  ///
  /// - Parameter output: The value to publish instead of `nil`.
  /// - Returns: A publisher of the elements and replacements. They are still optionals, as in Combine. The `replaceNil`
  ///   of other publishers returns no optionals.
  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Sequence<[Output], Failure> where Elements.Element == T? {
    .init(sequence: sequence.map { $0 ?? output })
  }

  /// Combines each element with the result so far, immediately.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.scan(0) { $0 + $1 }  // publishes 1, 3, 6
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the first element is combined with.
  ///   - nextPartialResult: A closure that combines the result so far with an element. This method calls it once for
  ///     each element.
  /// - Returns: A publisher of the results, without the initial one.
  @inlinable
  public func scan<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Elements.Element) -> T
  ) -> Publishers.Sequence<[T], Failure> {
    var result = initialResult
    return map { element in
      result = nextPartialResult(result, element)
      return result
    }
  }

  /// Changes the failure type of this publisher, which never fails.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.setFailureType(to: CancellationError.self)  // publishes 1, 2
  /// ```
  ///
  /// - Parameter error: The kind of errors.
  /// - Returns: A publisher of the same sequence. This method does not iterate over it.
  @inlinable
  public func setFailureType<E: Error>(to error: E.Type) -> Publishers.Sequence<Elements, E> {
    .init(sequence: sequence)
  }
}

// MARK: Filtering

extension Publishers.Sequence {

  /// Transforms each element immediately, and drops those for which the closure returns `nil`.
  ///
  /// ```swift
  /// let publisher = ["1", "x", "3"].publisher.compactMap { Int($0) }  // publishes 1, 3
  /// ```
  ///
  /// - Parameter transform: A closure that transforms each element, or returns `nil`. This method calls it once for
  ///   each element.
  /// - Returns: A publisher of the new elements.
  @inlinable
  public func compactMap<T>(_ transform: (Elements.Element) -> T?) -> Publishers.Sequence<[T], Failure> {
    .init(sequence: sequence.compactMap(transform))
  }

  /// Keeps the elements that satisfy a predicate, which is evaluated immediately.
  ///
  /// ```swift
  /// let publisher = (1...4).publisher.filter { $0.isMultiple(of: 2) }  // publishes 2, 4
  /// ```
  ///
  /// - Parameter isIncluded: A closure that returns whether to keep an element. This method calls it once for each
  ///   element.
  /// - Returns: A publisher of the remaining elements.
  @inlinable
  public func filter(_ isIncluded: (Elements.Element) -> Bool) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: sequence.filter(isIncluded))
  }

  /// Drops each element that equals the element before it, immediately.
  ///
  /// ```swift
  /// let publisher = [1, 1, 2, 1].publisher.removeDuplicates()  // publishes 1, 2, 1
  /// ```
  ///
  /// - Returns: A publisher of the remaining elements.
  @inlinable
  public func removeDuplicates() -> Publishers.Sequence<[Output], Failure> where Elements.Element: Equatable {
    var previous: Output?
    return filter { element in
      defer { previous = element }
      return previous != element
    }
  }

  /// Drops all elements.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.ignoreOutput()  // only finishes
  /// ```
  ///
  /// - Returns: A publisher that finishes immediately. Neither it nor this method iterates over the sequence.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Failure> {
    Empty()
  }
}

// MARK: Slicing

extension Publishers.Sequence {

  /// Drops the given number of elements from the beginning.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.dropFirst()  // publishes 2, 3
  /// ```
  ///
  /// - Parameter count: The number of elements to drop. It must not be negative.
  /// - Returns: A publisher of the other elements. It drops elements for each subscriber, not when this method is
  ///   called.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Sequence<DropFirstSequence<Elements>, Failure> {
    if count < 0 { Misuse.trap("dropFirst(_:)", .negativeCount) }
    return .init(sequence: sequence.dropFirst(count))
  }

  /// Drops elements from the beginning, as long as they satisfy a predicate, which is evaluated immediately.
  ///
  /// ```swift
  /// let publisher = [1, 2, 1].publisher.drop { $0 < 2 }  // publishes 2, 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests an element. This method calls it for each element until it returns
  ///   `false`.
  /// - Returns: A publisher of the other elements.
  @inlinable
  public func drop(
    while predicate: (Elements.Element) -> Bool
  ) -> Publishers.Sequence<DropWhileSequence<Elements>, Failure> {
    .init(sequence: sequence.drop(while: predicate))
  }

  /// Keeps at most the given number of elements from the beginning.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.prefix(2)  // publishes 1, 2
  /// ```
  ///
  /// - Parameter maxLength: The maximum number of elements to keep. It must not be negative.
  /// - Returns: A publisher of these elements. It selects them for each subscriber, not when this method is called.
  @inlinable
  public func prefix(_ maxLength: Int) -> Publishers.Sequence<PrefixSequence<Elements>, Failure> {
    if maxLength < 0 { Misuse.trap("prefix(_:)", .negativeLength) }
    return .init(sequence: sequence.prefix(maxLength))
  }

  /// Keeps elements from the beginning, as long as they satisfy a predicate, which is evaluated immediately.
  ///
  /// ```swift
  /// let publisher = [1, 2, 1].publisher.prefix { $0 < 2 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests an element. This method calls it for each element until it returns
  ///   `false`.
  /// - Returns: A publisher of the elements before the first one that does not satisfy the predicate.
  @inlinable
  public func prefix(while predicate: (Elements.Element) -> Bool) -> Publishers.Sequence<[Elements.Element], Failure> {
    .init(sequence: sequence.prefix(while: predicate))
  }
}

extension Publishers.Sequence where Elements: Collection {

  /// Keeps only the elements at a range of positions.
  ///
  /// ```swift
  /// let text = "hello"
  /// let end = text.index(text.startIndex, offsetBy: 2)
  /// let publisher = text.publisher.output(in: text.startIndex..<end)  // publishes h, e
  /// ```
  ///
  /// - Parameter range: The range of positions. All of them must be in the collection.
  /// - Returns: A publisher of the elements at these positions. This method copies them.
  @inlinable
  public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: Array(sequence[range]))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {

  /// Keeps only the elements at a range of positions.
  ///
  /// ```swift
  /// let publisher = ["a", "b", "c"].publisher.output(in: 1..<3)  // publishes b, c
  /// ```
  ///
  /// - Parameter range: The range of positions. All of them must be in the collection.
  /// - Returns: A publisher of the elements at these positions. This method copies them.
  @inlinable
  public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: Array(sequence[range]))
  }
}

// MARK: Mixing

extension Publishers.Sequence where Elements: RangeReplaceableCollection {

  // The standard `+` makes exactly the calls on the collections that Combine makes. A collection can observe those
  // calls.

  /// Publishes the given values before the elements.
  ///
  /// ```swift
  /// let publisher = [3, 4].publisher.prepend(1, 2)  // publishes 1, 2, 3, 4
  /// ```
  ///
  /// - Parameter elements: The values to publish first.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func prepend(_ elements: Output...) -> Publishers.Sequence<Elements, Failure> {
    prepend(elements)
  }

  /// Publishes the elements of another sequence before those of this one.
  ///
  /// ```swift
  /// let publisher = [3, 4].publisher.prepend(1...2)  // publishes 1, 2, 3, 4
  /// ```
  ///
  /// - Parameter elements: The values to publish first. This method copies them.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func prepend<S: Swift.Sequence>(_ elements: S) -> Publishers.Sequence<Elements, Failure>
  where Elements.Element == S.Element {
    .init(sequence: elements + sequence)
  }

  /// Publishes the elements of another sequence publisher before those of this one.
  ///
  /// ```swift
  /// let publisher = [3, 4].publisher.prepend([1, 2].publisher)  // publishes 1, 2, 3, 4
  /// ```
  ///
  /// - Parameter publisher: The publisher whose elements are published first. This method copies them.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func prepend(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    .init(sequence: publisher.sequence + sequence)
  }

  /// Publishes the given values after the elements.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.append(3, 4)  // publishes 1, 2, 3, 4
  /// ```
  ///
  /// - Parameter elements: The values to publish last.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func append(_ elements: Output...) -> Publishers.Sequence<Elements, Failure> {
    append(elements)
  }

  /// Publishes the elements of another sequence after those of this one.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.append(3...4)  // publishes 1, 2, 3, 4
  /// ```
  ///
  /// - Parameter elements: The values to publish last. This method copies them.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func append<S: Swift.Sequence>(_ elements: S) -> Publishers.Sequence<Elements, Failure>
  where Elements.Element == S.Element {
    .init(sequence: sequence + elements)
  }

  /// Publishes the elements of another sequence publisher after those of this one.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.append([3, 4].publisher)  // publishes 1, 2, 3, 4
  /// ```
  ///
  /// - Parameter publisher: The publisher whose elements are published last. This method copies them.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func append(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    append(publisher.sequence)
  }
}
