import CombineCore
import TestSupport
import Testing

@Suite struct OptionalOperatorsTests {

  /// Checks an operator on a publisher of 7 and on one without a value. Without a value, no closure is called.
  ///
  /// - Parameters:
  ///   - value: The value published for 7, or `nil` for none.
  ///   - calls: How many times the operator calls its closure with 7.
  private func expect<T: Equatable>(
    _ value: T?,
    calls: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping (Optional<Int>.Publisher, _ onCall: () -> Void) -> Optional<T>.Publisher
  ) {
    let expected: [Event<T>] = value.map { .optional($0) } ?? .nothing()
    expectEager(expected, calls: calls, sourceLocation: sourceLocation) { make(Int?(7).publisher, $0) }
    expectEager(.nothing(), calls: 0, sourceLocation: sourceLocation) { make(Int?.none.publisher, $0) }
  }

  // MARK: Mapping

  @Test func transformsItsValue() {
    expect("7", calls: 1) { publisher, onCall in
      publisher.map { noting(onCall, "\($0)") }
    }
  }

  @Test func combinesAnInitialResultWithItsValueIfThereIsOne() {
    expect(3, calls: 1) { publisher, onCall in
      publisher.scan(10) { noting(onCall, $0 - $1) }
    }
    expect(3, calls: 1) { publisher, onCall in
      publisher.reduce(10) { noting(onCall, $0 - $1) }
    }
  }

  // MARK: Filtering

  @Test(arguments: ["7", nil])
  func compactMapDropsNil(result: String?) {
    expect(result, calls: 1) { publisher, onCall in
      publisher.compactMap { _ in noting(onCall, result) }
    }
  }

  @Test(arguments: [true, false])
  func keepsItsValueIfThePredicateIsTrue(holds: Bool) {
    expect(holds ? 7 : nil, calls: 1) { publisher, onCall in publisher.filter { noting(onCall, ($0 == 7) == holds) } }
    expect(holds ? 7 : nil, calls: 1) { publisher, onCall in
      publisher.first(where: { noting(onCall, ($0 == 7) == holds) })
    }
    expect(holds ? 7 : nil, calls: 1) { publisher, onCall in
      publisher.last(where: { noting(onCall, ($0 == 7) == holds) })
    }
    expect(holds ? 7 : nil, calls: 1) { publisher, onCall in
      publisher.prefix(while: { noting(onCall, ($0 == 7) == holds) })
    }
    expect(holds ? nil : 7, calls: 1) { publisher, onCall in
      publisher.drop(while: { noting(onCall, ($0 == 7) == holds) })
    }
  }

  @Test func removeDuplicatesHasNothingToCompare() {
    expect(7) { publisher, _ in publisher.removeDuplicates() }
    expect(7) { publisher, onCall in
      publisher.removeDuplicates { _, _ in noting(onCall, true) }
    }
  }

  @Test func replacesAMissingValue() {
    expectEager(.just(7), Int?(7).publisher.replaceEmpty(with: 1))
    expectEager(.just(1), Int?.none.publisher.replaceEmpty(with: 1))
    expect(7) { publisher, _ in publisher.replaceError(with: 1) }
  }

  @Test(arguments: [-1, 0, 1, .max])
  func retryGivesThePublisherItself(times: Int) {
    expect(7) { publisher, _ in publisher.retry(times) }
  }

  @Test(arguments: [7, nil])
  func ignoresItsValue(value: Int?) {
    expectEager(.nothing(), value.publisher.ignoreOutput())
    #expect(value.publisher.ignoreOutput().completeImmediately)
  }

  // MARK: Reducing

  @Test func collectsAnEmptyArrayWithoutAValue() {
    expectEager(.optional([7]), Int?(7).publisher.collect())
    expectEager(.optional([]), Int?.none.publisher.collect())
  }

  @Test func countPublishesNothingWithoutAValue() {
    expect(1) { publisher, _ in publisher.count() }
  }

  @Test func isItsOwnMinimumAndMaximum() {
    expect(7) { publisher, _ in publisher.min() }
    expect(7) { publisher, _ in publisher.max() }
    expect(7) { publisher, onCall in publisher.min(by: { _, _ in noting(onCall, true) }) }
    expect(7) { publisher, onCall in publisher.max(by: { _, _ in noting(onCall, true) }) }
  }

