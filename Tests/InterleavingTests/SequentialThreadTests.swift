import CombineCore
import TestSupport
import Testing

/// Operators with one upstream at a time, whose downstream requests and cancels on another thread.
@Suite struct SuccessionThreadTests {

  private let first = Feed<Int>("first")

  /// The two publishers of a succession and the downstream. The second publisher may send its subscription late.
  private struct Succession {
    let first = Feed<Int>("first")
    let second: Feed<Int>
    let downstream: Witness<Int>

    enum Kind: CaseIterable {
      case `catch`, tryCatch, concatenate

      func attach(_ downstream: Witness<Int>, to first: Feed<Int>, and second: Feed<Int>) {
        switch self {
        case .catch: first.catch { _ in second }.subscribe(downstream)
        case .tryCatch: first.tryCatch { _ in second }.mapError { $0 as? TestError ?? "other" }.subscribe(downstream)
        case .concatenate: first.append(second).subscribe(downstream)
        }
      }

      /// Ends the first publisher so that the second one follows.
      func end(_ first: Feed<Int>) {
        self == .concatenate ? first.complete() : first.fail()
      }
    }

    let kind: Kind

    init(_ kind: Kind, requesting initial: Subscribers.Demand, answersAtOnce: Bool = true) {
      self.kind = kind
      second = Feed("second", answersAtOnce: answersAtOnce)
      downstream = Witness(requesting: initial) { $0 == 1 ? .max(2) : .none }
      kind.attach(downstream, to: first, and: second)
    }

    func endFirst() {
      kind.end(first)
    }

    func verdict(_ check: (inout Verdict) -> Void) -> [String] {
      var verdict = Verdict(downstream)
      check(&verdict)
      return verdict.faults
    }
  }

  @Test func theOutstandingDemandIsRequestedFromTheSecond() {
    for kind in Succession.Kind.allCases {
      for answersAtOnce in [true, false] {
        expectNoFault("\(kind), requests, the second answers \(answersAtOnce ? "at once" : "later")", preemptions: 3) {
          let succession = Succession(kind, requesting: .max(1), answersAtOnce: answersAtOnce)
          return ThreadedProgram(
            threads: [
              {
                succession.first.send(1)
                succession.endFirst()
                if !answersAtOnce { succession.second.answer() }
              },
              { succession.downstream.request(.max(4)) },
            ],
            faults: {
              succession.verdict {
                $0.require(
                  succession.second.demand == succession.downstream.demand,
                  "the second owes \(succession.second.demand), not \(String(describing: succession.downstream.demand))"
                )
              }
            }
          )
        }
      }
    }
  }

  @Test func aCancelReachesTheCurrentUpstream() {
    expectNoFault("concatenate, a cancel", preemptions: 3) {
      let succession = Succession(.concatenate, requesting: .unlimited, answersAtOnce: false)
      return ThreadedProgram(
        threads: [
          {
            succession.first.send(1); succession.endFirst(); succession.second.answer()
          },
          { succession.downstream.cancel() },
        ],
        faults: {
          succession.verdict {
            $0.require(
              succession.second.subscribeCount == 0 || succession.second.cancelCount == 1
                || succession.first.cancelCount == 1,
              "nothing was cancelled"
            )
          }
        }
      )
    }
    expectNoFault("catch, a cancel and a value", preemptions: 3) {
      let succession = Succession(.catch, requesting: .unlimited)
      return ThreadedProgram(
        threads: [
          {
            succession.first.send(1); succession.endFirst(); succession.second.send(2); succession.second.complete()
          },
          { succession.downstream.cancel() },
        ],
        faults: { succession.verdict { _ in } }
      )
    }
  }

