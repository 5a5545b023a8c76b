import TestSupport
import Testing

@testable import CombineCore

@Suite struct ZipTests {

  private typealias Upstream = ManualPublisher<Int, TestError>

  private func fixture(hasSubscriptions: Bool = true, requesting demand: Subscribers.Demand? = nil) -> MixingFixture {
    MixingFixture(hasSubscriptions: hasSubscriptions, requesting: demand) { $0[0].zip($0[1]) { $0 + $1 } }
  }

  private func fixture3(requesting demand: Subscribers.Demand? = nil) -> MixingFixture {
    MixingFixture(count: 3, requesting: demand) { $0[0].zip($0[1], $0[2]) { $0 + $1 + $2 } }
  }

  // MARK: Subscribing

  @Test func requestsDuringTheSubscriptionAreForwardedAsOneAfterwards() {
    let fixture = MixingFixture { $0[0].zip($0[1]) { $0 + $1 } }
    #expect(fixture.take() == ["subscription Zip"])

    let a = Upstream()
    let b = Upstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    subscriber.onSubscription = {
      $0.request(.max(2))
      $0.request(.max(3))
      #expect(a.history.isEmpty && b.history.isEmpty)
    }
    a.zip(b) { $0 + $1 }.subscribe(subscriber)
    #expect(a.history == [.requested(.max(5))])
    #expect(b.history == [.requested(.max(5))])
  }

