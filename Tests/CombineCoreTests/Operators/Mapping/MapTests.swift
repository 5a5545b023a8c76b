import CombineCore
import TestSupport
import Testing

@Suite struct MapTests {

  @Test func transformsEachValueAndReturnsTheDemandOfTheDownstream() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<String, TestError>(requesting: .max(2), returning: [.max(4), .none])
    upstream.map { "\($0 * 2)" }.subscribe(subscriber)

    #expect(upstream.send(1) == .max(4))
    #expect(upstream.send(2) == .none)
    upstream.send(completion: .failure("oops"))

    #expect(subscriber.events == [.subscription("ManualSubscription"), .value("2"), .value("4"), .failure("oops")])
    #expect(upstream.history == [.requested(.max(2))])
  }

  @Test func isTransparent() {
    expectTransparent(failure: TestError()) { $0.map { $0 } }
  }

  @Test func forwardsEveryEventInAnyOrder() {
    let upstream = ManualPublisher<Int, TestError>(subscription: nil)
    let subscriber = RecordingSubscriber<Int, TestError>(onValue: { .max($0) })
    upstream.map { $0 * 2 }.subscribe(subscriber)

    #expect(upstream.send(1) == .max(2))
    upstream.send(completion: .finished)
    upstream.send(subscription: ManualSubscription())
    upstream.send(completion: .failure("late"))
    #expect(upstream.send(2) == .max(4))

    #expect(
      subscriber.events == [
        .value(2), .finished, .subscription("ManualSubscription"), .failure("late"), .value(4),
      ]
    )
  }

  @Test func requestsAndCancelsGoStraightToTheUpstream() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.map { $0 }.subscribe(subscriber)

    subscriber.cancel()
    subscriber.request(.max(42))
    subscriber.request(.none)
    subscriber.cancel()

    #expect(upstream.history == [.cancelled, .requested(.max(42)), .requested(.none), .cancelled])
    #expect(subscriber.subscription as? ManualSubscription === upstream.subscription)
  }

  @Test func releasesTheDownstreamWithTheUpstream() {
    var isReleased = false
    let upstream = ManualPublisher<Int, TestError>()
    do {
      let subscriber = RecordingSubscriber<Int, TestError>(onDeinit: { isReleased = true })
      upstream.map { $0 }.subscribe(subscriber)
    }
    #expect(!isReleased)
    upstream.dropSubscriber()
    #expect(isReleased)
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    upstream.map { $0 }.subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "Map")
  }

  @Test func fusesWithMapAndTryMap() throws {
    let upstream = ManualPublisher<Int, TestError>()
    let mapped: Publishers.Map<ManualPublisher<Int, TestError>, String> = upstream.map { $0 + 1 }.map { "\($0)" }
    let tried: Publishers.TryMap<ManualPublisher<Int, TestError>, String> = upstream.map { $0 + 1 }.tryMap { "\($0)" }
    #expect(mapped.upstream === upstream)
    #expect(mapped.transform(1) == "2")
    #expect(tried.upstream === upstream)
    #expect(try tried.transform(1) == "2")
  }
}

@Suite struct TryMapTests {

  @Test func deliversTheErrorEachTimeButCancelsTheUpstreamOnce() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>(requesting: .unlimited)
    var calls = 0
    upstream.tryMap { value in
      calls += 1
      if value == 100 { throw TestError("thrown") }
      return value * 2
    }.subscribe(subscriber)
    upstream.subscription!.onCancel = {
      #expect(subscriber.events.last == .value(6), "the upstream is cancelled before the failure is sent")
    }

