import CombineExtras
import TestSupport
import Testing

/// What the documentation's examples cannot show: code of a key, or a predicate, that uses the pipeline.
@Suite struct DistinctTests {

  private let upstream = PassthroughSubject<Int, Never>()
  private let log = SharedLog<Int>()
  private let hook = HookedKey.Hook()

  @Test func anElementSentInAComparisonIsSeenBeforeTheOuterOne() {
    let cancellable = upstream.distinct { [hook] in HookedKey(number: $0 % 10, hook: hook) }.sink { [log] in
      log.append($0)
    }
    upstream.send(1)
    hook.action = { [upstream] in upstream.send(12) }
    upstream.send(2)
    hook.action = { [upstream] in upstream.send(4) }
    upstream.send(3)
    for value in 11...14 { upstream.send(value) }
    #expect(log.values == [1, 12, 4, 3])
    cancellable.cancel()
  }

  @Test func anElementSentInThePredicateIsSeenBeforeTheOuterOne() {
    let cancellable = upstream.distinct { [hook] in
      hook.run()
      return $0 % 10 == $1 % 10
    }.sink { [log] in log.append($0) }
    upstream.send(1)
    hook.action = { [upstream] in upstream.send(12) }
    upstream.send(2)
    for value in 11...13 { upstream.send(value) }
    #expect(log.values == [1, 12, 13])
    cancellable.cancel()
  }

  @Test func eachSubscriptionHasSeenNothing() {
    let numbers = [1, 2, 1, 2].publisher.distinct()
    for _ in 1...2 {
      var received: [Int] = []
      numbers.subscribe(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { received.append($0) }))
      #expect(received == [1, 2])
    }
  }
}
