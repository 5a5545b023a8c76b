import CombineExtras
import CombineTesting
import TestSupport
import Testing

/// The rules for demand, cancellation and the end that all operators follow.
@Suite struct OperatorRulesTests {

  private typealias Upstream = ManualPublisher<Int, TestError>
  private typealias Downstream = RecordingSubscriber<Int, TestError>

  @Test(arguments: OperatorCase.all)
  func cancelReachesTheUpstreamOnceAndNothingFollows(_ operation: OperatorCase) {
    guard operation.hasOwnConduit else { return }
    let scheduler = TestScheduler()
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(3))
    operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
    scheduler.advance(by: 1)
    upstream.send(1)
    downstream.cancel()
    downstream.cancel()
    #expect(upstream.history.filter { $0 == .cancelled }.count == 1)
    downstream.clear()
    upstream.send(2)
    upstream.send(completion: .finished)
    downstream.request(.max(1))
    scheduler.resume()
    #expect(downstream.events.isEmpty)
  }

  /// Notes whose subscriptions to an erased publisher it is told of.
  private final class Levels: _Introspection {

    private(set) var subscribers: Set<CombineIdentifier> = []

    func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input {
      if publisher is AnyPublisher<Int, TestError> { subscribers.insert(subscriber.combineIdentifier) }
    }
  }

  /// A handler watches the whole process.
  @Test func introspectionSeesEachOperatorAtItsUpstream() async {
    await #expect(processExitsWith: .success) {
      for operation in OperatorCase.all {
        let levels = Levels()
        levels.enable()
        let scheduler = TestScheduler()
        let upstream = Upstream()
        let downstream = Downstream(requesting: .unlimited)
        operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
        scheduler.advance(by: 1)
        levels.disable()
        let isReported = upstream.subscriber.map { levels.subscribers.contains($0.combineIdentifier) } ?? false
        #expect(isReported, "\(operation.testDescription)")
      }
    }
  }

  @Test(arguments: OperatorCase.all)
  func aSubscriptionAfterTheCancelIsCancelled(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    let upstream = Upstream(subscription: nil)
    let downstream = Downstream(requesting: .max(3))
    operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
    scheduler.advance(by: 1)
    // Some operators send their subscription when that of the upstream has arrived. There is none to cancel then.
    guard operation.hasOwnConduit, downstream.subscription != nil else { return }
    downstream.cancel()
    let late = ManualSubscription()
    upstream.send(subscription: late)
    #expect(late.history == [.cancelled])
  }

  @Test(arguments: OperatorCase.all)
  func aSecondSubscriptionIsCancelled(_ operation: OperatorCase) {
    guard operation.hasOwnConduit else { return }
    let scheduler = TestScheduler()
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(3))
    operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
    scheduler.advance(by: 1)
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(second.history == [.cancelled])
    #expect(!upstream.history.contains(.cancelled))
    #expect(downstream.events.count == 1)
  }

  @Test(arguments: OperatorCase.all)
  func requestsFromTheUpstreamWhatTheDownstreamRequests(_ operation: OperatorCase) {
    guard operation.passesDemand else { return }
    let scheduler = TestScheduler()
    let upstream = Upstream()
    let downstream = Downstream()
    operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
    scheduler.advance(by: 1)
    #expect(upstream.history.isEmpty)
    downstream.request(.max(2))
    #expect(upstream.history == [.requested(.max(2))])
    downstream.request(.max(3))
    #expect(upstream.history == [.requested(.max(2)), .requested(.max(3))])
  }

  @Test(arguments: OperatorCase.all, 0...3)
  func publishesNoMoreThanTheDemand(_ operation: OperatorCase, _ demand: Int) {
    let scheduler = TestScheduler()
    let upstream = PassthroughSubject<Int, TestError>()
    let downstream = Downstream()
    operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
    scheduler.advance(by: 1)
    if demand > 0 { downstream.request(.max(demand)) }
    for value in 1...12 {
      upstream.send(value)
      scheduler.advance(by: 1)
    }
    #expect(downstream.values.count <= demand)
    upstream.send(completion: .finished)
    scheduler.advance(by: 20)
    #expect(downstream.values.count <= demand)
  }

  /// The downstream requests one element inside the delivery of each.
  @Test(arguments: OperatorCase.all)
  func aRequestInsideADeliveryIsServed(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    let downstream = Downstream()
    var remaining = 3
    downstream.onSubscription = { $0.request(.max(1)) }
    downstream.onValue = { [unowned downstream] _ in
      remaining -= 1
      if remaining > 0 { downstream.request(.max(1)) }
      return .none
    }
    let upstream = PassthroughSubject<Int, TestError>()
    operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
    for value in 1...30 {
      scheduler.advance(by: 1)
      upstream.send(value)
    }
    scheduler.advance(by: 20)
    if operation.testDescription == "sample(by:)" || operation.testDescription == "suffix" {
      #expect(downstream.values.isEmpty)
    } else {
      #expect(downstream.values.count == 3)
    }
  }

  @Test(arguments: OperatorCase.all)
  func aFailureIsPassedOnAndTheUpstreamIsNotCancelled(_ operation: OperatorCase) {
    guard operation.hasOwnConduit else { return }
    let scheduler = TestScheduler()
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
    scheduler.advance(by: 1)
    upstream.send(1)
    upstream.send(completion: .failure("wrong"))
    upstream.send(2)
    upstream.send(completion: .finished)
    scheduler.resume()
    #expect(downstream.events.last == .failure("wrong"))
    #expect(downstream.events.filter { $0 == .value(2) || $0 == .finished }.isEmpty)
    downstream.cancel()
    #expect(!upstream.history.contains(.cancelled))
  }

  @Test(arguments: OperatorCase.all)
  func aSubscriptionKnowsNothingOfAnother(_ operation: OperatorCase) {
    func run(withAnother: Bool) -> [Event<Int>] {
      let scheduler = TestScheduler()
      let upstream = PassthroughSubject<Int, TestError>()
      let publisher = operation.apply(upstream.eraseToAnyPublisher(), scheduler)
      let other = Downstream(requesting: .max(2))
      let downstream = Downstream(requesting: .unlimited)
      if withAnother { publisher.subscribe(other) }
      publisher.subscribe(downstream)
      for value in 1...12 {
        scheduler.advance(by: 1)
        upstream.send(value)
        if value == 5 { other.cancel() }
      }
      upstream.send(completion: .finished)
      scheduler.advance(by: 100)
      return downstream.events
    }
    let alone = run(withAnother: false)
    #expect(alone.last == .finished)
    #expect(run(withAnother: true) == alone)
  }

  @Test(arguments: OperatorCase.all, [true, false])
  func releasesTheDownstreamAtTheEnd(_ operation: OperatorCase, _ cancels: Bool) {
    guard operation.hasOwnConduit else { return }
    let scheduler = TestScheduler()
    let upstream = Upstream()
    var isReleased = false
    var downstream: Downstream? = Downstream(
      onSubscription: { $0.request(.max(5)) },
      onDeinit: { isReleased = true }
    )
    operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream!)
    scheduler.advance(by: 1)
    upstream.send(1)
    let subscription = downstream?.subscription
    if cancels {
      subscription?.cancel()
    } else {
      upstream.send(completion: .finished)
      scheduler.resume()
    }
    downstream?.dropSubscription()
    downstream = nil
    // The upstream still holds the conduit, and this test the subscription.
    withExtendedLifetime((subscription, upstream)) { #expect(isReleased) }
  }

  /// What a scheduler keeps for long holds nothing of a cancelled subscription.
  @Test(arguments: OperatorCase.all)
  func leavesNothingInTheSchedulerAfterACancel(_ operation: OperatorCase) {
    let scheduler = TestScheduler()
    var isReleased = false
    do {
      let upstream = Upstream()
      let downstream = Downstream(onSubscription: { $0.request(.max(5)) }, onDeinit: { isReleased = true })
      operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
      scheduler.advance(by: 1)
      upstream.send(1)
      upstream.send(2)
      downstream.cancel()
      downstream.dropSubscription()
      upstream.dropSubscriber()
    }
    withExtendedLifetime(scheduler) { #expect(isReleased) }
  }
}
