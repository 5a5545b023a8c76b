import CombineCore
import TestSupport
import Testing

// Checks which overload an expression resolves to, by the type of its result.
//
// The type of the value and the type of `wanted` are separate parameters. If they were one, the wanted type would take
// part in the overload resolution, and another operator that returns it would be chosen.

/// Checks the type of a value, which is the type of the expression without a context.
private func expectType<Actual, Wanted>(
  of value: Actual,
  is wanted: Wanted.Type,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(Actual.self == Wanted.self, sourceLocation: sourceLocation)
}

/// Makes an error from a failure. A closure would produce a warning where the failure type is `Never`.
private func testError<Failure>(_ failure: Failure) -> TestError { TestError() }

@Suite struct JustOverloadResolutionTests {

  private let one = Just(1)

  @Test func mapping() {
    expectType(of: one.map { "\($0)" }, is: Just<String>.self)
    expectType(of: one.tryMap { "\($0)" }, is: Result<String, any Error>.Publisher.self)
    expectType(of: one.mapError(testError), is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.setFailureType(to: TestError.self), is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.scan("") { $0 + "\($1)" }, is: Result<String, Never>.Publisher.self)
    expectType(of: one.tryScan("") { $0 + "\($1)" }, is: Result<String, any Error>.Publisher.self)
  }

