import CombineCore
import TestSupport
import Testing

@Suite struct SequenceOperatorsTests {

  private typealias Numbers = Publishers.Sequence<[Int], TestError>

  // MARK: Mapping

  @Test func transformsEachElement() {
    expectEager(.sequence(["1", "2"]), calls: 2) { onCall in
      [1, 2].publisher.map { noting(onCall, "\($0)") }
    }
    expectEager(.sequence([1, 3]), calls: 3) { onCall in
      ["1", "x", "3"].publisher.compactMap { noting(onCall, Int($0)) }
    }
    expectEager(.nothing(), [Int]().publisher.map { $0 })
    expectEager(.nothing(), ["x"].publisher.compactMap { Int($0) })
  }

  @Test func replacesNilAndStaysOptional() {
    expectEager(.sequence([Int?(1), 0, 3]), [1, nil, 3].publisher.replaceNil(with: 0))
    expectEager(.nothing(), [Int?]().publisher.replaceNil(with: 0))
  }

  @Test func scanPublishesTheResultsWithoutTheInitialOne() {
    expectEager(.sequence([0, 1, 3, 6, 10]), (0..<5).publisher.scan(0, +))
    expectEager(.sequence([1, 0, -2, -5, -9]), (0..<5).publisher.scan(1, -))
    expectEager(.nothing(), EmptyCollection<Int>().publisher.scan(1, -))
    expectEager(.sequence([11, 13]), calls: 2) { onCall in
      // The operator declares the closure as escaping, as in Combine.
      withoutActuallyEscaping(onCall) { onCall in
        [1, 2].publisher.scan(10) { noting(onCall, $0 + $1) }
      }
    }
  }

  @Test func changesTheFailureTypeFromAnyOther() {
    struct Other: Error {}
    let counter = IterationCounter()
    let publisher = CountedSequence(counter: counter).publisher.setFailureType(to: TestError.self)
    let changed = publisher.setFailureType(to: Other.self)
    #expect(counter.iterators == 0)
    #expect(changed.eventsSeen().dropFirst() == [.value(1), .value(2), .value(3), .finished])
  }

  // MARK: Filtering

  @Test func keepsTheElementsForWhichThePredicateIsTrue() {
    expectEager(.sequence([2, 4]), calls: 5) { onCall in
      (1...5).publisher.filter { noting(onCall, $0 % 2 == 0) }
    }
  }

  @Test func removeDuplicatesComparesNeighbours() {
    let expected = [0, 1, 0, 1, 2, 3, 1]
    expectEager(.sequence(expected), [0, 0, 1, 0, 1, 1, 2, 2, 3, 3, 1].publisher.removeDuplicates())
    expectEager(.sequence(expected), [0, 0, 1, 0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 1].publisher.removeDuplicates())
    expectEager(.nothing(), [Int]().publisher.removeDuplicates())
  }

  @Test func removeDuplicatesKeepsAFirstElementThatIsNil() {
    expectEager(.sequence([nil, 1, nil]), [nil, nil, 1, nil].publisher.removeDuplicates())
  }

  @Test func removeDuplicatesComparesThePreviousElementFirst() {
    final class Pairs {
      var values: [[Int]] = []
    }
    struct Noting: Equatable {
      let value: Int
      let pairs: Pairs
      static func == (first: Noting, second: Noting) -> Bool {
        first.pairs.values.append([first.value, second.value])
        return first.value == second.value
      }
    }
    let pairs = Pairs()
    _ = [3, 1, 2].map { Noting(value: $0, pairs: pairs) }.publisher.removeDuplicates()
    #expect(pairs.values == [[3, 1], [1, 2]])
  }

  @Test func ignoresItsElementsWithoutIterating() {
    let counter = IterationCounter()
    let ignored = CountedSequence(counter: counter).publisher.ignoreOutput()
    expectEager(.nothing(), ignored)
    #expect(ignored.completeImmediately)
    #expect(counter.iterators == 0)
  }

  // MARK: Reducing

  @Test func collectsAllElements() {
    expectEager(.success([1, 2, 3]), (1...3).publisher.collect())
    expectEager(.success([]), [Int]().publisher.collect())
  }

  @Test func combinesAllElements() {
    expectEager(.success("-123"), calls: 3) { onCall in
      withoutActuallyEscaping(onCall) { onCall in
        (1...3).publisher.reduce("-") { noting(onCall, $0 + "\($1)") }
      }
    }
    expectEager(.success("-123"), calls: 3) { onCall in
      withoutActuallyEscaping(onCall) { onCall in
        (1...3).publisher.tryReduce("-") { noting(onCall, $0 + "\($1)") }
      }
    }
    expectEager([Event<Int>].success(1), [Int]().publisher.reduce(1, +))
    expectEager([Event<Int>].success(1), [Int]().publisher.tryReduce(1) { _, _ in throw TestError() })
  }

