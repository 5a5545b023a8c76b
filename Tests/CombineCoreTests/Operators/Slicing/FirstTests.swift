import CombineCore
import TestSupport
import Testing

@Suite struct FirstTests {

  @Test func publishesTheFirstValueAndFinishes() {
    let any = reduction(of: [3, 4, 5], completion: nil) { $0.first() }
    #expect(any.events == [.value(3), .finished])
    #expect(any.history == [.requested(.unlimited), .cancelled])
    let plain = reduction(of: [3, 4, 5, 6], completion: nil) { $0.first { $0 > 3 } }
    let throwing = reduction(of: [3, 4, 5, 6], completion: nil) { $0.tryFirst { $0 > 3 } }
    for result in [plain, throwing] {
      #expect(result.events == [.value(4), .finished])
      #expect(result.history == [.requested(.unlimited), .cancelled])
    }
  }

  @Test func finishesWithoutAValueWhenThereIsNone() {
    #expect(reduction(of: []) { $0.first() }.events == [.finished])
    #expect(reduction(of: [1, 2]) { $0.first { $0 > 3 } }.events == [.finished])
    #expect(reduction(of: [1, 2]) { $0.tryFirst { $0 > 3 } }.events == [.finished])
  }

  @Test func doesNotCallThePredicateAfterTheMatch() {
    #expect(
      arguments(for: [3, 4, 5]) { upstream, onCall in
        upstream.first {
          onCall([$0])
          return $0 > 3
        }
      } == [[3], [4]]
    )
    #expect(
      arguments(for: [3, 4, 5]) { upstream, onCall in
        upstream.tryFirst {
          onCall([$0])
          return $0 > 3
        }
      } == [[3], [4]]
    )
  }

  @Test func withoutDemandTheFirstValueIsHeld() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.first().subscribe(subscriber)
    #expect([1, 2].map { upstream.send($0) } == [.none, .none])
    #expect(subscriber.events == [.subscription("First")])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])

    subscriber.request(.unlimited)
    subscriber.request(.max(1))
    subscriber.cancel()
    #expect(subscriber.events == [.subscription("First"), .value(1), .finished])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func isEqualWithAnEqualUpstream() throws {
    let publisher = equatableUpstream(1)
    #expect(publisher.first() == publisher.first())
    #expect(publisher.first() != equatableUpstream(2).first())
    #expect(Publishers.First(upstream: publisher).upstream == publisher)
    let sendable: any Sendable = Publishers.First(upstream: Just(1))
    withExtendedLifetime(sendable) {}

    let upstream = TestUpstream()
    #expect(!(upstream.first() is any Equatable))
    let predicate: Publishers.FirstWhere<TestUpstream> = upstream.first { $0 > 1 }
    #expect(predicate.upstream === upstream)
    #expect(predicate.predicate(2))
    let throwing: Publishers.TryFirstWhere<TestUpstream> = upstream.tryFirst { $0 > 1 }
    #expect(throwing.upstream === upstream)
    #expect(try throwing.predicate(2))
    #expect(Publishers.FirstWhere(upstream: upstream) { $0 > 1 }.predicate(2))
    #expect(try Publishers.TryFirstWhere(upstream: upstream) { $0 > 1 }.predicate(2))
  }
}
