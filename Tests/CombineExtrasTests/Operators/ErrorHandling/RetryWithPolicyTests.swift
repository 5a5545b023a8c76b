import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

@Suite struct RetryWithPolicyTests {

  /// A generator whose sequence is fixed by its seed.
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state
    }
  }

  private static let tick = Duration.milliseconds(1)

  @Test func subscribesAgainAfterTheDelay() {
    marbles { test in
      "-a-#"
      test.cold(0).retry(.constant(Self.tick * 3, maxRetries: 2), scheduler: test.scheduler)
      "-a-----a-----a-#"
      "^-----^-----^"
    }
  }

  @Test func delaysGrowByAFactorUpToAMaximum() {
    marbles { test in
      "#"
      test.cold(0).retry(
        .exponential(from: Self.tick, multiplier: 2, maximum: Self.tick * 5, maxRetries: 4),
        scheduler: test.scheduler
      )
      "------------#"
    }
  }

  @Test func delaysGrowByAnIncrement() {
    let policy = RetryPolicy(
      maxRetries: nil,
      backoff: .linear(initial: .seconds(1), increment: .seconds(2), maximum: .seconds(4))
    )
    #expect((1...4).map(policy.delay(beforeRetry:)) == [.seconds(1), .seconds(3), .seconds(4), .seconds(4)])
  }

  @Test func manyRetriesDoNotOverflowTheDelay() {
    let policy = RetryPolicy.exponential(from: .seconds(1), maximum: .seconds(60), maxRetries: nil)
    #expect(policy.delay(beforeRetry: 10_000) == .seconds(60))
    #expect(policy.delay(beforeRetry: .max) == .seconds(60))
  }

  @Test func anErrorThatIsNotWorthARetryIsPassedOnAtOnce() {
    let scheduler = TestScheduler()
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    var attempts = 0
    Deferred { () -> Fail<Int, TestError> in
      attempts += 1
      return Fail(error: attempts < 3 ? "transient" : "fatal")
    }
    .retry(.constant(Self.tick, maxRetries: nil), scheduler: scheduler, when: { $0 == "transient" })
    .subscribe(downstream)
    scheduler.resume()
    #expect(attempts == 3)
    #expect(scheduler.now == 2)
    #expect(downstream.events.last == .failure("fatal"))
  }

  @Test func jitterMultipliesTheDelayByARandomFactor() {
    let policy = RetryPolicy.constant(.seconds(10), maxRetries: nil).jittered(by: 0.5) { Seeded(state: 1) }
    var schedule = RetrySchedule(policy)
    let delays = (1...1000).compactMap { _ in schedule.next() }
    #expect(delays.allSatisfy { $0 >= .seconds(5) && $0 <= .seconds(15) })
    #expect(delays.contains { $0 < .seconds(6) })
    #expect(delays.contains { $0 > .seconds(14) })
  }

  @Test func jitterIsLimitedToTheDelay() {
    let policy = RetryPolicy.constant(.seconds(10), maxRetries: nil)
    #expect(policy.jittered(by: 7).jitter == 0...2)
    #expect(policy.jittered(by: -1).jitter == 1...1)
  }

  @Test func eachSubscriptionHasItsOwnRandomFactors() {
    let policy = RetryPolicy.constant(.seconds(10), maxRetries: nil).jittered(by: 0.5) { Seeded(state: 1) }
    var first = RetrySchedule(policy)
    var second = RetrySchedule(policy)
    #expect((1...9).map { _ in first.next() } == (1...9).map { _ in second.next() })
  }

  @Test func countsEachSubscriptionAlone() {
    let scheduler = TestScheduler()
    var attempts = 0
    let publisher = Deferred { () -> Fail<Int, TestError> in
      attempts += 1
      return Fail(error: "wrong")
    }
    .retry(.constant(.zero, maxRetries: 2), scheduler: scheduler)
    for expected in [3, 6] {
      let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      publisher.subscribe(downstream)
      #expect(attempts == expected)
      #expect(downstream.events.last == .failure("wrong"))
    }
  }

  @Test func anElementStartsTheCountAgainIfThePolicySaysSo() {
    func attempts(resets: Bool) -> Int {
      var attempts = 0
      var policy = RetryPolicy.constant(.zero, maxRetries: 1)
      policy.resetsAfterElement = resets
      let cancellable = Deferred { () -> AnyPublisher<Int, TestError> in
        attempts += 1
        if attempts > 9 { return Empty().eraseToAnyPublisher() }
        if attempts > 4 { return Fail(error: "wrong").eraseToAnyPublisher() }
        return Just(1).setFailureType(to: TestError.self).append(Fail(error: "wrong")).eraseToAnyPublisher()
      }
      .retry(policy, scheduler: TestScheduler())
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      cancellable.cancel()
      return attempts
    }
    #expect(attempts(resets: false) == 2)
    #expect(attempts(resets: true) == 5)
  }

  @Test func aCancelStopsTheDelay() {
    let scheduler = TestScheduler()
    var attempts = 0
    let cancellable = Deferred { () -> Fail<Int, TestError> in
      attempts += 1
      return Fail(error: "wrong")
    }
    .retry(.constant(.seconds(1), maxRetries: nil), scheduler: scheduler)
    .sink(receiveCompletion: { _ in Issue.record("completed") }, receiveValue: { _ in })
    scheduler.advance(by: 100)
    cancellable.cancel()
    scheduler.resume()
    #expect(attempts == 1)
    #expect(scheduler.now == 100)
  }

  @Test func retriesWithoutADelayFollowInALoop() {
    var attempts = 0
    let cancellable = Deferred { () -> Fail<Int, TestError> in
      attempts += 1
      return Fail(error: "wrong")
    }
    .retry(.constant(.zero, maxRetries: 100_000), scheduler: TestScheduler())
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    withExtendedLifetime(cancellable) { #expect(attempts == 100_001) }
  }
}