  @Test func cancelDuringTheSubscriptionDropsAHeldCompletion() {
    let a = Upstream(subscription: nil)
    let b = Upstream()
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: { $0.cancel() })
    a.zip(b) { $0 + $1 }.subscribe(subscriber)
    a.send(completion: .failure("x"))
    a.send(subscription: ManualSubscription())
    #expect(subscriber.events == [.subscription("Zip")])
    #expect(b.history == [.cancelled])
  }

  @Test func aCompletionBeforeTheSubscriptionWaitsForItAndNothingIsRequested() {
    let fixture = fixture(hasSubscriptions: false, requesting: .unlimited)
    fixture.a.send(completion: .finished)
    #expect(fixture.take() == [])
    fixture.a.send(subscription: ManualSubscription())
    let second = ManualSubscription()
    fixture.b.send(subscription: second)
    #expect(fixture.take() == ["subscription Zip", "finished"])
    #expect(second.history == [.cancelled])
  }

  // MARK: Values

  @Test func zipsInOrderAndFinishesWithTheLastPossibleTuple() {
    let fixture = fixture(requesting: .unlimited)
    #expect(fixture.take() == ["subscription Zip", "a request unlimited", "b request unlimited"])
    for value in [100, 200, 300] { #expect(fixture.a.send(value) == .none) }
    #expect(fixture.b.send(1) == .none)
    fixture.a.send(completion: .finished)
    #expect(fixture.b.send(2) == .none)
    #expect(fixture.take() == ["value 101", "value 202"])
    #expect(fixture.b.send(3) == .none)
    #expect(fixture.take() == ["value 303", "b cancel", "finished"])
    fixture.b.send(completion: .finished)
    fixture.b.send(completion: .failure("x"))
    #expect(fixture.b.send(4) == .none)
    #expect(fixture.a.send(4) == .none)
    fixture.cancel()
    #expect(fixture.take() == [])
  }

  @Test func demandRequestedAndReturnedAddUp() {
    let fixture = fixture3(requesting: .max(1))
    fixture.onValue = { [unowned fixture] _ in
      fixture.request(.max(2))
      return .max(3)
    }
    _ = fixture.take()
    fixture.a.send(1)
    fixture.c.send(1)
    #expect(fixture.b.send(1) == .max(5))
    #expect(fixture.take() == ["value 3", "a request max(5)", "c request max(5)"])
  }

  // MARK: Completions

  @Test func finishesAtOnceWithAnUpstreamThatHasNoBufferedValues() {
    for index in 0..<3 {
      let fixture = fixture3(requesting: .unlimited)
      _ = fixture.take()
      fixture.upstreams[index].send(completion: .finished)
      let others = ["a", "b", "c"].enumerated().filter { $0.offset != index }.map { "\($0.element) cancel" }
      #expect(fixture.take() == others + ["finished"])
      for upstream in fixture.upstreams {
        #expect(upstream.send(1) == .none)
        upstream.send(completion: .failure("late"))
        upstream.send(completion: .finished)
      }
      #expect(fixture.take() == [])
    }
  }

  @Test func finishesOnceWhenASecondUpstreamWithoutBufferedValuesFinishes() {
    let fixture = fixture3(requesting: .unlimited)
    _ = fixture.take()
    fixture.a.send(1)
    fixture.a.send(completion: .finished)
    #expect(fixture.take() == [])
    fixture.b.send(completion: .finished)
    #expect(fixture.take() == ["c cancel", "finished"])
  }

  @Test func zipsASequenceWithASubject() {
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    [42].publisher.zip(CurrentValueSubject(1)) { $0 + $1 }.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Zip"), .value(43), .finished])
  }

  // MARK: Arities and overloads

  @Test func threeAndFourUpstreamsZipInOrder() {
    func check<P: Publisher<Int, TestError>>(_ count: Int, _ make: ([Upstream]) -> P) {
      let fixture = MixingFixture(count: count, requesting: .unlimited, make)
      _ = fixture.take()
      for (index, upstream) in fixture.upstreams.enumerated() {
        upstream.send(index + 1)
        upstream.send(index + 5)
      }
      let digits = { (first: Int) in (0..<count).reduce(0) { $0 * 10 + first + $1 } }
      #expect(fixture.take() == ["value \(digits(1))", "value \(digits(5))"])
      fixture.upstreams[count - 1].send(completion: .finished)
      #expect(fixture.take().last == "finished")
    }
    check(3) { $0[0].zip($0[1], $0[2]) { $0 * 100 + $1 * 10 + $2 } }
    check(3) { Publishers.Zip3($0[0], $0[1], $0[2]).map { $0.0 * 100 + $0.1 * 10 + $0.2 } }
    check(4) { $0[0].zip($0[1], $0[2], $0[3]) { $0 * 1000 + $1 * 100 + $2 * 10 + $3 } }
    check(4) { Publishers.Zip4($0[0], $0[1], $0[2], $0[3]).map { $0.0 * 1000 + $0.1 * 100 + $0.2 * 10 + $0.3 } }
  }

  @Test func anyOfFourWithBufferedValuesMayFinishWithoutFinishingIt() {
    for index in 0..<4 {
      let fixture = MixingFixture(count: 4, requesting: .unlimited) {
        $0[0].zip($0[1], $0[2], $0[3]) { $0 + $1 + $2 + $3 }
      }
      _ = fixture.take()
      fixture.upstreams[index].send(1)
      fixture.upstreams[index].send(completion: .finished)
      #expect(fixture.take() == [])
      for other in 0..<4 where other != index { fixture.upstreams[other].send(1) }
      #expect(fixture.take().first == "value 4")
    }
  }

  @Test func overloadsHaveTheirOwnTypes() {
    typealias J = Just<Int>
    let j = Just(1)
    #expect(type(of: j.zip(j)) == Publishers.Zip<J, J>.self)
    #expect(type(of: j.zip(j) { "\($0)\($1)" }) == Publishers.Map<Publishers.Zip<J, J>, String>.self)
    #expect(type(of: j.zip(j, j)) == Publishers.Zip3<J, J, J>.self)
    #expect(type(of: j.zip(j, j) { "\($0)\($1)\($2)" }) == Publishers.Map<Publishers.Zip3<J, J, J>, String>.self)
    #expect(type(of: j.zip(j, j, j)) == Publishers.Zip4<J, J, J, J>.self)
    #expect(
      type(of: j.zip(j, j, j) { "\($0)\($1)\($2)\($3)" }) == Publishers.Map<Publishers.Zip4<J, J, J, J>, String>.self
    )
  }

  @Test func equalityComparesEveryUpstream() {
    let one = Just(1)
    let two = Just(2)
    #expect(one.zip(one) == one.zip(one))
    #expect(one.zip(one) != one.zip(two))
    #expect(one.zip(one) != two.zip(one))
    #expect(one.zip(one, one) == one.zip(one, one))
    #expect(one.zip(one, one) != one.zip(one, two))
    #expect(one.zip(one, one) != one.zip(two, one))
    #expect(one.zip(one, one) != two.zip(one, one))
    #expect(one.zip(one, one, one) == one.zip(one, one, one))
    #expect(one.zip(one, one, one) != one.zip(one, one, two))
    #expect(one.zip(one, one, one) != one.zip(one, two, one))
    #expect(one.zip(one, one, one) != one.zip(two, one, one))
    #expect(one.zip(one, one, one) != two.zip(one, one, one))
  }

  // MARK: Lifetime and reflection

  @Test func keepsTheSubscriberUntilItDropsItsSubscription() {
    expectRetention { $0.zip($1) { $0 + $1 } }
  }

  @Test func reflectsItself() {
    let fixture = fixture()
    expectReflection(of: fixture.subscriber.subscription!, description: "Zip")
    let side = fixture.a.subscriber!
    expectReflection(of: side, description: "Zip", children: ["parentSubscription"])
    #expect(
      reflectedChild("parentSubscription", of: side) as? CombineIdentifier
        == fixture.subscriber.subscription!.combineIdentifier
    )
    #expect(!(side is any Subscription))
    #expect(side.combineIdentifier != fixture.b.subscriber!.combineIdentifier)
  }

  // MARK: Threads

  @Test func tuplesOfTwoThreadsArriveInOrderOneAtATime() {
    for _ in 0..<20 {
      let probe = OverlapProbe()
      let a = PassthroughSubject<Int, TestError>()
      let b = PassthroughSubject<Int, TestError>()
      let rows = RowProbe()
      let subscriber = ProbeSubscriber(probe: probe, demand: .unlimited)
      a.zip(b) { rows.row($0, $1) }.subscribe(subscriber)
      onThreads(2) { thread in
        let subject = thread == 0 ? a : b
        for value in 0..<500 { subject.send(value) }
        subject.send(completion: .finished)
      }
      #expect(rows.isInOrder)
      #expect(probe.count == 500)
      #expect(probe.completions == 1)
      #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
    }
  }

  @Test func aFailureOnAnotherThreadIsTheLastEvent() {
    for round in 0..<200 {
      let probe = OverlapProbe()
      let a = PassthroughSubject<Int, TestError>()
      let b = PassthroughSubject<Int, TestError>()
      a.zip(b) { $0 + $1 }.subscribe(ProbeSubscriber(probe: probe, demand: .unlimited))
      for value in 0..<20 { a.send(value) }
      onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<20 { b.send(value) }
        } else {
          for _ in 0..<round { a.send(1) }
          a.send(completion: .failure("x"))
        }
      }
      #expect(probe.completions == 1)
      #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
    }
  }
}

/// Checks that the tuples arrive in order. One thread at a time calls it, inside the gate of the operator.
private final class RowProbe: @unchecked Sendable {
  private var next = 0
  private(set) var isInOrder = true

  func row(_ first: Int, _ second: Int) -> Int {
    isInOrder = isInOrder && first == next && second == next
    next += 1
    return first
  }
}
