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

  @Test func finishesWithTheSampler() {
    marbles {
      "-a-b-----"
      "--x-|"
      $0[0].sample(by: $0[1])
      "--a-|"
      "^---!"
    }
  }

  @Test func failsWithTheSampler() {
    marbles {
      "-a-b-----"
      "--x-#"
      $0[0].sample(by: $0[1])
      "--a-#"
      "^---!"
    }
  }

  @Test func samplesAtRegularTimes() {
    marbles {
      "ab---c-------de-f|"
      $0[0].sample(by: $0.scheduler.timerPublisher(every: 3).autoconnect().setFailureType(to: MarbleError.self))
      "---b--c--------e-|"
    }
  }

  @Test func anElementWithoutDemandWaitsForTheNextSample() {
    let upstream = PassthroughSubject<Int, Never>()
    let sampler = PassthroughSubject<Void, Never>()
    let downstream = RecordingSubscriber<Int, Never>()
    upstream.sample(by: sampler).subscribe(downstream)
    upstream.send(1)
    sampler.send()
    #expect(downstream.values == [])
    upstream.send(2)
    downstream.request(.max(1))
    #expect(downstream.values == [])
    sampler.send()
    #expect(downstream.values == [2])
  }

  @Test func requestsUnlimitedDemandFromBoth() {
    let upstream = ManualPublisher<Int, Never>()
    let sampler = ManualPublisher<Int, Never>()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .max(1))
    upstream.sample(by: sampler).subscribe(downstream)
    #expect(upstream.history == [.requested(.unlimited)])
    #expect(sampler.history == [.requested(.unlimited)])
    downstream.cancel()
    #expect(upstream.history.last == .cancelled)
    #expect(sampler.history.last == .cancelled)
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

  @Test func aSampleTakesTheElementOnce() {
    var machine = SampleMachine<Int>()
    #expect(machine.sample(hasDemand: true) == nil)
    #expect(machine.receive(1) == nil)
    #expect(machine.receive(2) == 1)
    #expect(machine.sample(hasDemand: false) == nil)
    #expect(machine.sample(hasDemand: true) == 2)
    #expect(machine.sample(hasDemand: true) == nil)
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

  @Test func aSamplerIsNotAskedInsideTheCompletion() {
    let upstream = ManualPublisher<Int, Never>()
    let sampler = ManualPublisher<Int, Never>(subscription: nil)
    let late = ManualSubscription()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    downstream.onCompletion = { _ in sampler.send(subscription: late) }
    upstream.sample(by: sampler).subscribe(downstream)
    upstream.send(completion: .finished)
    #expect(late.history == [.cancelled])
  }

  @Test func aSamplerThatAnswersInsideTheUpstreamsCancelIsOnlyCancelled() {
    let sampler = ManualPublisher<Int, Never>(subscription: nil)
    let late = ManualSubscription()
    let upstream = ManualPublisher<Int, Never>(
      subscription: ManualSubscription(onCancel: { sampler.send(subscription: late) })
    )
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    upstream.sample(by: sampler).subscribe(downstream)
    downstream.cancel()
    #expect(upstream.history.last == .cancelled)
    #expect(late.history == [.cancelled])
  }
}