  @Test func searchesForAnElementNoFurtherThanNeeded() {
    for (wanted, calls) in [(2, 2), (7, 3)] {
      expectEager(.success(wanted == 2), calls: calls) { onCall in
        (1...3).publisher.contains(where: { noting(onCall, $0 == wanted) })
      }
      expectEager(.success(wanted == 2), calls: calls) { onCall in
        (1...3).publisher.tryContains(where: { noting(onCall, $0 == wanted) })
      }
      expectEager(.success(wanted != 2), calls: calls) { onCall in
        (1...3).publisher.allSatisfy { noting(onCall, $0 != wanted) }
      }
      expectEager(.success(wanted != 2), calls: calls) { onCall in
        (1...3).publisher.tryAllSatisfy { noting(onCall, $0 != wanted) }
      }
      expectEager(wanted == 2 ? .optional(2) : .nothing(), calls: calls) { onCall in
        (1...3).publisher.first(where: { noting(onCall, $0 == wanted) })
      }
      expectEager(.success(wanted == 2), (1...3).publisher.contains(wanted))
    }
  }

  @Test func anEmptySequenceContainsNothingAndSatisfiesEverything() {
    let empty = [Int]().publisher
    expectEager(.success(false), empty.contains(1))
    expectEager(.success(false), empty.contains { _ in true })
    expectEager(.success(false), empty.tryContains { _ in throw TestError() })
    expectEager(.success(true), empty.allSatisfy { _ in false })
    expectEager(.success(true), empty.tryAllSatisfy { _ in throw TestError() })
  }

