import CombineCore
import TestSupport
import Testing

@Suite struct LastTests {

  @Test func publishesTheLastValueWhenTheUpstreamFinishes() {
    #expect(reduction(of: [3, 4, 5]) { $0.last() }.events == [.value(5), .finished])
    #expect(reduction(of: [3, 4, 5]) { $0.last { $0 < 5 } }.events == [.value(4), .finished])
    #expect(reduction(of: [3, 4, 5]) { $0.tryLast { $0 < 5 } }.events == [.value(4), .finished])
  }

  @Test func finishesWithoutAValueWhenThereIsNone() {
    #expect(reduction(of: []) { $0.last() }.events == [.finished])
    #expect(reduction(of: [6, 7]) { $0.last { $0 < 5 } }.events == [.finished])
    #expect(reduction(of: [6, 7]) { $0.tryLast { $0 < 5 } }.events == [.finished])
  }

  @Test func callsThePredicateForEachValueUntilItThrows() {
    #expect(
      arguments(for: [3, 9, 4]) { upstream, onCall in
        upstream.last {
          onCall([$0])
          return $0 < 5
        }
      } == [[3], [9], [4]]
    )
    #expect(
      arguments(for: [3, 100, 4]) { upstream, onCall in
        upstream.tryLast {
          onCall([$0])
          if $0 == 100 { throw TestError("thrown") }
          return true
        }
      } == [[3], [100]]
    )
  }

  @Test func isEqualWithAnEqualUpstream() throws {
    let publisher = equatableUpstream(1)
    #expect(publisher.last() == publisher.last())
    #expect(publisher.last() != equatableUpstream(2).last())
    #expect(Publishers.Last(upstream: publisher).upstream == publisher)
    let sendable: any Sendable = Publishers.Last(upstream: Just(1))
    withExtendedLifetime(sendable) {}

    let upstream = TestUpstream()
    #expect(!(upstream.last() is any Equatable))
    let predicate: Publishers.LastWhere<TestUpstream> = upstream.last { $0 > 1 }
    #expect(predicate.upstream === upstream)
    #expect(predicate.predicate(2))
    let throwing: Publishers.TryLastWhere<TestUpstream> = upstream.tryLast { $0 > 1 }
    #expect(throwing.upstream === upstream)
    #expect(try throwing.predicate(2))
    #expect(Publishers.LastWhere(upstream: upstream) { $0 > 1 }.predicate(2))
    #expect(try Publishers.TryLastWhere(upstream: upstream) { $0 > 1 }.predicate(2))
  }
}
