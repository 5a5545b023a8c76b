import CombineCore
import TestSupport
import Testing

/// Two upstreams, each on its own thread, and the downstream, which may be on a third.
private struct Pair {
  let a = Feed<Int>("A")
  let b: Feed<Int>
  let downstream: Witness<Int>

  init(
    requesting initial: Subscribers.Demand,
    answersAtOnce: Bool = true,
    onValue: @escaping (Int) -> Subscribers.Demand = { _ in .none }
  ) {
    b = Feed("B", answersAtOnce: answersAtOnce)
    downstream = Witness(requesting: initial, onValue: onValue)
  }

  /// The sent values of each upstream, in order.
  func sent(_ values: [[Int]]) -> [[Int]] {
    zip(values, [a, b]).map { values, feed in values.filter { !feed.unsent.contains($0) } }
  }

  func verdict(_ check: (inout Verdict) -> Void) -> [String] {
    var verdict = Verdict(downstream)
    check(&verdict)
    return verdict.faults
  }
}

@Suite struct MergeThreadTests {

  @Test(arguments: [.unlimited, .max(5)] as [Subscribers.Demand])
  func valuesAndFinishesOfTwoUpstreams(demand: Subscribers.Demand) {
    expectNoFault("merge, \(demand), values and finishes") {
      let pair = Pair(requesting: demand)
      pair.a.merge(with: pair.b as Feed<Int>).subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [{ pair.a.send(1, 2, finishing: true) }, { pair.b.send(3, finishing: true) }],
        faults: {
          pair.verdict {
            $0.require(pair.downstream.values, areOf: [[1, 2], [3]])
            $0.require(pair.downstream.isCompleted, "the finish is missing")
            $0.require(pair.a.cancelCount + pair.b.cancelCount == 0, "an upstream that had finished was cancelled")
          }
        }
      )
    }
  }

  @Test func oneByOneDemandReturned() {
    expectNoFault("merge, demand returned one by one") {
      let pair = Pair(requesting: .max(1)) { _ in .max(1) }
      pair.a.merge(with: pair.b as Feed<Int>).subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [{ pair.a.send(1, 2) }, { pair.b.send(3, 4) }],
        faults: {
          pair.verdict {
            $0.require(pair.downstream.values, areOf: pair.sent([[1, 2], [3, 4]]))
            $0.require(pair.a.demand == .max(1) && pair.b.demand == .max(1), "an upstream receives no more requests")
          }
        }
      )
    }
  }

  @Test(arguments: [.unlimited, .max(5)] as [Subscribers.Demand])
  func aValueWhileTheOtherFails(demand: Subscribers.Demand) {
    expectNoFault("merge, \(demand), a value and a failure", preemptions: 3) {
      let pair = Pair(requesting: demand)
      pair.a.merge(with: pair.b as Feed<Int>).subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [{ pair.a.send(1, 2) }, { pair.b.fail() }],
        faults: {
          pair.verdict {
            $0.require(pair.downstream.isCompleted, "the failure is missing")
            $0.require(pair.a.cancelCount == 1, "A was cancelled \(pair.a.cancelCount) times")
          }
        }
      )
    }
  }

  @Test(arguments: [.unlimited, .max(1), .max(2)] as [Subscribers.Demand])
  func aRequestWhileValuesArrive(demand: Subscribers.Demand) {
    expectNoFault("merge, values and a request of \(demand)") {
      let pair = Pair(requesting: .none)
      pair.a.merge(with: pair.b as Feed<Int>).subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [
          { pair.a.send(1, finishing: true) },
          { pair.b.send(2, finishing: true) },
          { pair.downstream.request(demand) },
        ],
        faults: {
          pair.verdict {
            let isEnough = demand > .max(1)
            $0.require(pair.downstream.values, areOf: [[1], [2]], completely: isEnough)
            $0.require(pair.downstream.values.count >= 1, "a value is buffered despite demand")
            $0.require(pair.downstream.isCompleted == isEnough, "the finish is missing or too early")
          }
        }
      )
    }
  }

  @Test func twoRequestsWhileAValueArrives() {
    expectNoFault("merge, a value and two requests") {
      let pair = Pair(requesting: .none)
      pair.a.merge(with: pair.b as Feed<Int>).subscribe(pair.downstream)
      pair.b.send(2)
      return ThreadedProgram(
        threads: [{ pair.a.send(1) }, { pair.downstream.request(.max(1)) }, { pair.downstream.request(.max(1)) }],
        faults: { pair.verdict { $0.require(pair.downstream.values, areOf: [[1], [2]]) } }
      )
    }
  }

  @Test func aCancelWhileValuesArrive() {
    expectNoFault("merge, values and a cancel") {
      let pair = Pair(requesting: .max(1)) { _ in .max(1) }
      pair.a.merge(with: pair.b as Feed<Int>).subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [{ pair.a.send(1, finishing: true) }, { pair.b.send(2) }, { pair.downstream.cancel() }],
        faults: {
          pair.verdict {
            $0.require(pair.b.cancelCount == 1, "B was cancelled \(pair.b.cancelCount) times")
            $0.require(pair.a.cancelCount <= 1, "A was cancelled \(pair.a.cancelCount) times")
          }
        }
      )
    }
  }

  @Test func aSubscriptionWhileTheDownstreamRequestsAndCancels() {
    expectNoFault("merge, a late subscription, a request and a cancel") {
      let pair = Pair(requesting: .none, answersAtOnce: false)
      pair.a.merge(with: pair.b as Feed<Int>).subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [{ pair.b.answer() }, { pair.downstream.request(.unlimited) }, { pair.downstream.cancel() }],
        faults: {
          pair.verdict { $0.require(pair.b.cancelCount == 1, "B was cancelled \(pair.b.cancelCount) times") }
        }
      )
    }
    expectNoFault("merge, a late subscription and a request") {
      let pair = Pair(requesting: .none, answersAtOnce: false)
      pair.a.merge(with: pair.b as Feed<Int>).subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [{ pair.b.answer() }, { pair.downstream.request(.unlimited) }],
        faults: {
          pair.verdict { $0.require(pair.b.demand == .unlimited, "B received requests of \(pair.b.requests)") }
        }
      )
    }
  }
}

