import TestSupport
import Testing

@testable import CombineCore

@Suite struct DropUntilOutputTests {

  private typealias Fixture = UntilOutputFixture

  private let subscribed = Event<Int>.subscription("DropUntilOutput")

  private func fixture(
    hasUpstream: Bool = true,
    hasOther: Bool = true,
    requesting requests: Subscribers.Demand...,
    returning returned: Subscribers.Demand = .none
  ) -> Fixture {
    Fixture(hasUpstream: hasUpstream, hasOther: hasOther, requesting: requests, returning: returned) {
      $0.drop(untilOutputFrom: $1)
    }
  }

  // MARK: Subscribing

  @Test func subscribesToTheOtherPublisherFirstAndToBothAfterTheDownstream() {
    let upstream = TestUpstream()
    let other = Fixture.Other()
    var log: [String] = []
    upstream.onSubscribe = { log.append("upstream") }
    other.onSubscribe = { log.append("other") }
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: { _ in log.append("downstream") })
    upstream.drop(untilOutputFrom: other).subscribe(subscriber)
    #expect(log == ["downstream", "other", "upstream"])
    #expect(upstream.history == [])
    #expect(other.history == [.requested(.max(1))])
    #expect(subscriber.subscription as AnyObject === upstream.subscriber as AnyObject)
  }

  @Test func subscribesToTheUpstreamEvenIfTheOtherPublisherHasCompleted() {
    let upstream = TestUpstream()
    let other = Fixture.Other(subscription: nil)
    let subscriber = RecordingSubscriber<Int, TestError>()
    other.onSubscribe = { other.send(completion: .finished) }
    upstream.drop(untilOutputFrom: other).subscribe(subscriber)
    #expect(upstream.subscribeCount == 1)
    #expect(subscriber.events == [subscribed, .finished])
    #expect(upstream.history == [], "accepted")
  }

  @Test func requestsAllDemandFromALateUpstreamEvenAfterAnEmptyOtherPublisherHasFinished() {
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: {
      $0.request(.max(10))
      $0.request(.max(4))
      $0.request(.none)
    })
    upstream.drop(untilOutputFrom: Empty<String, TestError>()).subscribe(subscriber)
    #expect(subscriber.events == [subscribed, .finished])
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    #expect(subscription.history == [.requested(.max(14))])
    #expect(subscriber.events == [subscribed, .finished])
  }

  @Test func losesNoDemandRequestedDuringTheSubscription() {
    expectPendingDemandRequestedOnce(extra: 0) {
      $0.drop(untilOutputFrom: Empty<Int, TestError>(completeImmediately: false))
    }
  }

  @Test func forwardsRequestsIncludingZeroRequests() {
    let fixture = fixture(hasUpstream: false, requesting: .none)
    fixture.subscriber.request(.max(2))
    let subscription = ManualSubscription()
    fixture.upstream.send(subscription: subscription)
    fixture.subscriber.request(.none)
    fixture.subscriber.request(.max(3))
    #expect(subscription.history == [.requested(.max(2)), .requested(.none), .requested(.max(3))])
  }

  // MARK: Dropping

  @Test func dropsUntilTheOtherPublisherSendsAndUsesDemandForDroppedValues() {
    let fixture = fixture(requesting: .max(4), returning: .max(3))
    #expect([1, 2].map { fixture.upstream.send($0) } == [.none, .none])
    #expect(fixture.subscriber.events == [subscribed])
    #expect(fixture.other.send("go") == .none)
    #expect(fixture.subscriber.events == [subscribed])
    #expect((3...6).map { fixture.upstream.send($0) } == [.max(3), .max(3), .max(3), .max(3)])
    #expect(fixture.other.send("again") == .none)
    fixture.upstream.send(completion: .finished)
    #expect(
      fixture.subscriber.events == [subscribed, .value(3), .value(4), .value(5), .value(6), .finished]
    )
    #expect(fixture.upstream.history == [.requested(.max(4))])
    #expect(fixture.other.history == [.requested(.max(1))], "released, not cancelled")
  }

  @Test func releasesTheOtherSubscriptionAfterItsFirstValue() {
    var isReleased = false
    let fixture = fixture(hasOther: false)
    fixture.other.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
    #expect(!isReleased)
    fixture.other.send("go")
    #expect(isReleased)
  }

  // MARK: Completions

  @Test func anEmptyUpstreamFinishesItAndALateValueOfTheOtherPublisherIsIgnored() {
    let other = Fixture.Other(subscription: nil)
    let subscriber = RecordingSubscriber<Int, TestError>()
    Empty<Int, TestError>().drop(untilOutputFrom: other).subscribe(subscriber)
    #expect(subscriber.events == [subscribed, .finished])
    #expect(other.send("late") == .none)
    #expect(subscriber.events == [subscribed, .finished])
  }

  // MARK: Cancel

  @Test func aCancelBeforeTheSubscriptionIsRemembered() {
    let fixture = fixture(hasUpstream: false, hasOther: false)
    fixture.subscriber.cancel()
    let upstream = ManualSubscription()
    let other = ManualSubscription()
    fixture.upstream.send(subscription: upstream)
    fixture.other.send(subscription: other)
    #expect(upstream.history == [.cancelled])
    #expect(other.history == [.requested(.max(1))], "not the subscription to the other publisher")
  }

  /// Combine delivers a late completion of the other publisher here, and traps on a late value.
  @Test func publishesNothingAfterACancel() {
    for isTriggered in [true, false] {
      let fixture = fixture(requesting: .max(1))
      if isTriggered { fixture.other.send("go") }
      fixture.subscriber.cancel()
      #expect((1...3).map { fixture.upstream.send($0) } == [.none, .none, .none])
      fixture.other.send(completion: .finished)
      fixture.other.send("late")
      fixture.upstream.send(4)
      #expect(fixture.subscriber.events == [subscribed])
    }
  }

  @Test func valuesAfterTheUpstreamsCompletionAreIgnoredWithoutDemandToo() {
    let fixture = fixture()
    fixture.upstream.send(completion: .finished)
    #expect(fixture.upstream.send(1) == .none)
    #expect(fixture.subscriber.events == [subscribed, .finished])
  }

  // MARK: Traps

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: [true, false]) func trapsOnAnUnrequestedValue(_ hasUpstream: Bool) async {
      let fixture = fixture(hasUpstream: hasUpstream, requesting: .max(1))
      #expect(fixture.upstream.send(1) == .none, "one was requested")
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [hasUpstream] in
        let upstream = TestUpstream(subscription: hasUpstream ? ManualSubscription() : nil)
        upstream.drop(untilOutputFrom: Fixture.Other()).subscribe(RecordingSubscriber(requesting: .max(1)))
        upstream.send(1)
        upstream.send(2)
      }.expectMisuse("DropUntilOutput", .valueBeyondDemand)
    }
  #endif

  // MARK: Parts

  @Test func keepsTheDownstreamUntilReleased() {
    expectRetention(keepsUpstreamAfterCompletion: true) { $0.drop(untilOutputFrom: Fixture.Other()) }
  }

  @Test func isEqualWhenItsPartsAre() {
    let publisher = Publishers.DropUntilOutput(upstream: [1, 2].publisher, other: Just("a"))
    #expect(publisher.upstream == [1, 2].publisher)
    #expect(publisher.other == Just("a"))
    #expect(publisher == Publishers.DropUntilOutput(upstream: [1, 2].publisher, other: Just("a")))
    #expect(publisher != Publishers.DropUntilOutput(upstream: [1].publisher, other: Just("a")))
    #expect(publisher != Publishers.DropUntilOutput(upstream: [1, 2].publisher, other: Just("b")))
  }

  @Test func isSendable() {
    func check<T: Sendable>(_ value: T) {}
    check(Publishers.DropUntilOutput(upstream: Just(1), other: Just("a")))
  }

  @Test func reflectsBothItsSubscribersAsOne() {
    let fixture = fixture()
    expectReflection(of: fixture.upstream.subscriber!, description: "DropUntilOutput")
    expectReflection(of: fixture.other.subscriber!, description: "DropUntilOutput")
    let identifier = fixture.upstream.subscriber!.combineIdentifier
    #expect(fixture.other.subscriber!.combineIdentifier == identifier)
    #expect(fixture.subscriber.subscription?.combineIdentifier == identifier)
  }

  // MARK: Threads

  @Test func neverCallsTheDownstreamOnTwoThreadsAtOnce() {
    let fixture = SharedUntilOutputFixture { $0.drop(untilOutputFrom: $1) }
    let (upstream, other, downstream) = (fixture.upstream, fixture.other, fixture.downstream)
    other.send(0)
    onThreads(3) { thread in
      for value in 0..<2_000 { upstream.send(thread * 2_000 + value) }
    }
    upstream.finish()
    #expect(downstream.overlapCount == 0)
    #expect(downstream.values.sorted() == Array(0..<6_000))
    #expect(downstream.completionCount == 1)
    downstream.cancel()
  }

  @Test func neverDeliversTwoCompletionsAtOnce() {
    for _ in 0..<200 {
      let fixture = SharedUntilOutputFixture { $0.drop(untilOutputFrom: $1) }
      let (upstream, other, downstream) = (fixture.upstream, fixture.other, fixture.downstream)
      onThreads(2) { thread in
        if thread == 0 { upstream.finish() } else { other.finish() }
      }
      #expect(downstream.overlapCount == 0)
      #expect(downstream.completionCount == 2)
      downstream.cancel()
    }
  }

  @Test func startsWhileAnotherThreadSends() {
    for _ in 0..<100 {
      let fixture = SharedUntilOutputFixture { $0.drop(untilOutputFrom: $1) }
      let (upstream, other, downstream) = (fixture.upstream, fixture.other, fixture.downstream)
      onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<100 { upstream.send(value) }
        } else {
          other.send(0)
          other.finish()
        }
      }
      upstream.send(100)
      upstream.finish()
      #expect(downstream.values == Array((downstream.values.first ?? 100)...100))
      #expect(downstream.completionCount == 1)
      downstream.cancel()
    }
  }

  @Test func aCancelMayRaceWithValues() {
    for _ in 0..<100 {
      let fixture = SharedUntilOutputFixture { $0.drop(untilOutputFrom: $1) }
      let (upstream, other, downstream) = (fixture.upstream, fixture.other, fixture.downstream)
      other.send(0)
      onThreads(3) { thread in
        if thread == 0 {
          for value in 0..<100 { upstream.send(value) }
        } else {
          downstream.cancel()
        }
      }
      #expect(downstream.values == Array(0..<downstream.values.count))
      #expect(downstream.completionCount == 0)
      #expect(upstream.cancelCount == 1)
      #expect(other.cancelCount == 0)
    }
  }
}
