import TestSupport
import Testing

@testable import CombineCore

@Suite struct CombineLatestTests {

  private typealias Upstream = ManualPublisher<Int, TestError>

  private func fixture(hasSubscriptions: Bool = true, requesting demand: Subscribers.Demand? = nil) -> MixingFixture {
    MixingFixture(hasSubscriptions: hasSubscriptions, requesting: demand) { $0[0].combineLatest($0[1]) { $0 + $1 } }
  }

  // MARK: Subscribing

  @Test func theDownstreamReceivesItsSubscriptionAfterAllUpstreamsWereSubscribedTo() {
    let fixture = MixingFixture(hasSubscriptions: false) { upstreams in
      upstreams[0].combineLatest(upstreams[1]) { $0 + $1 }
    }
    #expect(fixture.upstreams.map(\.subscribeCount) == [1, 1])
    #expect(fixture.take() == ["subscription CombineLatest"])

    let order = Order()
    let a = Upstream()
    let b = Upstream()
    a.onSubscribe = { order.entries.append("a") }
    b.onSubscribe = { order.entries.append("b") }
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: { _ in order.entries.append("downstream") })
    a.combineLatest(b) { $0 + $1 }.subscribe(subscriber)
    #expect(order.entries == ["a", "b", "downstream"])
    #expect(a.history.isEmpty && b.history.isEmpty, "the operator itself requests nothing")
  }

  private final class Order { var entries: [String] = [] }

  @Test func aCompletionBeforeTheSubscriptionIsDeliveredAfterIt() {
    for completion in [Subscribers.Completion<TestError>.failure("x"), .finished] {
      let a = Upstream()
      let b = Upstream()
      a.onSubscribe = { a.send(completion: completion) }
      b.onSubscribe = { b.send(completion: .finished) }
      let subscriber = RecordingSubscriber<Int, TestError>()
      a.combineLatest(b) { $0 + $1 }.subscribe(subscriber)
      #expect(
        subscriber.events == [
          .subscription("CombineLatest"), completion == .finished ? .finished : .failure("x"),
        ]
      )
    }
  }

  @Test func cancelDuringTheSubscriptionDropsAHeldCompletion() {
    let a = Upstream()
    a.onSubscribe = { a.send(completion: .failure("x")) }
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: { $0.cancel() })
    a.combineLatest(Upstream()) { $0 + $1 }.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("CombineLatest")])
  }

  @Test func valuesBeforeTheSubscriptionAreStored() {
    let a = Upstream()
    let b = Upstream()
    b.onSubscribe = {
      a.send(1)
      b.send(2)
    }
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    a.combineLatest(b) { $0 + $1 }.subscribe(subscriber)
    #expect(subscriber.values == [])
    a.send(10)
    #expect(subscriber.values == [12])
  }

  // MARK: Values

  @Test func aCombinationBeyondTheDemandIsNotSentAndItsValueIsKept() {
    let fixture = fixture(requesting: .max(1))
    _ = fixture.take()
    for (value, upstream) in [(1, fixture.a), (10, fixture.b), (2, fixture.a)] {
      #expect(upstream.send(value) == .none)
    }
    #expect(fixture.take() == ["value 11"])
    fixture.request(.max(1))
    _ = fixture.take()
    for value in [20, 30] { #expect(fixture.b.send(value) == .none) }
    #expect(fixture.take() == ["value 22"])
  }

  @Test func combinesTheLatestValues() {
    let fixture = fixture(requesting: .unlimited)
    _ = fixture.take()
    for value in [100, 200, 300] { #expect(fixture.a.send(value) == .none) }
    #expect(fixture.b.send(1) == .none)
    fixture.a.send(completion: .finished)
    #expect(fixture.b.send(2) == .none)
    #expect(fixture.b.send(3) == .none)
    #expect(fixture.take() == ["value 301", "value 302", "value 303"])
    fixture.b.send(completion: .finished)
    #expect(fixture.take() == ["finished"])
  }

  // MARK: Completions

  @Test func combinesASequenceAndASubject() {
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    [42].publisher.combineLatest(CurrentValueSubject(1)) { $0 + $1 }.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("CombineLatest"), .value(43)])
  }

  // MARK: Arities and overloads

  @Test func threeAndFourUpstreamsCombineInOrder() {
    func check<P: Publisher<Int, TestError>>(_ count: Int, _ make: ([Upstream]) -> P) {
      let fixture = MixingFixture(count: count, requesting: .unlimited, make)
      _ = fixture.take()
      for (index, upstream) in fixture.upstreams.enumerated() { upstream.send(index + 1) }
      let digits = (1...count).reduce(0) { $0 * 10 + $1 }
      #expect(fixture.take() == ["value \(digits)"])
      fixture.a.send(2)
      let first = (1..<count).reduce(1) { power, _ in power * 10 }
      #expect(fixture.take() == ["value \(digits + first)"])
      for upstream in fixture.upstreams { upstream.send(completion: .finished) }
      #expect(fixture.take() == ["finished"])
    }
    check(3) { $0[0].combineLatest($0[1], $0[2]) { $0 * 100 + $1 * 10 + $2 } }
    check(3) { Publishers.CombineLatest3($0[0], $0[1], $0[2]).map { $0.0 * 100 + $0.1 * 10 + $0.2 } }
    check(4) { $0[0].combineLatest($0[1], $0[2], $0[3]) { $0 * 1000 + $1 * 100 + $2 * 10 + $3 } }
    check(4) {
      Publishers.CombineLatest4($0[0], $0[1], $0[2], $0[3]).map { $0.0 * 1000 + $0.1 * 100 + $0.2 * 10 + $0.3 }
    }
  }

  @Test func overloadsHaveTheirOwnTypes() {
    typealias J = Just<Int>
    let j = Just(1)
    #expect(type(of: j.combineLatest(j)) == Publishers.CombineLatest<J, J>.self)
    #expect(
      type(of: j.combineLatest(j) { "\($0)\($1)" }) == Publishers.Map<Publishers.CombineLatest<J, J>, String>.self
    )
    #expect(type(of: j.combineLatest(j, j)) == Publishers.CombineLatest3<J, J, J>.self)
    #expect(
      type(of: j.combineLatest(j, j) { "\($0)\($1)\($2)" })
        == Publishers.Map<Publishers.CombineLatest3<J, J, J>, String>.self
    )
    #expect(type(of: j.combineLatest(j, j, j)) == Publishers.CombineLatest4<J, J, J, J>.self)
    #expect(
      type(of: j.combineLatest(j, j, j) { "\($0)\($1)\($2)\($3)" })
        == Publishers.Map<Publishers.CombineLatest4<J, J, J, J>, String>.self
    )
  }

  @Test func equalityComparesEveryUpstream() {
    let one = Just(1)
    let two = Just(2)
    #expect(one.combineLatest(one) == one.combineLatest(one))
    #expect(one.combineLatest(one) != one.combineLatest(two))
    #expect(one.combineLatest(one) != two.combineLatest(one))
    #expect(one.combineLatest(one, one) == one.combineLatest(one, one))
    #expect(one.combineLatest(one, one) != one.combineLatest(one, two))
    #expect(one.combineLatest(one, one) != one.combineLatest(two, one))
    #expect(one.combineLatest(one, one) != two.combineLatest(one, one))
    #expect(one.combineLatest(one, one, one) == one.combineLatest(one, one, one))
    #expect(one.combineLatest(one, one, one) != one.combineLatest(one, one, two))
    #expect(one.combineLatest(one, one, one) != one.combineLatest(one, two, one))
    #expect(one.combineLatest(one, one, one) != one.combineLatest(two, one, one))
    #expect(one.combineLatest(one, one, one) != two.combineLatest(one, one, one))
  }

  // MARK: Lifetime and reflection

  @Test func keepsTheSubscriberUntilItDropsItsSubscription() {
    expectRetention { $0.combineLatest($1) { $0 + $1 } }
  }

  @Test func releasesAReplacedOrDroppedValueWithoutHoldingTheLock() {
    final class Value {
      let onDeinit: () -> Void
      init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }
    let a = ManualPublisher<Value, TestError>()
    let b = ManualPublisher<Value, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    a.combineLatest(b) { _, _ in 0 }.subscribe(subscriber)
    var released = 0
    // A nested request takes the lock. It traps if the lock is held.
    let reenter = { [unowned subscriber] in
      released += 1
      subscriber.request(.max(1))
    }
    a.send(Value(reenter))
    a.send(Value(reenter))
    #expect(released == 1)
    subscriber.cancel()
    #expect(released == 2)
    subscriber.dropSubscription()
  }

  @Test func reflectsItself() {
    let fixture = fixture(requesting: .max(3))
    fixture.b.send(7)
    let subscription = fixture.subscriber.subscription!
    expectReflection(
      of: subscription,
      description: "CombineLatest",
      children: ["downstream", "upstreamSubscriptions", "demand", "buffers"]
    )
    #expect((reflectedChild("upstreamSubscriptions", of: subscription) as? [(any Subscription)?])?.count == 2)
    #expect(reflectedChild("demand", of: subscription) as? Subscribers.Demand == .max(3))
    let buffers = reflectedChild("buffers", of: subscription) as? [Any?]
    #expect(buffers?.count == 2)
    #expect(buffers?[0] == nil)
    #expect(buffers?[1] as? Int == 7)

    let side = fixture.a.subscriber!
    #expect(String(describing: side) == "CombineLatest")
    #expect(!(side is any CustomReflectable))
    #expect(!(side is any CustomPlaygroundDisplayConvertible))
    #expect(!(side is any CustomDebugStringConvertible))
    #expect(!(side is any Subscription))
  }

  // MARK: Threads

  @Test func serializesTheCombinationsOfTwoThreadsAndCompletesLast() {
    for demand in [Subscribers.Demand.unlimited, .max(10_000)] {
      for _ in 0..<10 {
        let probe = OverlapProbe()
        let a = PassthroughSubject<Int, TestError>()
        let b = PassthroughSubject<Int, TestError>()
        let pairs = PairProbe()
        a.combineLatest(b) { pairs.pair($0, $1) }.subscribe(ProbeSubscriber(probe: probe, demand: demand))
        onThreads(2) { thread in
          let subject = thread == 0 ? a : b
          for value in 0..<500 { subject.send(value) }
          subject.send(completion: .finished)
        }
        #expect(pairs.isAscending)
        #expect(probe.count > 0)
        #expect(probe.completions == 1)
        #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
      }
    }
  }

  @Test func aFailureOnAnotherThreadIsTheLastEvent() {
    for _ in 0..<200 {
      let probe = OverlapProbe()
      let a = PassthroughSubject<Int, TestError>()
      let b = PassthroughSubject<Int, TestError>()
      a.combineLatest(b) { $0 + $1 }.subscribe(ProbeSubscriber(probe: probe, demand: .unlimited))
      a.send(0)
      onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<20 { b.send(value) }
        } else {
          a.send(completion: .failure("x"))
        }
      }
      #expect(probe.completions == 1)
      #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
    }
  }
}

/// Checks that no pair is older than the pair before. One thread at a time calls it, inside the operator's gate.
private final class PairProbe: @unchecked Sendable {
  private var last = (-1, -1)
  private(set) var isAscending = true

  func pair(_ first: Int, _ second: Int) -> Int {
    isAscending = isAscending && first >= last.0 && second >= last.1
    last = (first, second)
    return first
  }
}
