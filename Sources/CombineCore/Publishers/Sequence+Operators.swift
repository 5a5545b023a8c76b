// The operators that `Publishers.Sequence` has of its own, where the result is a sequence again. Unless their
// documentation says otherwise they are evaluated when they are called, once for all subscribers, by the standard
// library's method of the same name. Those with one value as their result are in `Sequence+Reducing.swift`.

// MARK: Mapping

extension Publishers.Sequence {

  /// Transforms each element now.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.map { $0 * 10 }  // publishes 10, 20
  /// ```
  ///
  /// - Parameter transform: Makes the new element of an element. It is called here, once for each.
  /// - Returns: A publisher of the new elements.
  @inlinable
  public func map<T>(_ transform: (Elements.Element) -> T) -> Publishers.Sequence<[T], Failure> {
    .init(sequence: sequence.map(transform))
  }

  /// Replaces the elements that are `nil` now.
  ///
  /// ```swift
  /// let publisher = [1, nil, 3].publisher.replaceNil(with: 0)  // publishes Optional(1), Optional(0), Optional(3)
  /// ```
  ///
  /// - Parameter output: What to publish instead of `nil`.
  /// - Returns: A publisher of the elements and replacements. They are still optionals, as in Combine; those of the
  ///   operator that other publishers have are not.
  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Sequence<[Output], Failure> where Elements.Element == T? {
    .init(sequence: sequence.map { $0 ?? output })
  }

  /// Combines each element with the result so far now.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.scan(0) { $0 + $1 }  // publishes 1, 3, 6
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result that the first element is combined with.
  ///   - nextPartialResult: Makes the next result of a result and an element. It is called here, once for each.
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

  /// Gives this publisher another kind of errors. It never fails.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.setFailureType(to: CancellationError.self)  // publishes 1, 2
  /// ```
  ///
  /// - Parameter error: The kind of errors.
  /// - Returns: A publisher of the same sequence, which is not iterated here.
  @inlinable
  public func setFailureType<E: Error>(to error: E.Type) -> Publishers.Sequence<Elements, E> {
    .init(sequence: sequence)
  }
}

// MARK: Filtering

extension Publishers.Sequence {

  /// Transforms each element now and drops those for which there is no new one.
  ///
  /// ```swift
  /// let publisher = ["1", "x", "3"].publisher.compactMap { Int($0) }  // publishes 1, 3
  /// ```
  ///
  /// - Parameter transform: Makes the new element of an element, or `nil`. It is called here, once for each.
  /// - Returns: A publisher of the new elements.
  @inlinable
  public func compactMap<T>(_ transform: (Elements.Element) -> T?) -> Publishers.Sequence<[T], Failure> {
    .init(sequence: sequence.compactMap(transform))
  }

  /// Keeps the elements for which a condition holds, which is asked now.
  ///
  /// ```swift
  /// let publisher = (1...4).publisher.filter { $0.isMultiple(of: 2) }  // publishes 2, 4
  /// ```
  ///
  /// - Parameter isIncluded: Whether to keep an element. It is called here, once for each.
  /// - Returns: A publisher of the elements kept.
  @inlinable
  public func filter(_ isIncluded: (Elements.Element) -> Bool) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: sequence.filter(isIncluded))
  }

  /// Drops the elements that equal the one before them, now.
  ///
  /// ```swift
  /// let publisher = [1, 1, 2, 1].publisher.removeDuplicates()  // publishes 1, 2, 1
  /// ```
  ///
  /// - Returns: A publisher of the elements kept.
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
  /// - Returns: A publisher that finishes at once. The sequence is not iterated.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Failure> {
    Empty()
  }
}

// MARK: Slicing

extension Publishers.Sequence {

