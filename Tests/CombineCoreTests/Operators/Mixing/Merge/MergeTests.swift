import TestSupport
import Testing

@testable import CombineCore

@Suite struct MergeTests {

  private typealias Upstream = ManualPublisher<Int, TestError>

  private func fixture(requesting demand: Subscribers.Demand? = nil) -> MixingFixture {
    MixingFixture(requesting: demand) { Publishers.Merge($0[0], $0[1]) }
  }

  // MARK: Requests

  @Test func aFiniteRequestIsNotForwarded() {
    let fixture = fixture()
    _ = fixture.take()
    fixture.request(.max(10))
    fixture.request(.none)
    #expect(fixture.a.send(1) == .max(1))
    #expect(fixture.b.send(2) == .max(1))
    #expect(fixture.take() == ["value 1", "value 2"])
  }

  // MARK: Values

  @Test func keepsTheLatestValueOfEachUpstreamWithoutDemand() {
    let fixture = fixture(requesting: .max(1))
    _ = fixture.take()
    #expect(fixture.a.send(100) == .max(1))
    #expect(fixture.b.send(1) == .none)
    #expect(fixture.a.send(200) == .none)
    #expect(fixture.a.send(300) == .none)
    #expect(fixture.b.send(2) == .none)
    #expect(fixture.b.send(3) == .none)
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 100", "value 300", "a request max(1)"])
  }

  // MARK: Completions

  @Test func mergesASequenceAndASubject() {
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    [42].publisher.merge(with: CurrentValueSubject(0)).subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Merge"), .value(42), .value(0)])
  }

  @Test func aMergeOfNoPublishersFinishesAtTheFirstRequest() {
    let subscriber = RecordingSubscriber<Int, TestError>()
    Publishers.MergeMany([Upstream]()).subscribe(subscriber)
    subscriber.request(.none)
    #expect(subscriber.events == [.subscription("Merge")])
    subscriber.request(.max(1))
    #expect(subscriber.events == [.subscription("Merge"), .finished])
  }

  // MARK: Arities

