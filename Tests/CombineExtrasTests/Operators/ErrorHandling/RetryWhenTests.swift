import CombineExtras
import TestSupport
import Testing

@Suite struct RetryWhenTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  @Test func subscribesAgainWhenTheTriggerPublishes() {
    var attempts = 0
    let downstream = Downstream(requesting: .unlimited)
    Deferred {
      attempts += 1
      return attempts < 2 ? Result<Int, TestError>.failure("first").publisher : Result.success(5).publisher
    }
    .retryWhen { $0 }
    .subscribe(downstream)
    #expect(attempts == 2)
    #expect(downstream.events.dropFirst() == [.value(5), .finished])
  }

  @Test func theDemandThatWasNotServedGoesOn() {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(5))
    upstream.retryWhen { $0 }.subscribe(downstream)
    upstream.send(1)
    upstream.send(2)
    upstream.send(completion: .failure("wrong"))
    #expect(upstream.subscribeCount == 2)
    #expect(upstream.history == [.requested(.max(5)), .requested(.max(3))])
    downstream.request(.max(1))
    #expect(upstream.history.last == .requested(.max(1)))
    upstream.send(3)
    #expect(downstream.values == [1, 2, 3])
  }

  @Test func whatAnOldAttemptSendsIsIgnored() {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    upstream.retryWhen { $0 }.subscribe(downstream)
    let first = upstream.subscriber
    upstream.send(completion: .failure("wrong"))
    _ = first?.receive(1)
    first?.receive(completion: .failure("again"))
    first?.receive(completion: .finished)
    let late = ManualSubscription()
    first?.receive(subscription: late)
    #expect(late.history == [.cancelled])
    #expect(upstream.subscribeCount == 2)
    upstream.send(2)
    upstream.send(completion: .finished)
    #expect(downstream.events.dropFirst() == [.value(2), .finished])
  }

  @Test func aForeignFailureOfTheTriggerFailsWithTheLatestError() {
    struct Foreign: Error {}
    let trigger = PassthroughSubject<Void, Foreign>()
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    upstream.retryWhen { _ in trigger }.subscribe(downstream)
    upstream.send(completion: .failure("latest"))
    trigger.send(completion: .failure(Foreign()))
    #expect(downstream.events.dropFirst() == [.failure("latest")])

    let early = PassthroughSubject<Void, Foreign>()
    let other = Downstream(requesting: .unlimited)
    upstream.retryWhen { _ in early }.subscribe(other)
    early.send(completion: .failure(Foreign()))
    upstream.send(1)
    upstream.send(completion: .failure("next"))
    #expect(other.events.dropFirst() == [.value(1), .failure("next")])
  }

  @Test func aFinishOfTheTriggerEndsTheAttemptThatItsLastElementBegan() {
    var attempts: [ManualPublisher<Int, TestError>] = []
    let upstream = Deferred { () -> ManualPublisher<Int, TestError> in
      attempts.append(ManualPublisher())
      return attempts.last!
    }
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    upstream.retryWhen { $0.prefix(2) }.subscribe(downstream)
    attempts[0].send(completion: .failure("x"))
    #expect(attempts.count == 2)
    attempts[1].send(completion: .failure("x"))
    #expect(downstream.events.dropFirst() == [.finished])
    #expect(attempts.dropFirst(2).allSatisfy { $0.history.last == .cancelled })
  }

  @Test func manyRetriesDoNotRecurse() {
    var attempts = 0
    let downstream = Downstream(requesting: .unlimited)
    Deferred {
      attempts += 1
      return attempts < 100_000 ? Result<Int, TestError>.failure("again").publisher : Result.success(1).publisher
    }
    .retryWhen { $0 }
    .subscribe(downstream)
    #expect(downstream.events.dropFirst() == [.value(1), .finished])
  }

  @Test func describesItsSubscription() {
    let downstream = Downstream()
    Upstream().retryWhen { $0 }.subscribe(downstream)
    #expect(downstream.events == [.subscription("RetryWhen.Subscription<Int, TestError>")])
  }

  @Test func releasesTheDownstreamOfAbandonedPublishers() {
    var isReleased = false
    do {
      let (upstream, trigger) = (ManualPublisher<Int, TestError>(), ManualPublisher<Int, TestError>())
      let downstream = RecordingSubscriber<Int, TestError>(onDeinit: { isReleased = true })
      upstream.retryWhen { _ in trigger }.subscribe(downstream)
      downstream.dropSubscription()
      upstream.dropSubscriber()
      trigger.dropSubscriber()
    }
    #expect(isReleased)
  }
}
