import CombineExt
import CombineTesting
import Testing

/// The helpers that change, drop or number elements.
struct ElementTests {

  @Test func enumeratesElements() {
    let letters = ["a", "b"].publisher
    #expect(letters.enumerated().map { "\($0.index)\($0.element)" }.received().values == ["0a", "1b"])
    let numbered: Publishers.Enumerated<Publishers.Sequence<[String], Never>> = letters.enumerated(initial: 5)
    #expect(numbered.initial == 5)
    #expect(numbered.upstream == letters)
    for _ in 1...2 { #expect(numbered.map { "\($0.index)\($0.element)" }.received().values == ["5a", "6b"]) }
  }

  @Test func mapsAndFiltersTheElementsOfCollections() {
    let collections = [[1, 2, 3], [], [5]].publisher
    #expect(collections.mapMany { $0 * 10 }.received().values == [[10, 20, 30], [], [50]])
    let even: AnyPublisher<[Int], Never> = collections.filterMany { $0 % 2 == 0 }
    #expect(even.received().signals == [.input([2]), .input([]), .input([]), .completion(.finished)])
  }

  @Test func mapsEachElementToOneValue() {
    var evaluations = 0
    func value() -> Int {
      evaluations += 1
      return evaluations
    }
    let publisher = ["a", "b"].publisher.mapToValue(value())
    #expect(publisher.received().values == [1, 1])
    #expect(publisher.received().values == [1, 1])
    #expect(["a", "b"].publisher.mapToVoid().received().values.count == 2)
  }

  @Test func togglesBooleans() {
    #expect([true, false].publisher.toggle().received().values == [false, true])
  }

  @Test func changesTheTypeOfNoElements() {
    let ignored: Publishers.Map<Publishers.IgnoreOutput<Just<Int>>, String> =
      Just(1).ignoreOutput(setOutputType: String.self)
    #expect(ignored.received().signals == [.completion(.finished)])
    let never: Publishers.Map<Empty<Never, TestError>, String> = Empty<Never, TestError>().setOutputType(
      to: String.self
    )
    #expect(never.received().signals == [.completion(.finished)])
  }

  @Test func aFailureIsAResultBeforeTheFinish() {
    let subject = PassthroughSubject<Int, TestError>()
    let results: AnyPublisher<Result<Int, TestError>, Never> = subject.mapToResult()
    let received = results.received()
    subject.send(1)
    subject.send(completion: .failure(.first))
    #expect(received.signals == [.input(.success(1)), .input(.failure(.first)), .completion(.finished)])
    #expect(
      Just(1).setFailureType(to: TestError.self).mapToResult().received().signals
        == [.input(.success(1)), .completion(.finished)]
    )
  }

  @Test func theResultOfAFailureNeedsDemand() {
    let received = Fail<Int, TestError>(error: .first).mapToResult().received(requesting: .none)
    #expect(received.signals == [])
    received.request(.max(1))
    #expect(received.signals == [.input(.failure(.first)), .completion(.finished)])
  }

  @Test func aFailureIsIgnored() {
    let subject = PassthroughSubject<Int, TestError>()
    let finishing: AnyPublisher<Int, Never> = subject.ignoreFailure()
    let retyped: AnyPublisher<Int, CancellationError> = subject.ignoreFailure(setFailureType: CancellationError.self)
    let (first, second) = (finishing.received(), retyped.received())
    let silent = subject.ignoreFailure(completeImmediately: false).received()
    let silentRetyped = subject.ignoreFailure(setFailureType: TestError.self, completeImmediately: false).received()
    subject.send(1)
    subject.send(completion: .failure(.first))
    #expect(first.signals == [.input(1), .completion(.finished)])
    #expect(second.values == [1])
    #expect(second.signals.count == 2)
    // The error of the second is not `Equatable`.
    #expect(second.signals.last.map { if case .completion(.finished) = $0 { true } else { false } } == true)
    #expect(silent.signals == [.input(1)])
    #expect(silentRetyped.signals == [.input(1)])
  }

  @Test func aFinishIsNotIgnored() {
    for completesImmediately in [true, false] {
      let publisher = Just(1).setFailureType(to: TestError.self)
        .ignoreFailure(completeImmediately: completesImmediately)
      #expect(publisher.received().signals == [.input(1), .completion(.finished)])
    }
  }

  @Test func windowsSlideByOneElement() {
    #expect((1...5).publisher.nwise(3).received().values == [[1, 2, 3], [2, 3, 4], [3, 4, 5]])
    #expect((1...3).publisher.nwise(2).received().values == [[1, 2], [2, 3]])
    let pairs: AnyPublisher<(Int, Int), Never> = (1...4).publisher.pairwise()
    #expect(pairs.map { "\($0.0)\($0.1)" }.received().values == ["12", "23", "34"])
  }

  @Test func tooFewElementsForAWindowGiveTheCompletionOnly() {
    #expect([1, 2].publisher.nwise(3).received().signals == [.completion(.finished)])
    #expect(Just(1).pairwise().map(\.0).received().signals == [.completion(.finished)])
    let subject = PassthroughSubject<Int, TestError>()
    let received = subject.nwise(2).received()
    subject.send(1)
    subject.send(completion: .failure(.first))
    #expect(received.signals == [.completion(.failure(.first))])
  }

  @Test func anElementWithoutAWindowUsesNoDemand() {
    let received = (1...9).publisher.nwise(3).received(requesting: .max(2))
    #expect(received.values == [[1, 2, 3], [2, 3, 4]])
  }

  @Test func aWindowOfOneEndsTheProcess() async {
    await #expect(processExitsWith: .failure) { _ = [1].publisher.nwise(1) }
  }

  @Test func removesAllDuplicates() {
    struct Point: Equatable { let x: Int }
    #expect([1, 2, 1, 3, 2, 4].publisher.removeAllDuplicates().received().values == [1, 2, 3, 4])
    let points = [1, 2, 1].map(Point.init).publisher
    #expect(points.removeAllDuplicates().received().values == [Point(x: 1), Point(x: 2)])
  }

  @Test func thePredicateGetsTheEarlierElementsOldestFirst() {
    var calls: [[Int]] = []
    let publisher = [1, 2, 11].publisher.removeAllDuplicates {
      calls.append([$0, $1])
      return $0 % 10 == $1 % 10
    }
    #expect(publisher.received().values == [1, 2])
    #expect(calls == [[1, 2], [1, 11]])
  }

  /// In the original the second subscription receives nothing.
  @Test func eachSubscriptionRemembersItsOwnElements() {
    let publisher = [1, 2, 1].publisher.removeAllDuplicates()
    for _ in 1...2 { #expect(publisher.received().values == [1, 2]) }
  }
}
