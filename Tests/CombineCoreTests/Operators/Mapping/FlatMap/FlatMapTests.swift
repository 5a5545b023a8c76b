import Foundation
import TestSupport
import Testing

@testable import CombineCore

/// What a model cannot say, and examples. `CoreOperatorModelTests` have every sequence of events.
@Suite struct FlatMapTests {

  private typealias Manual = ManualPublisher<Int, TestError>

  /// The upstream is a. Its values are the numbers of the inner publishers, of which `count` are subscribed to.
  private func started(
    _ count: Int,
    maxPublishers: Subscribers.Demand = .unlimited,
    requesting demand: Subscribers.Demand? = nil
  ) -> MixingFixture {
    let fixture = MixingFixture(count: 5, requesting: demand) { upstreams in
      upstreams[0].flatMap(maxPublishers: maxPublishers) { upstreams[$0] }
    }
    for index in 0..<count { fixture.a.send(index + 1) }
    _ = fixture.take()
    return fixture
  }

  // MARK: Upstream

  @Test func maxPublishersIsUnlimitedByDefault() {
    let upstream = Manual()
    upstream.flatMap { _ in Manual() }.subscribe(RecordingSubscriber())
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func doesNotTransformAfterTheEnd() {
    for end in 0..<4 {
      let fixture = started(1)
      switch end {
      case 0: fixture.subscriber.cancel()
      case 1: fixture.a.send(completion: .failure("x"))
      case 2: fixture.b.send(completion: .failure("x"))
      default:
        fixture.a.send(completion: .finished)
        fixture.b.send(completion: .finished)
      }
      #expect(fixture.a.send(2) == .none)
      #expect(fixture.upstreams.map(\.subscribeCount) == [1, 1, 0, 0, 0])
    }
  }

  // MARK: Values

  @Test func deliversWithinDemandAndBuffersTheRest() {
    let fixture = started(2, requesting: .max(2))
    let child = fixture.b
    #expect(child.send(666) == .max(1))
    #expect(child.send(777) == .max(1))
    #expect(child.send(888) == .none)
    #expect(child.send(999) == .none)
    #expect(fixture.take() == ["value 666", "value 777"])
    fixture.request(.max(10))
    #expect(fixture.take() == ["value 888", "b request max(1)", "value 999", "b request max(1)"])
  }

  // MARK: Requests

  @Test func aReusedSlotBelongsToTheNewInnerPublisherOnly() {
    let fixture = started(1)
    fixture.b.send(1)
    fixture.b.send(completion: .finished)
    fixture.a.send(2)
    _ = fixture.take()
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 1"], "the old one's next value is not requested from the new one")
    fixture.a.send(completion: .finished)
    fixture.b.send(completion: .finished)
    #expect(fixture.take() == [], "the old one's second finish does not finish the new one")
    fixture.c.send(completion: .finished)
    #expect(fixture.take() == ["finished"])
  }

  // MARK: Completions

  @Test func requestsOneMoreForABufferedValueEvenIfThatReturnsUnlimitedDemand() {
    let fixture = started(1)
    fixture.b.send(1)
    fixture.onValue = { _ in .unlimited }
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 1", "b request max(1)", "b request unlimited"])
  }

  /// One inner publisher has failed, and the cancel of the next one makes a third one send. It is not cancelled yet.
  @Test(arguments: [.unlimited, .max(5)] as [Subscribers.Demand])
  func nothingIsDeliveredAfterACancelDuringAnInnerCancel(demand: Subscribers.Demand) {
    let fixture = started(3, requesting: demand)
    fixture.onValue = { [unowned fixture] _ in
      fixture.subscriber.cancel()
      return .max(1)
    }
    fixture.c.subscription!.onCancel = { [unowned fixture] in
      fixture.upstreams[3].send(1)
      fixture.upstreams[3].send(2)
    }
    fixture.b.send(completion: .failure("x"))
    #expect(fixture.take() == ["value 1", "d cancel", "a cancel"])
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

  @Test func keepsItsClosureForLife() {
    final class Token {}
    let upstream = Manual()
    let subscriber = RecordingSubscriber<Int, TestError>()
    weak var released: Token?
    do {
      let token = Token()
      released = token
      upstream.flatMap { value in withExtendedLifetime(token) { [value].publisher.setFailureType(to: TestError.self) } }
        .subscribe(subscriber)
    }
    upstream.send(completion: .finished)
    #expect(subscriber.events.last == .finished)
    #expect(released != nil)
    upstream.dropSubscriber()
    subscriber.dropSubscription()
    #expect(released == nil)
  }

  @Test func releasesAnInnerPublisherThatHasFinished() {
    let child = Manual(subscription: nil)
    var isReleased = false
    let upstream = Manual()
    upstream.flatMap { _ in child }.subscribe(RecordingSubscriber())
    upstream.send(0)
    child.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
    #expect(!isReleased)
    child.send(completion: .finished)
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
    let outer = fixture.a.subscriber!
    expectReflection(of: outer, description: "FlatMap")
    #expect((outer as? any Subscription)?.combineIdentifier == fixture.subscriber.subscription!.combineIdentifier)
    let side = fixture.b.subscriber!
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
