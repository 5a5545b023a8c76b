import CombineExtras
import TestSupport
import Testing

@Suite struct RelayTests {

  typealias Downstream = RecordingSubscriber<Int, Never>

  @Test func aPassthroughRelaySendsWhatItAcceptsToSubscribersWithDemand() {
    let relay = PassthroughRelay<Int>()
    let downstream = Downstream(requesting: .max(1))
    relay.accept(1)
    relay.subscribe(downstream)
    relay.accept(2)
    relay.accept(3)
    #expect(downstream.values == [2])
  }

  @Test func aCurrentValueRelaySendsItsLatestValueOnDemand() {
    let relay = CurrentValueRelay(1)
    let downstream = Downstream(requesting: .max(1))
    relay.subscribe(downstream)
    relay.accept(2)
    relay.accept(3)
    #expect(downstream.values == [1])
    #expect(relay.value == 3)
    downstream.request(.max(1))
    #expect(downstream.values == [1, 3])
  }

  @Test func finishesOnlyWhenItIsReleasedEvenWithoutDemand() {
    let subscribers = (1...4).map { _ in Downstream() }
    do {
      let passthrough = PassthroughRelay<Int>()
      let current = CurrentValueRelay(1)
      passthrough.subscribe(subscribers[0])
      passthrough.subscribe(subscribers[1])
      current.subscribe(subscribers[2])
      current.subscribe(subscribers[3])
      for subscriber in subscribers { #expect(subscriber.events.count == 1) }
    }
    for subscriber in subscribers { #expect(subscriber.events.last == .finished) }
  }

  @Test func aCancelIsSilentAndLastsBeyondTheRelay() {
    let downstream = Downstream(requesting: .unlimited)
    do {
      let relay = PassthroughRelay<Int>()
      relay.subscribe(downstream)
      downstream.cancel()
      relay.accept(1)
    }
    #expect(downstream.events.count == 1)
  }

  @Test func takesValuesOverFromAPublisherAndNoCompletion() {
    let relay = PassthroughRelay<Int>()
    let downstream = Downstream(requesting: .unlimited)
    relay.subscribe(downstream)
    let feed = [1, 2].publisher.subscribe(relay)
    let other = relay.subscribe(Just(3))
    relay.accept(4)
    #expect(downstream.values == [1, 2, 3, 4])
    #expect(!downstream.events.contains(.finished))
    feed.cancel()
    other.cancel()
  }

  @Test func aFeedDoesNotKeepItsRelayAlive() {
    let source = PassthroughSubject<Int, Never>()
    weak var released: PassthroughRelay<Int>?
    let feed: AnyCancellable
    do {
      let relay = PassthroughRelay<Int>()
      released = relay
      feed = source.subscribe(relay)
    }
    #expect(released == nil)
    source.send(1)
    feed.cancel()
  }

  @Test func theCompletionOfASourceReachesNoSubscriber() {
    func expectNoCompletion<R: Relay>(
      of relay: R,
      sourceLocation: SourceLocation = #_sourceLocation
    ) where R.Output == Int {
      let source = PassthroughSubject<Int, Never>()
      let downstream = Downstream(requesting: .unlimited)
      relay.subscribe(downstream)
      let feeds = [source.subscribe(relay), relay.subscribe(source)]
      source.send(1)
      source.send(completion: .finished)
      relay.accept(2)
      #expect(downstream.values.suffix(3) == [1, 1, 2], sourceLocation: sourceLocation)
      #expect(!downstream.events.contains(.finished), sourceLocation: sourceLocation)
      for feed in feeds { feed.cancel() }
    }
    expectNoCompletion(of: PassthroughRelay<Int>())
    expectNoCompletion(of: CurrentValueRelay(0))
  }

  @Test func aFeedEndsWithItsCancellable() {
    let source = PassthroughSubject<Int, Never>()
    let relay = CurrentValueRelay(0)
    let feed = source.subscribe(relay)
    source.send(1)
    feed.cancel()
    source.send(2)
    #expect(relay.value == 1)
  }

  @Test func feedsAnotherRelayInAllFourPairs() {
    let (passthrough, otherPassthrough) = (PassthroughRelay<Int>(), PassthroughRelay<Int>())
    let (current, otherCurrent) = (CurrentValueRelay(1), CurrentValueRelay(0))
    let downstream = Downstream(requesting: .unlimited)
    otherPassthrough.subscribe(downstream)
    let feeds = [
      passthrough.subscribe(otherPassthrough), passthrough.subscribe(otherCurrent),
      current.subscribe(otherPassthrough), current.subscribe(otherCurrent),
    ]
    #expect(otherCurrent.value == 1)
    passthrough.accept(2)
    #expect(otherCurrent.value == 2)
    current.accept(3)
    #expect(otherCurrent.value == 3)
    #expect(downstream.values == [1, 2, 3])
    withExtendedLifetime(feeds) {}
  }

  @Test func anInitialValueWaitsForTheSubscriberOfAPassthroughRelay() {
    let source = CurrentValueRelay(1)
    let relay = PassthroughRelay<Int>()
    let feed = source.subscribe(relay)
    let downstream = Downstream(requesting: .unlimited)
    relay.subscribe(downstream)
    #expect(downstream.values == [1])
    feed.cancel()
  }

  @Test func sendsVoidWithoutAnArgument() {
    let relay = PassthroughRelay<Void>()
    var count = 0
    let cancellable = relay.sink { count += 1 }
    relay.accept()
    #expect(count == 1)
    cancellable.cancel()
  }

  @Test func theValueGoesWithTheRelay() {
    final class Resource {}
    weak var released: Resource?
    let downstream = RecordingSubscriber<Resource, Never>()
    do {
      let resource = Resource()
      released = resource
      let relay = CurrentValueRelay(resource)
      relay.subscribe(downstream)
    }
    downstream.dropSubscription()
    #expect(released == nil)
  }

  @Test func subscribersFinishInTheOrderOfTheirSubscription() {
    var log: [Int] = []
    var sinks: [AnyCancellable] = []
    do {
      let passthrough = PassthroughRelay<Int>()
      let current = CurrentValueRelay(0)
      for number in 1...3 {
        passthrough.sink(receiveCompletion: { _ in log.append(number) }, receiveValue: { _ in }).store(in: &sinks)
      }
      for number in 4...6 {
        current.sink(receiveCompletion: { _ in log.append(number) }, receiveValue: { _ in }).store(in: &sinks)
      }
      #expect(log == [])
    }
    #expect(log.filter { $0 < 4 } == [1, 2, 3])
    #expect(log.filter { $0 > 3 } == [4, 5, 6])
  }

  @Test(arguments: [true, false])
  func whatIsReleasedFirstDecidesBetweenACancelAndACompletion(_ cancellableDiesFirst: Bool) {
    func expectDecision<R: Relay>(
      _ make: () -> R,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      var log: [String] = []
      var relay: R? = make()
      var cancellable: AnyCancellable? = relay?
        .handleEvents(receiveCompletion: { _ in log.append("completed") }, receiveCancel: { log.append("cancelled") })
        .sink { _ in }
      // An optimized build would release either after its last use.
      if cancellableDiesFirst {
        withExtendedLifetime(relay) { cancellable = nil }
        relay = nil
      } else {
        withExtendedLifetime(cancellable) { relay = nil }
        cancellable = nil
      }
      #expect(log == [cancellableDiesFirst ? "cancelled" : "completed"], sourceLocation: sourceLocation)
      withExtendedLifetime((relay, cancellable)) {}
    }
    expectDecision { PassthroughRelay<Int>() }
    expectDecision { CurrentValueRelay(1) }
  }
}
