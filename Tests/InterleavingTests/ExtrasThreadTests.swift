import CombineCore
import CombineExtras
import CombineTesting
import TestSupport
import Testing

/// Calls of several threads to the operators and subjects of `CombineExtras`.
@Suite struct ExtrasThreadTests {

  private typealias Replay = ReplaySubject<Int, TestError>

  // MARK: ReplaySubject

  @Test func twoSubscribersDropATooOldValueOnce() {
    expectNoFault("ReplaySubject, two subscribers after a value is too old") {
      let scheduler = TestScheduler()
      let subject = Replay(notOlderThan: 5, scheduler: scheduler)
      subject.send(1)
      scheduler.advance(by: 4)
      subject.send(2)
      scheduler.advance(by: 3)
      let witnesses = [Witness<Int>(), Witness<Int>()]
      return ThreadedProgram(
        threads: witnesses.map { witness in { subject.subscribe(witness) } },
        faults: {
          var verdict = Verdict(witnesses[0])
          verdict.require(witnesses.allSatisfy { $0.values == [2] }, "\(witnesses.map(\.values))")
          return verdict.faults + witnesses[1].faults
        }
      )
    }
  }

  @Test func twoSendsOfAReplaySubjectAndASubscriber() {
    expectNoFault("ReplaySubject, two sends and a subscriber") {
      let subject = Replay()
      let (old, new) = (Witness<Int>(), Witness<Int>())
      subject.subscribe(old)
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { subject.send(2) }, { subject.subscribe(new) }],
        faults: {
          var faults: [String] = []
          for witness in [old, new] {
            var verdict = Verdict(witness)
            verdict.require(witness.values, areOf: [[1], [2]])
            verdict.require(witness.values == old.values, "\(witness.values), and \(old.values) for another one")
            faults += verdict.faults
          }
          return faults
        }
      )
    }
  }

  /// A thread may be stopped between the queue and the downstream. Senders that do not wait for it would fill the queue.
  @Test func aSendOfAReplaySubjectReturnsAfterItsDelivery() {
    expectNoFault("ReplaySubject, two senders", preemptions: 3) {
      let subject = Replay()
      let witness = Witness<Int>()
      subject.subscribe(witness)
      var early: [Int] = []
      func send(_ value: Int) {
        subject.send(value)
        if !witness.values.contains(value) { early.append(value) }
      }
      return ThreadedProgram(
        threads: [
          { send(1) },
          {
            send(2); send(3)
          },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(early == [], "\(early) were delivered after their sends had returned")
          return verdict.faults
        }
      )
    }
  }

  @Test func aSendACompletionAndACancelOfAReplaySubject() {
    expectNoFault("ReplaySubject, a send, a completion and a cancel") {
      let subject = Replay()
      let witness = Witness<Int>()
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { subject.send(completion: .finished) }, { witness.cancel() }],
        faults: { Verdict(witness).faults }
      )
    }
  }

  @Test func requestsOfAReplaySubjectWhileItSends() {
    expectNoFault("ReplaySubject, sends and requests") {
      let subject = Replay()
      let witness = Witness<Int>(requesting: .max(1))
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [
          {
            subject.send(1)
            subject.send(2)
            subject.send(completion: .finished)
          }, { witness.request(.max(1)) },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.requireEnd(of: witness, after: [1, 2])
          return verdict.faults
        }
      )
    }
  }

  // MARK: Create

  @Test func twoSendersAndACancelOfCreate() {
    expectNoFault("Create, two senders and a cancel") {
      let witness = Witness<Int>()
      var handle: ExtraPublishers.Create<Int, TestError>.Subscriber?
      var cleanUps = 0
      ExtraPublishers.Create<Int, TestError>(factory: {
        handle = $0
        return AnyCancellable { cleanUps += 1 }
      }).subscribe(witness)
      return ThreadedProgram(
        threads: [
          { handle?.send(1) },
          {
            handle?.send(2)
            handle?.send(completion: .finished)
          }, { witness.cancel() },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(witness.values, areOf: [[1], [2]], completely: false)
          verdict.require(cleanUps == 1, "\(cleanUps) clean-ups")
          return verdict.faults
        }
      )
    }
  }

  @Test func aRequestWhileCreateCompletes() {
    expectNoFault("Create, values that wait, a completion and a request") {
      let witness = Witness<Int>(requesting: .none)
      var handle: ExtraPublishers.Create<Int, TestError>.Subscriber?
      ExtraPublishers.Create<Int, TestError>(factory: {
        handle = $0
        return AnyCancellable {}
      }).subscribe(witness)
      handle?.send(1)
      return ThreadedProgram(
        threads: [{ handle?.send(completion: .finished) }, { witness.request(.max(1)) }],
        faults: {
          var verdict = Verdict(witness)
          verdict.requireEnd(of: witness, after: [1])
          return verdict.faults
        }
      )
    }
  }

  // MARK: Operators

  @Test func twoCandidatesOfAmb() {
    expectNoFault("amb, two values") {
      let (first, second) = (Feed<Int>("first"), Feed<Int>("second"))
      let witness = Witness<Int>()
      first.amb(second).subscribe(witness)
      return ThreadedProgram(
        threads: [
          {
            first.send(1)
            first.complete()
          },
          {
            second.send(2)
            second.complete()
          },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(witness.isCompleted, "the completion is missing")
          verdict.require([[1], [2]].contains(witness.values), "\(witness.values)")
          verdict.require(first.cancelCount + second.cancelCount == 1, "the loser was not cancelled once")
          return verdict.faults
        }
      )
    }
  }

  @Test func aCancelOfAmbDuringTheDecision() {
    expectNoFault("amb, a value and a cancel") {
      let (first, second) = (Feed<Int>("first"), Feed<Int>("second"))
      let witness = Witness<Int>(requesting: .max(1))
      first.amb(second).subscribe(witness)
      return ThreadedProgram(
        threads: [{ first.send(1) }, { witness.cancel() }],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(first.cancelCount == 1 && second.cancelCount == 1, "an upstream was not cancelled once")
          return verdict.faults
        }
      )
    }
  }

  @Test func bothUpstreamsOfWithLatestAndACancel() {
    expectNoFault("withLatest, both upstreams and a cancel") {
      let (upstream, other) = (Feed<Int>("upstream"), Feed<Int>("other"))
      let witness = Witness<Int>()
      upstream.withLatest(of: other) { $0 + $1 }.subscribe(witness)
      other.send(10)
      return ThreadedProgram(
        threads: [
          {
            upstream.send(1)
            upstream.complete()
          }, { other.send(20) }, { witness.cancel() },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.require([[], [11], [21]].contains(witness.values), "\(witness.values)")
          verdict.require(other.cancelCount == 1, "the other publisher was cancelled \(other.cancelCount) times")
          verdict.require(upstream.isCompleted || upstream.cancelCount == 1, "the upstream goes on")
          return verdict.faults
        }
      )
    }
  }

  @Test func theFirstValueOfTheOtherAndACancel() {
    expectNoFault("withLatest, the first value of the other and a cancel") {
      let (upstream, other) = (Feed<Int>("upstream"), Feed<Int>("other"))
      let witness = Witness<Int>(requesting: .max(1))
      upstream.withLatest(of: other) { $0 + $1 }.subscribe(witness)
      return ThreadedProgram(
        threads: [{ other.send(10) }, { witness.cancel() }, { witness.request(.max(1)) }],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(upstream.subscribeCount == upstream.cancelCount, "the upstream is not cancelled")
          return verdict.faults
        }
      )
    }
  }

  @Test func aFailureATriggerAndACancelOfRetryWhen() {
    expectNoFault("retryWhen, a failure, the trigger and a cancel") {
      let (upstream, trigger) = (Feed<Int>("upstream"), Feed<Int>("trigger"))
      let witness = Witness<Int>(requesting: .max(2))
      upstream.retryWhen { _ in trigger }.subscribe(witness)
      return ThreadedProgram(
        threads: [{ upstream.fail() }, { trigger.send(0) }, { witness.cancel() }],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(trigger.cancelCount == 1, "the trigger was cancelled \(trigger.cancelCount) times")
          verdict.require(upstream.cancelCount >= upstream.subscribeCount - 1, "a new subscription is not cancelled")
          return verdict.faults
        }
      )
    }
  }

  @Test func aGroupThatIsCancelledWhileItReceives() {
    expectNoFault("groupBy, values and cancels") {
      let upstream = Feed<Int>("upstream")
      let member = Witness<Int>()
      let groups = upstream.groupBy { _ in 0 }.prefix(1).flatMap { $0 }
      groups.subscribe(member)
      return ThreadedProgram(
        threads: [
          {
            upstream.send(1)
            upstream.send(2)
          }, { member.cancel() },
        ],
        faults: {
          var verdict = Verdict(member)
          verdict.require(member.values, areOf: [[1, 2]], completely: false)
          verdict.require(upstream.cancelCount == 1, "the upstream was cancelled \(upstream.cancelCount) times")
          return verdict.faults
        }
      )
    }
  }

  @Test func theLastSubscriberLeavesWhileTheNextOneComes() {
    expectNoFault("referenceCounted, one leaves and one comes") {
      let upstream = Feed<Int>("upstream")
      let shared = upstream.multicast { PassthroughSubject<Int, TestError>() }.referenceCounted()
      let (old, new) = (Witness<Int>(), Witness<Int>())
      shared.subscribe(old)
      return ThreadedProgram(
        threads: [{ old.cancel() }, { shared.subscribe(new) }],
        faults: {
          upstream.send(1)
          var verdict = Verdict(new)
          verdict.require(new.values == [1], "\(new.values) for the new subscriber")
          verdict.require(upstream.cancelCount == upstream.subscribeCount - 1, "an old connection is left")
          return verdict.faults
        }
      )
    }
  }

  @Test func aConnectionIsNotOverlappedByTheNext() {
    expectNoFault("referenceCounted, one leaves, and one comes and leaves") {
      var (living, most) = (0, 0)
      let upstream = Feed<Int>("upstream")
      let shared = upstream.handleEvents(
        receiveSubscription: { _ in
          living += 1
          most = max(most, living)
        },
        receiveCancel: {
          Interleavings.point("the upstream closes")
          living -= 1
        }
      )
      .multicast { PassthroughSubject<Int, TestError>() }.referenceCounted()
      let (old, new) = (Witness<Int>(), Witness<Int>())
      shared.subscribe(old)
      return ThreadedProgram(
        threads: [
          { old.cancel() },
          {
            shared.subscribe(new)
            new.cancel()
          },
        ],
        faults: {
          let last = Witness<Int>()
          shared.subscribe(last)
          upstream.send(1)
          var verdict = Verdict(last)
          verdict.require(most == 1, "\(most) connections at a time")
          verdict.require(living == 1, "\(living) connections at the end")
          verdict.require(last.values == [1], "\(last.values) for the last subscriber")
          return verdict.faults
        }
      )
    }
  }
}
