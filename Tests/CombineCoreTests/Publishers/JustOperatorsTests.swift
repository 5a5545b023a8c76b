import CombineCore
import TestSupport
import Testing

@Suite struct JustOperatorsTests {

  // MARK: Mapping

  @Test func transformsItsValue() {
    expectEager(.just("2"), calls: 1) { onCall in
      Just(2).map { noting(onCall, "\($0)") }
    }
    expectEager(.success("2"), calls: 1) { onCall in
      Just(2).tryMap { noting(onCall, "\($0)") }
    }
  }

  @Test func combinesAnInitialResultWithItsValue() {
    expectEager(.success(8), calls: 1) { onCall in
      Just(2).scan(10) { noting(onCall, $0 - $1) }
    }
    expectEager(.success(8), calls: 1) { onCall in
      Just(2).tryScan(10) { noting(onCall, $0 - $1) }
    }
    expectEager(.success(8), calls: 1) { onCall in
      Just(2).reduce(10) { noting(onCall, $0 - $1) }
    }
    expectEager(.success(8), calls: 1) { onCall in
      Just(2).tryReduce(10) { noting(onCall, $0 - $1) }
    }
  }

  @Test func changesTheFailureTypeWithoutAFailure() {
    func failure<Failure>(_ failure: Failure) -> TestError { TestError("never called") }
    expectEager(.success(1), Just(1).mapError(failure))
    expectEager(.success(1), Just(1).setFailureType(to: TestError.self))
  }

  // MARK: Filtering

  @Test func compactMapDropsNil() {
    for (text, expected) in [("1", [Event<Int>].optional(1)), ("x", .nothing())] {
      expectEager(expected, calls: 1) { onCall in
        Just(text).compactMap { noting(onCall, Int($0)) }
      }
    }
  }

  @Test(arguments: [true, false])
  func keepsItsValueIfThePredicateIsTrue(holds: Bool) {
    let expected: [Event<Int>] = holds ? .optional(1) : .nothing()
    expectEager(expected, calls: 1) { onCall in Just(1).filter { _ in noting(onCall, holds) } }
    expectEager(expected, calls: 1) { onCall in Just(1).first(where: { _ in noting(onCall, holds) }) }
    expectEager(expected, calls: 1) { onCall in Just(1).last(where: { _ in noting(onCall, holds) }) }
    expectEager(expected, calls: 1) { onCall in Just(1).prefix(while: { _ in noting(onCall, holds) }) }
    let dropped: [Event<Int>] = holds ? .nothing() : .optional(1)
    expectEager(dropped, calls: 1) { onCall in Just(1).drop(while: { _ in noting(onCall, holds) }) }
  }

  @Test func removeDuplicatesHasNothingToCompare() {
    expectEager(.just(1), Just(1).removeDuplicates())
    expectEager(.just(1), calls: 0) { onCall in
      Just(1).removeDuplicates { _, _ in noting(onCall, true) }
    }
  }

  @Test(arguments: [true, false])
  func tryRemoveDuplicatesComparesTheValueWithItselfForTheErrorAlone(isDuplicate: Bool) {
    expectEager(.success(7), calls: 1) { onCall in
      Just(7).tryRemoveDuplicates { first, second in
        #expect((first, second) == (7, 7))
        onCall()
        return isDuplicate
      }
    }
  }

  @Test func replacementsAreNotNeeded() {
    expectEager(.just(1), Just(1).replaceError(with: 2))
    expectEager(.just(1), Just(1).replaceEmpty(with: 2))
  }

  @Test(arguments: [-1, 0, 1, .max])
  func retryGivesThePublisherItself(times: Int) {
    expectEager(.just(1), Just(1).retry(times))
  }

  @Test func ignoresItsValue() {
    expectEager(.nothing(), Just(1).ignoreOutput())
    #expect(Just(1).ignoreOutput().completeImmediately)
  }

  // MARK: Reducing

  @Test func collectsAndCounts() {
    expectEager(.just([7]), Just(7).collect())
    expectEager(.just(1), Just(7).count())
  }

  @Test func isItsOwnMinimumAndMaximum() {
    expectEager(.just(7), Just(7).min())
    expectEager(.just(7), Just(7).max())
    expectEager(.just(7), calls: 0) { onCall in Just(7).min(by: { _, _ in noting(onCall, true) }) }
    expectEager(.just(7), calls: 0) { onCall in Just(7).max(by: { _, _ in noting(onCall, true) }) }
  }

  @Test func containsItsValueOnly() {
    expectEager(.just(true), Just(1).contains(1))
    expectEager(.just(false), Just(1).contains(2))
  }

