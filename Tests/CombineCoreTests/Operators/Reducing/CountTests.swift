import CombineCore
import TestSupport
import Testing

@Suite struct CountTests {

  @Test(arguments: [0, 1, 1000]) func counts(number: Int) {
    #expect(reduction(of: Array(0..<number)) { $0.count() }.events == [.value(number), .finished])
  }

  @Test func isEqualWithAnEqualUpstream() {
    let publisher = Publishers.Count(upstream: Just(1))
    #expect(publisher == Publishers.Count(upstream: Just(1)))
    #expect(publisher != Publishers.Count(upstream: Just(2)))
    #expect(publisher.upstream == Just(1))
    #expect(!(TestUpstream().count() is any Equatable))
    let sendable: any Sendable = Publishers.Count(upstream: Just(1))
    withExtendedLifetime(sendable) {}
  }
}
