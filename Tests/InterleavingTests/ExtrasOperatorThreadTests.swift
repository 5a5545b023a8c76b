import CombineCore
import CombineExtras
import TestSupport
import Testing

/// Calls of several threads to the operators of `CombineExtras` that mix, share or wait.
@Suite struct ExtrasOperatorThreadTests {

  private typealias Replay = ReplaySubject<Int, TestError>

  // MARK: ReplaySubject

  @Test func aSubscriberThatCancelsInADelivery() {
    expectNoFault("ReplaySubject, a cancel in a delivery") {
      let subject = Replay()
      var cancel: () -> Void = {}
      let first = Witness<Int> { _ in
        cancel()
        return .none
      }
      cancel = { [unowned first] in first.cancel() }
      let second = Witness<Int>()
      subject.subscribe(first)
      subject.subscribe(second)
      return ThreadedProgram(
        threads: [
          {
            subject.send(1)
            subject.send(2)
          }, { subject.send(3) },
        ],
        faults: {
          var verdict = Verdict(second)
          for fault in first.faults { verdict.require(false, fault) }
          verdict.require(second.values, areOf: [[1, 2], [3]])
          // The cancel is in the first delivery, and nothing follows it on any thread.
          verdict.require(first.values == Array(second.values.prefix(1)), "\(first.values) of \(second.values)")
          return verdict.faults
        }
      )
    }
  }

