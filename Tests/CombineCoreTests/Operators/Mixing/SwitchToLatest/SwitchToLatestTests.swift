import TestSupport
import Testing

@testable import CombineCore

/// What a model cannot say, and examples. `CoreOperatorModelTests` have every sequence of events.
@Suite struct SwitchToLatestTests {

  fileprivate typealias Inner = ManualPublisher<Int, TestError>

  /// The upstream is a. Its values are the numbers of the inner publishers: 1 is b.
  private func fixture(requesting demand: Subscribers.Demand? = nil) -> MixingFixture {
    MixingFixture(count: 4, requesting: demand) { upstreams in upstreams[0].map { upstreams[$0] }.switchToLatest() }
  }

  // MARK: Upstream

  @Test func cancelsTheSameSubscriptionsWhenTheyArriveAgainAndKeepsThem() {
    let fixture = fixture(requesting: .unlimited)
    fixture.a.send(1)
    _ = fixture.take()
    fixture.a.send(subscription: fixture.a.subscription!)
    fixture.b.send(subscription: fixture.b.subscription!)
    #expect(fixture.take() == ["a cancel", "b cancel"])
    fixture.subscriber.cancel()
    #expect(fixture.take() == ["b cancel", "a cancel"])
  }

  @Test func theLatestMaySubscribeAgainAfterItsFinish() {
    let fixture = fixture(requesting: .max(3))
    fixture.a.send(1)
    fixture.b.send(completion: .finished)
    let again = ManualSubscription()
    fixture.b.send(subscription: again)
    #expect(again.history == [.requested(.max(3))])
    fixture.b.send(7)
    fixture.subscriber.cancel()
    #expect(again.history == [.requested(.max(3)), .cancelled])
    #expect(fixture.take().contains("value 7"))
  }

  // MARK: Demand

  @Test func demandCarriesOverToTheNextInnerPublisher() {
    let fixture = fixture(requesting: .max(1))
    _ = fixture.take()
    fixture.a.send(1)
    fixture.b.send(completion: .finished)
    fixture.request(.max(41))
    fixture.request(.max(1))
    #expect(fixture.take() == ["b request max(1)"])

    fixture.onValue = { _ in .max(5) }
    fixture.a.send(2)
    #expect(fixture.c.send(1) == .max(5))
    #expect(fixture.c.send(2) == .max(5))
    #expect(fixture.take() == ["c request max(43)", "value 1", "value 2"])

    fixture.a.send(3)
    fixture.a.send(completion: .finished)
    fixture.request(.max(9))
    #expect(fixture.take() == ["c cancel", "d request max(51)", "d request max(9)"])
  }

  @Test func demandReturnedForAReplacedInnerPublishersValueGoesToTheNewOne() {
    let fixture = fixture(requesting: .max(1))
    fixture.a.send(1)
    fixture.onValue = { [unowned fixture] in
      if $0 == 1 { fixture.a.send(2) }
      return .max(2)
    }
    _ = fixture.take()
    fixture.b.send(1)
    #expect(fixture.take() == ["value 1", "b cancel", "c request max(2)"])
    #expect(fixture.c.send(2) == .max(2))
  }

  // MARK: Overloads

  @Test func overloadsFollowTheFailureTypes() {
    typealias Safe = ManualPublisher<Int, Never>
    let safeOfSafe = ManualPublisher<Safe, Never>()
    let safeOfFailing = ManualPublisher<Inner, Never>()
    let failingOfSafe = ManualPublisher<Safe, TestError>()
    let failingOfFailing = ManualPublisher<Inner, TestError>()

    #expect(type(of: safeOfSafe.switchToLatest()) == Publishers.SwitchToLatest<Safe, ManualPublisher<Safe, Never>>.self)
    #expect(
      type(of: failingOfFailing.switchToLatest())
        == Publishers.SwitchToLatest<Inner, ManualPublisher<Inner, TestError>>.self
    )
    let second = safeOfFailing.switchToLatest()
    #expect(
      type(of: second)
        == Publishers.SwitchToLatest<Inner, Publishers.SetFailureType<ManualPublisher<Inner, Never>, TestError>>.self
    )
    #expect(second.upstream.upstream === safeOfFailing)

    typealias Wrapped = Publishers.SetFailureType<Safe, TestError>
    let fourth = failingOfSafe.switchToLatest()
    #expect(
      type(of: fourth)
        == Publishers.SwitchToLatest<Wrapped, Publishers.Map<ManualPublisher<Safe, TestError>, Wrapped>>.self
    )
    #expect(fourth.upstream.upstream === failingOfSafe)
    let child = Safe()
    #expect(fourth.upstream.transform(child).upstream === child)
  }

  @Test func isNotEquatable() {
    #expect(!(Just(Just(1)).switchToLatest() as Any is any Equatable))
  }

  // MARK: Lifetime and reflection

  @Test func keepsTheSubscriberUntilItDropsItsSubscription() {
    expectRetention { a, b in a.map { _ in b }.switchToLatest() }
  }

  @Test func releasesAnInnerPublisherThatHasFinished() {
    let child = Inner(subscription: nil)
    var isReleased = false
    let upstream = ManualPublisher<Inner, TestError>()
    upstream.switchToLatest().subscribe(RecordingSubscriber())
    upstream.send(child)
    child.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
    #expect(!isReleased)
    child.send(completion: .finished)
    #expect(isReleased)
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Inner, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.switchToLatest().subscribe(subscriber)
    let children = [Inner(), Inner()]
    upstream.send(children[0])
    let outer = upstream.subscriber!
    expectReflection(of: outer, description: "SwitchToLatest")
    #expect((outer as? any Subscription)?.combineIdentifier == subscriber.subscription!.combineIdentifier)
    let side = children[0].subscriber!
    expectReflection(of: side, description: "SwitchToLatest", children: ["parentSubscription"])
    #expect(reflectedChild("parentSubscription", of: side) as? CombineIdentifier == outer.combineIdentifier)
    #expect(!(side is any Subscription))
    upstream.send(children[1])
    #expect(side.combineIdentifier != children[1].subscriber!.combineIdentifier)
  }

  // MARK: Threads

  @Test func noValueOfAReplacedInnerPublisherFollowsOneOfTheNext() {
    for demand in [Subscribers.Demand.unlimited, .max(1_000_000)] {
      for _ in 0..<50 {
        let probe = OverlapProbe()
        let order = OrderProbe()
        let children = (0..<20).map { _ in PassthroughSubject<Int, TestError>() }
        let upstream = PassthroughSubject<PassthroughSubject<Int, TestError>, TestError>()
        upstream.switchToLatest().map { order.pass($0) }.subscribe(ProbeSubscriber(probe: probe, demand: demand))
        onThreads(3) { thread in
          for (index, child) in children.enumerated() {
            if thread == 0 {
              upstream.send(child)
              child.send(index)
            } else {
              for _ in 0..<10 { child.send(index) }
            }
          }
          if thread == 0 { upstream.send(completion: .finished) }
        }
        children.last!.send(completion: .finished)
        #expect(order.isAscending)
        #expect(probe.count >= 20)
        #expect(probe.completions == 1)
        #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
      }
    }
  }
}

/// Checks that the numbers never decrease. One thread at a time calls it, inside the operator's gate.
private final class OrderProbe: @unchecked Sendable {
  private var last = 0
  private(set) var isAscending = true

  func pass(_ number: Int) -> Int {
    isAscending = isAscending && number >= last
    last = number
    return number
  }
}
