import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

@Suite struct SampleTests {

  @Test func publishesTheLatestElementAtEachSample() {
    marbles {
      "-a-bc---d---|"
      "--x--x-x--xx-"
      $0[0].sample(by: $0[1])
      "--a--c----d-|"
      "^"
      "^-----------!"
    }
  }

  @Test func samplesAtRegularTimes() {
    marbles {
      "ab---c-------de-f|"
      $0[0].sample(by: $0.scheduler.timerPublisher(every: 3).autoconnect().setFailureType(to: MarbleError.self))
      "---b--c--------e-|"
    }
  }

  @Test func aSamplerThatFinishesDuringTheSubscription() {
    let upstream = ManualPublisher<Int, Never>()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    upstream.sample(by: Empty<Int, Never>()).subscribe(downstream)
    #expect(downstream.events.last == .finished)
    #expect(upstream.history.last == .cancelled)
  }

  @Test func anUpstreamThatFinishesDuringTheSubscriptionNeedsNoSampler() {
    let sampler = ManualPublisher<Int, Never>()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    Just(1).sample(by: sampler).subscribe(downstream)
    #expect(downstream.events.last == .finished)
    #expect(sampler.subscribeCount == 0)
  }

  @Test func theSamplersSubscriptionAfterTheCancelIsCancelled() {
    let sampler = ManualPublisher<Int, Never>(subscription: nil)
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    ManualPublisher<Int, Never>().sample(by: sampler).subscribe(downstream)
    downstream.cancel()
    let late = ManualSubscription()
    sampler.send(subscription: late)
    #expect(late.history == [.cancelled])
  }

  @Test func releasesTheDownstreamOfAbandonedPublishers() {
    var isReleased = false
    do {
      let upstreams = (ManualPublisher<Int, TestError>(), ManualPublisher<Int, TestError>())
      let downstream = RecordingSubscriber<Int, TestError>(onDeinit: { isReleased = true })
      upstreams.0.sample(by: upstreams.1).subscribe(downstream)
      downstream.dropSubscription()
      upstreams.0.dropSubscriber()
      upstreams.1.dropSubscriber()
    }
    #expect(isReleased)
  }
}
