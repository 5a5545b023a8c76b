@testable import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct RepeatTests {

  @Test func subscribesAgainAfterEachFinish() {
    marbles {
      "-a-b|"
      $0.cold(0).repeat(3)
      "-a-b-a-b-a-b|"
      "^---^---^"
    }
  }

  @Test func whatAnOldSubscriptionSendsIsIgnored() {
    let upstream = ManualPublisher<Int, TestError>()
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    upstream.repeat(2).subscribe(downstream)
    let first = upstream.subscriber
    upstream.send(completion: .finished)
    _ = first?.receive(1)
    first?.receive(completion: .finished)
    first?.receive(completion: .failure("again"))
    #expect(upstream.subscribeCount == 2)
    upstream.send(2)
    upstream.send(completion: .finished)
    #expect(downstream.events.dropFirst() == [.value(2), .finished])
  }

  @Test func withoutALimitItGoesOnUntilTheCancel() {
    marbles {
      "-a|"
      $0.cold(0).repeat().prefix(3)
      "-a-a-(a|)"
    }
  }

  @Test func noSubscriptionForACountOfZero() {
    let upstream = ManualPublisher<Int, Never>()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    upstream.repeat(0).subscribe(downstream)
    #expect(upstream.subscribeCount == 0)
    #expect(downstream.events.last == .finished)
  }

  @Test func servesALimitedDemandFromManySubscriptions() {
    let downstream = RecordingSubscriber<Int, Never>(requesting: .max(5))
    [1, 2].publisher.repeat().subscribe(downstream)
    #expect(downstream.values == [1, 2, 1, 2, 1])
    downstream.request(.max(2))
    #expect(downstream.values == [1, 2, 1, 2, 1, 2, 1])
  }

  /// Each repetition takes no stack.
  @Test func aHundredThousandSubscriptionsFollowInALoop() {
    var count = 0
    let cancellable = Just(1).repeat(100_000).sink { count += $0 }
    withExtendedLifetime(cancellable) { #expect(count == 100_000) }
  }

  @Test func aCancelInsideASubscriptionStopsTheLoop() {
    var count = 0
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    downstream.onValue = { [unowned downstream] _ in
      count += 1
      if count == 3 { downstream.cancel() }
      return .none
    }
    Just(1).repeat().subscribe(downstream)
    #expect(count == 3)
    #expect(downstream.events.count == 4)
  }

  @Test func theLoopSubscribesAgainWhenTheSubscriptionHasCompletedInside() {
    var loop = Resubscription()
    expectStep(loop.begin())
    expectStep(!loop.begin())
    expectStep(loop.didSubscribe())
    expectStep(!loop.didSubscribe())
    expectStep(loop.begin())
  }
}

/// A publisher whose subscribers are handled by a closure.
struct EachTime<Output>: Publisher {

  typealias Failure = Never

  let subscribe: (AnySubscriber<Output, Never>) -> Void

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    subscribe(AnySubscriber(subscriber))
  }
}