  @Test func aSubscriberThatCancelsAnotherInADelivery() {
    expectNoFault("ReplaySubject, a cancel of another subscriber in a delivery") {
      let subject = Replay()
      let second = Witness<Int>()
      let first = Witness<Int> { value in
        if value == 1 { second.cancel() }
        return .none
      }
      subject.subscribe(first)
      subject.subscribe(second)
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { subject.send(2) }],
        faults: {
          subject.send(3)
          var verdict = Verdict(first)
          for fault in second.faults { verdict.require(false, fault) }
          verdict.require(first.values, areOf: [[1], [2], [3]])
          verdict.require(first.values.last == 3, "\(first.values)")
          verdict.require(second.values, areOf: [[1], [2]], completely: false)
          return verdict.faults
        }
      )
    }
  }

  // MARK: ZipEach and CombineLatestEach

  /// Two upstreams of an operator for any number of them. Its tuples are published as arrays.
  private struct Pair {
    let a = Feed<Int>("a")
    let b = Feed<Int>("b")
    let downstream: Witness<[Int]>

    static func zip(requesting initial: Subscribers.Demand = .unlimited) -> Pair {
      let pair = Pair(downstream: Witness(requesting: initial))
      ExtraPublishers.ZipEach(pair.a, pair.b).map { [$0, $1] }.subscribe(pair.downstream)
      return pair
    }

    static func combineLatest(requesting initial: Subscribers.Demand = .unlimited) -> Pair {
      let pair = Pair(downstream: Witness(requesting: initial))
      ExtraPublishers.CombineLatestEach(pair.a, pair.b).map { [$0, $1] }.subscribe(pair.downstream)
      return pair
    }
  }

  @Test func bothUpstreamsOfZipEach() {
    expectNoFault("ZipEach, elements and a finish") {
      let pair = Pair.zip()
      return ThreadedProgram(
        threads: [
          {
            pair.a.send(1)
            pair.a.send(2)
            pair.a.complete()
          },
          {
            pair.b.send(3)
            pair.b.send(4)
            pair.b.send(5)
          },
        ],
        faults: {
          var verdict = Verdict(pair.downstream)
          verdict.requireEnd(of: pair.downstream, after: [[1, 3], [2, 4]])
          verdict.require(pair.b.cancelCount == 1, "the other upstream was cancelled \(pair.b.cancelCount) times")
          return verdict.faults
        }
      )
    }
  }

  @Test func aCancelOfZipEach() {
    expectNoFault("ZipEach, elements and a cancel") {
      let pair = Pair.zip(requesting: .max(1))
      return ThreadedProgram(
        threads: [{ pair.a.send(1) }, { pair.b.send(3) }, { pair.downstream.cancel() }],
        faults: {
          var verdict = Verdict(pair.downstream)
          verdict.require([[], [[1, 3]]].contains(pair.downstream.values), "\(pair.downstream.values)")
          verdict.require(pair.a.cancelCount == 1 && pair.b.cancelCount == 1, "an upstream was not cancelled once")
          return verdict.faults
        }
      )
    }
  }

  @Test func bothUpstreamsOfCombineLatestEach() {
    expectNoFault("CombineLatestEach, elements") {
      let pair = Pair.combineLatest()
      return ThreadedProgram(
        threads: [
          {
            pair.a.send(1)
            pair.a.send(2)
          },
          {
            pair.b.send(3)
            pair.b.send(4)
          },
        ],
        faults: {
          var verdict = Verdict(pair.downstream)
          let values = pair.downstream.values
          verdict.require(values.last == [2, 4], "the latest elements are missing: \(values)")
          verdict.require(values.map { $0[0] } == values.map { $0[0] }.sorted(), "an older element of a: \(values)")
          verdict.require(values.map { $0[1] } == values.map { $0[1] }.sorted(), "an older element of b: \(values)")
          return verdict.faults
        }
      )
    }
  }

  @Test func aFailureAndARequestOfCombineLatestEach() {
    expectNoFault("CombineLatestEach, a failure, an element and a request") {
      let pair = Pair.combineLatest(requesting: .max(1))
      pair.a.send(1)
      return ThreadedProgram(
        threads: [{ pair.a.fail() }, { pair.b.send(3) }, { pair.downstream.request(.max(1)) }],
        faults: {
          var verdict = Verdict(pair.downstream)
          verdict.require([[], [[1, 3]]].contains(pair.downstream.values), "\(pair.downstream.values)")
          verdict.require(pair.downstream.isCompleted, "the completion is missing")
          verdict.require(pair.b.cancelCount == 1, "the other upstream was cancelled \(pair.b.cancelCount) times")
          return verdict.faults
        }
      )
    }
  }

  // MARK: referenceCounted

  @Test func aSubscriberComesWhileTheGracePeriodEnds() {
    expectNoFault("referenceCounted, one leaves, one comes and the grace period ends") {
      let upstream = Feed<Int>("upstream")
      let scheduler = StepScheduler()
      let shared = upstream.multicast { PassthroughSubject<Int, TestError>() }
        .referenceCounted(disconnectingAfter: 5, scheduler: scheduler)
      let (old, new) = (Witness<Int>(), Witness<Int>())
      shared.subscribe(old)
      return ThreadedProgram(
        threads: [{ old.cancel() }, { shared.subscribe(new) }, { scheduler.run() }],
        faults: {
          scheduler.runAll()
          upstream.send(1)
          var verdict = Verdict(new)
          verdict.require(new.values == [1], "\(new.values) for the new subscriber")
          verdict.require(upstream.cancelCount == upstream.subscribeCount - 1, "an old connection is left")
          new.cancel()
          scheduler.runAll()
          verdict.require(upstream.cancelCount == upstream.subscribeCount, "the last connection is left")
          return verdict.faults
        }
      )
    }
  }

  // MARK: retryWhen

  @Test func aTriggerThatDoesNotWaitForTheError() {
    expectNoFault("retryWhen, a failure and an element of the trigger") {
      let (upstream, trigger) = (Feed<Int>("upstream"), Feed<Int>("trigger"))
      let witness = Witness<Int>()
      upstream.retryWhen { _ in trigger }.subscribe(witness)
      return ThreadedProgram(
        threads: [{ upstream.fail() }, { trigger.send(0) }],
        faults: {
          // If it came before the failure, the next one counts.
          if upstream.subscribeCount == 1 { trigger.send(0) }
          upstream.send(1)
          var verdict = Verdict(witness)
          verdict.require(witness.values == [1], "\(witness.values)")
          verdict.require(upstream.subscribeCount == 2, "\(upstream.subscribeCount) subscriptions")
          verdict.require(upstream.cancelCount == 0, "the new subscription is cancelled")
          return verdict.faults
        }
      )
    }
  }

  @Test func aRequestWhileTheUpstreamFails() {
    expectNoFault("retryWhen, a failure and a request") {
      let (upstream, trigger) = (Feed<Int>("upstream"), Feed<Int>("trigger"))
      let witness = Witness<Int>(requesting: .max(2))
      upstream.retryWhen { _ in trigger }.subscribe(witness)
      upstream.send(1)
      return ThreadedProgram(
        threads: [
          {
            upstream.fail()
            trigger.send(0)
          }, { witness.request(.max(1)) },
        ],
        faults: {
          var verdict = Verdict(witness)
          // One element of three has come.
          verdict.require(upstream.demand == .max(2), "the upstream was asked for \(upstream.demand)")
          return verdict.faults
        }
      )
    }
  }

  // MARK: Time

  @Test func anElementWhileTheDeadlinePasses() {
    expectNoFault("timeout, an element and the timer") {
      let upstream = Feed<Int>("upstream")
      let scheduler = StepScheduler()
      let witness = Witness<Int>()
      upstream.timeout(first: 10, next: 10, scheduler: scheduler).subscribe(witness)
      return ThreadedProgram(
        threads: [{ upstream.send(1) }, { scheduler.fire() }],
        faults: {
          // An element that counts has moved the deadline at most to 20.
          scheduler.fire()
          var verdict = Verdict(witness)
          verdict.require([[], [1]].contains(witness.values), "\(witness.values)")
          verdict.require(witness.isCompleted, "the timer is lost")
          verdict.require(upstream.cancelCount == 1, "the upstream was cancelled \(upstream.cancelCount) times")
          return verdict.faults
        }
      )
    }
  }

  @Test func aLimitedRateLosesNothing() {
    expectNoFault("rateLimit, elements and the timer") {
      let upstream = Feed<Int>("upstream")
      let scheduler = StepScheduler()
      let witness = Witness<Int>()
      upstream.rateLimit(1, per: 10, scheduler: scheduler).subscribe(witness)
      upstream.send(1)
      upstream.send(2)
      return ThreadedProgram(
        threads: [
          {
            upstream.send(3)
            upstream.complete()
          }, { scheduler.fire() },
        ],
        faults: {
          scheduler.fire()
          scheduler.fire()
          var verdict = Verdict(witness)
          verdict.requireEnd(of: witness, after: [1, 2, 3])
          return verdict.faults
        }
      )
    }
  }

  @Test func anElementWhileAPauseEnds() {
    expectNoFault("throttle, an element and the end of its pause") {
      let (upstream, pause) = (Feed<Int>("upstream"), Feed<Int>("pause"))
      let witness = Witness<Int>()
      upstream.throttle(latest: true) { _ in pause }.subscribe(witness)
      upstream.send(1)
      return ThreadedProgram(
        threads: [
          {
            upstream.send(2)
            upstream.complete()
          }, { pause.send(0) },
        ],
        faults: {
          pause.send(0)
          var verdict = Verdict(witness)
          verdict.requireEnd(of: witness, after: [1, 2])
          verdict.require(pause.cancelCount == pause.subscribeCount, "a pause goes on")
          return verdict.faults
        }
      )
    }
  }

  @Test func aSampleAndTheEndOfTheElements() {
    expectNoFault("sample, elements, a sample and a cancel") {
      let (upstream, sampler) = (Feed<Int>("upstream"), Feed<Int>("sampler"))
      let witness = Witness<Int>(requesting: .max(1))
      upstream.sample(by: sampler).subscribe(witness)
      return ThreadedProgram(
        threads: [
          {
            upstream.send(1)
            upstream.send(2)
          }, { sampler.send(0) }, { witness.cancel() },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(witness.values, areOf: [[1], [2]], completely: false)
          verdict.require(witness.values.count <= 1, "\(witness.values)")
          verdict.require(upstream.cancelCount == 1 && sampler.cancelCount == 1, "an upstream was not cancelled once")
          return verdict.faults
        }
      )
    }
  }
}
