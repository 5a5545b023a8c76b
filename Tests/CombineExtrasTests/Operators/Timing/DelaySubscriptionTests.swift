import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct DelaySubscriptionTests {

  @Test func subscribesAfterTheInterval() {
    marbles {
      "-a--b--|"
      $0.cold(0).delaySubscription(for: 3, scheduler: $0.scheduler)
      "----a--b--|"
      "---^"
    }
  }

  @Test func theDownstreamReceivesItsSubscriptionAtOnceAndMayRequest() {
    let scheduler = TestScheduler()
    let upstream = ManualPublisher<Int, Never>()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .max(2))
    upstream.delaySubscription(for: 10, scheduler: scheduler).subscribe(downstream)
    #expect(downstream.events.count == 1)
    downstream.request(.max(3))
    #expect(upstream.subscribeCount == 0)
    scheduler.resume()
    #expect(upstream.subscribeCount == 1)
    #expect(upstream.history == [.requested(.max(5))])
  }

  @Test func aCancelDuringTheDelayPreventsTheSubscription() {
    let scheduler = TestScheduler()
    let upstream = ManualPublisher<Int, Never>()
    let cancellable = upstream.delaySubscription(for: 10, scheduler: scheduler).sink { _ in }
    scheduler.advance(by: 5)
    cancellable.cancel()
    scheduler.resume()
    #expect(upstream.subscribeCount == 0)
    #expect(scheduler.now == 5)
  }
}