  @Test(arguments: [true, false])
  func callsThePredicateWithItsValue(holds: Bool) {
    expectEager(.just(holds), calls: 1) { onCall in Just(7).contains(where: { noting(onCall, ($0 == 7) == holds) }) }
    expectEager(.just(holds), calls: 1) { onCall in Just(7).allSatisfy { noting(onCall, ($0 == 7) == holds) } }
    expectEager(.success(holds), calls: 1) { onCall in
      Just(7).tryContains(where: { noting(onCall, ($0 == 7) == holds) })
    }
    expectEager(.success(holds), calls: 1) { onCall in Just(7).tryAllSatisfy { noting(onCall, ($0 == 7) == holds) } }
  }

  @Test func keepsTheErrorThatAClosureThrows() {
    expectEager([Event<Int>].failure("thrown"), calls: 1) { onCall in Just(1).tryMap { _ in try failing(onCall) } }
    expectEager([Event<Int>].failure("thrown"), calls: 1) { onCall in
      Just(1).tryScan(0) { _, _ in try failing(onCall) }
    }
    expectEager([Event<Int>].failure("thrown"), calls: 1) { onCall in
      Just(1).tryReduce(0) { _, _ in try failing(onCall) }
    }
    expectEager(.failure("thrown"), calls: 1) { onCall in Just(1).tryRemoveDuplicates { _, _ in try failing(onCall) } }
    expectEager(.failure("thrown"), calls: 1) { onCall in Just(1).tryContains { _ in try failing(onCall) } }
    expectEager(.failure("thrown"), calls: 1) { onCall in Just(1).tryAllSatisfy { _ in try failing(onCall) } }
    #expect(throws: TestError("thrown")) {
      try Just(1).tryMap { _ -> Int in throw TestError("thrown") }.result.get()
    }
  }

  // MARK: Slicing

  @Test func isItsOwnFirstAndLast() {
    expectEager(.just(1), Just(1).first())
    expectEager(.just(1), Just(1).last())
  }

  @Test func countsFromTheFirstValue() {
    expectEager(.nothing(), Just(1).dropFirst())
    expectEager(.optional(1), Just(1).dropFirst(0))
    expectEager(.nothing(), Just(1).dropFirst(1))
    expectEager(.nothing(), Just(1).dropFirst(.max))
    expectEager(.nothing(), Just(1).prefix(0))
    expectEager(.optional(1), Just(1).prefix(1))
    expectEager(.optional(1), Just(1).prefix(.max))
    expectEager(.optional(1), Just(1).output(at: 0))
    expectEager(.nothing(), Just(1).output(at: 1))
    expectEager(.nothing(), Just(1).output(at: .max))
  }

  @Test func outputInARangeDependsOnItsStartOnly() {
    for range in [0..<10, 0..<1, 0..<Int.max, 0..<0] {
      expectEager(.optional(1), Just(1).output(in: range))
    }
    for range in [-10..<10, -10 ..< -5, 1..<10, 1..<1] {
      expectEager(.nothing(), Just(1).output(in: range))
    }
    expectEager(.optional(1), Just(1).output(in: 0...0))
    expectEager(.nothing(), Just(1).output(in: -10...10))
    expectEager(.optional(1), Just(1).output(in: 0...))
    expectEager(.nothing(), Just(1).output(in: (-10)...))
    expectEager(.optional(1), Just(1).output(in: ...3))
    expectEager(.optional(1), Just(1).output(in: ..<0))
  }

  @Test func outputInARangeEvaluatesTheRangeRelativeToAllPositions() {
    var asked: [Range<Int>] = []
    expectEager(.optional(1), Just(1).output(in: AskedRange(bounds: 0..<3) { asked.append($0) }))
    #expect(asked == [0..<Int.max])
  }

  // MARK: Mixing

  @Test func addsValuesBeforeAndAfterIt() {
    expectEager(.sequence([1, 2, 3]), Just(3).prepend(1, 2))
    expectEager(.sequence([1, 2, 3]), Just(3).prepend(1...2))
    expectEager(.sequence([1, 2, 3]), Just(1).append(2, 3))
    expectEager(.sequence([1, 2, 3]), Just(1).append(2...3))
    expectEager(.sequence([1]), Just(1).prepend())
    expectEager(.sequence([1]), Just(1).append(EmptyCollection()))
  }

  @Test func iteratesASequenceNoFurtherThanItsElements() {
    let before = LoggingCollection([1, 2])
    #expect(Just(3).prepend(before).sequence == [1, 2, 3])
    #expect(before.log.calls == ["underestimatedCount", "underestimatedCount", "makeIterator"])
    let after = LoggingCollection([2, 3])
    #expect(Just(1).append(after).sequence == [1, 2, 3])
    #expect(after.log.calls == ["underestimatedCount", "makeIterator"])
  }

  // MARK: Optional values

  @Test func aNilValueIsAValue() {
    let publisher = Just(Int?.none)
    expectEager(.optional(nil), publisher.filter { $0 == nil })
    expectEager(.optional(nil), publisher.prefix(1))
    expectEager(.just([nil]), publisher.collect())
    expectEager(.success(nil), publisher.tryMap { $0 })
  }
}