  @Test func keepsTheErrorThatAClosureThrows() {
    func failAtTwo(_ value: Int, _ onCall: () -> Void) throws {
      onCall()
      if value == 2 { throw TestError("thrown") }
    }
    expectEager([Event<Int>].failure("thrown"), calls: 2) { onCall in
      withoutActuallyEscaping(onCall) { onCall in
        (1...3).publisher.tryReduce(0) { sum, value in
          try failAtTwo(value, onCall)
          return sum + value
        }
      }
    }
    expectEager(.failure("thrown"), calls: 2) { onCall in
      (1...3).publisher.tryContains {
        try failAtTwo($0, onCall)
        return false
      }
    }
    expectEager(.failure("thrown"), calls: 2) { onCall in
      (1...3).publisher.tryAllSatisfy {
        try failAtTwo($0, onCall)
        return true
      }
    }
    #expect(throws: TestError("thrown")) {
      try [1].publisher.tryContains { _ in throw TestError("thrown") }.result.get()
    }
  }

  @Test func findsTheSmallestAndTheLargest() {
    expectEager(.optional(1), [2, 1, 3].publisher.min())
    expectEager(.optional(3), [2, 1, 3].publisher.max())
    expectEager(.nothing(), [Int]().publisher.min())
    expectEager(.nothing(), [Int]().publisher.max())
    func isSmaller(_ first: String, _ second: String, _ onCall: () -> Void) -> Bool {
      noting(onCall, first.count < second.count)
    }
    let words = ["bb", "a", "ccc"]
    expectEager(.optional("a"), calls: 2) { onCall in words.publisher.min(by: { isSmaller($0, $1, onCall) }) }
    expectEager(.optional("ccc"), calls: 2) { onCall in words.publisher.max(by: { isSmaller($0, $1, onCall) }) }
    expectEager(.nothing(), [String]().publisher.min { _, _ in true })
    expectEager(.nothing(), [String]().publisher.max { _, _ in true })
  }

  @Test func countsWithoutIterating() {
    expectEager(.just(.max), (0..<Int.max).publisher.count())
    expectEager(.just(0), EmptyCollection<Int>().publisher.count())
    expectEager(.success(.max), (0..<Int.max).publisher.setFailureType(to: TestError.self).count())
    expectEager(.success(2), (1...4).lazy.filter { $0 % 2 == 0 }.publisher.count())
    expectEager(.success(5), "héllo".publisher.count())
  }

  @Test func usesWhatACollectionKnows() {
    let all = (0..<Int.max).publisher
    expectEager(.success(true), all.contains(.max - 1))
    expectEager(.optional(.max - 1), all.last())
    expectEager(.optional(.max - 1), all.last { $0 > 0 })
    expectEager(.optional(.max - 1), all.output(at: .max - 1))
  }

  // MARK: Slicing

  @Test func findsTheFirstAndTheLast() {
    expectEager(.optional(1), [1, 2, 3].publisher.first())
    expectEager(.optional(3), [1, 2, 3].publisher.last())
    expectEager(.nothing(), [Int]().publisher.first())
    expectEager(.nothing(), [Int]().publisher.last())
    expectEager(.nothing(), [Int]().publisher.first { _ in true })
    expectEager(.nothing(), [Int]().publisher.last { _ in true })
  }

  @Test func searchesForTheLastFromTheEnd() {
    expectEager(.optional(2), calls: 2) { onCall in
      [1, 2, 3].publisher.last(where: { noting(onCall, $0 < 3) })
    }
    expectEager(.nothing(), calls: 3) { onCall in
      [1, 2, 3].publisher.last(where: { _ in noting(onCall, false) })
    }
  }

  @Test func outputAtAMissingPositionIsEmpty() {
    let numbers = [1, 2, 3].publisher
    expectEager(.optional(1), numbers.output(at: 0))
    expectEager(.optional(3), numbers.output(at: 2))
    for index in [-1, 3, .min, .max] { expectEager(.nothing(), numbers.output(at: index)) }
    expectEager(.nothing(), [Int]().publisher.output(at: 0))

    let text = "hé"
    expectEager(.optional("é"), text.publisher.output(at: text.index(after: text.startIndex)))
    expectEager(.nothing(), text.publisher.output(at: text.endIndex))
  }

  @Test func outputInARangeIsTheElementsThere() {
    expectEager(.sequence([2, 3]), [1, 2, 3].publisher.output(in: 1..<3))
    expectEager(.nothing(), [1, 2, 3].publisher.output(in: 3..<3))
    expectEager(.sequence([2]), Numbers(sequence: [1, 2, 3]).output(in: 1..<2))
    let text = "hello"
    let end = text.index(text.startIndex, offsetBy: 2)
    #expect(text.publisher.output(in: text.startIndex..<end).sequence == ["h", "e"])
  }

  @Test func dropFirstAndPrefixIterateForEachSubscriber() {
    let counter = IterationCounter()
    let publisher = CountedSequence(counter: counter).publisher
    let dropped = [publisher.dropFirst(), publisher.dropFirst(0), publisher.dropFirst(2), publisher.dropFirst(4)]
    let kept = [publisher.prefix(0), publisher.prefix(2), publisher.prefix(4)]
    #expect(counter.iterators == 0)
    for _ in 0..<2 {
      #expect(dropped.map { $0.valuesSeen() } == [[2, 3], [1, 2, 3], [3], []])
      #expect(kept.map { $0.valuesSeen() } == [[], [1, 2], [1, 2, 3]])
    }
    // The standard library decides whether its empty prefix makes an iterator.
    #expect(counter.iterators >= 12)
  }

  @Test func predicatesForTheFirstElementsAreCalledUntilTheyFail() {
    let counter = IterationCounter()
    var calls = 0
    let dropped = CountedSequence(counter: counter).publisher.drop {
      calls += 1
      return $0 < 2
    }
    #expect(calls == 2)
    #expect(counter.iterators == 1)
    for _ in 0..<2 { #expect(dropped.valuesSeen() == [2, 3]) }
    #expect(calls == 2)

    expectEager(.sequence([1]), calls: 2) { onCall in
      [1, 2, 1].publisher.prefix(while: { noting(onCall, $0 < 2) })
    }
    #expect([1, 2, 1].publisher.drop { $0 < 2 }.valuesSeen() == [2, 1])
    #expect([1, 2, 1].publisher.drop { _ in true }.valuesSeen() == [])
    expectEager(.nothing(), [1, 2, 1].publisher.prefix { _ in false })
  }

  @Test func operatorsIterateOnceForAnyNumberOfSubscribers() {
    func expectOneIteration<P: Publisher>(_ make: (Publishers.Sequence<CountedSequence, Never>) -> P) {
      let counter = IterationCounter()
      let publisher = make(CountedSequence(counter: counter).publisher)
      #expect(counter.iterators == 1)
      for _ in 0..<2 { _ = publisher.eventsSeen() }
      #expect(counter.iterators == 1)
    }
    expectOneIteration { $0.map { $0 } }
    expectOneIteration { $0.compactMap { $0 } }
    expectOneIteration { $0.filter { $0 > 0 } }
    expectOneIteration { $0.scan(0, +) }
    expectOneIteration { $0.removeDuplicates() }
    expectOneIteration { $0.prefix { $0 > 0 } }
    expectOneIteration { $0.collect() }
    expectOneIteration { $0.reduce(0, +) }
    expectOneIteration { $0.tryReduce(0, +) }
    expectOneIteration { $0.contains(3) }
    expectOneIteration { $0.contains { $0 > 2 } }
    expectOneIteration { $0.tryContains { $0 > 2 } }
    expectOneIteration { $0.allSatisfy { $0 > 0 } }
    expectOneIteration { $0.tryAllSatisfy { $0 > 0 } }
    expectOneIteration { $0.min() }
    expectOneIteration { $0.max() }
    expectOneIteration { $0.first { $0 > 1 } }
  }

  @Test func aRangeBeyondTheBoundsTraps() async {
    await #expect(processExitsWith: .failure) { _ = [1].publisher.output(in: -1..<1) }.expectTrap()
    await #expect(processExitsWith: .failure) { _ = [1].publisher.output(in: 0..<2) }.expectTrap()
  }

  // MARK: Mixing

  @Test func addsElementsBeforeAndAfterItsOwn() {
    let numbers = Numbers(sequence: [3, 4])
    expectEager(.sequence([1, 2, 3, 4]), numbers.prepend(1, 2))
    expectEager(.sequence([1, 2, 3, 4]), numbers.prepend(1...2))
    expectEager(.sequence([1, 2, 3, 4]), numbers.prepend(Numbers(sequence: [1, 2])))
    expectEager(.sequence([3, 4, 5, 6]), numbers.append(5, 6))
    expectEager(.sequence([3, 4, 5, 6]), numbers.append(5...6))
    expectEager(.sequence([3, 4, 5, 6]), numbers.append(Numbers(sequence: [5, 6])))
    expectEager(.sequence([3, 4]), numbers.prepend())
    expectEager(.sequence([3, 4]), numbers.append())
    expectEager(.nothing(), Numbers(sequence: []).append(Numbers(sequence: [])))
    #expect("bc".publisher.prepend("a").append("d", "e").sequence == "abcde")
  }
}

