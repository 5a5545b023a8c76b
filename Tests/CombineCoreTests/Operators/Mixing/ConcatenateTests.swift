import CombineCore
import TestSupport
import Testing

@Suite struct ConcatenateTests {

  private func fixture(
    hasSubscriptions: Bool = true,
    requesting demand: Subscribers.Demand? = nil
  ) -> MixingFixture {
    let fixture = MixingFixture(hasSubscriptions: hasSubscriptions, requesting: demand) { $0[0].append($0[1]) }
    for (name, upstream) in zip(["a", "b"], fixture.upstreams) {
      upstream.onSubscribe = { [unowned fixture] in fixture.note("\(name) subscribe") }
    }
    return fixture
  }

  // MARK: Values, demand and completions

  @Test func continuesWithTheSuffixWhenThePrefixHasFinished() {
    let fixture = fixture(requesting: .max(10))
    fixture.onValue = { .max($0) }
    #expect(fixture.b.subscribeCount == 0)
    #expect(fixture.take() == ["subscription Concatenate", "a request max(10)"])

    #expect([1, 2, 3].map { fixture.a.send($0) } == [.max(1), .max(2), .max(3)])
    #expect(fixture.take() == ["value 1", "value 2", "value 3"])

    fixture.a.send(completion: .finished)
    #expect(fixture.take() == ["b subscribe", "b request max(13)"])
    #expect(fixture.a.send(4) == .none)

    #expect(fixture.b.send(5) == .max(5))
    fixture.b.send(completion: .finished)
    #expect(fixture.take() == ["value 5", "finished"])

    #expect(fixture.b.send(6) == .none)
    #expect(fixture.a.send(6) == .none)
    fixture.b.send(completion: .failure("late"))
    fixture.b.send(completion: .finished)
    fixture.a.send(completion: .finished)
    fixture.a.send(completion: .failure("late"))
    fixture.b.send(subscription: fixture.subscription("late b"))
    fixture.a.send(subscription: fixture.subscription("late a"))
    fixture.request(.max(1))
    fixture.cancel()
    #expect(fixture.take() == ["late b cancel", "late a cancel"])
  }

  @Test func aValueOfThePrefixAfterItsEndTakesNoDemandFromTheSuffix() {
    let fixture = fixture(hasSubscriptions: false, requesting: .max(1))
    fixture.a.send(subscription: fixture.subscription("a"))
    fixture.a.send(completion: .finished)
    #expect(fixture.a.send(4) == .none)
    _ = fixture.take()
    fixture.b.send(subscription: fixture.subscription("b"))
    #expect(fixture.take() == ["b request max(1)"])
  }

  @Test func forwardsAZeroRequest() {
    let fixture = fixture()
    _ = fixture.take()
    fixture.request(.none)
    fixture.a.send(completion: .finished)
    fixture.request(.none)
    #expect(fixture.take() == ["a request max(0)", "b subscribe", "b request max(0)"])
  }

  // MARK: Cancelling

  @Test func cancelWhileSubscribingToTheSuffixCancelsIt() {
    let fixture = fixture(requesting: .max(1))
    _ = fixture.take()
    fixture.b.onSubscribe = { [unowned fixture] in fixture.cancel() }
    fixture.a.send(completion: .finished)
    #expect(fixture.take() == ["b cancel"])
  }

  @Test func cancelReleasesTheSuffixWhoseDeinitMayCallBack() {
    for isSent in [true, false] {
      let prefix = MixingFixture.Upstream()
      let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      var isReleased = false
      do {
        let token = Token { [weak prefix] in
          isReleased = true
          #expect(prefix?.history == [.requested(.unlimited), .cancelled], "the upstream is cancelled first")
          if isSent {
            prefix?.send(completion: .finished)
            prefix?.send(completion: .failure("from the deinitialiser"))
            prefix?.send(1)
          }
        }
        prefix.append(Holding(token: token)).subscribe(subscriber)
      }
      #expect(!isReleased)
      subscriber.cancel()
      #expect(isReleased)
      #expect(subscriber.events == [.subscription("Concatenate")])
    }
  }

