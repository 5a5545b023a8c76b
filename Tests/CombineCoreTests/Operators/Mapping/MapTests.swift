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

  @Test func passesEveryEventOnInAnyOrder() {
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
      #expect(subscriber.events.last == .value(6), "the upstream is cancelled before the downstream is told")
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

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    upstream.tryMap { $0 }.subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "TryMap")
    #expect(upstream.subscriber is any Subscription)
  }
}