  @Test func containsItsValueOnly() {
    expect(true) { publisher, _ in publisher.contains(7) }
    expect(false) { publisher, _ in publisher.contains(8) }
  }

  @Test(arguments: [true, false])
  func callsThePredicateWithItsValue(holds: Bool) {
    expect(holds, calls: 1) { publisher, onCall in publisher.contains(where: { noting(onCall, ($0 == 7) == holds) }) }
    expect(holds, calls: 1) { publisher, onCall in publisher.allSatisfy { noting(onCall, ($0 == 7) == holds) } }
  }

  // MARK: Slicing

  @Test func isItsOwnFirstAndLast() {
    expect(7) { publisher, _ in publisher.first() }
    expect(7) { publisher, _ in publisher.last() }
  }

  @Test func countsFromTheFirstValue() {
    expect(nil) { publisher, _ in publisher.dropFirst() }
    expect(7) { publisher, _ in publisher.dropFirst(0) }
    expect(nil) { publisher, _ in publisher.dropFirst(1) }
    expect(nil) { publisher, _ in publisher.dropFirst(.max) }
    expect(nil) { publisher, _ in publisher.prefix(0) }
    expect(7) { publisher, _ in publisher.prefix(1) }
    expect(7) { publisher, _ in publisher.prefix(.max) }
    expect(7) { publisher, _ in publisher.output(at: 0) }
    expect(nil) { publisher, _ in publisher.output(at: 1) }
    expect(nil) { publisher, _ in publisher.output(at: .max) }
  }

  @Test func outputInARangeIsItsValueIfTheRangeContainsZero() {
    for range in [0..<10, 0..<1, 0..<Int.max - 2] {
      expect(7) { publisher, _ in publisher.output(in: range) }
    }
    for range in [0..<0, 1..<10, 1..<1] {
      expect(nil) { publisher, _ in publisher.output(in: range) }
    }
    expect(7) { publisher, _ in publisher.output(in: 0...0) }
    expect(7) { publisher, _ in publisher.output(in: ...0) }
    expect(7) { publisher, _ in publisher.output(in: ..<1) }
    expect(nil) { publisher, _ in publisher.output(in: ..<0) }
  }

  @Test(arguments: [7, nil])
  func outputInARangeEvaluatesTheRangeOnceRelativeToAllPositions(value: Int?) {
    var asked: [Range<Int>] = []
    #expect(value.publisher.output(in: AskedRange(bounds: 0..<3) { asked.append($0) }) == value.publisher)
    #expect(asked == [0..<Int.max])
  }

  enum Misuse: String, CaseIterable, Codable {
    case dropFirst, prefix, output, negativeStart, negativeRange, tooLargeEnd, noEnd

    var message: (method: String, mistake: CombineCore.Misuse) {
      switch self {
      case .dropFirst: ("dropFirst(_:)", .negativeCount)
      case .prefix: ("prefix(_:)", .negativeLength)
      case .output: ("output(at:)", .negativeIndex)
      case .negativeStart, .negativeRange: ("output(in:)", .negativeLowerBound)
      case .tooLargeEnd, .noEnd: ("output(in:)", .endlessRange)
      }
    }

    func run(_ publisher: Optional<Int>.Publisher) {
      switch self {
      case .dropFirst: _ = publisher.dropFirst(-1)
      case .prefix: _ = publisher.prefix(-1)
      case .output: _ = publisher.output(at: -1)
      case .negativeStart: _ = publisher.output(in: -1...4)
      case .negativeRange: _ = publisher.output(in: -10 ..< -5)
      case .tooLargeEnd: _ = publisher.output(in: 0..<Int.max - 1)
      case .noEnd: _ = publisher.output(in: 0...)
      }
    }
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: Misuse.allCases, [7, nil])
    func anInvalidPositionTraps(misuse: Misuse, value: Int?) async {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse, value] in
        misuse.run(value.publisher)
      }.expectMisuse(misuse.message.method, misuse.message.mistake)
    }
  #endif

  // MARK: Optional values

  @Test func aNilValueIsAValue() {
    let publisher = Optional(Int?.none).publisher
    expectEager(.optional(nil), publisher.filter { $0 == nil })
    expectEager(.optional(nil), publisher.prefix(1))
    expectEager(.optional([nil]), publisher.collect())
    expectEager(.just(nil), publisher.replaceEmpty(with: 1))
  }
}