    for value in [2, 3, 100, 9, 100] { #expect(upstream.send(value) == .none) }
    upstream.send(completion: .finished)
    #expect(upstream.send(100) == .none)

    #expect(
      subscriber.events == [
        .subscription("TryMap"), .value(4), .value(6), .failure("thrown"), .value(18), .failure("thrown"),
        .failure("thrown"),
      ]
    )
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(calls == 6)
  }

  @Test func hasItsOwnSubscription() {
    expectLenient(
      name: "TryMap",
      rules: LenientRules(
        deliversCompletionBeforeSubscription: false,
        deliversCompletionsAfterEnd: false
      )
    ) { $0.tryMap { $0 } }
  }

  @Test func returnsTheDemandOfTheDownstream() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>(requesting: .max(2), returning: [.max(4), .unlimited, .none])
    upstream.tryMap { $0 * 2 }.subscribe(subscriber)

    #expect([1, 2, 3].map { upstream.send($0) } == [.max(4), .unlimited, .none])
    #expect(subscriber.values == [2, 4, 6])
    #expect(upstream.history == [.requested(.max(2))])
  }

  @Test func forwardsTheUpstreamsFailureUnwrapped() {
    let upstream = ManualPublisher<Int, TestError>()
    var errors: [any Error] = []
    let subscriber = RecordingSubscriber<Int, any Error>(onCompletion: {
      if case .failure(let error) = $0 { errors.append(error) }
    })
    upstream.tryMap { $0 }.subscribe(subscriber)

    upstream.send(completion: .failure("upstream"))
    upstream.send(completion: .failure("again"))

    #expect(errors as? [TestError] == ["upstream"])
    #expect(upstream.history == [], "an upstream that has completed is not cancelled")
  }

  @Test func transformsValuesAfterACancelAndAfterACompletion() {
    for end in [true, false] {
      let upstream = ManualPublisher<Int, TestError>()
      let subscriber = RecordingSubscriber<Int, any Error>(onValue: { .max($0) })
      upstream.tryMap { $0 * 2 }.subscribe(subscriber)

      if end { subscriber.cancel() } else { upstream.send(completion: .finished) }
      #expect(upstream.send(3) == .max(6))

      #expect(subscriber.events == [.subscription("TryMap")] + (end ? [] : [.finished]) + [.value(6)])
      #expect(upstream.history == (end ? [.cancelled] : []))
    }
  }

  @Test func anErrorThrownAfterACancelIsDelivered() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryMap { _ -> Int in throw TestError("thrown") }.subscribe(subscriber)

    subscriber.cancel()
    #expect(upstream.send(1) == .none)

    #expect(subscriber.events == [.subscription("TryMap"), .failure("thrown")])
    #expect(upstream.history == [.cancelled])
  }

  @Test func anErrorThrownByAClosureThatHasCancelledIsDelivered() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryMap { [unowned subscriber] _ -> Int in
      subscriber.cancel()
      throw TestError("thrown")
    }.subscribe(subscriber)

    #expect(upstream.send(1) == .none)

    #expect(subscriber.events == [.subscription("TryMap"), .failure("thrown")])
    #expect(upstream.history == [.cancelled])
  }

  @Test func doesNotSerializeValues() {
    expectNoSerialisation { $0.tryMap { $0 }.mapError { _ in "" } }
  }

  @Test func anErrorThrownBeforeTheSubscriptionFailsAtOnce() {
    let upstream = ManualPublisher<Int, TestError>(subscription: nil)
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryMap { _ -> Int in throw TestError("thrown") }.subscribe(subscriber)

    #expect(upstream.send(1) == .none)
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)

    #expect(subscriber.events == [.failure("thrown")])
    #expect(subscription.history == [.cancelled])
  }

  @Test func cancelsItsOwnSubscriptionIfItArrivesAgainAfterAThrownError() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryMap { _ -> Int in throw TestError("thrown") }.subscribe(subscriber)

    upstream.send(1)
    upstream.send(subscription: upstream.subscription!)

    #expect(subscriber.events == [.subscription("TryMap"), .failure("thrown")])
    #expect(upstream.history == [.cancelled, .cancelled])
  }

  @Test func endsBeforeItCancelsTheUpstream() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryMap { _ -> Int in throw TestError("thrown") }.subscribe(subscriber)
    upstream.subscription!.onCancel = {
      subscriber.request(.max(1))
      upstream.send(completion: .finished)
    }

    upstream.send(1)

    #expect(subscriber.events == [.subscription("TryMap"), .failure("thrown")])
    #expect(upstream.history == [.cancelled])
  }

  @Test func fusesWithMapAndTryMap() throws {
    let upstream = ManualPublisher<Int, TestError>()
    let first: Publishers.TryMap<ManualPublisher<Int, TestError>, Int> = upstream.tryMap { value in
      if value == 100 { throw TestError("first") }
      return value + 1
    }
    let mapped: Publishers.TryMap<ManualPublisher<Int, TestError>, String> = first.map { "\($0)" }
    let tried: Publishers.TryMap<ManualPublisher<Int, TestError>, String> = first.tryMap { value in
      if value == 50 { throw TestError("second") }
      return "\(value)"
    }
    #expect(mapped.upstream === upstream)
    #expect(try mapped.transform(1) == "2")
    #expect(throws: TestError("first")) { try mapped.transform(100) }
    #expect(tried.upstream === upstream)
    #expect(try tried.transform(1) == "2")
    #expect(throws: TestError("first")) { try tried.transform(100) }
    #expect(throws: TestError("second")) { try tried.transform(49) }
  }

  @Test func aFusedChainReflectsOneOperator() {
    let upstream = ManualPublisher<Int, TestError>()
    func description<P: Publisher>(_ publisher: P) -> [Event<P.Output>] {
      let subscriber = RecordingSubscriber<P.Output, P.Failure>()
      publisher.subscribe(subscriber)
      return subscriber.events
    }
    #expect(description(upstream.map { $0 }.map { $0 }) == [.subscription("ManualSubscription")])
    #expect(description(upstream.map { $0 }.tryMap { $0 }) == [.subscription("TryMap")])
    #expect(description(upstream.tryMap { $0 }.map { $0 }) == [.subscription("TryMap")])
    #expect(description(upstream.tryMap { $0 }.tryMap { $0 }) == [.subscription("TryMap")])
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    upstream.tryMap { $0 }.subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "TryMap")
    #expect(upstream.subscriber is any Subscription)
  }
}
