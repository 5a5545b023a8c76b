import CombineCore
import TestSupport
import Testing

@Suite struct ResultOperatorsTests {

  private typealias IntResult = Result<Int, TestError>

  /// Checks an operator on a publisher of 7 and on a failed one. After a failure no closure is called, and the failure
  /// is the same error.
  ///
  /// - Parameters:
  ///   - events: The events of a subscriber to 7.
  ///   - calls: How many times the operator calls its closure with 7.
  private func expect<T: Equatable, E: Error>(
    _ events: [Event<T>],
    calls: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping (IntResult.Publisher, _ onCall: () -> Void) -> Result<T, E>.Publisher
  ) {
    expectEager(events, calls: calls, sourceLocation: sourceLocation) { make(IntResult.success(7).publisher, $0) }
    let failed = IntResult.failure("earlier").publisher
    expectEager(.failure("earlier"), calls: 0, sourceLocation: sourceLocation) { make(failed, $0) }
    #expect(throws: TestError("earlier"), sourceLocation: sourceLocation) { try make(failed, {}).result.get() }
  }

  // MARK: Mapping

  @Test func transformsItsValue() {
    expect(.success("7"), calls: 1) { publisher, onCall in
      publisher.map { noting(onCall, "\($0)") }
    }
    expect(.success("7"), calls: 1) { publisher, onCall in
      publisher.tryMap { noting(onCall, "\($0)") }
    }
  }

  @Test func transformsItsError() {
    struct Other: Error {
      let inner: TestError
    }
    func map(_ publisher: IntResult.Publisher, _ onCall: () -> Void) -> Result<Int, Other>.Publisher {
      publisher.mapError { noting(onCall, Other(inner: $0)) }
    }
    expectEager(.success(7), calls: 0) { map(IntResult.Publisher(7), $0) }
    expectEager(.failure("Other(inner: earlier)"), calls: 1) { map(IntResult.Publisher("earlier"), $0) }
  }

  @Test func changesTheFailureTypeWithoutAFailure() {
    expectEager(.success(7), Result<Int, Never>.Publisher(7).setFailureType(to: TestError.self))
  }

  @Test func combinesAnInitialResultWithItsValue() {
    expect(.success(3), calls: 1) { publisher, onCall in
      publisher.scan(10) { noting(onCall, $0 - $1) }
    }
    expect(.success(3), calls: 1) { publisher, onCall in
      publisher.tryScan(10) { noting(onCall, $0 - $1) }
    }
    expect(.success(3), calls: 1) { publisher, onCall in
      publisher.reduce(10) { noting(onCall, $0 - $1) }
    }
    expect(.success(3), calls: 1) { publisher, onCall in
      publisher.tryReduce(10) { noting(onCall, $0 - $1) }
    }
  }

  // MARK: Comparing

  @Test func hasNothingToCompare() {
    expect(.success(7)) { publisher, _ in publisher.removeDuplicates() }
    expect(.success(7)) { publisher, _ in publisher.min() }
    expect(.success(7)) { publisher, _ in publisher.max() }
    expect(.success(7)) { publisher, onCall in publisher.removeDuplicates { _, _ in noting(onCall, true) } }
    expect(.success(7)) { publisher, onCall in publisher.min(by: { _, _ in noting(onCall, true) }) }
    expect(.success(7)) { publisher, onCall in publisher.max(by: { _, _ in noting(onCall, true) }) }
  }

  @Test(arguments: [true, false])
  func comparesTheValueWithItselfForTheErrorAlone(answer: Bool) {
    func compare(_ first: Int, _ second: Int, _ onCall: () -> Void) -> Bool {
      #expect((first, second) == (7, 7))
      onCall()
      return answer
    }
    expect(.success(7), calls: 1) { publisher, onCall in
      publisher.tryRemoveDuplicates { compare($0, $1, onCall) }
    }
    expect(.success(7), calls: 1) { publisher, onCall in publisher.tryMin(by: { compare($0, $1, onCall) }) }
    expect(.success(7), calls: 1) { publisher, onCall in publisher.tryMax(by: { compare($0, $1, onCall) }) }
  }

  @Test func keepsTheErrorThatAClosureThrows() {
    expect([Event<Int>].failure("thrown"), calls: 1) { publisher, onCall in
      publisher.tryMap { _ in try failing(onCall) }
    }
    expect([Event<Int>].failure("thrown"), calls: 1) { publisher, onCall in
      publisher.tryScan(0) { _, _ in try failing(onCall) }
    }
    expect([Event<Int>].failure("thrown"), calls: 1) { publisher, onCall in
      publisher.tryReduce(0) { _, _ in try failing(onCall) }
    }
    expect(.failure("thrown"), calls: 1) { publisher, onCall in
      publisher.tryRemoveDuplicates { _, _ in try failing(onCall) }
    }
    expect(.failure("thrown"), calls: 1) { publisher, onCall in publisher.tryMin { _, _ in try failing(onCall) } }
    expect(.failure("thrown"), calls: 1) { publisher, onCall in publisher.tryMax { _, _ in try failing(onCall) } }
    expect(.failure("thrown"), calls: 1) { publisher, onCall in publisher.tryContains { _ in try failing(onCall) } }
    expect(.failure("thrown"), calls: 1) { publisher, onCall in publisher.tryAllSatisfy { _ in try failing(onCall) } }
    #expect(throws: TestError("thrown")) {
      try IntResult.Publisher(7).tryMap { _ -> Int in throw TestError("thrown") }.result.get()
    }
  }

  // MARK: Replacing

  @Test func replacesItsError() {
    expectEager(.success(7), IntResult.Publisher(7).replaceError(with: 1))
    expectEager(.success(1), IntResult.Publisher("earlier").replaceError(with: 1))
    expect(.success(7)) { publisher, _ in publisher.replaceEmpty(with: 1) }
  }

  @Test(arguments: [-1, 0, 1, .max])
  func retryGivesThePublisherItself(times: Int) {
    expect(.success(7)) { publisher, _ in publisher.retry(times) }
  }

  @Test func ignoresItsValueAndItsFailureToo() {
    for publisher in [IntResult.Publisher(7), IntResult.Publisher("earlier")] {
      expectEager(.nothing(), publisher.ignoreOutput())
      #expect(publisher.ignoreOutput().completeImmediately)
    }
  }

  // MARK: Reducing

  @Test func collectsAndCounts() {
    expect(.success([7])) { publisher, _ in publisher.collect() }
    expect(.success(1)) { publisher, _ in publisher.count() }
  }

  @Test func isItsOwnFirstAndLast() {
    expect(.success(7)) { publisher, _ in publisher.first() }
    expect(.success(7)) { publisher, _ in publisher.last() }
  }

  @Test func containsItsValueOnly() {
    expect(.success(true)) { publisher, _ in publisher.contains(7) }
    expect(.success(false)) { publisher, _ in publisher.contains(8) }
  }

  @Test(arguments: [true, false])
  func callsThePredicateWithItsValue(holds: Bool) {
    expect(.success(holds), calls: 1) { publisher, onCall in
      publisher.contains(where: { noting(onCall, ($0 == 7) == holds) })
    }
    expect(.success(holds), calls: 1) { publisher, onCall in
      publisher.allSatisfy { noting(onCall, ($0 == 7) == holds) }
    }
    expect(.success(holds), calls: 1) { publisher, onCall in
      publisher.tryContains(where: { noting(onCall, ($0 == 7) == holds) })
    }
    expect(.success(holds), calls: 1) { publisher, onCall in
      publisher.tryAllSatisfy { noting(onCall, ($0 == 7) == holds) }
    }
  }
}