@Suite struct ZipThreadTests {

  @Test func tuplesKeepTheirOrder() {
    expectNoFault("zip, tuples and a finish") {
      let pair = Pair(requesting: .unlimited)
      pair.a.zip(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [{ pair.a.send(1, 2, finishing: true) }, { pair.b.send(3, 4) }],
        faults: {
          pair.verdict {
            let sent = pair.b.unsent.isEmpty ? [13, 24] : [13]
            $0.require(
              pair.downstream.values == sent || pair.downstream.values == [13, 24],
              "\(pair.downstream.values)"
            )
            $0.require(pair.downstream.values.count < 2 || pair.downstream.isCompleted, "the finish is missing")
            $0.require(pair.b.cancelCount == 1, "B was cancelled \(pair.b.cancelCount) times")
          }
        }
      )
    }
  }

  @Test func aTupleWhileAnUpstreamFails() {
    expectNoFault("zip, a tuple and a failure", preemptions: 3) {
      let pair = Pair(requesting: .unlimited)
      pair.a.zip(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
      pair.a.send(1)
      pair.a.send(2)
      return ThreadedProgram(
        threads: [{ pair.b.send(3, 4) }, { pair.a.fail() }],
        faults: { pair.verdict { $0.require(pair.downstream.isCompleted, "the failure is missing") } }
      )
    }
  }

  @Test func aTupleWhileTheDownstreamRequestsOrCancels() {
    expectNoFault("zip, a tuple, a request and a cancel") {
      let pair = Pair(requesting: .max(1)) { _ in .max(1) }
      pair.a.zip(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
      pair.a.send(1)
      return ThreadedProgram(
        threads: [{ pair.b.send(3) }, { pair.downstream.request(.max(2)) }, { pair.downstream.cancel() }],
        faults: {
          pair.verdict {
            $0.require(pair.a.cancelCount == 1, "A was cancelled \(pair.a.cancelCount) times")
            $0.require(pair.b.cancelCount == 1, "B was cancelled \(pair.b.cancelCount) times")
          }
        }
      )
    }
    expectNoFault("zip, a tuple and a request") {
      let pair = Pair(requesting: .max(1)) { _ in .max(1) }
      pair.a.zip(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
      pair.a.send(1)
      return ThreadedProgram(
        threads: [{ pair.b.send(3) }, { pair.downstream.request(.max(2)) }],
        faults: {
          pair.verdict {
            $0.require(pair.downstream.values == [13], "\(pair.downstream.values)")
            $0.require(pair.a.demand == .max(3) && pair.b.demand == .max(3), "\(pair.a.requests), \(pair.b.requests)")
          }
        }
      )
    }
  }

  @Test func theLastSubscriptionWhileAnUpstreamCompletes() {
    for isFailure in [true, false] {
      expectNoFault("zip, the last subscription and a \(isFailure ? "failure" : "finish")") {
        let pair = Pair(requesting: .unlimited, answersAtOnce: false)
        pair.a.zip(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
        return ThreadedProgram(
          threads: [{ pair.b.answer() }, { isFailure ? pair.a.fail() : pair.a.complete() }],
          faults: {
            pair.verdict {
              $0.require(pair.downstream.isCompleted, "the completion is missing")
              $0.require(pair.b.cancelCount == 1, "B was cancelled \(pair.b.cancelCount) times")
            }
          }
        )
      }
    }
  }
}

@Suite struct CombineLatestThreadTests {

  @Test func valuesAndFinishes() {
    expectNoFault("combineLatest, values and finishes") {
      let pair = Pair(requesting: .unlimited)
      pair.a.combineLatest(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [{ pair.a.send(1, finishing: true) }, { pair.b.send(3, finishing: true) }],
        faults: {
          pair.verdict {
            $0.require(pair.downstream.values == [13], "\(pair.downstream.values)")
            $0.require(pair.downstream.isCompleted, "the finish is missing")
          }
        }
      )
    }
  }

  @Test func publishesTheLatestOfEachLast() {
    expectNoFault("combineLatest, a value of each", preemptions: 3) {
      let pair = Pair(requesting: .unlimited)
      pair.a.combineLatest(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
      pair.a.send(1)
      pair.b.send(1)
      return ThreadedProgram(
        threads: [{ pair.a.send(2) }, { pair.b.send(2) }],
        faults: {
          pair.verdict {
            let values = pair.downstream.values
            $0.require(values == [11, 21, 22] || values == [11, 12, 22], "\(values)")
          }
        }
      )
    }
  }

  @Test func threeThreadsPublishTheLatestOfEachLast() {
    expectNoFault("combineLatest, a value of each of three") {
      let pair = Pair(requesting: .unlimited)
      let c = Feed<Int>("C")
      pair.a.combineLatest(pair.b, c) { $0 * 100 + $1 * 10 + $2 }.subscribe(pair.downstream)
      pair.a.send(1)
      pair.b.send(1)
      c.send(1)
      return ThreadedProgram(
        threads: [{ pair.a.send(2) }, { pair.b.send(2) }, { c.send(2) }],
        faults: {
          pair.verdict {
            let values = pair.downstream.values
            $0.require(values.count == 4 && values == values.sorted() && values.last == 222, "\(values)")
          }
        }
      )
    }
  }

  @Test func returnedDemandGoesToTheSenderOfTheCombinationOnAnyThread() {
    expectNoFault("combineLatest, demand returned") {
      let pair = Pair(requesting: .max(10)) { _ in .max(1) }
      let c = Feed<Int>("C")
      pair.a.combineLatest(pair.b, c) { $0 * 100 + $1 * 10 + $2 }.subscribe(pair.downstream)
      pair.a.send(1)
      pair.b.send(1)
      c.send(1)
      return ThreadedProgram(
        threads: [{ pair.a.send(2) }, { pair.b.send(2) }, { c.send(2) }],
        faults: {
          pair.verdict {
            let demands = [pair.a.demand, pair.b.demand, c.demand]
            $0.require(demands == [.max(9), .max(9), .max(10)], "\(demands)")
          }
        }
      )
    }
  }

  @Test func valuesWhileAnUpstreamFails() {
    expectNoFault("combineLatest, values and a failure", preemptions: 3) {
      let pair = Pair(requesting: .max(5))
      pair.a.combineLatest(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
      pair.a.send(1)
      return ThreadedProgram(
        threads: [{ pair.b.send(3, 4) }, { pair.a.fail() }],
        faults: {
          pair.verdict {
            $0.require(pair.downstream.isCompleted, "the failure is missing")
            $0.require(pair.b.cancelCount == 1, "B was cancelled \(pair.b.cancelCount) times")
          }
        }
      )
    }
  }

  @Test func demandIsKeptAndForwarded() {
    expectNoFault("combineLatest, values and requests") {
      let pair = Pair(requesting: .max(1)) { _ in .max(1) }
      pair.a.combineLatest(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
      pair.a.send(1)
      return ThreadedProgram(
        threads: [{ pair.b.send(3) }, { pair.downstream.request(.max(1)) }, { pair.a.send(2) }],
        faults: {
          pair.verdict {
            $0.require(!pair.downstream.values.isEmpty, "no tuple")
            $0.require(pair.a.requests == [.max(1), .max(1)], "A received requests of \(pair.a.requests)")
            $0.require(pair.b.requests == [.max(1), .max(1)], "B received requests of \(pair.b.requests)")
          }
        }
      )
    }
  }

  @Test func allDemandIsRequestedFromALateSubscriptionOrItIsCancelled() {
    expectNoFault("combineLatest, a late subscription and a request") {
      let pair = Pair(requesting: .none, answersAtOnce: false)
      pair.a.combineLatest(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [
          { pair.b.answer() },
          {
            pair.downstream.request(.max(1)); pair.downstream.request(.max(2))
          },
        ],
        faults: { pair.verdict { $0.require(pair.b.demand == .max(3), "B received requests of \(pair.b.requests)") } }
      )
    }
    expectNoFault("combineLatest, a late subscription and a cancel") {
      let pair = Pair(requesting: .max(1), answersAtOnce: false)
      pair.a.combineLatest(pair.b) { $0 * 10 + $1 }.subscribe(pair.downstream)
      return ThreadedProgram(
        threads: [{ pair.b.answer() }, { pair.downstream.cancel() }, { pair.a.fail() }],
        faults: {
          pair.verdict { $0.require(pair.b.cancelCount == 1, "B was cancelled \(pair.b.cancelCount) times") }
        }
      )
    }
  }
}

/// A publisher of publishers, two inner publishers, and the downstream.
private struct Family {
  let upstream = Feed<Feed<Int>>("upstream")
  let first = Feed<Int>("first")
  let second: Feed<Int>
  let downstream: Witness<Int>

  init(
    requesting initial: Subscribers.Demand,
    answersAtOnce: Bool = true,
    onValue: @escaping (Int) -> Subscribers.Demand = { _ in .none }
  ) {
    second = Feed("second", answersAtOnce: answersAtOnce)
    downstream = Witness(requesting: initial, onValue: onValue)
  }

  func sent(_ values: [[Int]]) -> [[Int]] {
    zip(values, [first, second]).map { values, feed in values.filter { !feed.unsent.contains($0) } }
  }

  func verdict(_ check: (inout Verdict) -> Void) -> [String] {
    var verdict = Verdict(downstream)
    check(&verdict)
    return verdict.faults
  }
}

extension Feed: CustomStringConvertible {
  var description: String { name }
}

@Suite struct FlatMapThreadTests {

  private func started(
    requesting initial: Subscribers.Demand,
    maxPublishers: Subscribers.Demand = .unlimited,
    children: Int = 2,
    onValue: @escaping (Int) -> Subscribers.Demand = { _ in .none }
  ) -> Family {
    let family = Family(requesting: initial, onValue: onValue)
    family.upstream.flatMap(maxPublishers: maxPublishers) { $0 }.subscribe(family.downstream)
    for child in [family.first, family.second].prefix(children) { family.upstream.send(child) }
    return family
  }

  @Test(arguments: [.unlimited, .max(5)] as [Subscribers.Demand])
  func valuesAndFinishesOfAll(demand: Subscribers.Demand) {
    expectNoFault("flatMap, \(demand), values and finishes") {
      let family = started(requesting: demand)
      return ThreadedProgram(
        threads: [
          { family.first.send(1, finishing: true) },
          { family.second.send(2, finishing: true) },
          { family.upstream.complete() },
        ],
        faults: {
          family.verdict {
            $0.require(family.downstream.values, areOf: [[1], [2]])
            $0.require(family.downstream.isCompleted, "the finish is missing")
          }
        }
      )
    }
  }

  @Test func oneByOneDemandReturned() {
    expectNoFault("flatMap, demand returned one by one") {
      let family = started(requesting: .max(1)) { _ in .max(1) }
      return ThreadedProgram(
        threads: [{ family.first.send(1, 2) }, { family.second.send(3, 4) }],
        faults: {
          family.verdict {
            $0.require(family.downstream.values, areOf: family.sent([[1, 2], [3, 4]]))
            $0.require(
              family.first.demand == .max(1) && family.second.demand == .max(1),
              "an inner publisher receives no more requests: \(family.first.demand), \(family.second.demand)"
            )
          }
        }
      )
    }
  }

  @Test(arguments: [.unlimited, .max(5)] as [Subscribers.Demand])
  func aValueWhileAnotherFails(demand: Subscribers.Demand) {
    expectNoFault("flatMap, \(demand), a value and a failure of an inner publisher", preemptions: 3) {
      let family = started(requesting: demand)
      return ThreadedProgram(
        threads: [{ family.first.send(1, 2) }, { family.second.fail() }],
        faults: { family.verdict { $0.require(family.downstream.isCompleted, "the failure is missing") } }
      )
    }
    expectNoFault("flatMap, \(demand), a value and a failure of the upstream", preemptions: 3) {
      let family = started(requesting: demand)
      return ThreadedProgram(
        threads: [{ family.first.send(1, 2) }, { family.upstream.fail() }],
        faults: { family.verdict { $0.require(family.downstream.isCompleted, "the failure is missing") } }
      )
    }
  }

  @Test func twoFailures() {
    expectNoFault("flatMap, two failures") {
      let family = started(requesting: .unlimited)
      return ThreadedProgram(
        threads: [{ family.first.fail() }, { family.second.fail() }, { family.upstream.fail() }],
        faults: { family.verdict { $0.require(family.downstream.isCompleted, "the failure is missing") } }
      )
    }
  }

  @Test(arguments: [.unlimited, .max(1), .max(2)] as [Subscribers.Demand])
  func aRequestWhileValuesArrive(demand: Subscribers.Demand) {
    expectNoFault("flatMap, values and a request of \(demand)") {
      let family = started(requesting: .none)
      family.upstream.complete()
      return ThreadedProgram(
        threads: [
          { family.first.send(1, finishing: true) },
          { family.second.send(2, finishing: true) },
          { family.downstream.request(demand) },
        ],
        faults: {
          family.verdict {
            let isEnough = demand > .max(1)
            $0.require(family.downstream.values, areOf: [[1], [2]], completely: isEnough)
            $0.require(family.downstream.values.count >= 1, "a value is buffered despite demand")
            $0.require(family.downstream.isCompleted == isEnough, "the finish is missing or too early")
          }
        }
      )
    }
  }

  @Test func twoRequestsWhileAValueArrives() {
    expectNoFault("flatMap, a value and two requests") {
      let family = started(requesting: .none)
      family.first.send(1)
      return ThreadedProgram(
        threads: [
          { family.second.send(2) }, { family.downstream.request(.max(1)) }, { family.downstream.request(.max(1)) },
        ],
        faults: {
          family.verdict {
            $0.require(family.downstream.values, areOf: [[1], [2]])
            $0.require(family.first.demand == .max(1), "the first inner publisher receives no more requests")
            $0.require(family.second.demand == .max(1), "the second inner publisher receives no more requests")
          }
        }
      )
    }
  }

  @Test func anUnlimitedRequestReachesAnInnerPublisherThatArrivesMeanwhile() {
    expectNoFault("flatMap, a new inner publisher and an unlimited request") {
      let family = started(requesting: .none, children: 1)
      family.first.send(1)
      return ThreadedProgram(
        threads: [{ family.upstream.send(family.second) }, { family.downstream.request(.unlimited) }],
        faults: {
          family.verdict {
            $0.require(family.second.demand == .unlimited, "the new one received requests of \(family.second.requests)")
            $0.require(family.first.demand == .unlimited, "the old one received requests of \(family.first.requests)")
            $0.require(family.downstream.values == [1], "\(family.downstream.values)")
          }
        }
      )
    }
  }

  @Test func aNewInnerPublisherWhileTheOperatorIsCancelledOrFails() {
    expectNoFault("flatMap, a new inner publisher and a cancel") {
      let family = started(requesting: .unlimited, children: 1)
      return ThreadedProgram(
        threads: [{ family.upstream.send(family.second) }, { family.downstream.cancel() }],
        faults: {
          family.verdict {
            $0.require(family.second.cancelCount == family.second.subscribeCount, "the new one was not cancelled")
            $0.require(
              family.upstream.cancelCount == 1,
              "the upstream was cancelled \(family.upstream.cancelCount) times"
            )
          }
        }
      )
    }
    expectNoFault("flatMap, a new inner publisher and a failure") {
      let family = started(requesting: .unlimited, children: 1)
      return ThreadedProgram(
        threads: [{ family.upstream.send(family.second) }, { family.first.fail() }],
        faults: {
          family.verdict {
            $0.require(family.second.cancelCount == family.second.subscribeCount, "the new one was not cancelled")
          }
        }
      )
    }
  }

  @Test func aNewInnerPublisherWhileTheOldOneFinishes() {
    expectNoFault("flatMap, one inner publisher at a time") {
      let family = started(requesting: .unlimited, maxPublishers: .max(1), children: 1)
      return ThreadedProgram(
        threads: [
          {
            family.first.complete(); family.upstream.send(family.second); family.second.complete()
          },
          { family.upstream.complete() },
        ],
        faults: { family.verdict { $0.require(family.downstream.isCompleted, "the finish is missing") } }
      )
    }
  }
}

@Suite struct SwitchToLatestThreadTests {

  private func started(
    requesting initial: Subscribers.Demand,
    answersAtOnce: Bool = true,
    onValue: @escaping (Int) -> Subscribers.Demand = { _ in .none }
  ) -> Family {
    let family = Family(requesting: initial, answersAtOnce: answersAtOnce, onValue: onValue)
    family.upstream.switchToLatest().subscribe(family.downstream)
    family.upstream.send(family.first)
    return family
  }

  @Test(arguments: [.unlimited, .max(3)] as [Subscribers.Demand])
  func aValueWhileTheNextInnerPublisherArrives(demand: Subscribers.Demand) {
    expectNoFault("switchToLatest, \(demand), a value and a new inner publisher") {
      let family = started(requesting: demand) { $0 == 1 ? .max(2) : .none }
      return ThreadedProgram(
        threads: [
          { family.first.send(1, 2) },
          {
            family.upstream.send(family.second); family.second.send(3)
          },
        ],
        faults: {
          family.verdict {
            $0.require(family.downstream.values, areOf: [[1, 2, 3]], completely: false)
            $0.require(family.downstream.values.contains(3), "the new inner publisher's value is missing")
            $0.require(
              family.second.demand == family.downstream.demand,
              "the new one has demand \(family.second.demand) and not \(String(describing: family.downstream.demand))"
            )
            $0.require(family.first.cancelCount == 1, "the old one was cancelled \(family.first.cancelCount) times")
          }
        }
      )
    }
  }

  @Test func aRequestWhileTheNextInnerPublisherArrives() {
    for answersAtOnce in [true, false] {
      expectNoFault("switchToLatest, a request and a new one, which answers \(answersAtOnce ? "at once" : "later")") {
        let family = started(requesting: .max(1), answersAtOnce: answersAtOnce)
        return ThreadedProgram(
          threads: [
            {
              family.upstream.send(family.second)
              if !answersAtOnce { family.second.answer() }
            },
            {
              family.downstream.request(.max(2)); family.downstream.request(.max(4))
            },
          ],
          faults: {
            family.verdict {
              $0.require(
                family.second.demand == family.downstream.demand,
                "the new one has demand \(family.second.demand) and not \(String(describing: family.downstream.demand))"
              )
            }
          }
        )
      }
    }
  }

  @Test(arguments: [.unlimited, .max(3)] as [Subscribers.Demand])
  func aValueWhileTheUpstreamFails(demand: Subscribers.Demand) {
    expectNoFault("switchToLatest, \(demand), a value and a failure of the upstream", preemptions: 3) {
      let family = started(requesting: demand)
      return ThreadedProgram(
        threads: [{ family.first.send(1, 2) }, { family.upstream.fail() }],
        faults: {
          family.verdict {
            $0.require(family.downstream.isCompleted, "the failure is missing")
            $0.require(family.first.cancelCount == 1, "it was cancelled \(family.first.cancelCount) times")
          }
        }
      )
    }
  }

  @Test func completionsOfTheInnerPublisherAndTheUpstream() {
    for childFails in [true, false] {
      for upstreamFails in [true, false] {
        expectNoFault(
          "switchToLatest, child \(childFails ? "fails" : "finishes"), upstream \(upstreamFails ? "fails" : "finishes")"
        ) {
          let family = started(requesting: .unlimited)
          return ThreadedProgram(
            threads: [
              { childFails ? family.first.fail() : family.first.complete() },
              { upstreamFails ? family.upstream.fail() : family.upstream.complete() },
            ],
            faults: { family.verdict { $0.require(family.downstream.isCompleted, "the completion is missing") } }
          )
        }
      }
    }
  }

  @Test func aNewInnerPublisherWhileTheOldOneFailsOrTheDownstreamCancels() {
    expectNoFault("switchToLatest, a new inner publisher and a failure of the old one") {
      let family = started(requesting: .unlimited)
      return ThreadedProgram(
        threads: [
          {
            family.upstream.send(family.second); family.second.send(1)
          }, { family.first.fail() },
        ],
        faults: {
          family.verdict {
            $0.require(
              !family.downstream.isCompleted || family.second.cancelCount == family.second.subscribeCount,
              "the new inner publisher was not cancelled"
            )
            $0.require(family.downstream.isCompleted || family.downstream.values == [1], "the new one does not deliver")
          }
        }
      )
    }
    expectNoFault("switchToLatest, a new inner publisher and a cancel") {
      let family = started(requesting: .unlimited)
      return ThreadedProgram(
        threads: [
          {
            family.upstream.send(family.second); family.second.send(1)
          }, { family.downstream.cancel() },
        ],
        faults: {
          family.verdict {
            $0.require(family.second.cancelCount == family.second.subscribeCount, "the new one was not cancelled")
            $0.require(family.first.cancelCount == 1, "the old one was cancelled \(family.first.cancelCount) times")
          }
        }
      )
    }
  }
}
