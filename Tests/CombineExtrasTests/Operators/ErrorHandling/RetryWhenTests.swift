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

  @Test func aFinishOfTheTriggerFinishes() {
    let upstream = Upstream()
    let trigger = PassthroughSubject<Void, Never>()
    let downstream = Downstream(requesting: .unlimited)
    upstream.retryWhen { _ in trigger }.subscribe(downstream)
    upstream.send(1)
    trigger.send(completion: .finished)
    #expect(downstream.events.dropFirst() == [.value(1), .finished])
    #expect(upstream.history.last == .cancelled)
  }

  @Test func aFinishOfTheTriggerAfterAFailureFinishes() {
    let upstream = Upstream()
    let trigger = PassthroughSubject<Void, Never>()
    let downstream = Downstream(requesting: .unlimited)
    upstream.retryWhen { _ in trigger }.subscribe(downstream)
    upstream.send(completion: .failure("first"))
    trigger.send(completion: .finished)
    #expect(downstream.events.dropFirst() == [.finished])
    #expect(upstream.subscribeCount == 1)
    #expect(!upstream.history.contains(.cancelled))
  }

  @Test func aFailureOfTheTriggerDuringARunFailsAndCancelsTheUpstream() {
    let upstream = Upstream()
    let trigger = PassthroughSubject<Void, TestError>()
    let downstream = Downstream(requesting: .unlimited)
    upstream.retryWhen { _ in trigger }.subscribe(downstream)
    upstream.send(1)
    trigger.send(completion: .failure("given up"))
    #expect(downstream.events.dropFirst() == [.value(1), .failure("given up")])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func aFailureOfTheTriggerFails() {
    let upstream = Upstream()
    let trigger = PassthroughSubject<Void, TestError>()
    let downstream = Downstream(requesting: .unlimited)
    upstream.retryWhen { _ in trigger }.subscribe(downstream)
    upstream.send(completion: .failure("first"))
    trigger.send(completion: .failure("given up"))
    #expect(downstream.events.dropFirst() == [.failure("given up")])
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

  @Test func anElementOfTheTriggerDuringARunIsIgnored() {
    let upstream = Upstream()
    let trigger = PassthroughSubject<Void, Never>()
    let downstream = Downstream(requesting: .unlimited)
    upstream.retryWhen { _ in trigger }.subscribe(downstream)
    trigger.send()
    #expect(upstream.subscribeCount == 1)
    upstream.send(completion: .failure("wrong"))
    trigger.send()
    trigger.send()
    #expect(upstream.subscribeCount == 2)
  }

  @Test func aCancelReachesUpstreamAndTrigger() {
    let upstream = Upstream()
    let trigger = ManualPublisher<Int, Never>()
    let downstream = Downstream(requesting: .unlimited)
    upstream.retryWhen { _ in trigger }.subscribe(downstream)
    downstream.cancel()
    #expect(upstream.history.last == .cancelled)
    #expect(trigger.history == [.requested(.unlimited), .cancelled])
  }

  @Test func aFinishCancelsTheTrigger() {
    let upstream = Upstream()
    let trigger = ManualPublisher<Int, Never>()
    let downstream = Downstream(requesting: .unlimited)
    upstream.retryWhen { _ in trigger }.subscribe(downstream)
    upstream.send(completion: .finished)
    #expect(trigger.history.last == .cancelled)
    #expect(!upstream.history.contains(.cancelled))
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

  @Test func demandReturnedWhileTheUpstreamFailsIsServedByTheNextSubscription() {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(1))
    downstream.onValue = { value in
      if value == 1 { upstream.send(completion: .failure("inside")) }
      return .max(1)
    }
    upstream.retryWhen { $0 }.subscribe(downstream)
    upstream.send(1)
    #expect(upstream.history == [.requested(.max(1)), .requested(.max(1))])
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

  @Test func anElementAfterAFailureIsIgnored() {
    let (upstream, trigger) = (Upstream(), PassthroughSubject<Int, TestError>())
    let downstream = Downstream(requesting: .max(2))
    upstream.retryWhen { _ in trigger }.subscribe(downstream)
    upstream.send(completion: .failure("wrong"))
    upstream.send(1)
    trigger.send(0)
    upstream.send(2)
    #expect(downstream.values == [2])
  }

  @Test func theNextSubscriptionIsNotAskedForAnElementThatWaits() {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(3))
    downstream.onValue = { value in
      if value == 1 {
        // The second element waits until this call has returned.
        upstream.send(2)
        upstream.send(completion: .failure("inside"))
      }
      return .none
    }
    upstream.retryWhen { $0 }.subscribe(downstream)
    upstream.send(1)
    #expect(downstream.values == [1, 2])
    #expect(upstream.history == [.requested(.max(3)), .requested(.max(1))])
  }

  @Test func aCompletionAfterAFailureIsIgnored() {
    for completion: Subscribers.Completion<TestError> in [.finished, .failure("second")] {
      let upstream = Upstream()
      var errors: [TestError] = []
      let trigger = PassthroughSubject<Void, Never>()
      let downstream = Downstream(requesting: .unlimited)
      upstream.retryWhen { failures in
        trigger.zip(failures.handleEvents(receiveOutput: { errors.append($0) }))
      }
      .subscribe(downstream)
      upstream.send(completion: .failure("first"))
      upstream.send(completion: completion)
      #expect(errors == ["first"])
      trigger.send()
      upstream.send(1)
      #expect(upstream.subscribeCount == 2)
      #expect(downstream.events.dropFirst() == [.value(1)])
    }
  }

  @Test func aSubscriptionAfterTheFailureIsCancelled() {
    let upstream = Upstream(subscription: nil)
    let trigger = PassthroughSubject<Void, Never>()
    upstream.retryWhen { _ in trigger }.subscribe(Downstream(requesting: .unlimited))
    upstream.send(completion: .failure("early"))
    let late = ManualSubscription()
    upstream.send(subscription: late)
    #expect(late.history == [.cancelled])
  }

  @Test func demandReturnedBeforeAWaitingElementFailsIsRequestedOnce() {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(2))
    downstream.onValue = { value in
      if value == 1 {
        upstream.send(2)
        return .max(1)
      }
      upstream.send(completion: .failure("inside"))
      return .none
    }
    upstream.retryWhen { $0 }.subscribe(downstream)
    upstream.send(1)
    #expect(upstream.subscribeCount == 2)
    #expect(upstream.history == [.requested(.max(2)), .requested(.max(1))])
  }

  @Test func aTriggerThatAnswersInsideTheUpstreamsCancelIsOnlyCancelled() {
    let trigger = ManualPublisher<Int, TestError>(subscription: nil)
    let late = ManualSubscription()
    let upstream = Upstream(subscription: ManualSubscription(onCancel: { trigger.send(subscription: late) }))
    let downstream = Downstream(requesting: .unlimited)
    upstream.retryWhen { _ in trigger }.subscribe(downstream)
    downstream.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(late.history == [.cancelled])
  }

  @Test func anElementBeyondTheDemandIsServedOfTheDemandThatFollows() {
    let upstream = Upstream(subscription: nil)
    let downstream = Downstream(requesting: .max(1))
    upstream.retryWhen { $0 }.subscribe(downstream)
    let subscriptions = (ManualSubscription(), ManualSubscription())
    upstream.send(subscription: subscriptions.0)
    upstream.send(1)
    upstream.send(2)
    upstream.send(completion: .failure("again"))
    downstream.request(.max(1))
    upstream.send(subscription: subscriptions.1)
    #expect(subscriptions.0.history == [.requested(.max(1))])
    #expect(subscriptions.1.history == [])
    downstream.request(.max(1))
    #expect(subscriptions.1.history == [.requested(.max(1))])
  }
}
