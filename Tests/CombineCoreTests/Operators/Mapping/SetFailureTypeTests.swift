import CombineCore
import TestSupport
import Testing

@Suite struct SetFailureTypeTests {

  @Test func isTransparent() {
    expectTransparent(failure: Never?.none) { $0.setFailureType(to: TestError.self) }
  }

  @Test func forwardsValuesDemandAndTheFinish() {
    let upstream = ManualPublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .max(2), returning: [.max(4)])
    upstream.setFailureType(to: TestError.self).subscribe(subscriber)

    #expect(upstream.send(1) == .max(4))
    #expect(upstream.send(2) == .none)
    upstream.send(completion: .finished)

    #expect(subscriber.events == [.subscription("ManualSubscription"), .value(1), .value(2), .finished])
    #expect(upstream.history == [.requested(.max(2))])
  }

  @Test func replacesAnEarlierFailureTypeOverTheSameUpstream() {
    struct Other: Error {}
    let upstream = ManualPublisher<Int, Never>()
    let first = upstream.setFailureType(to: TestError.self)
    let second: Publishers.SetFailureType<ManualPublisher<Int, Never>, Other> = first.setFailureType(to: Other.self)
    #expect(second.upstream === upstream)
  }

  @Test func isEqualWithAnEqualUpstream() {
    // Named explicitly: `setFailureType(to:)` of a `Just` returns another publisher.
    typealias Publisher = Publishers.SetFailureType<Just<Int>, TestError>
    #expect(Publisher(upstream: Just(1)) == Publisher(upstream: Just(1)))
    #expect(Publisher(upstream: Just(1)) != Publisher(upstream: Just(2)))
    #expect(!(ManualPublisher<Int, Never>().setFailureType(to: TestError.self) is any Equatable))
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, Never>()
    upstream.setFailureType(to: TestError.self).subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "SetFailureType")
  }
}