  @Test func theSuffixIsKeptAfterACompletion() {
    var isReleased = false
    let prefix = MixingFixture.Upstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    do {
      let token = Token { isReleased = true }
      prefix.append(Holding(token: token)).subscribe(subscriber)
    }
    prefix.send(completion: .finished)
    #expect(subscriber.events == [.subscription("Concatenate"), .finished])
    #expect(!isReleased)
    subscriber.cancel()
    #expect(isReleased)
  }

  private final class Token {
    let onDeinit: () -> Void
    init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
    deinit { onDeinit() }
  }

  /// An empty publisher that holds an object.
  private struct Holding: Publisher {
    typealias Output = Int
    typealias Failure = TestError
    let token: Token

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      Empty<Int, TestError>().subscribe(subscriber)
    }
  }

  // MARK: Retention

  @Test func keepsTheDownstreamUntilThatDropsItsSubscription() {
    expectRetention { $0.append($1) }
  }

  @Test func releasesTheSubscriptions() {
    var released: [String] = []
    func subscription(_ name: String) -> ManualSubscription { ManualSubscription(onDeinit: { released.append(name) }) }
    let (a, b) = (MixingFixture.Upstream(subscription: nil), MixingFixture.Upstream(subscription: nil))
    let subscriber = RecordingSubscriber<Int, TestError>()
    a.append(b).subscribe(subscriber)
    a.send(subscription: subscription("prefix"))
    #expect(released == [])
    a.send(completion: .finished)
    #expect(released == ["prefix"])
    b.send(subscription: subscription("suffix"))
    b.send(completion: .finished)
    #expect(released == ["prefix", "suffix"])
    subscriber.dropSubscription()

    for ending in 0..<2 {
      released = []
      let a = MixingFixture.Upstream(subscription: nil)
      let subscriber = RecordingSubscriber<Int, TestError>()
      a.append(b).subscribe(subscriber)
      a.send(subscription: subscription("prefix"))
      if ending == 0 { subscriber.cancel() } else { a.send(completion: .failure("x")) }
      #expect(released == ["prefix"])
      subscriber.dropSubscription()
    }
  }

  // MARK: Reflection

  @Test func reflectsItself() throws {
    let fixture = fixture()
    fixture.a.send(completion: .finished)
    let prefix = try #require(fixture.a.subscriber)
    let suffix = try #require(fixture.b.subscriber)
    let inner = try #require(fixture.subscriber.subscription)
    for object in [prefix, suffix, inner] as [Any] { expectReflection(of: object, description: "Concatenate") }
    #expect(prefix.combineIdentifier == inner.combineIdentifier)
    #expect(suffix.combineIdentifier == inner.combineIdentifier)
    #expect(!(prefix is any Subscription))
    #expect(!(suffix is any Subscription))
    #expect(!(inner is any Subscriber))
    let types = [prefix, suffix, inner].map { ObjectIdentifier(type(of: $0 as Any)) }
    #expect(Set(types).count == 3)
  }

  @Test func eachSubscriptionHasItsOwnConduit() {
    let (a, b) = (MixingFixture.Upstream(), MixingFixture.Upstream())
    let publisher = a.append(b)
    let identifiers = (0..<2).map { _ in
      publisher.subscribe(RecordingSubscriber())
      return a.subscriber!.combineIdentifier
    }
    #expect(identifiers[0] != identifiers[1])
  }

  // MARK: Surface

  /// The static type that an expression has without a context.
  private func resolved<T>(_ value: T) -> T.Type { T.self }

  @Test func theOperatorsHaveTheirTypes() {
    typealias Upstream = MixingFixture.Upstream
    typealias Values<S: Sequence> = Publishers.Sequence<S, TestError>
    let upstream = Upstream()
    let other = Empty<Int, TestError>()

    #expect(resolved(upstream.append(other)) == Publishers.Concatenate<Upstream, Empty<Int, TestError>>.self)
    #expect(resolved(upstream.append(upstream)) == Publishers.Concatenate<Upstream, Upstream>.self)
    #expect(resolved(upstream.append([1])) == Publishers.Concatenate<Upstream, Values<[Int]>>.self)
    #expect(resolved(upstream.append(0..<3)) == Publishers.Concatenate<Upstream, Values<Range<Int>>>.self)
    #expect(resolved(upstream.append(1)) == Publishers.Concatenate<Upstream, Values<[Int]>>.self)
    #expect(resolved(upstream.append(1, 2)) == Publishers.Concatenate<Upstream, Values<[Int]>>.self)
    #expect(resolved(upstream.append()) == Publishers.Concatenate<Upstream, Values<[Int]>>.self)

    #expect(resolved(upstream.prepend(other)) == Publishers.Concatenate<Empty<Int, TestError>, Upstream>.self)
    #expect(resolved(upstream.prepend(upstream)) == Publishers.Concatenate<Upstream, Upstream>.self)
    #expect(resolved(upstream.prepend([1])) == Publishers.Concatenate<Values<[Int]>, Upstream>.self)
    #expect(resolved(upstream.prepend(0..<3)) == Publishers.Concatenate<Values<Range<Int>>, Upstream>.self)
    #expect(resolved(upstream.prepend(1)) == Publishers.Concatenate<Values<[Int]>, Upstream>.self)
    #expect(resolved(upstream.prepend(1, 2)) == Publishers.Concatenate<Values<[Int]>, Upstream>.self)
    #expect(resolved(upstream.prepend()) == Publishers.Concatenate<Values<[Int]>, Upstream>.self)
  }

  @Test func thePublisherHoldsBoth() {
    let (a, b) = (MixingFixture.Upstream(), MixingFixture.Upstream())
    #expect(a.append(b).prefix === a)
    #expect(a.append(b).suffix === b)
    #expect(a.prepend(b).prefix === b)
    #expect(a.prepend(b).suffix === a)
    #expect(a.append(1, 2).suffix.sequence == [1, 2])
    #expect(a.append().suffix.sequence == [])
    #expect(a.append(3..<5).suffix.sequence == 3..<5)
    #expect(a.prepend(1, 2).prefix.sequence == [1, 2])
    #expect(a.prepend().prefix.sequence == [])
    #expect(a.prepend(3..<5).prefix.sequence == 3..<5)
    let made = Publishers.Concatenate(prefix: a, suffix: b)
    #expect(made.prefix === a)
    #expect(made.suffix === b)
  }

  @Test func isEqualWithEqualParts() {
    let fail = Fail<Int, TestError>(error: "x")
    let other = Fail<Int, TestError>(error: "y")
    #expect(fail.append(1, 2) == fail.append(1, 2))
    #expect(fail.append(1, 2) != fail.append(1, 3))
    #expect(fail.append(1) != other.append(1))
    #expect(!(MixingFixture.Upstream().append(1) is any Equatable))
  }

  @Test func iteratesAnUnboundSequenceOnlyWhenItsTurnComes() {
    let fixture = MixingFixture(requesting: .unlimited) { upstreams in
      upstreams[0].append(
        AnySequence { () -> IndexingIterator<[Int]> in
          upstreams[1].onSubscribe()
          return [7, 8].makeIterator()
        }
      )
    }
    fixture.b.onSubscribe = { [unowned fixture] in fixture.note("iterator") }
    fixture.a.send(1)
    #expect(fixture.take() == ["subscription Concatenate", "a request unlimited", "value 1"])
    fixture.a.send(completion: .finished)
    #expect(fixture.take() == ["iterator", "value 7", "value 8", "finished"])
  }

  @Test func prependedAndAppendedValuesArePublishedInOrder() {
    let fixture = MixingFixture(requesting: .unlimited) { $0[0].prepend(1, 2).append([5, 6]).prepend(0) }
    #expect(
      fixture.take() == ["subscription Concatenate", "value 0", "value 1", "value 2", "a request unlimited"]
    )
    fixture.a.send(3)
    fixture.a.send(completion: .finished)
    #expect(fixture.take() == ["value 3", "value 5", "value 6", "finished"])
  }

  @Test func demandCarriesOverThroughAChain() {
    let fixture = MixingFixture { $0[0].prepend(1, 2).append(5, 6) }
    _ = fixture.take()
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 1"])
    fixture.request(.max(2))
    #expect(fixture.take() == ["value 2", "a request max(1)"])
    fixture.a.send(3)
    fixture.a.send(completion: .finished)
    #expect(fixture.take() == ["value 3"])
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 5"])
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 6", "finished"])
  }

  @Test func aLongChainDeliversInOrderAndFinishes() {
    // Each link subscribes to its suffix during the finish of its prefix. So the stack grows with the chain.
    var publisher = Empty<Int, TestError>().eraseToAnyPublisher()
    for value in 0..<200 { publisher = publisher.append(value).eraseToAnyPublisher() }
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    subscriber.dropsSubscriptionOnCompletion = true
    publisher.subscribe(subscriber)
    #expect(subscriber.values == Array(0..<200))
    #expect(subscriber.events.last == .finished)
  }

  // MARK: Threads

  @Test func requestsRacingWithTheSuffixsSubscriptionLoseNoDemand() {
    for _ in 0..<200 {
      let (prefix, suffix) = (MixingFixture.Upstream(), MixingFixture.Upstream(subscription: nil))
      let subscriber = RecordingSubscriber<Int, TestError>()
      prefix.append(suffix).subscribe(subscriber)
      prefix.send(completion: .finished)
      let counted = DemandSubscription()
      // Any thread may call both.
      nonisolated(unsafe) let (side, subscription) = (suffix.subscriber!, subscriber.subscription!)
      onThreads(3) { thread in
        if thread == 0 {
          side.receive(subscription: counted)
        } else {
          for _ in 0..<50 { subscription.request(.max(1)) }
        }
      }
      #expect(counted.demand.value == .max(100))
      subscriber.dropSubscription()
    }
  }

  @Test func cancelRacingWithThePrefixsFinishLeavesNoSubscription() {
    for _ in 0..<500 {
      let (prefix, suffix) = (MixingFixture.Upstream(), MixingFixture.Upstream())
      let subscriber = RecordingSubscriber<Int, TestError>()
      prefix.append(suffix).subscribe(subscriber)
      // Each thread uses one of the two, and they share no state. The test is of the conduit.
      nonisolated(unsafe) let (source, subscription) = (prefix, subscriber.subscription!)
      onThreads(2) { thread in
        if thread == 0 { source.send(completion: .finished) } else { subscription.cancel() }
      }
      let isCancelled = prefix.history == [.cancelled] || suffix.history == [.cancelled]
      #expect(isCancelled || suffix.subscribeCount == 0)
      #expect(subscriber.events == [.subscription("Concatenate")])
      subscriber.dropSubscription()
    }
  }

  @Test func demandRequestedFromOtherThreadsCarriesOver() {
    let (prefix, suffix) = (SteppingPublisher(count: 500), SteppingPublisher(count: 500))
    let subscriber = CountingSubscriber<Int, TestError>()
    prefix.append(suffix).subscribe(subscriber)
    // Any thread may request.
    nonisolated(unsafe) let subscription = subscriber.subscription!
    onThreads(3) { thread in
      if thread == 0 {
        prefix.run()
        suffix.run()
      } else {
        for _ in 0..<500 { subscription.request(.max(1)) }
      }
    }
    #expect(subscriber.values == 1_000)
    #expect(subscriber.completions == 1)
    subscriber.subscription = nil
  }
}

/// Counts the requested demand, from any thread.
private final class DemandSubscription: Subscription, Sendable {
  let demand = DemandCounter()
  func request(_ more: Subscribers.Demand) { demand.add(more) }
  func cancel() {}
}