/// The exact calls that the operators make on collections, which row `overload.calls` lists.
@Suite struct SequenceOperatorsCallTests {

  private let base = LoggingCollection([1, 2, 3, 4, 5])

  @Test func outputAtAPosition() {
    #expect(base.publisher.output(at: 2).output == 3)
    #expect(base.log.calls == ["indices", "subscript(position)"])
  }

  @Test(arguments: [-1, 5])
  func outputAtAPositionOutside(index: Int) {
    #expect(base.publisher.output(at: index).output == nil)
    #expect(base.log.calls == ["indices"])
  }

  @Test func outputInARange() {
    #expect(base.publisher.output(in: 1..<4).sequence == [2, 3, 4])
    let elements = Array(repeating: ["subscript(position)", "formIndex(after:)"], count: 3).flatMap { $0 }
    #expect(base.log.calls == ["subscript(bounds)", "distance(from:to:)"] + elements)
  }

  private let newCalls = ["init()", "reserveCapacity(_:)", "append(contentsOf:)", "append(contentsOf:)"]

  @Test func prependOfValues() {
    let result = base.publisher.prepend(7, 8, 9).sequence
    #expect(result.log.calls == newCalls)
    #expect(base.log.calls == ["count", "underestimatedCount", "makeIterator"])
    #expect(result.storage == [7, 8, 9, 1, 2, 3, 4, 5])
    #expect(base.storage == [1, 2, 3, 4, 5])
  }

  @Test func prependOfASequence() {
    let other = LoggingCollection([7, 8])
    let result = base.publisher.prepend(AnyLoggingSequence(other)).sequence
    #expect(result.log.calls == newCalls)
    #expect(base.log.calls == ["count", "underestimatedCount", "makeIterator"])
    #expect(other.log.calls == ["underestimatedCount", "underestimatedCount", "makeIterator"])
    #expect(result.storage == [7, 8, 1, 2, 3, 4, 5])
  }

  @Test func prependOfACollection() {
    let other = LoggingCollection([7, 8])
    let result = base.publisher.prepend(other).sequence
    #expect(result.log.calls == newCalls)
    #expect(base.log.calls == ["count", "underestimatedCount", "makeIterator"])
    #expect(other.log.calls == ["underestimatedCount", "underestimatedCount", "makeIterator"])
    #expect(result.storage == [7, 8, 1, 2, 3, 4, 5])
  }

