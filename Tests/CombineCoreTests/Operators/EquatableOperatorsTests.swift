import CombineCore
import TestSupport
import Testing

/// Operators that hold a closure, or whose inner publishers a closure makes, are not equatable.
@Suite struct EquatableOperatorsTests {

  /// It is equatable, and has no operators of its own.
  private let upstream = Publishers.SetFailureType<Just<Int>, TestError>(upstream: Just(1))

  private var withAClosure: [any Publisher] {
    [
      upstream.map { $0 }, upstream.tryMap { $0 }, upstream.map(\.magnitude), upstream.map(\.magnitude, \.description),
      upstream.map(\.magnitude, \.description, \.hashValue), upstream.mapError { $0 },
      Publishers.Filter(upstream: upstream) { _ in true }, upstream.tryFilter { _ in true },
      Publishers.CompactMap(upstream: upstream) { $0 }, upstream.tryCompactMap { $0 },
      Publishers.RemoveDuplicates(upstream: upstream, predicate: ==), upstream.tryRemoveDuplicates(by: ==),
      upstream.scan(0, +), upstream.tryScan(0, +), upstream.handleEvents(), upstream.print(), upstream.breakpoint(),
      upstream.assertNoFailure(), upstream.encode(encoder: Coder()), upstream.decode(type: Int.self, decoder: Coder()),
      Publishers.Reduce(upstream: upstream, initial: 0, nextPartialResult: +), upstream.tryReduce(0, +),
      Publishers.AllSatisfy(upstream: upstream) { _ in true }, upstream.tryAllSatisfy { _ in true },
      Publishers.ContainsWhere(upstream: upstream) { _ in true }, upstream.tryContains { _ in true },
      Publishers.FirstWhere(upstream: upstream) { _ in true }, upstream.tryFirst { _ in true },
      Publishers.LastWhere(upstream: upstream) { _ in true }, upstream.tryLast { _ in true },
      Publishers.DropWhile(upstream: upstream) { _ in true }, upstream.tryDrop { _ in true },
      Publishers.PrefixWhile(upstream: upstream) { _ in true }, upstream.tryPrefix { _ in true },
      upstream.prefix(untilOutputFrom: upstream), upstream.flatMap { Just($0).setFailureType(to: TestError.self) },
      Just(upstream).switchToLatest(),
      upstream.catch { _ in Just(1) },
      upstream.tryCatch { _ in Just(1) },
    ]
  }

  @Test func operatorsWithAClosureAreNotEquatable() {
    for publisher in withAClosure {
      #expect(!(publisher as Any is any Equatable), "\(type(of: publisher))")
    }
  }

  private struct Coder: TopLevelEncoder, TopLevelDecoder {
    func encode<T: Encodable>(_ value: T) throws -> Int { 0 }
    func decode<T: Decodable>(_ type: T.Type, from: Int) throws -> T { throw CancellationError() }
  }
}