  @Test func everyArityMergesItsUpstreamsInOrder() {
    func check<P: Publisher<Int, TestError>>(_ count: Int, _ make: ([Upstream]) -> P) {
      let fixture = MixingFixture(count: count, requesting: .unlimited, make)
      let names = "abcdefgh".prefix(count)
      #expect(fixture.take() == ["subscription Merge"] + names.map { "\($0) request unlimited" })
      for (number, upstream) in fixture.upstreams.enumerated() { upstream.send(number) }
      #expect(fixture.take() == (0..<count).map { "value \($0)" })
      for upstream in fixture.upstreams.dropLast() { upstream.send(completion: .finished) }
      #expect(fixture.take() == [])
      fixture.upstreams.last!.send(completion: .finished)
      #expect(fixture.take() == ["finished"])
    }
    check(2) { Publishers.Merge($0[0], $0[1]) }
    check(3) { Publishers.Merge3($0[0], $0[1], $0[2]) }
    check(4) { Publishers.Merge4($0[0], $0[1], $0[2], $0[3]) }
    check(5) { Publishers.Merge5($0[0], $0[1], $0[2], $0[3], $0[4]) }
    check(6) { Publishers.Merge6($0[0], $0[1], $0[2], $0[3], $0[4], $0[5]) }
    check(7) { Publishers.Merge7($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]) }
    check(8) { Publishers.Merge8($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]) }
    check(3) { Publishers.MergeMany($0[0], $0[1], $0[2]) }
    check(8) { Publishers.MergeMany($0) }
  }

  @Test func overloadsHaveTheFlatTypes() {
    let s = Just(0)
    let p = [1].publisher
    let q = Publishers.SetFailureType<Just<Int>, Never>(upstream: s)
    #expect(type(of: s.merge(with: p)) == Publishers.Merge<Just<Int>, Publishers.Sequence<[Int], Never>>.self)
    #expect(type(of: s.merge(with: s)) == Publishers.MergeMany<Just<Int>>.self)
    #expect(s.merge(with: Just(2)).merge(with: Just(3)).publishers == [Just(0), Just(2), Just(3)])
    #expect(type(of: s.merge(with: s).merge(with: s)) == Publishers.MergeMany<Just<Int>>.self)
    let merge = Publishers.Merge(s, p)
    #expect(type(of: merge.merge(with: merge)) == Publishers.MergeMany<Publishers.Merge<Just<Int>, Sequence1>>.self)

    typealias J = Just<Int>
    typealias S = Publishers.Sequence<[Int], Never>
    typealias E = Publishers.SetFailureType<Just<Int>, Never>
    #expect(type(of: s.merge(with: p, q)) == Publishers.Merge3<J, S, E>.self)
    #expect(type(of: s.merge(with: p, q, s)) == Publishers.Merge4<J, S, E, J>.self)
    #expect(type(of: s.merge(with: p, q, s, p)) == Publishers.Merge5<J, S, E, J, S>.self)
    #expect(type(of: s.merge(with: p, q, s, p, q)) == Publishers.Merge6<J, S, E, J, S, E>.self)
    #expect(type(of: s.merge(with: p, q, s, p, q, s)) == Publishers.Merge7<J, S, E, J, S, E, J>.self)
    #expect(type(of: s.merge(with: p, q, s, p, q, s, p)) == Publishers.Merge8<J, S, E, J, S, E, J, S>.self)
  }

  private typealias Sequence1 = Publishers.Sequence<[Int], Never>

  @Test func chainsStayFlatUpToEight() {
    typealias J = Just<Int>
    typealias E = Publishers.SetFailureType<Just<Int>, Never>
    let j = Just(0)
    let e = E(upstream: j)
    let m2 = Publishers.Merge(j, e)
    let m3 = m2.merge(with: j)
    let m4 = m3.merge(with: e)
    let m5 = m4.merge(with: j)
    let m6 = m5.merge(with: e)
    let m7 = m6.merge(with: j)
    let m8 = m7.merge(with: e)
    #expect(type(of: m8) == Publishers.Merge8<J, E, J, E, J, E, J, E>.self)
    #expect(type(of: m8.merge(with: j)) == Publishers.Merge<Publishers.Merge8<J, E, J, E, J, E, J, E>, J>.self)

    #expect(m2.merge(with: j, e, j, e, j, e) == m8)
    #expect(m2.merge(with: j, e, j, e, j) == m7)
    #expect(m2.merge(with: j, e, j, e) == m6)
    #expect(m2.merge(with: j, e, j) == m5)
    #expect(m2.merge(with: j, e) == m4)
    #expect(m3.merge(with: e, j, e, j, e) == m8)
    #expect(m3.merge(with: e, j, e, j) == m7)
    #expect(m3.merge(with: e, j, e) == m6)
    #expect(m3.merge(with: e, j) == m5)
    #expect(m4.merge(with: j, e, j, e) == m8)
    #expect(m4.merge(with: j, e, j) == m7)
    #expect(m4.merge(with: j, e) == m6)
    #expect(m5.merge(with: e, j, e) == m8)
    #expect(m5.merge(with: e, j) == m7)
    #expect(m6.merge(with: j, e) == m8)
  }

  @Test func equalityComparesEveryUpstream() {
    let one = Just(1)
    let two = Just(2)
    func check<M: Equatable>(_ count: Int, _ make: ([Just<Int>]) -> M) {
      let same = Array(repeating: one, count: count)
      #expect(make(same) == make(same))
      for index in 0..<count {
        var other = same
        other[index] = two
        #expect(make(same) != make(other))
      }
    }
    check(2) { Publishers.Merge($0[0], $0[1]) }
    check(3) { Publishers.Merge3($0[0], $0[1], $0[2]) }
    check(4) { Publishers.Merge4($0[0], $0[1], $0[2], $0[3]) }
    check(5) { Publishers.Merge5($0[0], $0[1], $0[2], $0[3], $0[4]) }
    check(6) { Publishers.Merge6($0[0], $0[1], $0[2], $0[3], $0[4], $0[5]) }
    check(7) { Publishers.Merge7($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]) }
    check(8) { Publishers.Merge8($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]) }
    check(3) { Publishers.MergeMany($0) }
    #expect(Publishers.MergeMany(one) != Publishers.MergeMany(one, one))
  }

  // MARK: Lifetime and reflection

  @Test func keepsTheSubscriberUntilItDropsItsSubscription() {
    expectRetention { Publishers.Merge($0, $1) }
  }

  @Test(arguments: [true, false]) func releasesAReplacedOrDroppedValueWithoutHoldingTheLock(isCancelled: Bool) {
    final class Value {
      let onDeinit: () -> Void
      init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }
    let a = ManualPublisher<Value, TestError>()
    let b = ManualPublisher<Value, TestError>()
    let subscriber = RecordingSubscriber<Value, TestError>()
    Publishers.Merge(a, b).subscribe(subscriber)
    var released = 0
    // A nested request takes the lock. It traps if the lock is held.
    let reenter = { [unowned subscriber] in
      released += 1
      subscriber.request(.none)
      b.send(completion: .finished)
    }
    a.send(Value(reenter))
    a.send(Value(reenter))
    #expect(released == 1)
    if isCancelled { subscriber.cancel() } else { a.send(completion: .failure("x")) }
    #expect(released == 2)
    subscriber.dropSubscription()
  }

  @Test func reflectsItself() {
    let fixture = fixture()
    expectReflection(of: fixture.subscriber.subscription!, description: "Merge")
    let side = fixture.a.subscriber!
    expectReflection(of: side, description: "Merge", children: ["parentSubscription"])
    #expect(
      reflectedChild("parentSubscription", of: side) as? CombineIdentifier
        == fixture.subscriber.subscription!.combineIdentifier
    )
    #expect(!(side is any Subscription))
    #expect(side.combineIdentifier != fixture.b.subscriber!.combineIdentifier)
  }

  // MARK: Threads

  @Test func everyValueOfTwoThreadsArrivesAndNoneOverlap() {
    for demand in [Subscribers.Demand.unlimited, .max(100_000)] {
      let probe = OverlapProbe()
      let subjects = [PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>()]
      subjects[0].merge(with: subjects[1]).subscribe(ProbeSubscriber(probe: probe, demand: demand))
      onThreads(2) { thread in
        for value in 0..<2000 { subjects[thread].send(value) }
        subjects[thread].send(completion: .finished)
      }
      #expect(probe.count == 4000)
      #expect(!probe.hasOverlapped)
      #expect(probe.completions == 1)
      #expect(!probe.hasReceivedAfterCompletion)
    }
  }

  @Test func oneByOneDemandFromTwoThreadsLosesNothing() {
    let probe = OverlapProbe()
    let upstreams = (0..<2).map { _ in SteppingPublisher(count: 1000) }
    Publishers.Merge(upstreams[0], upstreams[1]).subscribe(OneByOneSubscriber(probe: probe))
    onThreads(2) { upstreams[$0].run() }
    #expect(probe.count == 2000)
    #expect(!probe.hasOverlapped)
    #expect(probe.completions == 1)
    #expect(!probe.hasReceivedAfterCompletion)
  }
}