  /// Drops the first elements.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.dropFirst()  // publishes 2, 3
  /// ```
  ///
  /// - Parameter count: How many elements to drop; not negative.
  /// - Returns: A publisher of the others. They are dropped for each subscriber, not here.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Sequence<DropFirstSequence<Elements>, Failure> {
    if count < 0 { Misuse.trap("dropFirst(_:)", .negativeCount) }
    return .init(sequence: sequence.dropFirst(count))
  }

  /// Drops the first elements, as long as a condition holds, which is asked now.
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

  /// Keeps the first elements.
  ///
  /// ```swift
  /// let publisher = [1, 2, 3].publisher.prefix(2)  // publishes 1, 2
  /// ```
  ///
  /// - Parameter maxLength: How many elements to keep at most; not negative.
  /// - Returns: A publisher of these. They are picked for each subscriber, not here.
  @inlinable
  public func prefix(_ maxLength: Int) -> Publishers.Sequence<PrefixSequence<Elements>, Failure> {
    if maxLength < 0 { Misuse.trap("prefix(_:)", .negativeLength) }
    return .init(sequence: sequence.prefix(maxLength))
  }

  /// Keeps the first elements, as long as a condition holds, which is asked now.
  ///
  /// ```swift
  /// let publisher = [1, 2, 1].publisher.prefix { $0 < 2 }  // publishes 1
  /// ```
  ///
  /// - Parameter predicate: A closure that tests an element. This method calls it for each element until it returns
  ///   `false`.
  /// - Returns: A publisher of the elements before the first for which it does not hold.
  @inlinable
  public func prefix(while predicate: (Elements.Element) -> Bool) -> Publishers.Sequence<[Elements.Element], Failure> {
    .init(sequence: sequence.prefix(while: predicate))
  }
}

extension Publishers.Sequence where Elements: Collection {

  /// Keeps the elements at a range of positions.
  ///
  /// ```swift
  /// let text = "hello"
  /// let end = text.index(text.startIndex, offsetBy: 2)
  /// let publisher = text.publisher.output(in: text.startIndex..<end)  // publishes h, e
  /// ```
  ///
  /// - Parameter range: The positions; all of them in the collection.
  /// - Returns: A publisher of the elements at these positions. They are copied here.
  @inlinable
  public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: Array(sequence[range]))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {

  /// Keeps the elements at a range of positions.
  ///
  /// ```swift
  /// let publisher = ["a", "b", "c"].publisher.output(in: 1..<3)  // publishes b, c
  /// ```
  ///
  /// - Parameter range: The positions; all of them in the collection.
  /// - Returns: A publisher of the elements at these positions. They are copied here.
  @inlinable
  public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: Array(sequence[range]))
  }
}

// MARK: Mixing

extension Publishers.Sequence where Elements: RangeReplaceableCollection {

  // The standard `+` makes the very calls on the collections that Combine makes, which a collection can observe.

  /// Publishes some values before the elements.
  ///
  /// ```swift
  /// let publisher = [3, 4].publisher.prepend(1, 2)  // publishes 1, 2, 3, 4
  /// ```
  ///
  /// - Parameter elements: The values that come first.
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
  /// - Parameter elements: The values that come first. They are copied here.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func prepend<S: Swift.Sequence>(_ elements: S) -> Publishers.Sequence<Elements, Failure>
  where Elements.Element == S.Element {
    .init(sequence: elements + sequence)
  }

  /// Publishes the elements of another publisher of a sequence before those of this one.
  ///
  /// ```swift
  /// let publisher = [3, 4].publisher.prepend([1, 2].publisher)  // publishes 1, 2, 3, 4
  /// ```
  ///
  /// - Parameter publisher: The publisher whose elements come first. They are copied here.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func prepend(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    .init(sequence: publisher.sequence + sequence)
  }

  /// Publishes some values after the elements.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.append(3, 4)  // publishes 1, 2, 3, 4
  /// ```
  ///
  /// - Parameter elements: The values that come afterwards.
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
  /// - Parameter elements: The values that come afterwards. They are copied here.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func append<S: Swift.Sequence>(_ elements: S) -> Publishers.Sequence<Elements, Failure>
  where Elements.Element == S.Element {
    .init(sequence: sequence + elements)
  }

  /// Publishes the elements of another publisher of a sequence after those of this one.
  ///
  /// ```swift
  /// let publisher = [1, 2].publisher.append([3, 4].publisher)  // publishes 1, 2, 3, 4
  /// ```
  ///
  /// - Parameter publisher: The publisher whose elements come afterwards. They are copied here.
  /// - Returns: A publisher of the combined sequence.
  @inlinable
  public func append(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    append(publisher.sequence)
  }
}
