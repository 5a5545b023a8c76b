import Foundation
import TestSupport
import Testing

@testable import CombineCore

/// An upstream of numbers, a manual inner publisher for each, and a subscriber. One log records the events of all.
private final class FlatMapFixture {

  typealias Manual = ManualPublisher<Int, TestError>

  let upstream: Manual
  let subscriber = RecordingSubscriber<Int, TestError>()
  private(set) var children: [Manual] = []
  private(set) var log: [String] = []
  private(set) var transformCount = 0
  var onValue: (Int) -> Subscribers.Demand = { _ in .none }
  var onCompletion: () -> Void = {}

  init(
    maxPublishers: Subscribers.Demand = .unlimited,
    hasSubscription: Bool = true,
    children count: Int = 3,
    silentChildren: Bool = false,
    requesting demand: Subscribers.Demand? = nil
  ) {
    upstream = Manual(subscription: hasSubscription ? ManualSubscription() : nil)
    for index in 0..<count {
      let child = Manual(subscription: silentChildren ? nil : ManualSubscription())
      if let subscription = child.subscription { watch(subscription, "c\(index)") }
      children.append(child)
    }
    if let subscription = upstream.subscription { watch(subscription, "upstream") }
    subscriber.onSubscription = { [unowned self] in
      note("subscription \($0)")
      if let demand { $0.request(demand) }
    }
    subscriber.onValue = { [unowned self] in
      note("value \($0)")
      return onValue($0)
    }
    subscriber.onCompletion = { [unowned self] in
      switch $0 {
      case .finished: note("finished")
      case .failure(let error): note("failure \(error)")
      }
      onCompletion()
    }
    upstream.flatMap(maxPublishers: maxPublishers) { [unowned self] (index: Int) -> Manual in
      transformCount += 1
      return children[index]
    }.subscribe(subscriber)
  }

  func note(_ entry: String) { log.append(entry) }

  func watch(_ subscription: ManualSubscription, _ name: String) {
    subscription.onRequest = { [unowned self] in note("\(name) request \($0)") }
    subscription.onCancel = { [unowned self] in note("\(name) cancel") }
  }

  func subscription(_ name: String) -> ManualSubscription {
    let subscription = ManualSubscription()
    watch(subscription, name)
    return subscription
  }

  func take() -> [String] {
    defer { log = [] }
    return log
  }

  func request(_ demand: Subscribers.Demand) { subscriber.request(demand) }
}

@Suite struct FlatMapTests {

  private typealias Manual = ManualPublisher<Int, TestError>

  /// Makes a fixture whose first inner publishers are subscribed to, with an empty log.
  private func started(
    _ count: Int,
    maxPublishers: Subscribers.Demand = .unlimited,
    requesting demand: Subscribers.Demand? = nil
  ) -> FlatMapFixture {
    let fixture = FlatMapFixture(maxPublishers: maxPublishers, children: count, requesting: demand)
    for index in 0..<count { fixture.upstream.send(index) }
    _ = fixture.take()
    return fixture
  }

  // MARK: Upstream

  @Test func theDownstreamReceivesItsSubscriptionBeforeMaxPublishersAreRequested() {
    for (demand, text) in [(Subscribers.Demand.unlimited, "unlimited"), (.max(2), "max(2)"), (.none, "max(0)")] {
      let fixture = FlatMapFixture(maxPublishers: demand)
      #expect(fixture.take() == ["subscription FlatMap", "upstream request \(text)"])
    }
  }

