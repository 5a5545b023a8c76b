import CombineCore
import TestSupport
import Testing

@Suite struct AllSatisfyTests {

  @Test func isTrueWhenThePredicateHoldsForAll() {
    #expect(reduction(of: [2, 4]) { $0.allSatisfy { $0 > 1 } }.events == [.value(true), .finished])
    #expect(reduction(of: [2, 4]) { $0.tryAllSatisfy { $0 > 1 } }.events == [.value(true), .finished])
  }

  @Test func isFalseAsSoonAsItDoesNot() {
    let plain = reduction(of: [2, 1, 4], completion: nil) { $0.allSatisfy { $0 > 1 } }
    #expect(plain.events == [.value(false), .finished])
    #expect(plain.history == [.requested(.unlimited), .cancelled])
    let throwing = reduction(of: [2, 1, 4], completion: nil) { $0.tryAllSatisfy { $0 > 1 } }
    #expect(throwing.events == [.value(false), .finished])
    #expect(throwing.history == [.requested(.unlimited), .cancelled])
  }

  @Test func callsThePredicateOncePerValueUntilItFails() {
    #expect(
      arguments(for: [2, 1, 4]) { upstream, onCall in
        upstream.allSatisfy {
          onCall([$0])
          return $0 > 1
        }
      } == [[2], [1]]
    )
    #expect(
      arguments(for: [2, 100, 4]) { upstream, onCall in
        upstream.tryAllSatisfy {
          onCall([$0])
          if $0 == 100 { throw TestError("thrown") }
          return true
        }
      } == [[2], [100]]
    )
  }

  @Test func holdsWhatItIsMadeOf() throws {
    let upstream = TestUpstream()
    let publisher: Publishers.AllSatisfy<TestUpstream> = upstream.allSatisfy { $0 > 1 }
    #expect(publisher.upstream === upstream)
    #expect(publisher.predicate(2))
    let throwing: Publishers.TryAllSatisfy<TestUpstream> = upstream.tryAllSatisfy { $0 > 1 }
    #expect(throwing.upstream === upstream)
    #expect(try throwing.predicate(2))
    #expect(Publishers.AllSatisfy(upstream: upstream) { $0 > 1 }.predicate(2))
    #expect(try Publishers.TryAllSatisfy(upstream: upstream) { $0 > 1 }.predicate(2))
  }
}
