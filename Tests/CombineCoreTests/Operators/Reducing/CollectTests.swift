import CombineCore
import TestSupport
import Testing

@Suite struct CollectTests {

  @Test func collectsAllValuesInOrder() {
    let values = (0..<1000).map { ($0 * 7) % 1000 }
    #expect(reduction(of: values) { $0.collect() }.events == [.value(values), .finished])
    #expect(reduction(of: []) { $0.collect() }.events == [.value([]), .finished])
  }

  @Test func aFailureDiscardsTheValues() {
    #expect(reduction(of: [1, 2], completion: .failure("upstream")) { $0.collect() }.events == [.failure("upstream")])
  }

  @Test func isEqualWithAnEqualUpstream() {
    let publisher = equatableUpstream(1)
    #expect(publisher.collect() == publisher.collect())
    #expect(publisher.collect() != equatableUpstream(2).collect())
    #expect(Publishers.Collect(upstream: publisher).upstream == publisher)
    #expect(!(TestUpstream().collect() is any Equatable))
    let sendable: any Sendable = Publishers.Collect(upstream: Just(1))
    withExtendedLifetime(sendable) {}
  }
}
