import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

@Suite struct ThrottleWindowTests {

  private func pause(
    _ interval: VirtualTimeInterval,
    _ scheduler: TestScheduler
  ) -> some Publisher<Void, MarbleError> {
    Just(()).setFailureType(to: MarbleError.self).delay(for: interval, scheduler: scheduler)
  }

  @Test func eachPublishedElementDecidesTheIntervalAfterIt() {
    marbles(of: Int.self) { test in
      "31-2-45----5---|"
      test[0].throttle(latest: true) { pause(.milliseconds($0), test.scheduler) }
      "3--2-4---5----5|"
    }
  }

  @Test func publishesTheFirstElementOfAnInterval() {
    marbles { test in
      "abc----de-f-----|"
      test[0].throttle(latest: false) { _ in pause(3, test.scheduler) }
      "a--b---d--e-----|"
    }
  }

  @Test func aPublisherEndsThePause() {
    marbles { test in
      "ab-c-d-----e-|"
      "---x---x-|"
      test[0].throttle(latest: true) { _ in test[1] }
      "a--c---d---e-|"
    }
  }

  @Test func theFinishOfThePublisherEndsThePause() {
    marbles { test in
      "ab-c---d-|"
      "--|"
      test[0].throttle(latest: false) { _ in test.cold(1) }
      "a-b-c--d-|"
    }
  }

  @Test func aPublisherThatSendsAndFinishesEndsOnePauseOnly() {
    let upstream = PassthroughSubject<Int, Never>()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    let windows = [PassthroughSubject<Void, Never>(), PassthroughSubject<Void, Never>()]
    upstream.throttle(latest: true) { windows[$0 - 1] }.subscribe(downstream)
    upstream.send(1)
    windows[0].send()
    upstream.send(2)
    windows[0].send(completion: .finished)
    upstream.send(1)
    #expect(downstream.values == [1, 2])
    windows[1].send()
    #expect(downstream.values == [1, 2, 1])
  }

  @Test func aPublisherThatSendsAtOnceMakesNoPause() {
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    (1...4).publisher.throttle(latest: true) { _ in Just(()) }.subscribe(downstream)
    #expect(downstream.values == [1, 2, 3, 4])
  }
}