  @Test func filtering() {
    expectType(of: one.compactMap { Optional("\($0)") }, is: Optional<String>.Publisher.self)
    expectType(of: one.filter { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.removeDuplicates(), is: Just<Int>.self)
    expectType(of: one.removeDuplicates { $0 == $1 }, is: Just<Int>.self)
    expectType(of: one.tryRemoveDuplicates { $0 == $1 }, is: Result<Int, any Error>.Publisher.self)
    expectType(of: one.replaceEmpty(with: 0), is: Just<Int>.self)
    expectType(of: one.replaceError(with: 0), is: Just<Int>.self)
    expectType(of: one.ignoreOutput(), is: Empty<Int, Never>.self)
    expectType(of: one.retry(1), is: Just<Int>.self)
  }

  @Test func reducing() {
    expectType(of: one.collect(), is: Just<[Int]>.self)
    expectType(of: one.count(), is: Just<Int>.self)
    expectType(of: one.reduce("") { $0 + "\($1)" }, is: Result<String, Never>.Publisher.self)
    expectType(of: one.tryReduce("") { $0 + "\($1)" }, is: Result<String, any Error>.Publisher.self)
    expectType(of: one.min(), is: Just<Int>.self)
    expectType(of: one.min { $0 < $1 }, is: Just<Int>.self)
    expectType(of: one.max(), is: Just<Int>.self)
    expectType(of: one.max { $0 < $1 }, is: Just<Int>.self)
    expectType(of: one.contains(1), is: Just<Bool>.self)
    expectType(of: one.contains { $0 > 0 }, is: Just<Bool>.self)
    expectType(of: one.tryContains { $0 > 0 }, is: Result<Bool, any Error>.Publisher.self)
    expectType(of: one.allSatisfy { $0 > 0 }, is: Just<Bool>.self)
    expectType(of: one.tryAllSatisfy { $0 > 0 }, is: Result<Bool, any Error>.Publisher.self)
  }

  @Test func slicing() {
    expectType(of: one.first(), is: Just<Int>.self)
    expectType(of: one.first { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.last(), is: Just<Int>.self)
    expectType(of: one.last { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.dropFirst(), is: Optional<Int>.Publisher.self)
    expectType(of: one.dropFirst(2), is: Optional<Int>.Publisher.self)
    expectType(of: one.drop { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.prefix(1), is: Optional<Int>.Publisher.self)
    expectType(of: one.prefix { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.output(at: 0), is: Optional<Int>.Publisher.self)
    expectType(of: one.output(in: 0..<1), is: Optional<Int>.Publisher.self)
    expectType(of: one.output(in: 0...), is: Optional<Int>.Publisher.self)
  }

  @Test func mixing() {
    expectType(of: one.prepend(2, 3), is: Publishers.Sequence<[Int], Never>.self)
    expectType(of: one.prepend(2...3), is: Publishers.Sequence<[Int], Never>.self)
    expectType(of: one.prepend([2, 3]), is: Publishers.Sequence<[Int], Never>.self)
    expectType(of: one.append(2, 3), is: Publishers.Sequence<[Int], Never>.self)
    expectType(of: one.append(2...3), is: Publishers.Sequence<[Int], Never>.self)
    expectType(of: one.append([2, 3]), is: Publishers.Sequence<[Int], Never>.self)
  }

  @Test func otherOperatorsResolveToTheGeneralOnes() {
    expectType(of: one.tryFilter { $0 > 0 }, is: Publishers.TryFilter<Just<Int>>.self)
    expectType(of: one.tryCompactMap { Optional("\($0)") }, is: Publishers.TryCompactMap<Just<Int>, String>.self)
    expectType(of: one.flatMap { Just("\($0)") }, is: Publishers.FlatMap<Just<String>, Just<Int>>.self)
    expectType(of: one.map(\.description), is: Publishers.MapKeyPath<Just<Int>, String>.self)
    expectType(of: Just(Int?.none).replaceNil(with: 0), is: Publishers.Map<Just<Int?>, Int>.self)
    expectType(of: one.tryMin { $0 < $1 }, is: Publishers.TryComparison<Just<Int>>.self)
    expectType(of: one.tryMax { $0 < $1 }, is: Publishers.TryComparison<Just<Int>>.self)
    expectType(of: one.collect(2), is: Publishers.CollectByCount<Just<Int>>.self)
    expectType(of: one.tryDrop { $0 > 0 }, is: Publishers.TryDropWhile<Just<Int>>.self)
    expectType(of: one.tryFirst { $0 > 0 }, is: Publishers.TryFirstWhere<Just<Int>>.self)
    expectType(of: one.tryLast { $0 > 0 }, is: Publishers.TryLastWhere<Just<Int>>.self)
    expectType(of: one.tryPrefix { $0 > 0 }, is: Publishers.TryPrefixWhile<Just<Int>>.self)
    expectType(of: one.append(Just(2)), is: Publishers.Concatenate<Just<Int>, Just<Int>>.self)
    let sequence = [2].publisher
    expectType(of: one.prepend(sequence), is: Publishers.Concatenate<Publishers.Sequence<[Int], Never>, Just<Int>>.self)
  }
}

@Suite struct OptionalOverloadResolutionTests {

  private let one = Int?(1).publisher

  @Test func mappingAndFiltering() {
    expectType(of: one.map { "\($0)" }, is: Optional<String>.Publisher.self)
    expectType(of: one.scan("") { $0 + "\($1)" }, is: Optional<String>.Publisher.self)
    expectType(of: one.compactMap { Optional("\($0)") }, is: Optional<String>.Publisher.self)
    expectType(of: one.filter { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.removeDuplicates(), is: Optional<Int>.Publisher.self)
    expectType(of: one.removeDuplicates { $0 == $1 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.replaceEmpty(with: 0), is: Just<Int>.self)
    expectType(of: one.replaceError(with: 0), is: Optional<Int>.Publisher.self)
    expectType(of: one.ignoreOutput(), is: Empty<Int, Never>.self)
    expectType(of: one.retry(1), is: Optional<Int>.Publisher.self)
  }

  @Test func reducing() {
    expectType(of: one.collect(), is: Optional<[Int]>.Publisher.self)
    expectType(of: one.count(), is: Optional<Int>.Publisher.self)
    expectType(of: one.reduce("") { $0 + "\($1)" }, is: Optional<String>.Publisher.self)
    expectType(of: one.min(), is: Optional<Int>.Publisher.self)
    expectType(of: one.min { $0 < $1 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.max(), is: Optional<Int>.Publisher.self)
    expectType(of: one.max { $0 < $1 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.contains(1), is: Optional<Bool>.Publisher.self)
    expectType(of: one.contains { $0 > 0 }, is: Optional<Bool>.Publisher.self)
    expectType(of: one.allSatisfy { $0 > 0 }, is: Optional<Bool>.Publisher.self)
  }

  @Test func slicing() {
    expectType(of: one.first(), is: Optional<Int>.Publisher.self)
    expectType(of: one.first { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.last(), is: Optional<Int>.Publisher.self)
    expectType(of: one.last { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.dropFirst(), is: Optional<Int>.Publisher.self)
    expectType(of: one.dropFirst(2), is: Optional<Int>.Publisher.self)
    expectType(of: one.drop { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.prefix(1), is: Optional<Int>.Publisher.self)
    expectType(of: one.prefix { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: one.output(at: 0), is: Optional<Int>.Publisher.self)
    expectType(of: one.output(in: 0..<1), is: Optional<Int>.Publisher.self)
    expectType(of: one.output(in: ...1), is: Optional<Int>.Publisher.self)
  }

  @Test func throwingOperatorsResolveToTheGeneralOnes() {
    typealias Source = Optional<Int>.Publisher
    expectType(of: one.tryMap { "\($0)" }, is: Publishers.TryMap<Source, String>.self)
    expectType(of: one.tryFilter { $0 > 0 }, is: Publishers.TryFilter<Source>.self)
    expectType(of: one.tryRemoveDuplicates { $0 == $1 }, is: Publishers.TryRemoveDuplicates<Source>.self)
    expectType(of: one.tryScan("") { $0 + "\($1)" }, is: Publishers.TryScan<Source, String>.self)
    expectType(of: one.mapError(testError), is: Publishers.MapError<Source, TestError>.self)
    expectType(of: one.setFailureType(to: TestError.self), is: Publishers.SetFailureType<Source, TestError>.self)
    expectType(of: one.tryMin { $0 < $1 }, is: Publishers.TryComparison<Source>.self)
    expectType(of: one.tryReduce(0) { $0 + $1 }, is: Publishers.TryReduce<Source, Int>.self)
    expectType(of: one.tryContains { $0 > 0 }, is: Publishers.TryContainsWhere<Source>.self)
    expectType(of: one.tryAllSatisfy { $0 > 0 }, is: Publishers.TryAllSatisfy<Source>.self)
    expectType(of: one.tryFirst { $0 > 0 }, is: Publishers.TryFirstWhere<Source>.self)
  }

  @Test func operatorsOfSeveralValuesResolveToTheGeneralOnes() {
    typealias Source = Optional<Int>.Publisher
    expectType(of: one.collect(2), is: Publishers.CollectByCount<Source>.self)
    expectType(of: one.append(2), is: Publishers.Concatenate<Source, Publishers.Sequence<[Int], Never>>.self)
    expectType(of: one.prepend(2), is: Publishers.Concatenate<Publishers.Sequence<[Int], Never>, Source>.self)
  }
}

@Suite struct ResultOverloadResolutionTests {

  private let one = Result<Int, TestError>.success(1).publisher

  @Test func mapping() {
    expectType(of: one.map { "\($0)" }, is: Result<String, TestError>.Publisher.self)
    expectType(of: one.tryMap { "\($0)" }, is: Result<String, any Error>.Publisher.self)
    expectType(of: one.mapError { $0 as any Error }, is: Result<Int, any Error>.Publisher.self)
    expectType(of: one.scan("") { $0 + "\($1)" }, is: Result<String, TestError>.Publisher.self)
    expectType(of: one.tryScan("") { $0 + "\($1)" }, is: Result<String, any Error>.Publisher.self)
    let infallible = Result<Int, Never>.success(1).publisher
    expectType(of: infallible.setFailureType(to: TestError.self), is: Result<Int, TestError>.Publisher.self)
  }

  @Test func filtering() {
    expectType(of: one.removeDuplicates(), is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.removeDuplicates { $0 == $1 }, is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.tryRemoveDuplicates { $0 == $1 }, is: Result<Int, any Error>.Publisher.self)
    expectType(of: one.replaceEmpty(with: 0), is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.replaceError(with: 0), is: Result<Int, Never>.Publisher.self)
    expectType(of: one.ignoreOutput(), is: Empty<Int, TestError>.self)
    expectType(of: one.retry(1), is: Result<Int, TestError>.Publisher.self)
  }

  @Test func reducingAndSlicing() {
    expectType(of: one.collect(), is: Result<[Int], TestError>.Publisher.self)
    expectType(of: one.count(), is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.reduce("") { $0 + "\($1)" }, is: Result<String, TestError>.Publisher.self)
    expectType(of: one.tryReduce("") { $0 + "\($1)" }, is: Result<String, any Error>.Publisher.self)
    expectType(of: one.min(), is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.min { $0 < $1 }, is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.tryMin { $0 < $1 }, is: Result<Int, any Error>.Publisher.self)
    expectType(of: one.max(), is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.max { $0 < $1 }, is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.tryMax { $0 < $1 }, is: Result<Int, any Error>.Publisher.self)
    expectType(of: one.contains(1), is: Result<Bool, TestError>.Publisher.self)
    expectType(of: one.contains { $0 > 0 }, is: Result<Bool, TestError>.Publisher.self)
    expectType(of: one.tryContains { $0 > 0 }, is: Result<Bool, any Error>.Publisher.self)
    expectType(of: one.allSatisfy { $0 > 0 }, is: Result<Bool, TestError>.Publisher.self)
    expectType(of: one.tryAllSatisfy { $0 > 0 }, is: Result<Bool, any Error>.Publisher.self)
    expectType(of: one.first(), is: Result<Int, TestError>.Publisher.self)
    expectType(of: one.last(), is: Result<Int, TestError>.Publisher.self)
  }

  @Test func operatorsThatMayDropItsValueResolveToTheGeneralOnes() {
    typealias Source = Result<Int, TestError>.Publisher
    expectType(of: one.compactMap { Optional("\($0)") }, is: Publishers.CompactMap<Source, String>.self)
    expectType(of: one.filter { $0 > 0 }, is: Publishers.Filter<Source>.self)
    expectType(of: one.dropFirst(), is: Publishers.Drop<Source>.self)
    expectType(of: one.drop { $0 > 0 }, is: Publishers.DropWhile<Source>.self)
    expectType(of: one.first { $0 > 0 }, is: Publishers.FirstWhere<Source>.self)
    expectType(of: one.last { $0 > 0 }, is: Publishers.LastWhere<Source>.self)
    expectType(of: one.prefix(1), is: Publishers.Output<Source>.self)
    expectType(of: one.prefix { $0 > 0 }, is: Publishers.PrefixWhile<Source>.self)
    expectType(of: one.output(at: 0), is: Publishers.Output<Source>.self)
    expectType(of: one.output(in: 0..<1), is: Publishers.Output<Source>.self)
    expectType(of: one.append(2), is: Publishers.Concatenate<Source, Publishers.Sequence<[Int], TestError>>.self)
  }
}

@Suite struct SequenceOverloadResolutionTests {

  private typealias Source = Publishers.Sequence<[Int], Never>
  private typealias Failing = Publishers.Sequence<[Int], TestError>

  private let numbers = [1, 2].publisher
  private let failing = Failing(sequence: [1, 2])

  /// The elements of a sequence that is not a collection, and that therefore has fewer operators.
  private let elements = AnySequence([1, 2]).publisher

  @Test func mapping() {
    expectType(of: numbers.map { "\($0)" }, is: Publishers.Sequence<[String], Never>.self)
    expectType(of: failing.map { "\($0)" }, is: Publishers.Sequence<[String], TestError>.self)
    expectType(of: numbers.scan("") { $0 + "\($1)" }, is: Publishers.Sequence<[String], Never>.self)
    expectType(of: [1, nil].publisher.replaceNil(with: 0), is: Publishers.Sequence<[Int?], Never>.self)
    expectType(of: numbers.setFailureType(to: TestError.self), is: Failing.self)
    expectType(
      of: failing.setFailureType(to: CancellationError.self),
      is: Publishers.Sequence<[Int], CancellationError>.self
    )
  }

  @Test func filtering() {
    expectType(of: numbers.compactMap { Optional("\($0)") }, is: Publishers.Sequence<[String], Never>.self)
    expectType(of: numbers.filter { $0 > 0 }, is: Source.self)
    expectType(of: (1...2).publisher.filter { $0 > 0 }, is: Source.self)
    expectType(of: numbers.removeDuplicates(), is: Source.self)
    expectType(of: failing.ignoreOutput(), is: Empty<Int, TestError>.self)
  }

  @Test func reducing() {
    expectType(of: failing.collect(), is: Result<[Int], TestError>.Publisher.self)
    expectType(of: failing.reduce("") { $0 + "\($1)" }, is: Result<String, TestError>.Publisher.self)
    expectType(of: failing.tryReduce("") { $0 + "\($1)" }, is: Result<String, any Error>.Publisher.self)
    expectType(of: failing.contains(1), is: Result<Bool, TestError>.Publisher.self)
    expectType(of: failing.contains { $0 > 0 }, is: Result<Bool, TestError>.Publisher.self)
    expectType(of: failing.tryContains { $0 > 0 }, is: Result<Bool, any Error>.Publisher.self)
    expectType(of: failing.allSatisfy { $0 > 0 }, is: Result<Bool, TestError>.Publisher.self)
    expectType(of: failing.tryAllSatisfy { $0 > 0 }, is: Result<Bool, any Error>.Publisher.self)
    expectType(of: elements.min(), is: Optional<Int>.Publisher.self)
    expectType(of: elements.min { $0 < $1 }, is: Optional<Int>.Publisher.self)
    expectType(of: elements.max(), is: Optional<Int>.Publisher.self)
    expectType(of: elements.max { $0 < $1 }, is: Optional<Int>.Publisher.self)
  }

  @Test func countsOfCollections() {
    expectType(of: numbers.count(), is: Just<Int>.self)
    expectType(of: (0..<Int.max).publisher.count(), is: Just<Int>.self)
    expectType(of: EmptyCollection<Int>().publisher.count(), is: Just<Int>.self)
    expectType(of: failing.count(), is: Result<Int, TestError>.Publisher.self)
    expectType(
      of: (0..<3).publisher.setFailureType(to: TestError.self).count(),
      is: Result<Int, TestError>.Publisher.self
    )
    expectType(of: [1, 2].lazy.filter { $0 > 1 }.publisher.count(), is: Result<Int, Never>.Publisher.self)
    expectType(of: "hello".publisher.count(), is: Result<Int, Never>.Publisher.self)
  }

  @Test func slicing() {
    expectType(of: elements.first { $0 > 0 }, is: Optional<Int>.Publisher.self)
    expectType(of: Set([1]).publisher.first(), is: Optional<Int>.Publisher.self)
    expectType(of: "a".publisher.last(), is: Optional<Character>.Publisher.self)
    expectType(of: "a".publisher.last { $0 == "a" }, is: Optional<Character>.Publisher.self)
    expectType(of: numbers.first(), is: Optional<Int>.Publisher.self)
    expectType(of: numbers.last(), is: Optional<Int>.Publisher.self)
    expectType(of: numbers.output(at: 0), is: Optional<Int>.Publisher.self)
    expectType(of: "a".publisher.output(at: "a".startIndex), is: Optional<Character>.Publisher.self)
    expectType(of: failing.output(in: 0..<1), is: Failing.self)
    expectType(
      of: "a".publisher.output(in: "a".startIndex..<"a".endIndex),
      is: Publishers.Sequence<[Character], Never>.self
    )
    expectType(of: numbers.dropFirst(), is: Publishers.Sequence<DropFirstSequence<[Int]>, Never>.self)
    expectType(of: failing.dropFirst(2), is: Publishers.Sequence<DropFirstSequence<[Int]>, TestError>.self)
    expectType(of: numbers.drop { $0 > 0 }, is: Publishers.Sequence<DropWhileSequence<[Int]>, Never>.self)
    expectType(of: numbers.prefix(1), is: Publishers.Sequence<PrefixSequence<[Int]>, Never>.self)
    expectType(of: numbers.prefix { $0 > 0 }, is: Source.self)
  }

  @Test func mixing() {
    expectType(of: failing.prepend(2, 3), is: Failing.self)
    expectType(of: failing.prepend(2...3), is: Failing.self)
    expectType(of: failing.prepend([2, 3]), is: Failing.self)
    expectType(of: failing.prepend(failing), is: Failing.self)
    expectType(of: failing.append(2, 3), is: Failing.self)
    expectType(of: failing.append(2...3), is: Failing.self)
    expectType(of: failing.append([2, 3]), is: Failing.self)
    expectType(of: failing.append(failing), is: Failing.self)
  }

  @Test func otherOperatorsResolveToTheGeneralOnes() {
    expectType(of: numbers.tryMap { "\($0)" }, is: Publishers.TryMap<Source, String>.self)
    expectType(of: numbers.tryFilter { $0 > 0 }, is: Publishers.TryFilter<Source>.self)
    expectType(of: numbers.tryCompactMap { Optional("\($0)") }, is: Publishers.TryCompactMap<Source, String>.self)
    expectType(of: numbers.tryScan("") { $0 + "\($1)" }, is: Publishers.TryScan<Source, String>.self)
    expectType(of: numbers.removeDuplicates { $0 == $1 }, is: Publishers.RemoveDuplicates<Source>.self)
    expectType(of: numbers.tryRemoveDuplicates { $0 == $1 }, is: Publishers.TryRemoveDuplicates<Source>.self)
    expectType(of: failing.mapError { $0 as any Error }, is: Publishers.MapError<Failing, any Error>.self)
    expectType(of: failing.replaceError(with: 0), is: Publishers.ReplaceError<Failing>.self)
    expectType(of: failing.retry(1), is: Publishers.Retry<Failing>.self)
    expectType(of: numbers.collect(2), is: Publishers.CollectByCount<Source>.self)
    expectType(of: numbers.replaceEmpty(with: 0), is: Publishers.ReplaceEmpty<Source>.self)
    expectType(of: numbers.tryMin { $0 < $1 }, is: Publishers.TryComparison<Source>.self)
    expectType(of: numbers.tryFirst { $0 > 0 }, is: Publishers.TryFirstWhere<Source>.self)
    expectType(of: numbers.tryPrefix { $0 > 0 }, is: Publishers.TryPrefixWhile<Source>.self)
    expectType(of: numbers.output(in: 0...), is: Publishers.Output<Source>.self)
    expectType(of: numbers.append(Just(3)), is: Publishers.Concatenate<Source, Just<Int>>.self)
    typealias Three = Publishers.Sequence<Range<Int>, Never>
    expectType(of: (0..<3).publisher.append(4), is: Publishers.Concatenate<Three, Source>.self)
  }

  @Test func aSequenceThatMayFailHasFewerOverloads() {
    expectType(of: failing.min(), is: Publishers.Comparison<Failing>.self)
    expectType(of: failing.max { $0 < $1 }, is: Publishers.Comparison<Failing>.self)
    expectType(of: failing.first(), is: Publishers.First<Failing>.self)
    expectType(of: failing.first { $0 > 0 }, is: Publishers.FirstWhere<Failing>.self)
    expectType(of: failing.last(), is: Publishers.Last<Failing>.self)
    expectType(of: failing.last { $0 > 0 }, is: Publishers.LastWhere<Failing>.self)
    expectType(of: failing.output(at: 0), is: Publishers.Output<Failing>.self)
  }

  @Test func aSequenceThatIsNotACollectionHasFewerOverloads() {
    typealias Elements = Publishers.Sequence<AnySequence<Int>, Never>
    expectType(of: elements.first(), is: Publishers.First<Elements>.self)
    expectType(of: elements.last(), is: Publishers.Last<Elements>.self)
    expectType(of: elements.count(), is: Publishers.Count<Elements>.self)
  }
}

/// The operators that have several overloads and are not evaluated at once.
@Suite struct GeneralOverloadResolutionTests {

  private typealias Upstream = ManualPublisher<Int, TestError>

  private let upstream = Upstream()

  @Test func operatorsThatFuse() {
    expectType(of: upstream.map { $0 + 1 }.map { "\($0)" }, is: Publishers.Map<Upstream, String>.self)
    expectType(of: upstream.map { $0 + 1 }.tryMap { "\($0)" }, is: Publishers.TryMap<Upstream, String>.self)
    expectType(of: upstream.tryMap { $0 + 1 }.map { "\($0)" }, is: Publishers.TryMap<Upstream, String>.self)
    expectType(of: upstream.tryMap { $0 + 1 }.tryMap { "\($0)" }, is: Publishers.TryMap<Upstream, String>.self)
    expectType(of: upstream.filter { $0 > 0 }.filter { $0 > 1 }, is: Publishers.Filter<Upstream>.self)
    expectType(of: upstream.filter { $0 > 0 }.tryFilter { $0 > 1 }, is: Publishers.TryFilter<Upstream>.self)
    expectType(of: upstream.tryFilter { $0 > 0 }.filter { $0 > 1 }, is: Publishers.TryFilter<Upstream>.self)
    expectType(of: upstream.tryFilter { $0 > 0 }.tryFilter { $0 > 1 }, is: Publishers.TryFilter<Upstream>.self)
    expectType(
      of: upstream.compactMap { Optional($0) }.compactMap { Optional("\($0)") },
      is: Publishers.CompactMap<Upstream, String>.self
    )
    expectType(
      of: upstream.compactMap { Optional($0) }.map { "\($0)" },
      is: Publishers.CompactMap<Upstream, String>.self
    )
    expectType(
      of: upstream.tryCompactMap { Optional($0) }.compactMap { Optional("\($0)") },
      is: Publishers.TryCompactMap<Upstream, String>.self
    )
    typealias Infallible = ManualPublisher<Int, Never>
    expectType(
      of: Infallible().setFailureType(to: CancellationError.self).setFailureType(to: TestError.self),
      is: Publishers.SetFailureType<Infallible, TestError>.self
    )
  }

  @Test func operatorsThatDoNotFuse() {
    typealias Filtered = Publishers.Filter<Publishers.Map<Upstream, Int>>
    expectType(of: upstream.map { $0 + 1 }.filter { $0 > 0 }, is: Filtered.self)
    expectType(
      of: upstream.map { $0 + 1 }.compactMap { Optional($0) },
      is: Publishers.CompactMap<Publishers.Map<Upstream, Int>, Int>.self
    )
    expectType(
      of: upstream.tryCompactMap { Optional($0) }.map { "\($0)" },
      is: Publishers.Map<Publishers.TryCompactMap<Upstream, Int>, String>.self
    )
  }

  @Test func publishersWithoutTheirOwnOverloads() {
    typealias Nothing = Empty<Int, Never>
    expectType(
      of: Nothing().setFailureType(to: TestError.self),
      is: Publishers.SetFailureType<Nothing, TestError>.self
    )
    expectType(of: Nothing().map { "\($0)" }, is: Publishers.Map<Nothing, String>.self)
    typealias Failed = Fail<Int, TestError>
    expectType(of: Failed(error: "x").replaceError(with: 1), is: Publishers.ReplaceError<Failed>.self)
    expectType(of: Failed(error: "x").retry(1), is: Publishers.Retry<Failed>.self)
    expectType(of: Future<Int, Never> { _ in }.filter { $0 > 0 }, is: Publishers.Filter<Future<Int, Never>>.self)
    expectType(of: Deferred { Just(1) }.map { "\($0)" }, is: Publishers.Map<Deferred<Just<Int>>, String>.self)
    typealias Recorded = Record<Int, Never>
    let recorded = Recorded(output: [1], completion: .finished)
    expectType(of: recorded.map { "\($0)" }, is: Publishers.Map<Recorded, String>.self)
    expectType(of: recorded.removeDuplicates(), is: Publishers.RemoveDuplicates<Recorded>.self)
  }

  @Test func functionsInsteadOfClosures() {
    func text(_ number: Int) -> String { "\(number)" }
    func length(_ text: String) -> Int { text.count }
    let isPositive: (Int) -> Bool = { $0 > 0 }
    expectType(of: [1, 2].publisher.map(text), is: Publishers.Sequence<[String], Never>.self)
    expectType(of: Just(1).map(text), is: Just<String>.self)
    expectType(of: Just(1).tryMap(text), is: Result<String, any Error>.Publisher.self)
    expectType(of: Optional(1).publisher.filter(isPositive), is: Optional<Int>.Publisher.self)
    expectType(of: upstream.map(text).map(length), is: Publishers.Map<Upstream, Int>.self)
  }

  @Test func mixing() {
    typealias Other = PassthroughSubject<Int, TestError>
    typealias Third = CurrentValueSubject<Int, TestError>
    let other = Other()
    let third = Third(0)
    expectType(
      of: upstream.merge(with: other).merge(with: third),
      is: Publishers.Merge3<Upstream, Other, Third>.self
    )
    expectType(of: upstream.merge(with: upstream).merge(with: upstream), is: Publishers.MergeMany<Upstream>.self)
    expectType(
      of: upstream.combineLatest(other, third, upstream) { "\($0 + $1 + $2 + $3)" },
      is: Publishers.Map<Publishers.CombineLatest4<Upstream, Other, Third, Upstream>, String>.self
    )
    expectType(
      of: upstream.combineLatest(other, third, upstream),
      is: Publishers.CombineLatest4<Upstream, Other, Third, Upstream>.self
    )
  }

  @Test func aGeneralOperatorIsChosenIfItsResultTypeIsRequired() {
    let one = Just(1)
    let _: Publishers.Map<Just<Int>, String> = one.map { "\($0)" }
    let _: Publishers.TryMap<Just<Int>, String> = one.tryMap { "\($0)" }
    let _: Publishers.MapError<Just<Int>, TestError> = one.mapError(testError)
    let _: Publishers.SetFailureType<Just<Int>, TestError> = one.setFailureType(to: TestError.self)
    let _: Publishers.Scan<Just<Int>, Int> = one.scan(0) { $0 + $1 }
    let _: Publishers.TryScan<Just<Int>, Int> = one.tryScan(0) { $0 + $1 }
    let _: Publishers.CompactMap<Just<Int>, Int> = one.compactMap { $0 }
    let _: Publishers.Filter<Just<Int>> = one.filter { $0 > 0 }
    let _: Publishers.RemoveDuplicates<Just<Int>> = one.removeDuplicates()
    let _: Publishers.TryRemoveDuplicates<Just<Int>> = one.tryRemoveDuplicates { $0 == $1 }
    let _: Publishers.ReplaceError<Just<Int>> = one.replaceError(with: 0)
    let _: Publishers.Retry<Just<Int>> = one.retry(1)
    let _: Publishers.Reduce<Just<Int>, Int> = one.reduce(0) { $0 + $1 }
    let _: Publishers.Collect<Just<Int>> = one.collect()
    let _: Publishers.IgnoreOutput<Just<Int>> = one.ignoreOutput()

    typealias Present = Optional<Int>.Publisher
    let present = Present(1)
    let _: Publishers.Map<Present, String> = present.map { "\($0)" }
    let _: Publishers.CompactMap<Present, Int> = present.compactMap { $0 }
    let _: Publishers.Filter<Present> = present.filter { $0 > 0 }
    let _: Publishers.AllSatisfy<Present> = present.allSatisfy { $0 > 0 }
    let _: Publishers.ReplaceEmpty<Present> = present.replaceEmpty(with: 0)

    typealias Success = Result<Int, TestError>.Publisher
    let success = Success(1)
    let _: Publishers.TryMap<Success, String> = success.tryMap { "\($0)" }
    let _: Publishers.MapError<Success, CancellationError> = success.mapError { _ in CancellationError() }
    let _: Publishers.ReplaceError<Success> = success.replaceError(with: 0)

    typealias Source = Publishers.Sequence<[Int], Never>
    let numbers = [1, 2].publisher
    let _: Publishers.Map<Source, String> = numbers.map { "\($0)" }
    let _: Publishers.Filter<Source> = numbers.filter { $0 > 0 }
    let _: Publishers.CompactMap<Source, Int> = numbers.compactMap { $0 }
    let _: Publishers.Scan<Source, Int> = numbers.scan(0) { $0 + $1 }
    let _: Publishers.RemoveDuplicates<Source> = numbers.removeDuplicates()
    let _: Publishers.SetFailureType<Source, TestError> = numbers.setFailureType(to: TestError.self)
    let _: Publishers.Count<Source> = numbers.count()
    let _: Publishers.First<Source> = numbers.first()
    let _: Publishers.FirstWhere<Source> = numbers.first { $0 > 0 }
    let _: Publishers.Drop<Source> = numbers.dropFirst()
    let _: Publishers.Output<Source> = numbers.prefix(1)
    let _: Publishers.Contains<Source> = numbers.contains(1)
    let _: Publishers.Concatenate<Source, Source> = numbers.append(3)
    let _: Publishers.Map<Publishers.Sequence<[Int?], Never>, Int> = [1, nil].publisher.replaceNil(with: 0)

    // The closure is called for each subscriber.
    var calls = 0
    let mapped: Publishers.Map<Just<Int>, Int> = one.map {
      calls += 1
      return $0
    }
    #expect(calls == 0)
    _ = mapped.eventsSeen()
    #expect(calls == 1)
  }
}