  @Test func prependOfAPublisher() {
    let other = LoggingCollection([7, 8])
    let result = base.publisher.prepend(other.publisher).sequence
    #expect(base.log.calls == ["underestimatedCount", "makeIterator"])
    #expect(other.log.calls == ["append(contentsOf:)"])
    #expect(result.storage == [7, 8, 1, 2, 3, 4, 5])
    #expect(other.storage == [7, 8])
  }

  @Test func appendOfValues() {
    let result = base.publisher.append(7, 8, 9).sequence
    #expect(base.log.calls == ["append(contentsOf:)"])
    #expect(result.storage == [1, 2, 3, 4, 5, 7, 8, 9])
    #expect(base.storage == [1, 2, 3, 4, 5])
  }

  @Test func appendOfASequence() {
    let other = LoggingCollection([7, 8])
    let result = base.publisher.append(AnyLoggingSequence(other)).sequence
    #expect(base.log.calls == ["append(contentsOf:)"])
    #expect(other.log.calls == ["underestimatedCount", "makeIterator"])
    #expect(result.storage == [1, 2, 3, 4, 5, 7, 8])
  }

  @Test func appendOfACollectionOrAPublisherOfOne() {
    for isPublisher in [true, false] {
      let base = LoggingCollection([1, 2])
      let other = LoggingCollection([7, 8])
      let result = isPublisher ? base.publisher.append(other.publisher) : base.publisher.append(other)
      #expect(base.log.calls == ["append(contentsOf:)"])
      #expect(other.log.calls == ["underestimatedCount", "makeIterator"])
      #expect(result.sequence.storage == [1, 2, 7, 8])
    }
  }

  @Test func aCollectionWithReferenceSemanticsGrowsInPlaceButForAPrependOfElements() {
    func check(
      base grownBase: [Int],
      argument grownArgument: [Int] = [7],
      _ isResult: (_ result: SharedCollection, _ base: SharedCollection, _ argument: SharedCollection) -> Bool,
      _ make: (Publishers.Sequence<SharedCollection, Never>, SharedCollection) ->
        Publishers.Sequence<
          SharedCollection, Never
        >,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let base = SharedCollection([1, 2])
      let argument = SharedCollection([7])
      let result = make(base.publisher, argument).sequence
      #expect(base.storage == grownBase, sourceLocation: sourceLocation)
      #expect(argument.storage == grownArgument, sourceLocation: sourceLocation)
      #expect(isResult(result, base, argument), sourceLocation: sourceLocation)
    }
    check(base: [1, 2, 7], { result, base, _ in result === base }) { base, _ in base.append(7) }
    check(base: [1, 2, 7], { result, base, _ in result === base }) { base, argument in base.append(argument) }
    check(base: [1, 2, 7], { result, base, _ in result === base }) { base, argument in
      base.append(argument.publisher)
    }
    check(base: [1, 2], argument: [7, 1, 2], { result, _, argument in result === argument }) { base, argument in
      base.prepend(argument.publisher)
    }
    check(base: [1, 2], { result, _, _ in result.storage == [7, 1, 2] }) { base, _ in base.prepend(7) }
    check(base: [1, 2], { result, _, _ in result.storage == [7, 1, 2] }) { base, argument in base.prepend(argument) }
  }
}

extension Publisher {

  /// Returns the values of a subscriber with unlimited demand.
  fileprivate func valuesSeen() -> [Output] {
    let subscriber = RecordingSubscriber<Output, Failure>(requesting: .unlimited)
    subscribe(subscriber)
    return subscriber.values
  }
}

/// The number of iterations of a sequence.
private final class IterationCounter {
  var iterators = 0
}

/// The numbers 1, 2, 3, as a sequence that is not a collection.
private struct CountedSequence: Sequence {

  let counter: IterationCounter

  func makeIterator() -> IndexingIterator<ClosedRange<Int>> {
    counter.iterators += 1
    return (1...3).makeIterator()
  }
}

/// A collection whose copies are the same object.
private final class SharedCollection: RangeReplaceableCollection {

  private(set) var storage: [Int]

  init() { storage = [] }

  init(_ storage: [Int]) { self.storage = storage }

  var startIndex: Int { storage.startIndex }

  var endIndex: Int { storage.endIndex }

  subscript(position: Int) -> Int { storage[position] }

  func index(after index: Int) -> Int { index + 1 }

  func replaceSubrange<C: Collection>(_ range: Range<Int>, with elements: C) where C.Element == Int {
    storage.replaceSubrange(range, with: elements)
  }
}