  /// The first publisher ends inside its own delivery, and the second one sends on another thread before that is over.
  @Test func theSecondWaitsForTheDeliveryInWhichTheFirstHasEnded() {
    for kind in Succession.Kind.allCases {
      expectNoFault("\(kind), the first ends inside its delivery", preemptions: 3) {
        let (first, second) = (Feed<Int>("first"), Feed<Int>("second"))
        let downstream = Witness<Int> {
          if $0 == 1 { kind.end(first) }
          return .none
        }
        kind.attach(downstream, to: first, and: second)
        return ThreadedProgram(
          threads: [{ first.send(1) }, { second.send(2, finishing: true) }],
          faults: {
            var verdict = Verdict(downstream)
            verdict.require(downstream.values == [1] + (second.unsent == [] ? [2] : []), "\(downstream.values)")
            return verdict.faults
          }
        )
      }
    }
    expectNoFault("retry, the upstream fails inside its delivery", preemptions: 3) {
      let upstream = Feed<Int>("upstream")
      let downstream = Witness<Int> {
        if $0 == 1 { upstream.fail() }
        return .none
      }
      upstream.retry(1).subscribe(downstream)
      return ThreadedProgram(
        threads: [{ upstream.send(1) }, { if upstream.subscribeCount == 2 { upstream.send(2, finishing: true) } }],
        faults: { Verdict(downstream).faults }
      )
    }
  }

  @Test func retryRequestsTheOutstandingDemandAgain() {
    expectNoFault("retry, requests", preemptions: 3) {
      let upstream = Feed<Int>("upstream")
      let downstream = Witness<Int>(requesting: .max(2)) { $0 == 1 ? .max(2) : .none }
      upstream.retry(1).subscribe(downstream)
      return ThreadedProgram(
        threads: [
          {
            upstream.send(1); upstream.fail(); upstream.send(2)
          }, { downstream.request(.max(4)) },
        ],
        faults: {
          var verdict = Verdict(downstream)
          verdict.require(downstream.values == [1, 2], "\(downstream.values)")
          verdict.require(
            upstream.demand == downstream.demand,
            "the upstream owes \(upstream.demand), not \(String(describing: downstream.demand))"
          )
          return verdict.faults
        }
      )
    }
  }

  @Test func retryIsCancelledWhileItResubscribes() {
    expectNoFault("retry, a cancel", preemptions: 3) {
      let upstream = Feed<Int>("upstream")
      let downstream = Witness<Int>()
      upstream.retry(1).subscribe(downstream)
      var failures = 0
      var wasLate = false
      return ThreadedProgram(
        threads: [
          {
            upstream.send(1)
            failures += 1; upstream.fail()
            failures += 1; upstream.fail()
          },
          {
            downstream.cancel()
            // A cancel also stops a completion that is about to be delivered.
            wasLate = failures == 2
          },
        ],
        faults: {
          var verdict = Verdict(downstream)
          verdict.require(
            downstream.isCompleted || wasLate || upstream.cancelCount == 1 || upstream.subscribeCount == 1,
            "the upstream of the second attempt was not cancelled"
          )
          return verdict.faults
        }
      )
    }
  }
}

@Suite struct ReducingThreadTests {

  @Test func theResultIsSentOnce() {
    expectNoFault("collect, two requests and a finish") {
      let upstream = Feed<Int>("upstream")
      let downstream = Witness<[Int]>(requesting: .none)
      upstream.collect().subscribe(downstream)
      return ThreadedProgram(
        threads: [
          { upstream.send(1, 2, finishing: true) },
          { downstream.request(.max(1)) }, { downstream.request(.max(1)) },
        ],
        faults: {
          var verdict = Verdict(downstream)
          verdict.requireEnd(of: downstream, after: [[1, 2]])
          return verdict.faults
        }
      )
    }
  }

  @Test func anEarlyFinishAndACancel() {
    expectNoFault("first, a request and a cancel") {
      let upstream = Feed<Int>("upstream")
      let downstream = Witness<Int>(requesting: .none)
      upstream.first().subscribe(downstream)
      return ThreadedProgram(
        threads: [{ upstream.send(1) }, { downstream.request(.max(1)) }, { downstream.cancel() }],
        faults: {
          var verdict = Verdict(downstream)
          verdict.require(upstream.cancelCount == 1, "cancelled \(upstream.cancelCount) times")
          return verdict.faults
        }
      )
    }
  }