  @Test func maxPublishersIsUnlimitedByDefault() {
    let upstream = Manual()
    upstream.flatMap { _ in Manual() }.subscribe(RecordingSubscriber())
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func cancelsASecondSubscriptionOfTheUpstream() {
    let fixture = started(0)
    fixture.upstream.send(subscription: fixture.subscription("late"))
    #expect(fixture.take() == ["late cancel"])
    fixture.upstream.send(subscription: fixture.upstream.subscription!)
    #expect(fixture.take() == ["upstream cancel"])
    fixture.subscriber.cancel()
    #expect(fixture.take() == ["upstream cancel"])
    fixture.upstream.send(subscription: fixture.subscription("late"))
    #expect(fixture.take() == ["late cancel"])
  }

  @Test func cancelsTheUpstreamsSubscriptionAfterTheEnd() {
    let fixture = FlatMapFixture(hasSubscription: false)
    fixture.upstream.send(completion: .finished)
    fixture.upstream.send(subscription: fixture.subscription("late"))
    #expect(fixture.take() == ["subscription FlatMap", "finished", "late cancel"])
  }

  @Test func subscribesToAnInnerPublisherForEachValueAndReturnsNoDemand() {
    let fixture = FlatMapFixture(hasSubscription: false, children: 2, requesting: .unlimited)
    #expect(fixture.upstream.send(0) == .none)
    #expect(fixture.upstream.send(1) == .none)
    #expect(fixture.take() == ["subscription FlatMap", "c0 request unlimited", "c1 request unlimited"])
  }

  @Test func doesNotTransformAfterTheEnd() {
    for end in 0..<4 {
      let fixture = started(1)
      switch end {
      case 0: fixture.subscriber.cancel()
      case 1: fixture.upstream.send(completion: .failure("x"))
      case 2: fixture.children[0].send(completion: .failure("x"))
      default:
        fixture.upstream.send(completion: .finished)
        fixture.children[0].send(completion: .finished)
      }
      #expect(fixture.upstream.send(0) == .none)
      #expect(fixture.transformCount == 1)
      #expect(fixture.children[0].subscribeCount == 1)
    }
  }

  // MARK: Inner subscriptions

  @Test func requestsOneValueOfEachInnerPublisherForAnyFiniteDemand() {
    for demand in [Subscribers.Demand?.none, .max(1), .max(10)] {
      let fixture = FlatMapFixture(requesting: demand)
      fixture.upstream.send(0)
      #expect(fixture.take().last == "c0 request max(1)")
    }
  }

  @Test func cancelsASecondInnerSubscriptionAndOneAfterTheEnd() {
    let fixture = started(1)
    fixture.children[0].send(subscription: fixture.subscription("late"))
    #expect(fixture.take() == ["late cancel"])
    fixture.children[0].send(completion: .finished)
    fixture.children[0].send(subscription: fixture.subscription("late"))
    #expect(fixture.take() == ["late cancel"])

    let cancelled = FlatMapFixture(children: 1, silentChildren: true)
    cancelled.upstream.send(0)
    cancelled.subscriber.cancel()
    _ = cancelled.take()
    cancelled.children[0].send(subscription: cancelled.subscription("late"))
    #expect(cancelled.take() == ["late cancel"])
  }

  // MARK: Values

  @Test func deliversWithinDemandAndBuffersTheRest() {
    let fixture = started(2, requesting: .max(2))
    let child = fixture.children[0]
    #expect(child.send(666) == .max(1))
    #expect(child.send(777) == .max(1))
    #expect(child.send(888) == .none)
    #expect(child.send(999) == .none)
    #expect(fixture.take() == ["value 666", "value 777"])
    fixture.request(.max(10))
    #expect(fixture.take() == ["value 888", "c0 request max(1)", "value 999", "c0 request max(1)"])
  }

  @Test func unlimitedDemandForwardsValuesAndIgnoresReturnedDemand() {
    let fixture = started(1, requesting: .unlimited)
    fixture.onValue = { _ in .max(5) }
    #expect(fixture.children[0].send(1) == .none)
    #expect(fixture.take() == ["value 1"])
  }

  @Test func returnedDemandAddsUp() {
    let fixture = started(1, requesting: .max(1))
    fixture.onValue = { $0 == 1 ? .max(2) : .none }
    #expect(fixture.children[0].send(1) == .max(1))
    #expect(fixture.children[0].send(2) == .max(1))
    #expect(fixture.children[0].send(3) == .max(1))
    #expect(fixture.children[0].send(4) == .none)
    #expect(fixture.take() == ["value 1", "value 2", "value 3"])
  }

  @Test func aRequestDuringADeliveryRaisesTheDemandOnly() {
    let fixture = started(1, requesting: .max(1))
    fixture.onValue = { [unowned fixture] in
      if $0 == 0 { fixture.request(.max(3)) }
      return .none
    }
    #expect((0...6).map { fixture.children[0].send($0) } == [1, 1, 1, 1, 0, 0, 0].map { .max($0) })
    #expect(fixture.take() == (0...3).map { "value \($0)" })
    fixture.request(.max(10))
    #expect(fixture.take() == (4...6).flatMap { ["value \($0)", "c0 request max(1)"] })
  }

  @Test func anUnlimitedRequestDuringADeliveryIsForwardedAfterIt() {
    let fixture = started(2, requesting: .max(1))
    fixture.onValue = { [unowned fixture] _ in
      fixture.request(.unlimited)
      fixture.note("requested")
      return .none
    }
    #expect(fixture.children[0].send(1) == .max(1))
    #expect(fixture.take() == ["value 1", "requested", "c0 request unlimited", "c1 request unlimited"])
    #expect(fixture.children[0].send(2) == .none)
  }

  @Test func nestedValuesAreDeliveredNestedWithinDemand() {
    let fixture = started(2, requesting: .max(2))
    fixture.onValue = { [unowned fixture] in
      if $0 == 666 { #expect(fixture.children[1].send(777) == .max(1)) }
      fixture.note("end \($0)")
      return .none
    }
    #expect(fixture.children[0].send(666) == .max(1))
    #expect(fixture.take() == ["value 666", "value 777", "end 777", "end 666"])
  }

  @Test func aValueBufferedDuringADeliveryIsPublishedIfThatReturnsDemand() {
    let fixture = started(2, requesting: .max(1))
    fixture.onValue = { [unowned fixture] in
      if $0 == 1 { #expect(fixture.children[1].send(2) == .none) }
      return $0 == 1 ? .max(1) : .none
    }
    #expect(fixture.children[0].send(1) == .max(1))
    #expect(fixture.take() == ["value 1", "value 2", "c1 request max(1)"])
  }

  @Test func valuesAfterAFailureAreDeliveredWhileDemandRemains() {
    let fixture = started(1, requesting: .max(5))
    fixture.onCompletion = { [unowned fixture] in fixture.children[0].send(1) }
    fixture.children[0].send(completion: .failure("x"))
    #expect(fixture.take() == ["failure x", "value 1"])
    for value in 2...6 { fixture.children[0].send(value) }
    #expect(fixture.take() == (2...5).map { "value \($0)" })
    fixture.request(.max(1))
    #expect(fixture.children[0].send(7) == .none, "a request after the end is ignored")
    #expect(fixture.take() == [])
  }

  // MARK: Requests

  @Test func anUnlimitedRequestDeliversTheBufferThenRequestsFromTheInnerPublishers() {
    let fixture = started(2)
    fixture.children[1].send(1)
    fixture.children[0].send(2)
    fixture.onValue = { _ in .max(3) }
    fixture.request(.unlimited)
    #expect(fixture.take() == ["value 1", "value 2", "c0 request unlimited", "c1 request unlimited"])
    fixture.request(.unlimited)
    #expect(fixture.take() == ["c0 request unlimited", "c1 request unlimited"], "each time")
  }

  @Test func returnedDemandDeliversMoreOfTheBuffer() {
    let fixture = started(2)
    fixture.children[0].send(1)
    fixture.children[1].send(2)
    fixture.onValue = { $0 == 1 ? .max(1) : .none }
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 1", "c0 request max(1)", "value 2", "c1 request max(1)"])
  }

  @Test func aValueSentDuringTheRequestOfADrainIsDeliveredAfterTheOthers() {
    let fixture = started(2)
    fixture.children[0].send(1)
    fixture.children[1].send(2)
    var next = 10
    fixture.children[0].subscription!.onRequest = { [unowned fixture] _ in
      next += 1
      if next < 13 { #expect(fixture.children[0].send(next) == .none) }
    }
    fixture.request(.max(10))
    #expect(fixture.take() == ["value 1", "value 2", "c1 request max(1)", "value 11", "value 12"])
  }

  @Test func requestsNothingOfAnInnerPublisherThatHasFinished() {
    let fixture = started(2)
    fixture.children[0].send(1)
    fixture.children[0].send(completion: .finished)
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 1"])
    #expect(fixture.children[1].history == [.requested(.max(1))])
  }

  @Test func aReusedSlotBelongsToTheNewInnerPublisherOnly() {
    let fixture = FlatMapFixture(children: 2)
    fixture.upstream.send(0)
    fixture.children[0].send(1)
    fixture.children[0].send(completion: .finished)
    fixture.upstream.send(1)
    _ = fixture.take()
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 1"], "the old one's next value is not requested from the new one")
    fixture.upstream.send(completion: .finished)
    fixture.children[0].send(completion: .finished)
    #expect(fixture.take() == [], "the old one's second finish does not finish the new one")
    fixture.children[1].send(completion: .finished)
    #expect(fixture.take() == ["finished"])
  }

  @Test func requestsAfterTheEndAreIgnored() {
    let fixture = started(1)
    fixture.children[0].send(1)
    fixture.subscriber.cancel()
    _ = fixture.take()
    fixture.request(.max(3))
    #expect(fixture.take() == [])
  }

  @Test func cancelDuringADrainStopsIt() {
    let fixture = started(1)
    fixture.children[0].send(1)
    fixture.children[0].send(2)
    fixture.onValue = { [unowned fixture] _ in
      fixture.subscriber.cancel()
      return .none
    }
    fixture.request(.unlimited)
    #expect(fixture.take() == ["value 1", "c0 cancel", "upstream cancel"])
  }

  // MARK: Completions

  @Test func finishesWhenTheUpstreamAndAllInnerPublishersHave() {
    let fixture = started(2, requesting: .unlimited)
    fixture.children[0].send(completion: .finished)
    fixture.upstream.send(completion: .finished)
    #expect(fixture.take() == [])
    fixture.children[1].send(completion: .finished)
    #expect(fixture.take() == ["finished"])
    fixture.children[1].send(completion: .finished)
    fixture.upstream.send(completion: .finished)
    fixture.upstream.send(completion: .failure("x"))
    fixture.children[0].send(completion: .failure("x"))
    #expect(fixture.take() == [])
  }

  @Test func finishesWithTheUpstreamIfThereAreNoInnerPublishers() {
    let fixture = started(0)
    fixture.upstream.send(completion: .finished)
    #expect(fixture.take() == ["finished"])
  }

  @Test func theFinishFollowsTheBufferedValues() {
    let fixture = started(1, requesting: .max(1))
    fixture.children[0].send(666)
    fixture.children[0].send(777)
    fixture.upstream.send(completion: .finished)
    fixture.children[0].send(completion: .finished)
    #expect(fixture.take() == ["value 666"])
    fixture.request(.unlimited)
    #expect(fixture.take() == ["value 777", "finished"])
  }

  @Test func requestsOneMoreForABufferedValueEvenIfThatReturnsUnlimitedDemand() {
    let fixture = started(1)
    fixture.children[0].send(1)
    fixture.onValue = { _ in .unlimited }
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 1", "c0 request max(1)", "c0 request unlimited"])
  }

  @Test func aFinishDuringTheLastBufferedValueIsForwardedAtOnce() {
    let fixture = started(1)
    fixture.children[0].send(1)
    fixture.onValue = { [unowned fixture] _ in
      fixture.upstream.send(completion: .finished)
      fixture.children[0].send(completion: .finished)
      fixture.note("value done")
      return .none
    }
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 1", "finished", "value done"])
  }

  @Test func ignoresARequestDuringTheCompletion() {
    let fixture = started(1)
    fixture.onCompletion = { [unowned fixture] in fixture.request(.max(1)) }
    fixture.upstream.send(completion: .finished)
    fixture.children[0].send(completion: .finished)
    #expect(fixture.take() == ["finished"])
    #expect(fixture.children[0].send(1) == .none)
    #expect(fixture.take() == [])
  }

  @Test func cancelDuringAnInnerCancelSuppressesTheFailure() {
    for isChildsFailure in [true, false] {
      let fixture = started(2)
      fixture.children[1].subscription!.onCancel = { [unowned fixture] in
        fixture.note("c1 cancel")
        fixture.subscriber.cancel()
      }
      (isChildsFailure ? fixture.children[0] : fixture.upstream).send(completion: .failure("x"))
      #expect(fixture.take() == (isChildsFailure ? ["c1 cancel", "upstream cancel"] : ["c0 cancel", "c1 cancel"]))
    }
  }

  /// One inner publisher has failed, and the cancel of the next one makes a third one send. It is not cancelled yet.
  @Test(arguments: [.unlimited, .max(5)] as [Subscribers.Demand])
  func nothingIsDeliveredAfterACancelDuringAnInnerCancel(demand: Subscribers.Demand) {
    let fixture = started(3, requesting: demand)
    fixture.onValue = { [unowned fixture] _ in
      fixture.subscriber.cancel()
      return .max(1)
    }
    fixture.children[1].subscription!.onCancel = { [unowned fixture] in
      fixture.children[2].send(1)
      fixture.children[2].send(2)
    }
    fixture.children[0].send(completion: .failure("x"))
    #expect(fixture.take() == ["value 1", "c2 cancel", "upstream cancel"])
  }

  @Test func eachInnerFinishRequestsAnotherValueUntilTheUpstreamFinishes() {
    let fixture = started(1, maxPublishers: .max(1))
    fixture.upstream.send(completion: .finished)
    fixture.children[0].send(completion: .finished)
    fixture.children[0].send(completion: .finished)
    #expect(fixture.take() == ["finished"])

    let live = started(1, maxPublishers: .max(1))
    live.children[0].send(completion: .finished)
    live.children[0].send(completion: .finished)
    #expect(live.take() == ["upstream request max(1)", "upstream request max(1)"])
  }

  @Test func anUnlimitedMaximumIsRequestedOnce() {
    let fixture = started(1)
    fixture.children[0].send(completion: .finished)
    #expect(fixture.take() == [])
  }

  @Test func aFinishWaitsForAnInnerPublisherWithoutASubscription() {
    let fixture = FlatMapFixture(children: 1, silentChildren: true)
    fixture.upstream.send(0)
    fixture.upstream.send(completion: .finished)
    #expect(fixture.take() == ["subscription FlatMap", "upstream request unlimited"])
    fixture.children[0].send(subscription: fixture.subscription("c0"))
    #expect(fixture.take() == ["c0 request max(1)"])
    fixture.children[0].send(completion: .finished)
    #expect(fixture.take() == ["finished"])
  }

  @Test func anInnerFinishDuringTheUpstreamsRequestIsHandled() {
    let fixture = started(1, maxPublishers: .max(1))
    var depth = 0
    fixture.upstream.subscription!.onRequest = { [unowned fixture] _ in
      fixture.note("upstream request")
      depth += 1
      if depth <= 5 { fixture.children[0].send(completion: .finished) }
    }
    fixture.children[0].send(completion: .finished)
    #expect(fixture.upstream.history == Array(repeating: .requested(.max(1)), count: 7))
    #expect(fixture.children[0].history == [.requested(.max(1))])
    #expect(fixture.take() == Array(repeating: "upstream request", count: 6))
  }

  @Test func anUpstreamFailureCancelsTheInnerPublishersFirst() {
    let fixture = started(2)
    fixture.children[0].send(1)
    fixture.upstream.send(completion: .failure("x"))
    #expect(fixture.take() == ["c0 cancel", "c1 cancel", "failure x"])
    fixture.upstream.send(completion: .failure("y"))
    fixture.request(.unlimited)
    fixture.subscriber.cancel()
    #expect(fixture.take() == [])
  }

  @Test func failingAgainDuringAnInnerCancelTraps() async {
    await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let upstream = ManualPublisher<Int, TestError>()
      let child = ManualPublisher<Int, TestError>()
      upstream.flatMap { _ in child }.subscribe(RecordingSubscriber())
      upstream.send(0)
      child.subscription!.onCancel = { upstream.send(completion: .failure("again")) }
      upstream.send(completion: .failure("first"))
    }.expectMisuse("FlatMap", .failureInsideFailure)
  }

  @Test func anInnerFailureCancelsTheOtherInnerPublishersOnly() {
    let fixture = started(3, maxPublishers: .max(3))
    fixture.children[2].send(1)
    fixture.children[1].send(completion: .failure("x"))
    #expect(fixture.take() == ["c0 cancel", "c2 cancel", "failure x"])
    fixture.children[0].send(completion: .failure("y"))
    fixture.subscriber.cancel()
    fixture.request(.max(1))
    #expect(fixture.take() == [])
  }

  @Test func cancelsTheInnerPublishersAndThenTheUpstreamOnce() {
    let fixture = started(2)
    fixture.subscriber.cancel()
    fixture.subscriber.cancel()
    #expect(fixture.take() == ["c0 cancel", "c1 cancel", "upstream cancel"])
    fixture.upstream.send(completion: .finished)
    fixture.upstream.send(completion: .failure("x"))
    fixture.children[0].send(completion: .failure("x"))
    fixture.children[0].send(completion: .finished)
    #expect(fixture.take() == [])
  }

  // MARK: In pipelines

  @Test func deliversSequencesInOrderTwoAtATime() {
    var events: [Event<Int>] = []
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
    subscriber.onValue = { _ in .max(1) }
    let numbers = [1, 2, 3, 4].publisher
    numbers.flatMap(maxPublishers: .max(2)) { number in (0..<4).map { number * 10 + $0 }.publisher }
      .subscribe(subscriber)
    events = subscriber.events
    let expected = [1, 2, 3, 4].flatMap { number in (0..<4).map { Event.value(number * 10 + $0) } }
    #expect(events == [.subscription("FlatMap")] + expected + [.finished])
  }

  @Test func manyInnerPublishersOneAtATimeNeedNoStack() {
    var sum = 0
    let numbers = (0..<100_000).publisher
    let cancellable = numbers.flatMap(maxPublishers: .max(1)) { Just($0) }.sink { sum += $0 }
    #expect(sum == 99_999 * 50_000)
    cancellable.cancel()
  }

  @Test func aSubscriberThatRequestsOneByOneReceivesEverything() {
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
    subscriber.onValue = { _ in .none }
    let numbers = (0..<10).publisher
    numbers.flatMap { [$0, $0].publisher }.subscribe(subscriber)
    for _ in 0..<25 { subscriber.request(.max(1)) }
    #expect(subscriber.values.sorted() == (0..<10).flatMap { [$0, $0] })
    #expect(subscriber.events.last == .finished)
  }

  // MARK: Overloads

  @Test func overloadsFollowTheFailureTypes() {
    typealias Never1 = ManualPublisher<Int, Never>
    let safe = Never1()
    let failing = Manual()

    #expect(type(of: safe.flatMap { _ in Never1() }) == Publishers.FlatMap<Never1, Never1>.self)
    #expect(type(of: failing.flatMap { _ in Manual() }) == Publishers.FlatMap<Manual, Manual>.self)

    let second = safe.flatMap { _ in failing }
    #expect(type(of: second) == Publishers.FlatMap<Manual, Publishers.SetFailureType<Never1, TestError>>.self)
    #expect(second.upstream.upstream === safe)

    let fourth = failing.flatMap(maxPublishers: .max(3)) { _ in safe }
    #expect(type(of: fourth) == Publishers.FlatMap<Publishers.SetFailureType<Never1, TestError>, Manual>.self)
    #expect(fourth.transform(1).upstream === safe)
    #expect(fourth.upstream === failing)
    #expect(fourth.maxPublishers == .max(3))
    #expect(second.maxPublishers == .unlimited)
  }

  @Test func everyOverloadDelivers() {
    let safe = [1].publisher
    let failing = Publishers.SetFailureType<Just<Int>, TestError>(upstream: Just(2))
    let subscribers = (0..<3).map { _ in RecordingSubscriber<Int, TestError>(requesting: .unlimited) }
    safe.flatMap { _ in failing }.subscribe(subscribers[0])
    failing.flatMap { _ in safe }.subscribe(subscribers[1])
    failing.flatMap { _ in failing }.subscribe(subscribers[2])
    #expect(subscribers.map(\.values) == [[2], [1], [2]])
    #expect(subscribers.allSatisfy { $0.events.last == .finished })
  }

  // MARK: Lifetime and reflection

  @Test func keepsTheSubscriberUntilItDropsItsSubscription() {
    expectRetention { a, _ in a.flatMap { _ in MixingFixture.Upstream() } }
  }

  @Test func releasesAnInnerPublisherThatHasFinished() {
    let fixture = FlatMapFixture(children: 1, silentChildren: true)
    var isReleased = false
    fixture.upstream.send(0)
    fixture.children[0].send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
    #expect(!isReleased)
    fixture.children[0].send(completion: .finished)
    #expect(isReleased)
  }

  @Test func releasesBufferedValuesWithoutHoldingTheLock() {
    final class Value {
      let onDeinit: () -> Void
      init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }
    let child = ManualPublisher<Value, TestError>()
    let upstream = Manual()
    let subscriber = RecordingSubscriber<Value, TestError>()
    upstream.flatMap { _ in child }.subscribe(subscriber)
    upstream.send(0)
    var released = 0
    // A nested request takes the lock. It traps if the lock is held.
    child.send(
      Value { [unowned subscriber] in
        released += 1
        subscriber.request(.max(1))
      }
    )
    subscriber.cancel()
    #expect(released == 1)
    subscriber.dropSubscription()
  }

  @Test func reflectsItself() {
    let fixture = started(1)
    let outer = fixture.upstream.subscriber!
    expectReflection(of: outer, description: "FlatMap")
    #expect((outer as? any Subscription)?.combineIdentifier == fixture.subscriber.subscription!.combineIdentifier)
    let side = fixture.children[0].subscriber!
    expectReflection(of: side, description: "FlatMap", children: ["parentSubscription"])
    #expect(reflectedChild("parentSubscription", of: side) as? CombineIdentifier == outer.combineIdentifier)
    #expect(!(side is any Subscription))
    #expect(side.combineIdentifier != outer.combineIdentifier)
  }

  // MARK: Threads

  @Test func innerPublishersOnTwoThreadsLoseNothingAndNeverOverlap() {
    for demand in [Subscribers.Demand.unlimited, .max(100_000)] {
      let probe = OverlapProbe()
      let subjects = [PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>()]
      let upstream = PassthroughSubject<Int, TestError>()
      upstream.flatMap { subjects[$0] }.subscribe(ProbeSubscriber(probe: probe, demand: demand))
      upstream.send(0)
      upstream.send(1)
      upstream.send(completion: .finished)
      onThreads(2) { thread in
        for value in 0..<2000 { subjects[thread].send(value) }
        subjects[thread].send(completion: .finished)
      }
      #expect(probe.count == 4000)
      #expect(probe.completions == 1)
      #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
    }
  }

  @Test func oneByOneDemandFromTwoThreadsLosesNothing() {
    for returning in [true, false] {
      let probe = OverlapProbe()
      let children = (0..<2).map { _ in SteppingPublisher(count: 1000) }
      let upstream = PassthroughSubject<Int, TestError>()
      let flat = upstream.flatMap { children[$0] }
      let requester = RequestingSubscriber(probe: probe)
      if returning {
        flat.subscribe(OneByOneSubscriber(probe: probe))
      } else {
        flat.subscribe(requester)
      }
      upstream.send(0)
      upstream.send(1)
      upstream.send(completion: .finished)
      onThreads(3) {
        if $0 < 2 {
          children[$0].run()
        } else if !returning {
          requester.run(requests: 2000)
        }
      }
      #expect(probe.count == 2000)
      #expect(probe.completions == 1)
      #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
    }
  }

  @Test func cancellingWhileInnerPublishersStartAndFinishIsSafe() {
    for _ in 0..<100 {
      let probe = OverlapProbe()
      let upstream = PassthroughSubject<Int, TestError>()
      let child = PassthroughSubject<Int, TestError>()
      let cancellable = upstream.flatMap { _ in child }
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in probe.enter {} })
      onThreads(3) { thread in
        switch thread {
        case 0: for value in 0..<50 { upstream.send(value) }
        case 1: for value in 0..<50 { child.send(value) }
        default: cancellable.cancel()
        }
      }
      let count = probe.count
      child.send(1)
      upstream.send(1)
      child.send(1)
      #expect(probe.count == count)
      #expect(!probe.hasOverlapped)
    }
  }
}

/// A subscriber for which a separate thread requests the values one by one.
private struct RequestingSubscriber: Subscriber, @unchecked Sendable {

  typealias Input = Int
  typealias Failure = TestError

  private final class Box {
    var subscription: (any Subscription)?  // Set while subscribing, before the threads start.
  }

  let combineIdentifier = CombineIdentifier()
  let probe: OverlapProbe
  private let box = Box()

  init(probe: OverlapProbe) { self.probe = probe }

  func receive(subscription: any Subscription) { box.subscription = subscription }

  func receive(_ input: Int) -> Subscribers.Demand {
    probe.enter {}
    return .none
  }

  func receive(completion: Subscribers.Completion<TestError>) { probe.complete() }

  func run(requests: Int) {
    for _ in 0..<requests { box.subscription?.request(.max(1)) }
  }
}
