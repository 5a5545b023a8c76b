import CombineCore
import TestSupport
import Testing

@Suite struct CountTests {

  @Test(arguments: [0, 1, 1000]) func counts(number: Int) {
    #expect(reduction(of: Array(0..<number)) { $0.count() }.events == [.value(number), .finished])
  }

  @Test func isEqualWithAnEqualUpstream() {
    let publisher = Just(1).setFailureType(to: TestError.self)
    #expect(publisher.count() == publisher.count())
    #expect(publisher.count() != Just(2).setFailureType(to: TestError.self).count())
    #expect(Publishers.Count(upstream: publisher).upstream == publisher)
    #expect(!(TestUpstream().count() is any Equatable))
    let sendable: any Sendable = Publishers.Count(upstream: Just(1))
    withExtendedLifetime(sendable) {}
  }
}