  @Test func aReplacementIsSentOnce() {
    expectNoFault("replaceError, a request and a failure") {
      let upstream = Feed<Int>("upstream")
      let downstream = Witness<Int>(requesting: .none)
      upstream.replaceError(with: 0).setFailureType(to: TestError.self).subscribe(downstream)
      return ThreadedProgram(
        threads: [{ upstream.fail() }, { downstream.request(.max(1)) }, { downstream.request(.max(1)) }],
        faults: {
          var verdict = Verdict(downstream)
          verdict.requireEnd(of: downstream, after: [0])
          return verdict.faults
        }
      )
    }
    expectNoFault("replaceError, a value, a failure and a request", preemptions: 3) {
      let upstream = Feed<Int>("upstream")
      let downstream = Witness<Int>(requesting: .max(1)) { $0 == 1 ? .max(1) : .none }
      upstream.replaceError(with: 0).setFailureType(to: TestError.self).subscribe(downstream)
      return ThreadedProgram(
        threads: [
          {
            upstream.send(1); upstream.fail()
          }, { downstream.request(.max(1)) },
        ],
        faults: {
          var verdict = Verdict(downstream)
          verdict.requireEnd(of: downstream, after: [1, 0])
          return verdict.faults
        }
      )
    }
    expectNoFault("replaceEmpty, a request and a finish") {
      let upstream = Feed<Int>("upstream")
      let downstream = Witness<Int>(requesting: .none)
      upstream.replaceEmpty(with: 0).subscribe(downstream)
      return ThreadedProgram(
        threads: [{ upstream.complete() }, { downstream.request(.max(1)) }, { downstream.request(.max(1)) }],
        faults: {
          var verdict = Verdict(downstream)
          verdict.requireEnd(of: downstream, after: [0])
          return verdict.faults
        }
      )
    }
  }
}

@Suite struct UntilOutputThreadTests {

  @Test func prefixFinishesAtTheOthersFirstValue() {
    expectNoFault("prefix(untilOutputFrom:)", preemptions: 3) {
      let (upstream, other) = (Feed<Int>("upstream"), Feed<Int>("other"))
      let downstream = Witness<Int>()
      upstream.prefix(untilOutputFrom: other).subscribe(downstream)
      return ThreadedProgram(
        threads: [{ upstream.send(1, 2, finishing: true) }, { other.send(0, finishing: true) }],
        faults: {
          var verdict = Verdict(downstream)
          verdict.require(downstream.values, areOf: [[1, 2]], completely: false)
          verdict.require(downstream.isCompleted, "the finish is missing")
          verdict.require(upstream.cancelCount <= 1, "cancelled \(upstream.cancelCount) times")
          return verdict.faults
        }
      )
    }
    expectNoFault("prefix(untilOutputFrom:), a trigger during the subscription", preemptions: 3) {
      let (upstream, other) = (Feed<Int>("upstream"), Feed<Int>("other"))
      let downstream = Witness<Int>()
      return ThreadedProgram(
        threads: [
          { upstream.prefix(untilOutputFrom: other).subscribe(downstream) },
          { if other.demand > .none { other.send(0) } },
        ],
        faults: {
          var verdict = Verdict(downstream)
          verdict.require(downstream.subscription != nil, "the subscription is missing")
          verdict.require(upstream.cancelCount <= 1, "cancelled \(upstream.cancelCount) times")
          return verdict.faults
        }
      )
    }
    expectNoFault("prefix(untilOutputFrom:), a cancel") {
      let (upstream, other) = (Feed<Int>("upstream"), Feed<Int>("other"))
      let downstream = Witness<Int>()
      upstream.prefix(untilOutputFrom: other).subscribe(downstream)
      return ThreadedProgram(
        threads: [{ upstream.send(1) }, { other.send(0) }, { downstream.cancel() }],
        faults: {
          var verdict = Verdict(downstream)
          verdict.require(upstream.cancelCount == 1, "cancelled \(upstream.cancelCount) times")
          return verdict.faults
        }
      )
    }
  }

  @Test func dropBeginsAtTheOthersFirstValue() {
    expectNoFault("drop(untilOutputFrom:)", preemptions: 3) {
      let (upstream, other) = (Feed<Int>("upstream"), Feed<Int>("other"))
      let downstream = Witness<Int>()
      upstream.drop(untilOutputFrom: other).subscribe(downstream)
      return ThreadedProgram(
        threads: [{ upstream.send(1, 2, finishing: true) }, { other.send(0, finishing: true) }],
        faults: {
          var verdict = Verdict(downstream)
          verdict.require(downstream.values == [1, 2].suffix(downstream.values.count), "\(downstream.values)")
          verdict.require(downstream.isCompleted, "the finish is missing")
          return verdict.faults
        }
      )
    }
  }
}
