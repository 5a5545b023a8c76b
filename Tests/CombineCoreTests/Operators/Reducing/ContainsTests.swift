import CombineCore
import TestSupport
import Testing

@Suite struct ContainsTests {

  /// A value that records whether it was the left or the right operand of a comparison.
  private struct Sided: Equatable {
    let number: Int
    let onCompare: (Int, Int) -> Void
    static func == (lhs: Sided, rhs: Sided) -> Bool {
      lhs.onCompare(lhs.number, rhs.number)
      return lhs.number == rhs.number
    }
  }

  @Test func isTrueAsSoonAsAValueIsFound() {
    let value = reduction(of: [1, 3, 5], completion: nil) { $0.contains(3) }
    let predicate = reduction(of: [1, 3, 5], completion: nil) { $0.contains { $0 > 2 } }
    let throwing = reduction(of: [1, 3, 5], completion: nil) { $0.tryContains { $0 > 2 } }
    for result in [value, predicate, throwing] {
      #expect(result.events == [.value(true), .finished])
      #expect(result.history == [.requested(.unlimited), .cancelled])
    }
  }

  @Test func isFalseWhenNoneIsFound() {
    #expect(reduction(of: [1, 5]) { $0.contains(3) }.events == [.value(false), .finished])
    #expect(reduction(of: [1, 2]) { $0.contains { $0 > 2 } }.events == [.value(false), .finished])
    #expect(reduction(of: [1, 2]) { $0.tryContains { $0 > 2 } }.events == [.value(false), .finished])
  }

  @Test func comparesEachValueWithTheSoughtOne() {
    var comparisons: [[Int]] = []
    let looked = Sided(number: 2) { comparisons.append([$0, $1]) }
    _ = reduction(of: [1, 2, 3]) { upstream in
      upstream.map { Sided(number: $0, onCompare: looked.onCompare) }.contains(looked)
    }
    #expect(comparisons == [[1, 2], [2, 2]])
  }

  @Test func callsThePredicateOncePerValueUntilOneIsFound() {
    #expect(
      arguments(for: [1, 3, 5]) { upstream, onCall in
        upstream.contains {
          onCall([$0])
          return $0 > 2
        }
      } == [[1], [3]]
    )
    #expect(
      arguments(for: [1, 100, 5]) { upstream, onCall in
        upstream.tryContains {
          onCall([$0])
          if $0 == 100 { throw TestError("thrown") }
          return false
        }
      } == [[1], [100]]
    )
  }

  @Test func isEqualWithAnEqualUpstreamAndValue() throws {
    let publisher = equatableUpstream(1)
    #expect(publisher.contains(1) == publisher.contains(1))
    #expect(publisher.contains(1) != publisher.contains(2))
    #expect(publisher.contains(1) != equatableUpstream(2).contains(1))
    #expect(Publishers.Contains(upstream: publisher, output: 4).upstream == publisher)
    #expect(publisher.contains(4).output == 4)
    let sendable: any Sendable = Publishers.Contains(upstream: Just(1), output: 1)
    withExtendedLifetime(sendable) {}

    let upstream = TestUpstream()
    #expect(!(upstream.contains(1) is any Equatable))
    let predicate: Publishers.ContainsWhere<TestUpstream> = upstream.contains { $0 > 1 }
    #expect(predicate.upstream === upstream)
    #expect(predicate.predicate(2))
    #expect(!(predicate is any Equatable))
    let throwing: Publishers.TryContainsWhere<TestUpstream> = upstream.tryContains { $0 > 1 }
    #expect(throwing.upstream === upstream)
    #expect(try throwing.predicate(2))
    #expect(Publishers.ContainsWhere(upstream: upstream) { $0 > 1 }.predicate(2))
    #expect(try Publishers.TryContainsWhere(upstream: upstream) { $0 > 1 }.predicate(2))
  }
}
